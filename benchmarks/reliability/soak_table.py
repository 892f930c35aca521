"""The simulated table of ``soak.py``: plays as fast as pictures are taken, and compares events with what was
played.
"""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from benchmarks.accuracy.scoring import ACCEPTED_REASONS
from focus_companion.commands.shared.play_source import Demo, SessionOrders
from focus_companion.game.colours import LETTER
from focus_companion.game.moves import Move
from focus_companion.session.events import Alert, Event, GameBegan, Moved, Reply, TakenBack, Unclear
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.requests import ChooseMove
from focus_companion.session.session import Session
from focus_companion.simulator.beats import Beat
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.demo import DemoSource
from focus_companion.simulator.scene_style import SceneStyle, aimed_camera, pleasant_look
from focus_companion.vision.capture.frames import Frame

FPS: Final = 6.0
"""Frame rate while something happens and right after it."""
DENSE_SECONDS: Final = 0.6
"""Seconds of a still table for which pictures are taken at that rate."""
SPARSE_INTERVAL: Final = 0.4
"""Seconds between pictures of a table that has been still for longer."""
MAX_LAG: Final = 3
"""Number of turns that are not emitted at which one counts as missed; two may be emitted at once."""
ILLEGAL_ACT_SECONDS: Final = 4.0
"""Seconds for which an illegal act lasts: one that is hardly visible is reported after three."""
KEPT_PICTURES: Final = 16
"""Number of pictures that are saved with a fault."""
MAX_SAVED_FAULTS: Final = 20
"""Number of faults that are saved."""


@cache
def good_view(width: int, height: int) -> SceneStyle:
    """The demo's table by a window, with a camera mounted as the page advises: steady, near, at an angle."""
    look = pleasant_look(width, height)
    camera = aimed_camera(look.camera.lens, look.profile, tilt=35, azimuth=7, roll=-1.5, fill=0.93)
    lamps = look.lightings[0].lamps[:1]
    return replace(
        look,
        camera=camera,
        sensor=replace(look.sensor, shake=0.0),
        lightings=(replace(look.lightings[0], lamps=lamps),),
    )


@dataclass(eq=False)
class Played:
    """The turns played since the source was opened, and how many of them were emitted."""

    opening: int
    turns: list[str] = field(default_factory=list)
    emitted: int = 0


@dataclass(frozen=True, slots=True)
class Shot(Frame):
    """A picture, and what had been played when it was taken; ``slip``: the number of the illegal act that it
    shows, 0 for none.
    """

    played: Played
    turns: int
    slip: int
    act: str


class FastDemoSource(DemoSource):
    """The demo, with a clock that advances with its pictures. Of each movement of a hand only the second part
    is shown, when it is over the board with what it carries.
    """

    def __init__(self, played: Played, **more: Any) -> None:
        super().__init__(**more)
        self._played = played

    def __iter__(self) -> Iterator[Frame]:
        began, slip, index, hands = 0.0, 0, 0, 0
        for beat in self.beats():
            act = ""
            hands = hands + 1 if beat.kind == "hand" else 0
            if beat.kind == "illegal":
                slip, act = slip + 1, beat.truth["illegal"]["type"]
                beat = replace(beat, seconds=max(beat.seconds, ILLEGAL_ACT_SECONDS))
            elif beat.kind == "settled" and beat.truth["move"]:
                self._played.turns.append(beat.truth["move"])
            for moment in _moments(beat) if not hands or hands % 3 == 2 else ():
                if self._closed.is_set():
                    return
                image = self.view.shoot(beat.at(moment / beat.seconds), self._rng, detail=0.25)
                turns = len(self._played.turns)
                yield Shot(index, began + moment, image, self._played, turns, slip if act else 0, act)
                index += 1
            began += beat.seconds


def _moments(beat: Beat) -> Iterator[float]:
    """The times within the beat, in seconds, at which pictures are taken."""
    if beat.kind == "hand":
        yield beat.seconds / 2
        return
    moment = 0.0
    while moment < beat.seconds:
        yield moment
        moment += 1 / FPS if moment < DENSE_SECONDS else SPARSE_INTERVAL


class Table(Demo):
    """Opens the table in the game's position, each time with the next seed."""

    def __init__(self, size: tuple[int, int], seed: int, first: int, fault_log: FaultLog) -> None:
        super().__init__("demo")
        self.opened = first - 1
        self.seed, self._fault_log = seed, fault_log
        self._view = BoardView(good_view(*size))

    def open(self) -> FastDemoSource:
        if self._session is None:
            raise RuntimeError("the table was opened before its session was known")
        self._moved = time.monotonic()
        self.opened += 1
        self._fault_log.open(Played(self.opened))
        *earlier, position = self._session.history.positions
        return FastDemoSource(
            self._fault_log.played, rules=self._session.rules, position=position, view=self._view,
            earlier=[before.stacks for before in earlier],
            seed=int(np.random.default_rng([self.seed, self.opened]).integers(2**31)),
            orders=SessionOrders(self._session),
        )  # fmt: skip

    def must_reopen(self, emitted: Any) -> bool:
        return super().must_reopen(emitted) or self._fault_log.diverged


class Watched(Pipeline):
    """A pipeline that passes every picture to the fault log."""

    def __init__(self, *given: Any, fault_log: FaultLog, **more: Any) -> None:
        super().__init__(*given, **more)
        self._fault_log = fault_log
        fault_log.sight = self

    def push(self, frame: Frame, history: Any, asked: Any = None) -> Any:
        if isinstance(frame, Shot):
            self._fault_log.see(frame)
        return super().push(frame, history, asked)

    def judgement(self) -> dict[str, Any]:
        """The referee's judgement of the last look."""
        judged = self._referee._judged
        if judged is None:
            return {"camera": self.camera_state}
        number, found = judged
        return {
            "camera": self.camera_state,
            "look": number,
            "act": str(found.act),
            "nats": round(found.nats, 1),
            "lead": round(found.lead, 1),
            "foreign": round(found.foreign, 2),
            "rivals": [str(act) for act in found.rivals[:6]],
        }


class FaultLog:
    """Compares emitted events with what was played. Everything but :meth:`open` runs on the game thread.

    ``counts``: turns, slips (illegal acts), alerts, and every kind of fault by name. A fault is saved in
    ``folder`` with the last pictures, so that it can be investigated.
    """

    def __init__(self, folder: Path, seed: int, first: int) -> None:
        self.counts: Counter[str] = Counter()
        self.played = Played(0)
        self.diverged = False
        """The table and the game have diverged: the table must be set up again."""
        self.sight: Watched | None = None
        self.session: Session | None = None
        self._folder, self.seed = folder, seed
        self._game_began = first
        self._shots: deque[Shot] = deque(maxlen=KEPT_PICTURES)
        self._events: deque[dict[str, Any]] = deque(maxlen=12)
        self._shot: Shot | None = None
        self._alerted = self._asked = True
        self._saved = 0
        self._reply: Reply | None = None

    def open(self, played: Played) -> None:
        self.played, self.diverged = played, False

    def see(self, shot: Shot) -> None:
        """Called when the pipeline receives this picture."""
        before, self._shot = self._shot, shot
        if before is not None and before.slip and shot.slip != before.slip and not self._alerted:
            if self._asked:
                # An unseen turn plus another one explains the picture too, so asking is correct.
                self.counts["acts asked about"] += 1
            else:
                self._fault("acts without an alert", act=before.act)
        if shot.slip and (before is None or before.slip != shot.slip):
            self.counts["slips"] += 1
            self.counts["wrong replies"] += shot.act == "not_the_reply"
            self._alerted = self._asked = False
        self._shots.append(shot)
        if shot.played is self.played and shot.turns - shot.played.emitted >= MAX_LAG and not self.diverged:
            self._fault("turns missed", played=shot.played.turns[shot.played.emitted])
            self.diverged = True

    def on_event(self, event: Event) -> None:
        """Called when the session has emitted this because of the latest picture."""
        self._events.append(dict(event.to_json()))
        shot = self._shot
        match event:
            case Moved() if shot is not None:
                self.counts["turns"] += 1
                self._check_reply(event)
                played = shot.played.turns[shot.played.emitted : shot.turns]
                if not played or played[0] != event.move:
                    self._fault("turns misread", played=played[:1], event=event.move)
                    self.diverged = True
                shot.played.emitted += 1
            case Reply():
                if self._reply is not None:
                    self._fault("replies twice", event=event.move)
                self._reply = event
            case Alert() if shot is not None:
                self.counts["alerts"] += 1
                self.counts["wrong replies alerted"] += event.reason == "not_the_reply"
                if not shot.slip:
                    self._fault("alerts for nothing", event=event.reason)
                elif not self._alerted:
                    self.counts["reported as another act"] += event.reason not in ACCEPTED_REASONS[shot.act]
                    self._alerted = True
            case TakenBack():
                # Nobody at this table takes turns back.
                self._fault("turns misread", event=f"taken back to {event.ply}")
                self.diverged = True
            case Unclear() if shot is not None:
                self.counts["questions"] += 1
                self._asked = True
                self._answer(shot, event)
            case GameBegan():
                self._reply = None
                self._game_began = self.played.opening + 1

    def _check_reply(self, event: Moved) -> None:
        """Check that a turn for a seat away from the board is the one that was asked for."""
        if self.session is None or LETTER[event.player] not in self.session.history.played_by:
            return
        due, self._reply = self._reply, None
        if due is None or (due.player, due.move) != (event.player, event.move):
            self._fault("replies not as asked", asked=due and due.move, event=event.move)
        else:
            self.counts["replies"] += 1

    def _answer(self, shot: Shot, event: Event) -> None:
        """Answer the question, because the players at the table know which turn it was."""
        played = shot.played.turns[shot.played.emitted : shot.turns]
        if played and played[0] in event.to_json()["candidates"] and self.session is not None:
            self.session.submit(ChooseMove(Move.parse(played[0])))

    def _fault(self, name: str, **more: Any) -> None:
        self.counts[name] += 1
        self._saved += 1
        session, shot = self.session, self._shot
        if self._saved > MAX_SAVED_FAULTS or session is None or self.sight is None or shot is None:
            return
        place = self._folder / f"{self._saved:02d}-{name.replace(' ', '-')}"
        place.mkdir(parents=True, exist_ok=True)
        fault = more | {
            "fault": name,
            "seed": self.seed,
            "size": f"{shot.image.shape[1]}x{shot.image.shape[0]}",
            "opening": shot.played.opening,
            "first": self._game_began,
            "game": session.history.game,
            "ply": session.history.ply,
            "time": shot.time,
            "position": session.position.text,
            "rules": session.rules.to_json(),
            "reserves": list(session.position.reserves),
            "played": shot.played.turns,
            "emitted": shot.played.emitted,
            "judgement": self.sight.judgement(),
            "events": list(self._events),
        }
        (place / "fault.json").write_text(json.dumps(fault, indent=1, default=str) + "\n", encoding="utf-8")
        for seen in self._shots:
            name = f"{seen.index:05d}-{seen.time:08.2f}-turn-{seen.turns}{'-' * bool(seen.act)}{seen.act}.png"
            cv2.imwrite(str(place / name), seen.image)
