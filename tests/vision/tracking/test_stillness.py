"""Motion on the board is distinguished from noise and from a camera that shakes or sways."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from focus_companion.vision.capture.frames import Image, read_image
from focus_companion.vision.geometry.stack_masks import Window
from focus_companion.vision.tracking.stillness import SETTLE_TIME, Stillness

BOARD = read_image(Path(__file__).parents[3] / "fixtures" / "images" / "2p-oblique-start.jpg")
FRAME_INTERVAL = 1 / 15


def shifted(image: Image, right: float, down: float) -> Image:
    shift = np.array([[1, 0, right], [0, 1, down]], np.float64)
    size = image.shape[1], image.shape[0]
    return np.asarray(cv2.warpAffine(image, shift, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


NOISE = np.random.default_rng(1).normal(0, 4.0, BOARD.shape).round().astype(np.int16)


def noisy(image: Image, index: int) -> Image:
    """The picture with the noise of frame ``index``: one noise field, shifted differently for each frame."""
    height, width = image.shape[:2]
    noise = np.roll(NOISE, (97 * index, 173 * index), axis=(0, 1))[:height, :width]
    return np.asarray(np.clip(image + noise, 0, 255), np.uint8)


def still_times(pictures: list[Image], squares: Image | None = None) -> list[float]:
    """Seconds for which the scene has been still, for each of the pictures. ``squares``: a mask of those of a
    known board.
    """
    stillness = Stillness()
    if squares is not None:
        height, width = squares.shape
        stillness.watch(Window(0, 0, width, height), square=width / 14, squares=squares > 0)
    return [
        stillness.update(index * FRAME_INTERVAL, stillness.small_copy(noisy(picture, index)))[0]
        for index, picture in enumerate(pictures)
    ]


def shaken(image: Image, index: int, pixels: float) -> Image:
    right, down = np.random.default_rng(100 + index).uniform(-pixels, pixels, 2)
    return shifted(image, right, down)


@pytest.mark.parametrize("pixels", [0.0, 0.5, 1.0])
def test_a_board_is_still_though_the_camera_shakes(pixels: float) -> None:
    assert still_times([shaken(BOARD, index, pixels) for index in range(12)]) == pytest.approx(
        [index * FRAME_INTERVAL for index in range(12)]
    )


def test_pictures_of_a_camera_that_shakes_do_not_differ() -> None:
    stillness = Stillness()
    copies = [stillness.small_copy(noisy(shaken(BOARD, index, 1.0), index)) for index in range(8)]
    assert not any(stillness.differ(copies[0], other) for other in copies)


def fingertip(image: Image, index: int) -> Image:
    """A fingertip at the edge of the board, moving a little farther in every picture."""
    shown = image.copy()
    return np.asarray(
        cv2.circle(shown, (600 + 6 * index, 640), image.shape[1] // 50, (130, 160, 210), -1), np.uint8
    )


def test_a_fingertip_is_motion_though_the_camera_shakes() -> None:
    """The scene never counts as still for long enough to be judged."""
    assert (
        max(still_times([fingertip(shaken(BOARD, index, 1.0), index) for index in range(10)])) < SETTLE_TIME
    )


def with_clock(image: Image, index: int) -> Image:
    """The picture with the time in hundredths of a second in a corner."""
    time = f"19:30:{index * FRAME_INTERVAL:05.2f}"
    return np.asarray(
        cv2.putText(image.copy(), time, (760, 60), cv2.FONT_HERSHEY_DUPLEX, 2.0, (255, 255, 255), 4)
    )


def test_a_running_clock_in_the_picture_is_not_motion() -> None:
    still = still_times([with_clock(BOARD, index) for index in range(30)])
    assert max(still) > 2 * SETTLE_TIME
    assert max(still_times([with_clock(BOARD, 0) for _ in range(30)])) == pytest.approx(29 * FRAME_INTERVAL)


SQUARES = np.asarray(cv2.rectangle(np.zeros(BOARD.shape[:2], np.uint8), (300, 250), (980, 850), 1, -1))


def waving(image: Image, index: int, at: tuple[int, int]) -> Image:
    """A hand that moves to and fro in one place."""
    hand = at[0] + 40 * (index % 2), at[1]
    return np.asarray(cv2.circle(image.copy(), hand, 50, (130, 160, 210), -1), np.uint8)


def test_only_off_the_squares_is_a_running_clock_no_motion() -> None:
    beside = still_times([with_clock(BOARD, index) for index in range(60)], SQUARES)
    assert max(beside) > 2 * SETTLE_TIME
    on_squares = still_times([waving(BOARD, index, (640, 500)) for index in range(60)], SQUARES)
    assert max(on_squares) < SETTLE_TIME


def with_spot(image: Image, index: int) -> Image:
    """The picture with the spot of a laser pointer, which crosses the board and comes back."""
    across = 350 + abs(20 * index % 1000 - 500)
    return np.asarray(cv2.circle(image.copy(), (across, 500), 12, (140, 255, 140), -1), np.uint8)


def with_arm(image: Image, reach: int) -> Image:
    """The picture with an arm across it, whose hand is so many pixels from the left."""
    return np.asarray(cv2.line(image.copy(), (0, 700), (reach, 600), (130, 160, 210), 120), np.uint8)


def test_a_spot_that_moves_over_the_squares_is_no_motion_once_it_is_known() -> None:
    still = still_times([with_spot(BOARD, index) for index in range(40)], SQUARES)
    assert still[5] == 0.0
    assert still[-1] > 1.5


@pytest.mark.parametrize("known", [0, 20], ids=["unknown", "known"])
def test_an_arm_is_motion_though_a_spot_moves(known: int) -> None:
    shown = [BOARD] * known + [with_arm(BOARD, 300 + 20 * index) for index in range(20)]
    still = still_times([with_spot(image, index) for index, image in enumerate(shown)], SQUARES)
    assert max(still[known:]) == 0.0


def test_a_fingertip_whose_arm_follows_is_no_spot() -> None:
    still = still_times([with_arm(BOARD, 300 + 8 * index) for index in range(40)], SQUARES)
    assert max(still) == 0.0


def test_a_single_motion_after_a_long_pause_is_motion() -> None:
    pictures = [BOARD] * 60 + [fingertip(BOARD, index) for index in range(6)]
    assert max(still_times(pictures, SQUARES)[61:]) < SETTLE_TIME


def test_a_fingertip_is_motion_though_a_clock_runs() -> None:
    shown = [BOARD] * 10 + [fingertip(BOARD, index) for index in range(20)]
    assert (
        max(still_times([with_clock(image, index) for index, image in enumerate(shown)])[12:]) < SETTLE_TIME
    )


def swaying(index: int, board: Image = BOARD) -> Image:
    """A picture from a camera held by hand: it moves six pixels to and fro, twice in three seconds."""
    phase = 2 * np.pi * 0.7 * index * FRAME_INTERVAL
    return shifted(board, 6 * np.sin(phase), 4 * np.cos(1.3 * phase))


SHARP = np.asarray(cv2.addWeighted(BOARD, 3.0, cv2.GaussianBlur(BOARD, (0, 0), 2.0), -2.0, 0), np.uint8)


@pytest.mark.parametrize("board", [BOARD, SHARP], ids=["as it is", "sharpened by the camera"])
def test_a_board_is_still_though_the_camera_sways(board: Image) -> None:
    assert still_times([swaying(index, board) for index in range(30)])[-1] > 25 * FRAME_INTERVAL


def test_a_hand_is_motion_though_the_camera_sways() -> None:
    shown = [
        np.asarray(cv2.circle(swaying(i), (300 + 30 * i, 500), 60, (130, 160, 210), -1)) for i in range(10)
    ]
    assert max(still_times(shown)) < SETTLE_TIME


def test_a_push_in_small_steps_is_not_sway() -> None:
    """A swaying camera returns to its place; a displacement that keeps growing is a push."""
    assert max(still_times([shifted(BOARD, 3.0 * index, 0) for index in range(30)])) < 15 * FRAME_INTERVAL


def test_pictures_with_and_without_a_piece_differ() -> None:
    stillness = Stillness()
    before = stillness.small_copy(noisy(BOARD, 1))
    without = np.asarray(cv2.circle(BOARD.copy(), (640, 480), 26, (40, 60, 70), -1), np.uint8)
    assert stillness.differ(before, stillness.small_copy(noisy(shaken(without, 2, 1.0), 2)))


def test_a_sudden_change_of_light_is_motion() -> None:
    darker = np.asarray(BOARD * 0.6, np.uint8)
    assert still_times([BOARD, BOARD, darker])[-1] == 0.0


def test_a_uniform_picture_is_still() -> None:
    assert still_times([np.full((480, 640, 3), 90, np.uint8)] * 4)[-1] > 0


@pytest.mark.parametrize("colour", [(130, 160, 210), (255, 255, 255)], ids=["a hand", "a white sleeve"])
def test_a_trail_that_fades_is_not_judged(colour: tuple[int, int, int]) -> None:
    """A camera that averages over time leaves a trail of what moved, and each picture differs little from the
    one before.
    """
    arm = np.asarray(cv2.circle(BOARD.copy(), (640, 480), 60, colour, -1))
    shares = [1.0, 1.0, *(0.4 * 0.85**index for index in range(20))]
    shown = [np.asarray(cv2.addWeighted(arm, share, BOARD, 1 - share, 0), np.uint8) for share in shares]
    stillness, judged = Stillness(), []
    for index, (share, picture) in enumerate(zip(shares, shown, strict=True)):
        stillness.update(index * FRAME_INTERVAL, stillness.small_copy(noisy(picture, index)))
        if stillness.settled:
            judged.append(share)
    assert judged
    assert max(judged) < 0.15


def test_a_board_is_judged_though_something_keeps_changing_little_by_little() -> None:
    """A reflection that moves may do so for as long as the game lasts."""
    bright = np.asarray(cv2.circle(BOARD.copy(), (640, 480), 60, (255, 255, 255), -1))
    stillness, settled = Stillness(), []
    for index in range(12):
        share = 0.04 * index
        shown = np.asarray(cv2.addWeighted(bright, share, BOARD, 1 - share, 0), np.uint8)
        stillness.update(index * FRAME_INTERVAL, stillness.small_copy(noisy(shown, index)))
        settled.append(stillness.settled)
    assert not any(settled[:6])
    assert settled[-1]


def test_light_that_changes_most_of_the_picture_a_little_is_no_motion() -> None:
    """A camera may adapt its exposure to parts of the picture all the time."""
    rows, columns = np.mgrid[: BOARD.shape[0], : BOARD.shape[1]]
    middle = (np.cos((columns - 640) / 500) * np.cos((rows - 480) / 700))[..., None]
    darker = np.asarray(np.clip(BOARD * (1 - 0.07 * middle), 0, 255), np.uint8)
    stillness = Stillness()
    for index, picture in enumerate((*4 * [BOARD], *4 * [darker])):
        lasted, _ = stillness.update(index * FRAME_INTERVAL, stillness.small_copy(picture))
    assert lasted == pytest.approx(7 * FRAME_INTERVAL)


def test_what_fades_in_is_motion() -> None:
    """Between two successive pictures, something soft that appears little by little looks like a change of
    light; sway does not explain it.
    """
    rows, columns = np.mgrid[: BOARD.shape[0], : BOARD.shape[1]]
    shape = np.exp(-((columns - 300) ** 2 + (rows - 500) ** 2) / (2 * 140**2))[..., None]
    shown = [
        np.asarray(BOARD * (1 - min(0.1 * max(0, index - 3), 0.9) * shape), np.uint8) for index in range(10)
    ]
    assert still_times(shown)[-1] < SETTLE_TIME
