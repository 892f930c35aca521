"""The camera model's projection and its residuals, compared with OpenCV's and with their definition."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from focus_companion.vision.geometry import pose
from focus_companion.vision.geometry.scene import Camera, Lens

LENS = Lens(1280, 960, 1010.5, (633.2, 481.7), (-0.11, 0.023, 0.0005, -0.0004), aspect=1.09)
VIEW = Camera(LENS, (2.6, 0.3, -0.2), (12.0, -31.0, 690.0))
POINTS = np.random.default_rng(4).uniform((-200, -200, 0), (200, 200, 90), (5000, 3))
"""More than are projected at a time."""


def projected(camera: Camera, points: np.ndarray) -> np.ndarray:
    """OpenCV's pixels (N, 2)."""
    lens = camera.lens
    view = np.array(camera.rotation), np.array(camera.translation), lens.matrix, np.array(lens.distortion)
    return cv2.projectPoints(points.reshape(-1, 1, 3), *view)[0].reshape(-1, 2)


@pytest.mark.parametrize("count", [0, 1, 40, 5000])
def test_points_are_projected_as_by_opencv(count: int) -> None:
    pixels = VIEW.project(POINTS[:count])
    assert pixels.shape == (count, 2)
    if count:
        assert np.allclose(pixels, projected(VIEW, POINTS[:count]), rtol=0, atol=1e-9)


def test_points_in_the_plane_of_the_camera_and_behind_it_are_projected_as_by_opencv() -> None:
    camera = Camera(LENS, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    points = np.array([(0.3, 0.2, 0.0), (3.0, 4.0, -50.0), (1.0, 2.0, 9.0)])
    assert np.allclose(camera.project(points), projected(camera, points), rtol=1e-12, atol=1e-9)


def test_residuals_along_normals_are_inner_products() -> None:
    points, angles = POINTS[:300], np.linspace(0, 7, 300)
    normals, pixels = np.stack([np.cos(angles), np.sin(angles)], 1), VIEW.project(points) + 1.5
    residual, jacobian = pose._residuals(VIEW, points, pixels, None)
    along, derivative = pose._residuals(VIEW, points, pixels, normals)
    assert along.shape == (300, 1) and derivative.shape == (300, 1, 9)
    assert np.allclose(along, np.einsum("ni,ni->n", residual, normals)[:, None])
    assert np.allclose(derivative, np.einsum("nik,ni->nk", jacobian, normals)[:, None])


def test_derivatives_are_those_of_the_residuals() -> None:
    """Of rotation, translation, the logarithm of the focal length, k1, and the logarithm of the aspect."""
    points = POINTS[:50]
    pixels, state = VIEW.project(points), pose._pack(VIEW)
    _, jacobian = pose._residuals(VIEW, points, pixels, None)
    for number, step in enumerate((1e-5, 1e-5, 1e-5, 1e-2, 1e-2, 1e-2, 1e-5, 1e-5, 1e-5)):
        change = np.zeros(9)
        change[number] = step
        beyond, short = (pose._unpack(state + sign * change, VIEW).project(points) for sign in (1, -1))
        assert np.allclose(jacobian[:, :, number], (beyond - short) / (2 * step), rtol=1e-4, atol=1e-3)


def test_the_viewing_directions_of_pixels_are_seen_there() -> None:
    pixels = VIEW.project(POINTS[:40])
    there = Camera(LENS, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert np.allclose(there.project(LENS.rays(pixels)), pixels, atol=1e-3)


@pytest.mark.parametrize("aspect", [0.75, 1.0, 1.09])
def test_a_homography_is_that_of_a_camera_with_these_pixels(aspect: float) -> None:
    plain = replace(LENS, distortion=(0.0, 0.0, 0.0, 0.0), aspect=aspect)
    truth = replace(VIEW, lens=plain)
    corners = np.array([(-2, -2), (2, -2), (2, 2), (-2, 2)], np.float32)
    pixels = truth.project(np.column_stack([corners * 30.0, np.zeros(4)]))
    homography = cv2.getPerspectiveTransform(corners, pixels.astype(np.float32))
    view = pose.square_view(np.asarray(homography, float), plain, 30.0, 0.0, known=True)
    assert view is not None and view.misfit < 1e-3
    assert np.allclose(view.camera.project(POINTS[:9]), truth.project(POINTS[:9]), atol=0.5)
