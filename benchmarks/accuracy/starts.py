"""Tests starts other than the full board of the plastic set: games from them, and empty boards.

    python -m benchmarks.accuracy.starts drop|draughts|dropped|roles|position|positions-draughts|empty
                                         [--cases N] [--seed S] [--plies N] [--events FOLDER]

``drop``: games from the empty board, both plastic sets, 10 to 45 degrees off the vertical. ``draughts``: the
usual start with draughts or coins on a chess board, six pairs of shades, seen from a random side, with
``--rank1`` given. ``dropped``: the same from the empty board. ``roles``: the first turn of such games without
``--rank1``, which must be read correctly or lead to a question. ``position``: games from positions after 10
to 30 turns that the camera reads. ``positions-draughts``: the same with draughts on a chess board, whose
players swap the colours if the reading has exchanged them; ``--plies 0`` ends with the reading. ``empty``:
empty boards that have to be found; the pose is compared with the truth. Each case is determined by its
number. Prints one line a case; ``--events`` keeps the events.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks import history
from benchmarks.accuracy.contest import Ours, run_all
from benchmarks.accuracy.scoring import score
from focus_companion.game.play import apply
from focus_companion.game.position import parse_position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES
from focus_companion.game.start import Start
from focus_companion.session import events as events_of
from focus_companion.session.requests import SetPosition, StandsRight
from focus_companion.session.session import Session
from focus_companion.simulator.beats import Pace
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.director import Director
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.for_tests.script import script_game
from focus_companion.simulator.player import choose
from focus_companion.simulator.scene_style import BoardStyle, PieceStyle, SceneStyle, aimed_camera
from focus_companion.simulator.stage import Hand
from focus_companion.vision.capture.frames import Frame
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.geometry.board_profiles import board_profile, plastic_sets
from focus_companion.vision.geometry.orientation import SIDES, upright
from focus_companion.vision.geometry.scene import BoardProfile, Camera, Lens

SHADES = {
    "white and black": ("#e9dfc6", "#1d1b1a"),
    "copper and silver": ("#b08d57", "#c0c0c4"),
    "wood": ("#d8b27a", "#5a3620"),
    "blue and yellow": ("#1f57b2", "#edbb10"),
    "black and red": ("#1d1b1a", "#bd1722"),
    "red and white": ("#bd1722", "#e9dfc6"),
}
"""The two shades of a set, as sRGB; either may be the first player's."""

CHESS_BOARDS = (("#d9c39a", "#7a4a2b"), ("#efe6d0", "#2f5d3a"), ("#e7dcc0", "#3a2a20"))
"""Light and dark fields of wooden and vinyl boards."""

FRAME_RATE = 5.0
"""Pictures a second."""

MAX_POSE_ERROR = 0.15
"""Mean error of the corners of an empty board, in squares, below which its pose is right."""

READING_SECONDS = 5.0
"""Seconds for which a position stands to be read before the first turn."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one case: whether it is right, and a description."""

    right: bool
    about: str


def side_of_rank1(camera: Camera, profile: BoardProfile) -> str:
    """The side of the picture nearest to which rank 1 lies."""
    empty = [""] * len(SQUARES)

    def error(side: str) -> float:
        return corner_error(upright(camera, profile, empty, side), camera, profile)

    return min(SIDES, key=error)


def seen_from(
    look: SceneStyle, rng: np.random.Generator, profile: BoardProfile, tilt: tuple[float, float]
) -> SceneStyle:
    """The look with another camera that sees the whole board."""
    width, height = look.size
    lens = replace(Lens.guess(width, height, rng.uniform(50, 75)), distortion=look.camera.lens.distortion)
    tilt_drawn, azimuth = rng.uniform(*tilt), rng.uniform(0, 360)
    # Seen across a corner, the side of the picture at which rank 1 lies would be arbitrary.
    side = 90.0 * round(azimuth / 90)
    camera = aimed_camera(
        lens,
        profile,
        tilt=tilt_drawn,
        azimuth=side + float(np.clip(azimuth - side, -38, 38)),
        roll=rng.normal(0, 3),
        fill=rng.uniform(0.75, 0.95),
    )
    return replace(look, camera=camera)


def on_chess_board(
    look: SceneStyle, rng: np.random.Generator, shades: tuple[str, str], profile: str
) -> SceneStyle:
    """The look with draughts of two shades on a chess board; the first shade is the first player's."""
    light, dark = CHESS_BOARDS[int(rng.integers(len(CHESS_BOARDS)))]
    first, second = shades
    colours = {"g": first, "r": second, "b": "#1f57b2", "y": "#edbb10"}
    # In photographs of draughts, it is 3 to 7 % of a square.
    placement = np.random.default_rng([look.seed, 13]).uniform(0, 0.07) * board_profile(profile).pitch
    pieces = PieceStyle(profile, colours, 0.4, 0.03, 0.4, placement=placement)
    return replace(
        look, board=BoardStyle("square", light, "chess", dark, False, "#e9e7e0", gloss=0.25), pieces=pieces
    )


def watched(
    look: SceneStyle,
    rules: Rules,
    number: int,
    plies: int,
    profiles: Sequence[BoardProfile],
    keep: Path | None,
    ours_of: type[Ours] | None = None,
) -> Outcome:
    """Let the product watch a game of ``plies`` turns."""
    pace = Pace(settle=1.1, wrong=1.2)
    # Nobody moves before the position has been read and accepted.
    waiting = None if ours_of is None else READING_SECONDS
    game = script_game(look, rules, seed=number, plies=plies, trouble=0.0, pace=pace, waiting=waiting)
    ours = (ours_of or Ours)(rules, profiles=profiles, rank1=side_of_rank1(look.camera, look.profile))
    run = run_all(game.frames(FRAME_RATE, detail=0.5), [ours])["ours"]
    truth = game.truth(FRAME_RATE)
    found = score(truth, run.events)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{number}.jsonl").write_text("".join(json.dumps(event) + "\n" for event in run.events))
        (keep / f"{number}.truth.json").write_text(json.dumps(truth))
    right = found.exact and not (found.false_alerts or found.wrong_moves or run.error)
    first = found.problems[0] if found.problems else None
    outlines = ours.pipeline.outlines
    set_taken = "none" if outlines is None else outlines.profile.name
    about = (
        f"{found.plies_ok}/{found.plies_due} turns, {found.in_time_ok} in time, {found.false_alerts} false "
        f"alerts, {found.wrong_moves} wrong, {found.unclear} asked; "
        f"{look.pieces.profile} taken for {set_taken}"
    )
    if isinstance(ours, Reading):
        right = right and not ours.silent
        about += f"; {ours.misread} squares misread, {len(ours.doubted)} in doubt"
        about += f", misread without doubt: {ours.silent}"
    if first is not None:
        about += f"; first {first.time:.1f} s {first.what} ({first.detail})"
    return Outcome(right, f"{about} {run.error}")


def drop(number: int, plies: int, keep: Path | None) -> Outcome:
    """A game from the empty board."""
    rng = np.random.default_rng([number, 51])
    look = random_look(rng, (960, 720))
    look = seen_from(look, rng, look.profile, (10, 45))
    rules = Rules.make(2, set_up="drop")
    outcome = watched(look, rules, number, plies, plastic_sets(), keep)
    return replace(outcome, about=f"{look.camera.tilt:.0f}° {outcome.about}")


def draughts(number: int, plies: int, keep: Path | None) -> Outcome:
    """A game with draughts of one pair of shades; the cases go through all pairs, either way round."""
    return _with_draughts(number, plies, keep, Rules.make(2), 52)


def dropped(number: int, plies: int, keep: Path | None) -> Outcome:
    """The same from an empty chess board."""
    return _with_draughts(number, plies, keep, Rules.make(2, set_up="drop"), 54)


def _with_draughts(number: int, plies: int, keep: Path | None, rules: Rules, stream: int) -> Outcome:
    look, name, profile = _draughts_look(number, np.random.default_rng([number, stream]))
    outcome = watched(look, rules, number, plies, (profile,), keep)
    return replace(outcome, about=f"{look.camera.tilt:.0f}° {name} {outcome.about}")


def _draughts_look(
    number: int, rng: np.random.Generator, exchanged: bool | None = None
) -> tuple[SceneStyle, str, BoardProfile]:
    """A look of draughts on a chess board, the name of their pair of shades, and their profile.

    ``exchanged``: whether the second shade of the pair is the first player's; ``None``: every second time
    that the cases have gone through all pairs.
    """
    if exchanged is None:
        exchanged = number // len(SHADES) % 2 == 1
    name = list(SHADES)[number % len(SHADES)]
    shades = SHADES[name][::-1] if exchanged else SHADES[name]
    profile = board_profile("chess-draughts")
    look = on_chess_board(random_look(rng, (960, 720)), rng, shades, profile.name)
    return seen_from(look, rng, profile, (20, 45)), name, profile


def roles(number: int, plies: int, keep: Path | None) -> Outcome:
    """Which player has which shade, if nobody has said from which side the board is seen: the first turn must
    be read as it was played, or be alerted as out of turn, which asks who begins. A turn on another square
    would be a silent swap. ``plies`` is ignored.
    """
    rng = np.random.default_rng([number, 56])
    exchanged = bool(rng.choice((-1, 1)) < 0)
    look, name, profile = _draughts_look(number, rng, exchanged)
    game = script_game(look, Rules.make(2), seed=number, plies=2, trouble=0.0, pace=Pace(settle=1.1))
    ours = Ours(Rules.make(2), profiles=(profile,))
    run = run_all(game.frames(FRAME_RATE, detail=0.5), [ours])["ours"]
    first = next((event for event in run.events if event["type"] in ("move", "alert")), None)
    played = game.truth(FRAME_RATE)["moves"][0]["move"]
    about = f"{look.camera.tilt:.0f}° {name}, {'exchanged' if exchanged else 'as named'}"
    if first is None or run.error:
        return Outcome(False, f"{about}: nothing read {run.error}")
    if first["type"] == "alert":
        return Outcome(first["reason"] == "out_of_turn", f"{about}: asked ({first['reason']})")
    return Outcome(first["move"] == played, f"{about}: {first['move']} for {played}")


_UNREAD = "nothing read"


class Reading(Ours):
    """The product when the camera reads the start, with players who correct what it has misread, and confirm
    that the pieces stand like that if it still sees others. If the set's shades are not known, it guesses who
    has which, and they swap the colours if it has guessed wrong.

    ``misread``: the number of misread squares; ``doubted``: squares that it was not sure of; ``silent``:
    those that it misread without doubt, as "square: true as read".
    """

    def __init__(self, rules: Rules, *, profiles: Sequence[BoardProfile], rank1: str) -> None:
        super().__init__(rules, profiles=profiles, rank1=rank1)
        self._true = start_position(rules)
        self.session = Session(Rules.make(2), {}, None, self.pipeline, start_from="camera")
        self._any_shades = not any(profile.shades for profile in profiles) and profiles[0].flat
        self.misread = 0
        self.doubted: tuple[str, ...] = ()
        self.silent = _UNREAD

    def see(self, frame: Frame) -> list[dict[str, Any]]:
        events = self.session.push(frame)
        for event in events:
            if isinstance(event, events_of.Reading) and event.position and self.silent == _UNREAD:
                self._put_right(event)
            elif isinstance(event, events_of.SetUp) and event.squares and self.silent != _UNREAD:
                self.session.submit(StandsRight())
        return self.public(events)

    def _put_right(self, reading: events_of.Reading) -> None:
        true, read = self._true, parse_position(reading.position)
        if self._any_shades:
            exchange = str.maketrans(true.players, true.players[::-1])
            swapped = tuple(stack.translate(exchange) for stack in read)
            read = max(read, swapped, key=lambda stacks: sum(map(str.__eq__, stacks, true.stacks)))
        self.misread = sum(map(str.__ne__, read, true.stacks))
        self.doubted = tuple(reading.doubtful)
        self.silent = ", ".join(
            f"{square}: {stack or 'empty'} as {seen or 'empty'}"
            for square, stack, seen in zip(SQUARES, true.stacks, read, strict=True)
            if stack != seen and square not in self.doubted
        )
        reserves = dict(zip(true.players, true.reserves, strict=True))
        self.session.submit(SetPosition(true.stacks, true.to_move, reserves))


def read_position(number: int, plies: int, keep: Path | None) -> Outcome:
    """A game from a position after 10 to 30 turns that the camera reads."""
    rng = np.random.default_rng([number, 55])
    look = random_look(rng, (960, 720))
    look = seen_from(look, rng, look.profile, (10, 45))
    return _read_position(look, "", number, plies, plastic_sets(), keep, rng)


def read_draughts(number: int, plies: int, keep: Path | None) -> Outcome:
    """The same with draughts of one pair of shades; the cases go through all pairs, either way round."""
    rng = np.random.default_rng([number, 57])
    look, name, profile = _draughts_look(number, rng)
    return _read_position(look, f" {name}", number, plies, (profile,), keep, rng)


def _read_position(
    look: SceneStyle,
    name: str,
    number: int,
    plies: int,
    profiles: Sequence[BoardProfile],
    keep: Path | None,
    rng: np.random.Generator,
) -> Outcome:
    """A game from a random position that the camera reads, with this look."""
    rules, turns = Rules.make(2), int(rng.integers(10, 31))
    reached = start_position(rules)
    for _ in range(turns):
        move = choose(reached, rules, rng)
        if move is None:
            break
        reached = apply(reached, move, rules)
    reserves = dict(zip(reached.players, reached.reserves, strict=True))
    start = Start.make(rules.order, reached.stacks, reserves=reserves, to_move=reached.to_move)
    set_up = Rules.make(2, set_up="position", start=start)
    outcome = watched(look, set_up, number, plies, profiles, keep, Reading)
    return replace(outcome, about=f"{look.camera.tilt:.0f}°{name} after {turns} turns {outcome.about}")


def empty(number: int, plies: int, keep: Path | None) -> Outcome:
    """An empty board, plastic and chess alternately, every third one with a hand over its edge."""
    rng = np.random.default_rng([number, 53])
    look = random_look(rng, (960, 720))
    chess = number % 2 == 1
    profiles = (board_profile("chess-draughts"),) if chess else plastic_sets()
    if chess:
        look = on_chess_board(look, rng, SHADES["white and black"], "chess-draughts")
    look = seen_from(look, rng, look.profile, (10, 50))
    stage = Director(look, Rules.make(2), Pace()).stage(start_position(Rules.make(2, set_up="drop")))
    if number % 3 == 2:
        half = look.profile.half_width
        stage = replace(stage, hand=Hand("S", float(rng.uniform(-half, half)), -0.8 * half, 40.0))
    image = BoardView(look).shoot(stage, rng)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(keep / f"{number}.png"), image)
    began = time.process_time()
    found = find_board(image, profiles, [""] * 52)
    took = time.process_time() - began
    kind = "chess" if chess else "plastic"
    said = f"{look.camera.tilt:.0f}° {kind}, {took:.1f} s"
    if found is None:
        return Outcome(False, f"{said}: not found")
    off = corner_error(found.camera, look.camera, look.profile, turns=4)
    return Outcome(
        off < MAX_POSE_ERROR, f"{said}: {off:.2f} squares off, {found.profile.name} (is {look.profile.name})"
    )


KINDS: dict[str, Callable[[int, int, Path | None], Outcome]] = {
    "drop": drop,
    "draughts": draughts,
    "dropped": dropped,
    "roles": roles,
    "position": read_position,
    "positions-draughts": read_draughts,
    "empty": empty,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--cases", type=int, default=8, help="how many (default 8)")
    parser.add_argument("--seed", type=int, default=1, help="number of the first case (default 1)")
    parser.add_argument("--plies", type=int, default=46, help="turns of a game (default 46)")
    parser.add_argument("--events", type=Path, help="keep the events here")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    right = 0
    for number in range(options.seed, options.seed + options.cases):
        outcome = KINDS[options.kind](number, options.plies, options.events)
        right += outcome.right
        print(f"{number} {'right' if outcome.right else 'WRONG'} {outcome.about}", flush=True)
    print(f"{options.kind}: {right} of {options.cases} right")
    what = f"{options.kind}, cases {options.seed} to {options.seed + options.cases - 1}"
    history.append("accuracy.starts", what, {"right": right, "of": options.cases})
    return 0 if right == options.cases else 1


if __name__ == "__main__":
    sys.exit(main())
