"""Trains ``focus_companion.vision.detection.site_classifier`` on recordings with known truth.

    python -m benchmarks.accuracy.train_site_classifier FOOTAGE

FOOTAGE holds recordings (``*/truth.json`` with frames) and folders of stills. Positive examples are places of
a bare dome or a single piece; negative ones are the ledge, the missing corners, and whatever else the finder
takes for a board (a gingham cloth, prints, boards shifted by a square). Prints the accuracy on both classes,
for looks held out of the training, and then the weights.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.finding import Example, examples, near
from focus_companion.vision.detection.blobs import RADII
from focus_companion.vision.detection.candidates import CandidateSearch
from focus_companion.vision.detection.edges import Edges
from focus_companion.vision.detection.refine import fitted
from focus_companion.vision.detection.site_classifier import site_features, surroundings
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.pose import pushed
from focus_companion.vision.geometry.resize import WORK_PIXELS, reduced, resized
from focus_companion.vision.geometry.scene import Camera

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

FOLDS = 5
"""Number of parts of the cross-validation."""


def variants(image: Image, camera: Camera, rng: np.random.Generator) -> list[tuple[Image, Camera]]:
    """The picture unchanged, dim and noisy, and smaller, each with its camera."""
    dim = image * rng.uniform(0.35, 0.6) + rng.normal(0, 4, image.shape)
    small = cv2.resize(image, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
    return [
        (image, camera),
        (np.clip(dim, 0, 255).astype(np.uint8), camera),
        (np.asarray(small, np.uint8), resized(camera, np.asarray(small, np.uint8))),
    ]


def samples(example: Example, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Features (N, 18) and labels (N,) of places in one picture."""
    profile = board_profile()
    image, _ = reduced(example.image(), WORK_PIXELS)
    truth = resized(example.camera, image)
    low = np.array([len(stack) < 2 for stack in example.stacks])
    tops = truth.project(np.column_stack([profile.centres, np.full(52, 8.0)]))
    rows, labels = [], []

    def add(edges: Edges, camera: Camera, centres: Floats, label: float) -> None:
        features = site_features(edges, camera, profile, centres)
        features = features[np.isfinite(features).all(1)]
        rows.append(features)
        labels.append(np.full(len(features), label))

    for picture, camera in variants(image, truth, rng):
        edges = Edges.of(picture)
        shaken = pushed(camera, float(rng.normal(0, 1.2)), float(rng.normal(0, 1.2)))
        add(edges, shaken, profile.centres[low], 1.0)
        add(edges, shaken, surroundings(profile, 1), 0.0)
        search = CandidateSearch(picture, profile)
        for level in range(len(RADII)):
            search.collect(level)
        maybe = search.best()
        for rank, guess in enumerate(maybe):
            cameras = [guess] if rank >= 6 else [guess, fitted(edges, guess, profile)]
            for wrong in cameras:
                places = wrong.project(np.column_stack([profile.centres, np.full(52, 8.0)]))
                places *= image.shape[1] / picture.shape[1]
                gaps = np.linalg.norm(places[:, None] - tops[None], axis=2).min(1)
                away = gaps > 0.5 * truth.pitch_pixels(profile)
                if not near(wrong, camera, profile) and away.any():
                    add(edges, wrong, profile.centres[away], 0.0)
    return np.concatenate(rows), np.concatenate(labels)


def logistic(features: Floats, labels: Floats, ridge: float = 1.0) -> Floats:
    """Weights, the bias last, of a logistic regression with balanced classes."""
    design = np.column_stack([features, np.ones(len(features))])
    share = np.where(labels > 0, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    weights = np.zeros(design.shape[1])
    for _ in range(30):
        odds = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (share * (odds - labels)) + ridge * weights
        curve = (design * (share * odds * (1 - odds))[:, None]).T @ design + ridge * np.eye(len(weights))
        step = np.linalg.solve(curve, gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-5:
            break
    return weights


def main(folder: Path) -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng(1)
    looks: list[str] = []
    features, labels, groups = [], [], []
    for example in examples(folder, every=8):
        if example.look not in looks:
            looks.append(example.look)
        some, wanted = samples(example, rng)
        features.append(some)
        labels.append(wanted)
        groups.append(np.full(len(some), looks.index(example.look)))
    x, y, group = np.concatenate(features), np.concatenate(labels), np.concatenate(groups)
    odds = np.zeros(len(y))
    for fold in range(FOLDS):
        held = group % FOLDS == fold
        weights = logistic(x[~held], y[~held])
        odds[held] = x[held] @ weights[:-1] + weights[-1]
    print(f"{len(y)} places, {y.mean():.1%} of them right")
    print(
        f"held out: positives {np.mean(odds[y > 0] > 0):.1%} right, negatives {np.mean(odds[y == 0] < 0):.1%}"
    )
    print("WEIGHTS =", tuple(np.round(logistic(x, y), 2).tolist()))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
