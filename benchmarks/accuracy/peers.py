"""Two methods from the literature for following a board game with a camera, with our rules and the true
corners, so that only the vision differs.

Both get the true corners of the board once, which their users would have to click. They know neither heights
nor illegal acts, and emit only turns.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from focus_companion.game.colours import NAMES
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import FILE, RANK, SQUARES
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera

BOARD_SIDE: Final = 480
"""Side of the warped board in pixels; a square has 60."""
SQUARE_SIDE: Final = BOARD_SIDE // 8

Reading = tuple[str, ...]
"""The top colour of every square, "" for an empty one."""


class _Peer:
    """What both share: the warp, the game so far, and the event of a turn."""

    name = ""

    def __init__(self, rules: Rules, camera: Camera) -> None:
        """``camera``: the true one, for the board's first place."""
        self._rules = rules
        self.position = start_position(rules)
        self._ply = 0
        corners = camera.project(board_profile().corners).astype(np.float32)
        square = np.array([(0, BOARD_SIDE), (BOARD_SIDE, BOARD_SIDE), (BOARD_SIDE, 0), (0, 0)], np.float32)
        self._homography = cv2.getPerspectiveTransform(corners, square)
        self._size = (camera.lens.width, camera.lens.height)

    def _warp(self, image: Image) -> Image:
        height, width = image.shape[:2]
        scale = np.diag([self._size[0] / width, self._size[1] / height, 1.0])
        return np.asarray(
            cv2.warpPerspective(image, self._homography @ scale, (BOARD_SIDE, BOARD_SIDE)), np.uint8
        )

    def _moved(self, move: Move, time: float) -> dict[str, Any]:
        """Accept a turn; returns its event in the format of ``watch --events``."""
        player, rules = self.position.to_move, self._rules
        self.position = after = apply(self.position, move, rules)
        self._ply += 1
        order = after.players
        return {
            "type": "move",
            "time": round(time, 3),
            "ply": self._ply,
            "player": NAMES[player],
            "move": str(move),
            "position": after.text,
            "reserves": {NAMES[p]: after.reserve(p) for p in order},
            "captured": {
                NAMES[p]: {NAMES[o]: n for o, n in after.captures(p).items() if o != p} for p in order
            },
        }


class NearestColour(_Peer):
    """B1: the mean Lab colour of a disc of 0.35 pitch per square, nearest prototype from the start picture;
    the legal turn whose tops equal the reading, accepted when two consecutive readings agree.

    Of turns with equal tops the first in text order is taken, since the method cannot distinguish them.
    """

    name = "B1 nearest colour"

    def __init__(self, rules: Rules, camera: Camera) -> None:
        super().__init__(rules, camera)
        self._prototypes: dict[str, NDArray[np.float64]] = {}
        self._last: Reading | None = None
        disc = np.zeros((SQUARE_SIDE, SQUARE_SIDE), np.uint8)
        cv2.circle(disc, (SQUARE_SIDE // 2, SQUARE_SIDE // 2), round(0.35 * SQUARE_SIDE), 1, -1)
        self._disc = disc.astype(bool)
        self._known: Position | None = None
        self._tops: dict[Reading, Move] = {}

    def see(self, frame: Frame) -> list[dict[str, Any]]:
        lab = cv2.cvtColor(self._warp(frame.image), cv2.COLOR_BGR2LAB)
        means = np.array([lab[_cell(s)][self._disc].mean(0) for s in range(len(SQUARES))])
        if not self._prototypes:
            self._learn(means, np.asarray(lab, np.uint8))
        names = list(self._prototypes)
        distance = np.linalg.norm(
            means[:, None] - np.array([self._prototypes[n] for n in names])[None], axis=2
        )
        reading = tuple(names[k] for k in distance.argmin(1))
        last, self._last = self._last, reading
        if reading != last or not self.position.to_move:
            return []
        if self._known is not self.position:
            self._known, self._tops = self.position, self._expected()
        move = self._tops.get(reading)
        return [self._moved(move, frame.time)] if move is not None else []

    def _expected(self) -> dict[Reading, Move]:
        """The turn for each map of tops; a turn that leaves the tops unchanged is invisible."""
        tops: dict[Reading, Move] = {}
        for move in legal_moves(self.position, self._rules):
            tops.setdefault(_tops(apply(self.position, move, self._rules)), move)
        tops.pop(_tops(self.position), None)
        return tops

    def _learn(self, means: NDArray[np.float64], lab: Image) -> None:
        tops = _tops(self.position)
        for name in sorted(set(tops)):
            self._prototypes[name] = np.mean([means[s] for s, top in enumerate(tops) if top == name], axis=0)
        if "" not in self._prototypes:
            # With four players no square is empty at the start: the ground between the squares is used
            # instead.
            near = [slice(k * SQUARE_SIDE - 3, k * SQUARE_SIDE + 3) for k in range(2, 7)]
            spots = [lab[rows, columns].reshape(-1, 3).mean(0) for rows in near for columns in near]
            self._prototypes[""] = np.mean(spots, axis=0)


class BackgroundDifference(_Peer):
    """B2: a nearest-neighbour background subtractor on the warped board. Motion starts when the mean
    difference exceeds 1.0, and ends after three still frames. Then the ordered pairs of the four most changed
    squares are tried, those that changed most first, and the first legal turn is taken; if there is none, a
    legal reserve turn on one of the squares.
    """

    name = "B2 background difference"
    MOTION_THRESHOLD: Final = 1.0
    """Mean difference of grey levels between two frames above which something moves."""
    STILL_FRAMES: Final = 3
    CHANGE_THRESHOLD: Final = 10.0
    """Mean of a square's foreground mask (0 to 255) from which on it has changed."""
    MAX_SIMILARITY: Final = 0.8
    """Structural similarity up to which a square has changed."""

    def __init__(self, rules: Rules, camera: Camera) -> None:
        super().__init__(rules, camera)
        self._subtractor = cv2.createBackgroundSubtractorKNN(history=150, detectShadows=False)
        self._before: Image | None = None
        self._last: Image | None = None
        self._moving = False
        self._still = 0

    def see(self, frame: Frame) -> list[dict[str, Any]]:
        board = self._warp(frame.image)
        mask = np.asarray(self._subtractor.apply(board), np.uint8)
        grey = np.asarray(cv2.cvtColor(board, cv2.COLOR_BGR2GRAY), np.uint8)
        last, self._last = self._last, grey
        if last is None or self._before is None:
            self._before = grey
            return []
        # Smoothed, so that sensor noise does not count as motion.
        moved = float(cv2.absdiff(cv2.blur(grey, (5, 5)), cv2.blur(last, (5, 5))).mean())
        if moved > self.MOTION_THRESHOLD:
            self._moving, self._still = True, 0
            return []
        self._still += 1
        if not self._moving or self._still < self.STILL_FRAMES:
            return []
        self._moving = False
        move = self._turn(mask, grey)
        self._before = grey
        return [self._moved(move, frame.time)] if move is not None else []

    def _turn(self, mask: Image, grey: Image) -> Move | None:
        assert self._before is not None
        amount = {}
        for square in range(len(SQUARES)):
            cell = _cell(square)
            mean = float(mask[cell].mean())
            if mean < self.CHANGE_THRESHOLD:
                continue
            if _similarity(self._before[cell], grey[cell]) <= self.MAX_SIMILARITY:
                amount[square] = mean
        legal = set(legal_moves(self.position, self._rules)) if self.position.to_move else set()
        most = sorted(amount, key=lambda s: -amount[s])[:4]
        pairs = sorted(permutations(most, 2), key=lambda pair: -(amount[pair[0]] + amount[pair[1]]))
        for origin, target in pairs:
            if Move(origin, target) in legal:
                return Move(origin, target)
        return next((Move(None, target) for target in most if Move(None, target) in legal), None)


def _tops(position: Position) -> Reading:
    return tuple(stack[-1:] for stack in position.stacks)


def _cell(square: int) -> tuple[slice, slice]:
    """A square's part of the warped board."""
    top, left = (7 - RANK[square]) * SQUARE_SIDE, FILE[square] * SQUARE_SIDE
    return slice(top, top + SQUARE_SIDE), slice(left, left + SQUARE_SIDE)


def _similarity(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    """Structural similarity (SSIM) of two grey cells, averaged over windows of 7 × 7."""
    x, y = a.astype(np.float64), b.astype(np.float64)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(cv2.blur(values, (7, 7)), np.float64)

    mx, my = mean(x), mean(y)
    vx, vy, both = mean(x * x) - mx * mx, mean(y * y) - my * my, mean(x * y) - mx * my
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * mx * my + c1) * (2 * both + c2)
    return float((top / ((mx * mx + my * my + c1) * (vx + vy + c2))).mean())
