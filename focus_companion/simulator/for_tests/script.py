"""Scripts games with their ground truth, in the form of the recordings.

They consist of legal turns, illegal acts that are put right, take-backs, pushed boards and changing light.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...game.moves import Move
from ...game.play import apply, removed
from ...game.position import Position
from ...game.rules import Rules
from ...game.setups import start_position
from ...game.squares import SQUARES
from ...vision.capture.frames import Frame
from ..beats import Beat, Pace
from ..board_view import BoardView
from ..director import Director
from ..mischief import TRIMMING_SLIPS, TURN_SLIPS, find_slip, find_trimming_slip
from ..player import choose
from ..scene_style import SceneStyle
from ..stage import Stage
from .thinking import Thinker

OTHER_TROUBLE = ("takeback", "light", "board_moved")
"""Kinds of trouble other than illegal acts."""


@dataclass(frozen=True)
class ScriptedGame:
    """A game before the simulated camera. ``turns`` are the legal turns and the positions before them."""

    look: SceneStyle
    rules: Rules
    seats: dict[str, str]
    beats: tuple[Beat, ...]
    turns: tuple[tuple[Position, Move], ...]
    name: str = "simulated"

    def frames(self, fps: float = 15.0, *, detail: float = 1.0) -> Iterator[Frame]:
        """The camera's pictures, ``fps`` per second, each with fresh noise."""
        view, rng, index = BoardView(self.look), np.random.default_rng([self.look.seed, 0, 3]), 0
        for beat, count in zip(self.beats, self._counts(fps), strict=True):
            for k in range(count):
                stage = beat.at((k + 1) / count)
                yield Frame(index, index / fps, view.shoot(stage, rng, detail=detail))
                index += 1

    def stage_at(self, time: float, fps: float = 15.0) -> Stage:
        """The stage in the picture at a time (s) of the stream."""
        left = max(round(time * fps), 0)
        for beat, count in zip(self.beats, self._counts(fps), strict=True):
            if left < count:
                return beat.at((left + 1) / count)
            left -= count
        return self.beats[-1].at(1.0)

    def _counts(self, fps: float) -> list[int]:
        """Number of pictures of each beat: at least one, with rounding errors that do not add up."""
        counts: list[int] = []
        seconds, shown = 0.0, 0
        for beat in self.beats:
            seconds += beat.seconds
            counts.append(max(1, round(seconds * fps) - shown))
            shown += counts[-1]
        return counts

    def truth(self, fps: float = 15.0) -> dict[str, Any]:
        """The ground truth, as a JSON object of the format ``domination-footage/1``."""
        frames: list[dict[str, Any]] = []
        shown = 0
        for i, (beat, count) in enumerate(zip(self.beats, self._counts(fps), strict=True)):
            frames.append({"i": i, "t": round(shown / fps, 3), **self._truth_of(beat)})
            shown += count
        camera = self.look.camera
        profile = self.look.profile
        start = self.turns[0][0] if self.turns else start_position(self.rules)
        return {
            "format": "domination-footage/1",
            "name": self.name,
            "settings": {
                "players": self.rules.players,
                "partners": self.rules.partners,
                "seats": {p.upper(): self.seats[p] for p in self.rules.order},
                "order": list(self.rules.order.upper()),
                "first": self.rules.order[0].upper(),
                "start": _board(start.stacks),
                "start_reserves": _reserves(start),
            },
            "camera": {
                "size": list(self.look.size),
                "K": camera.lens.matrix.tolist(),
                "dist": list(camera.lens.distortion),
                "R": camera.rotation_matrix.tolist(),
                "t": list(camera.translation),
            },
            "geometry": {
                "pitch_mm": profile.pitch,
                "dome_radius_mm": profile.dome.radius,
                "dome_height_mm": profile.dome.height,
                "cap": {"flange_r": profile.piece.radius, "apex": profile.piece.height, "step": profile.rise},
                "board_half_mm": profile.half_width,
                "table_z_mm": profile.table,
            },
            "moves": [
                {
                    "ply": ply,
                    "mover": position.to_move.upper(),
                    "move": str(move),
                    "removed": "".join(r.piece for r in removed(position, move, self.rules)).upper(),
                }
                for ply, (position, move) in enumerate(self.turns, 1)
            ],
            "frames": frames,
        }

    def _truth_of(self, beat: Beat) -> dict[str, Any]:
        stage, extras = beat.stage, dict(beat.truth)
        position: Position = extras.pop("position")
        out: dict[str, Any] = {
            "kind": beat.kind,
            "ply": extras.pop("ply"),
            "to_move": position.to_move.upper() or None,
            "board": _board(stage.stacks),
            "reserves": {p.upper(): n for p, n in stage.reserves.items()},
            "captured": {p.upper(): letters.upper() for p, letters in stage.captured.items()},
            "in_hand": stage.hand.pieces.upper() if stage.hand else "",
            "board_pose": list(stage.pose),
            "light": stage.light,
        }
        if stage.hand is not None:
            out["hand"] = {"seat": stage.hand.seat, "over": beat.over}
        for key, value in extras.items():
            if key == "illegal":
                value = {**value, "by": value["by"].upper()}
            elif key in ("mover", "removed"):
                value = value.upper()
            out[key] = value
        return out


def _board(stacks: tuple[str, ...]) -> dict[str, str]:
    return {name: stack.upper() for name, stack in zip(SQUARES, stacks, strict=True) if stack}


def _reserves(position: Position) -> dict[str, int]:
    return {p.upper(): n for p, n in zip(position.players, position.reserves, strict=True)}


def script_game(
    look: SceneStyle,
    rules: Rules,
    *,
    seed: int,
    plies: int = 24,
    trouble: float = 0.25,
    pace: Pace | None = None,
    thinking: float = 0.0,
    quick: int = 0,
    waiting: float | None = None,
) -> ScriptedGame:
    """A game of up to ``plies`` turns, after ``quick`` ones that are shown without hands or trouble. The
    start position stays for ``waiting`` seconds, by default as long as any position.

    With probability ``trouble``, something else happens before a turn: an illegal act of any kind, which is
    put right, a take-back, a change of light (if the look has several) or a push of the board. Before each
    turn, the players think for ``thinking`` seconds, plus or minus half of that.
    """
    scripter = _Scripter(look, rules, seed, trouble, pace or Pace(), thinking)
    return scripter.game(start_position(rules), plies, quick, waiting)


class _Scripter:
    def __init__(
        self, look: SceneStyle, rules: Rules, seed: int, trouble: float, pace: Pace, thinking: float
    ) -> None:
        self._director = Director(look, rules, pace)
        self._thinker, self._thinking = Thinker(self._director, seed), thinking
        self._pauses = np.random.default_rng([seed, 12])
        self._rules, self._trouble = rules, trouble
        self._rng = np.random.default_rng([seed, 11])
        self._beats: list[Beat] = []
        self._ply = 0
        self._stood: set[tuple[str, ...]] = set()
        self._name = f"simulated-{seed}"
        # Every kind occurs once before any is repeated, so that a batch of games covers them all.
        self._due: list[str] = []

    def game(self, position: Position, plies: int, quick: int, waiting: float | None) -> ScriptedGame:
        director = self._director
        turns: list[tuple[Position, Move]] = []
        self._add(director.still(position, waiting, event="start"), position)
        while len(turns) < quick and (move := choose(position, self._rules, self._rng)) is not None:
            beats = [b for b in director.turn(position, move) if b.kind != "hand"]
            position = self._turn(beats, position, move, turns)
        for _ in range(plies):
            if position.over:
                break
            if self._thinking:
                seconds = self._thinking * float(self._pauses.uniform(0.5, 1.5))
                for beat in self._thinker.beats(position, seconds):
                    self._add(beat, position)
            if self._rng.random() < self._trouble:
                self._happening(position)
            move = choose(position, self._rules, self._rng)
            if move is None:
                break
            slip = None
            if removed(position, move, self._rules) and self._rng.random() < 2 * self._trouble:
                kind = str(self._rng.choice(TRIMMING_SLIPS))
                slip = find_trimming_slip(position, move, self._rules, kind, self._rng)
            position = self._turn(list(director.turn(position, move, slip)), position, move, turns)
        look, rules = director.look, self._rules
        return ScriptedGame(look, rules, director.seats, tuple(self._beats), tuple(turns), self._name)

    def _turn(
        self, beats: list[Beat], position: Position, move: Move, turns: list[tuple[Position, Move]]
    ) -> Position:
        """Appends a turn and its beats; returns the position after it."""
        after = apply(position, move, self._rules)
        for beat in beats[:-1]:
            self._add(beat, position, ply_next=self._ply + 1)
        self._ply += 1
        self._add(beats[-1], after)
        turns.append((position, move))
        return after

    def _add(self, beat: Beat, position: Position, **more: Any) -> None:
        """Appends a beat, with the ply and the current position added to its ground truth."""
        self._stood.add(position.stacks)
        truth = {**beat.truth, "position": position, "ply": self._ply}
        if beat.kind == "overflow-pending":
            truth.update(more)
        self._beats.append(replace(beat, truth=truth))

    def _happening(self, position: Position) -> None:
        director = self._director
        if not self._due:
            kinds = [*TURN_SLIPS, *OTHER_TROUBLE]
            self._due = [kinds[int(i)] for i in self._rng.permutation(len(kinds))]
        kind = self._due.pop()
        if kind in TURN_SLIPS:
            slip = find_slip(position, self._rules, kind, self._rng, self._stood)
            for beat in director.slip(position, slip) if slip else ():
                self._add(beat, position)
        elif kind == "takeback":
            move = choose(position, self._rules, self._rng)
            plain = move is not None and not removed(position, move, self._rules)
            for beat in director.take_back(position, move) if move and plain else ():
                self._add(beat, position)
        elif kind == "light" and len(director.look.lightings) > 1:
            director.light = (director.light + 1) % len(director.look.lightings)
            self._add(director.still(position, event="light changed"), position)
        elif kind == "board_moved":
            dx, dy, turn = director.pose
            by = (self._rng.normal(0, 9), self._rng.normal(0, 9), self._rng.normal(0, 2.5))
            director.pose = (dx + float(by[0]), dy + float(by[1]), turn + float(by[2]))
            event = f"board moved by {by[0]:.0f}, {by[1]:.0f} mm and {by[2]:.1f} deg"
            self._add(director.still(position, event=event), position)
