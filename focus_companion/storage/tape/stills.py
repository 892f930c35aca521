"""What the camera saw at every turn of a game, taken from its tape."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from ...game.record import GameRecord
from ...vision.capture.frames import read_image
from .replay import Recording
from .tape import TapeError

WIDTH: Final = 480
"""Width in pixels: enough to show a board, at about 20 kB a turn."""

_JPEG_QUALITY: Final = 70


def stills(folder: Path, record: GameRecord) -> dict[int, bytes]:
    """A JPEG by ply: the picture that showed the completed turn; ply 0 is the start. Missing are turns not on
    the tape, and those whose picture was not written because the program was killed.

    Raises:
        TapeError: there is no tape, or it is of a different game.
        FrameError: a picture on it cannot be read.
    """
    moves = [str(move) for move in record.moves]
    seen = Recording(folder).turns()
    if not seen.keys() - {0}:
        raise TapeError(f"{folder}: the tape holds no turn of a game")
    for ply, (move, _) in sorted(seen.items()):
        if ply and (ply > len(moves) or moves[ply - 1] != move):
            raise TapeError(f"{folder}: the tape is of another game: its turn {ply} is {move}")
    return {ply: _jpeg(picture) for ply, (_, picture) in sorted(seen.items()) if picture.is_file()}


def _jpeg(path: Path) -> bytes:
    image = read_image(path)
    height, width = image.shape[:2]
    if width > WIDTH:
        size = (WIDTH, max(1, round(height * WIDTH / width)))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1])
