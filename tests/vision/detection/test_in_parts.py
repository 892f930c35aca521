"""Computing in parts, which takes less memory, gives the same results as computing at once."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from focus_companion.vision.detection.blobs import gradients, normalized, to_opponent
from focus_companion.vision.detection.edges import Edges
from focus_companion.vision.geometry.stack_masks import Window

NOISE = np.random.default_rng(4).integers(0, 256, (415, 300, 3), np.uint8)


@pytest.mark.parametrize("window", [None, Window(20, 7, 290, 400), Window(5, 5, 60, 50)])
def test_the_edges_are_those_of_the_picture_as_a_whole(window: Window | None) -> None:
    left, top, right, bottom = window or (0, 0, 300, 415)
    # The expected edges are computed in one strip, with the same blur.
    planes = cv2.GaussianBlur(to_opponent(NOISE[top:bottom, left:right]), (0, 0), 1.0)
    gx, gy = (cv2.Sobel(planes, cv2.CV_32F, *way, ksize=3, scale=0.125) for way in ((1, 0), (0, 1)))
    angle = np.arctan2((2 * gx * gy).sum(2), (gx * gx - gy * gy).sum(2))
    edges = Edges.of(NOISE, window)
    # Only directions are compared, as the normalized lengths depend on a wide blur.
    off = np.angle(np.exp(1j * (np.arctan2(edges.sine, edges.cosine) - angle)))
    assert np.abs(off).max() < 1e-3
    whole = normalized(*gradients(np.asarray(planes, np.float32)), suppression=0.15)
    assert np.allclose(edges.cosine, whole[0], atol=1e-5) and np.allclose(edges.sine, whole[1], atol=1e-5)


def test_edges_do_not_depend_on_where_in_memory_the_planes_lie() -> None:
    planes = np.random.default_rng(2).normal(0, 20, (2, 61, 83)).astype(np.float32)
    first = normalized(planes[0].copy(), planes[1].copy(), 0.15)
    for offset in range(1, 9):
        held = [np.empty(plane.size + offset, np.float32)[offset:].reshape(plane.shape) for plane in planes]
        for place, plane in zip(held, planes, strict=True):
            place[...] = plane
        again = normalized(held[0], held[1], 0.15)
        assert np.array_equal(first[0], again[0]) and np.array_equal(first[1], again[1])
