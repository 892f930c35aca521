"""Scores a list of events against the ground truth of a game.

The truth is the object of the recordings (``truth.json``) and of the simulator; an event is the JSON object
of ``watch --events``. A turn is due from the moment its settled picture appears until a second after it
disappears; an alert until somebody starts to put the act right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from focus_companion.game.colours import NAMES
from focus_companion.game.position import position_text
from focus_companion.game.squares import SQUARES

Json = Mapping[str, Any]

ACCEPTED_REASONS: Final[Mapping[str, frozenset[str]]] = {
    "diagonal": frozenset({"not_straight"}),
    "wrong_distance": frozenset({"distance"}),
    "opponents_stack": frozenset({"not_your_stack", "out_of_turn"}),
    "out_of_turn": frozenset({"not_your_stack", "out_of_turn"}),
    "two_moves": frozenset({"two_moves"}),
    "drop_no_reserve": frozenset({"no_reserve"}),
    "forgot_trim": frozenset({"too_high"}),
    "trim_too_many": frozenset({"wrong_removal"}),
    "trim_from_top": frozenset({"wrong_removal", "reordered"}),
    "not_the_reply": frozenset({"not_the_reply"}),
    "knocked": frozenset({"out_of_turn", "not_your_stack", "distance", "unexplained", "not_straight"}),
}
"""The correct alert reasons for each kind of illegal act."""

EARLY_TOLERANCE: Final = 0.1
"""Seconds by which an event may precede its picture, because the truth's times are rounded to frames."""

LATE_TOLERANCE: Final[Mapping[str, float]] = {
    "move": 1.0,
    "taken_back": 1.0,
    "resolved": 1.0,
    "prompt": 1.0,
    "alert": 0.1,
}
"""Seconds for which an event still counts after its picture has disappeared."""

LAST_PICTURE_SECONDS: Final = 1.2
"""Seconds for which the last picture of a recording lasts."""


@dataclass(frozen=True)
class Due:
    """An event that is due between ``begin`` and ``end`` (seconds), because of the picture ``shown``."""

    kind: str
    begin: float
    end: float
    shown: Json
    move: str = ""
    complete: bool = True
    """Whether the turn leads to the position shown: it is the last of the turns made before it."""

    def met_by(self, event: Json) -> bool:
        if event["type"] != self.kind:
            return False
        if not self.begin - EARLY_TOLERANCE <= float(event["time"]) <= self.end + LATE_TOLERANCE[self.kind]:
            return False
        match self.kind:
            case "move":
                return str(event["move"]).lower() == self.move
            case "taken_back":
                return bool(event["ply"] == self.shown["ply"])
            case "prompt":
                pieces = "".join(piece["piece"] for piece in event["remove"])
                return bool(event["square"] == self.move[-2:] and pieces == self.shown["to_remove"])
        return True

    def late_by(self, event: Json) -> bool:
        """Whether the event is this turn, but too late."""
        return (
            self.kind == event["type"] == "move"
            and float(event["time"]) > self.end
            and str(event["move"]).lower() == self.move
        )

    def __str__(self) -> str:
        act = self.shown.get("illegal") or {}
        return " ".join(filter(None, (self.kind, self.move, act.get("type"), act.get("detail"))))


@dataclass(frozen=True)
class Problem:
    """A missed or a false event: ``time`` (s), ``what``, and what the picture showed."""

    time: float
    what: str
    during: str
    frame: int
    detail: str = ""

    @property
    def kind(self) -> str:
        """Key that is equal for similar problems."""
        return f"{self.what}, during {self.during}"


@dataclass(frozen=True)
class Score:
    """How much of one game was read correctly. Fields in pairs: correct (``_ok``) of those due (``_due``)."""

    plies_ok: int = 0
    plies_due: int = 0
    exact: bool = False
    in_time_ok: int = 0
    in_time_due: int = 0
    states_ok: int = 0
    alerts_ok: int = 0
    alerts_due: int = 0
    reasons_ok: int = 0
    resolved_ok: int = 0
    resolved_due: int = 0
    prompts_ok: int = 0
    prompts_due: int = 0
    taken_back_ok: int = 0
    taken_back_due: int = 0
    false_alerts: int = 0
    wrong_moves: int = 0
    """Turns emitted that were never made; late ones do not count."""
    late_moves: int = 0
    asked: int = 0
    """Events not emitted in time about which the players were asked in time instead."""
    silent: int = 0
    """Events not emitted in time about which nobody was asked."""
    unclear: int = 0
    falling: bool = False
    seconds: float = 0.0
    latencies: tuple[float, ...] = ()
    reasons: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    """Counts by kind of illegal act: done, alerted, alerted with the right reason."""
    problems: tuple[Problem, ...] = ()

    @property
    def all_right(self) -> bool:
        return not self.problems and self.exact and not self.falling

    @property
    def nothing_wrong(self) -> bool:
        """Whether there was no false event, and nothing was missed silently."""
        return not (self.false_alerts or self.wrong_moves or self.silent or self.falling)


def board_text(board: Mapping[str, str]) -> str:
    """The position text of a truth's board, {square: pieces bottom to top}."""
    return position_text([board.get(square, "").lower() for square in SQUARES])


def turns_of(frame: Json) -> list[str]:
    """The turns that a settled picture completes."""
    moves = frame.get("move") if frame["kind"] == "settled" else None
    if not moves:
        return []
    return [move.lower() for move in (moves if isinstance(moves, list) else [moves])]


def dues(frames: Sequence[Json]) -> Iterator[Due]:
    """Everything that is due, in order of time."""
    for number, frame in enumerate(frames):
        begin = float(frame["t"])
        following = frames[number + 1 :]
        end = float(following[0]["t"]) if following else begin + LAST_PICTURE_SECONDS
        moves = turns_of(frame)
        if frame["kind"] == "illegal":
            touched = next((float(f["t"]) for f in following if f["kind"] != "hand"), end)
            yield Due("alert", begin, touched, frame)
        elif frame["kind"] == "overflow-pending" and not frame.get("event"):
            trimmed = next((f for f in following if f["kind"] == "settled" and f.get("removed")), None)
            if trimmed is not None:
                shown = {**frame, "to_remove": trimmed["removed"].lower()}
                yield Due("prompt", begin, end, shown, str(frame["move"]).lower())
        elif frame["kind"] == "settled" and frame.get("event") == "taken back":
            yield Due("taken_back", begin, end, frame)
        elif frame["kind"] == "settled" and frame.get("event") == "restored":
            yield Due("resolved", begin, end, frame)
        for k, move in enumerate(moves):
            yield Due("move", begin, end, frame, move, complete=k == len(moves) - 1)


def recorded(events: Sequence[Json]) -> list[str]:
    """The turns that remain after all take-backs."""
    turns: list[str] = []
    for event in events:
        if event["type"] == "move":
            turns.append(str(event["move"]).lower())
        elif event["type"] == "taken_back":
            del turns[int(event["ply"]) :]
    return turns


def _state_right(event: Json, shown: Json) -> bool:
    reserves, captured = event.get("reserves", {}), event.get("captured", {})
    names = {letter: NAMES[letter.lower()] for letter in shown["reserves"]}
    return (
        event.get("position") == board_text(shown["board"])
        and all(reserves.get(names[p]) == n for p, n in shown["reserves"].items())
        and all(
            captured.get(names[a], {}).get(names[b], 0) == letters.count(b)
            for a, letters in shown["captured"].items()
            for b in names
            if b != a
        )
    )


def score(truth: Json, events: Sequence[Json]) -> Score:
    """The score of these events against the truth of their game."""
    frames: Sequence[Json] = truth["frames"]
    played = [turn for frame in frames if not frame.get("provisional") for turn in turns_of(frame)]
    emitted = recorded(events)
    same = next((i for i, (a, b) in enumerate(zip(played, emitted, strict=False)) if a != b), None)
    same = min(len(played), len(emitted)) if same is None else same

    used: set[int] = set()
    met: dict[str, int] = dict.fromkeys(LATE_TOLERANCE, 0)
    wanted: dict[str, int] = dict.fromkeys(LATE_TOLERANCE, 0)
    reasons: dict[str, list[int]] = {}
    latencies: list[float] = []
    problems: list[Problem] = []
    states = 0
    missed: list[Due] = []
    for due in dues(frames):
        wanted[due.kind] += 1
        tally = (
            reasons.setdefault(due.shown["illegal"]["type"], [0, 0, 0]) if due.kind == "alert" else [0] * 3
        )
        tally[0] += 1
        hit = next((k for k, event in enumerate(events) if k not in used and due.met_by(event)), None)
        if hit is None:
            missed.append(due)
            continue
        event = events[hit]
        used.add(hit)
        met[due.kind] += 1
        if due.kind in ("move", "alert", "taken_back"):
            latencies.append(float(event["time"]) - due.begin)
        if due.kind == "move":
            right = not due.complete or _state_right(event, due.shown)
            states += right
            if not right:
                problems.append(_at(frames, due.begin, "wrong position after a right move", str(event)))
        elif due.kind == "alert":
            act = due.shown["illegal"]["type"]
            good = event["reason"] in ACCEPTED_REASONS[act]
            tally[1] += 1
            tally[2] += good
            if not good:
                problems.append(_at(frames, due.begin, f"{act} alerted as {event['reason']}", str(event)))
            same_again = (k for k, e in enumerate(events) if e["type"] == "alert" and due.met_by(e))
            used.update(k for k in same_again if events[k]["reason"] == event["reason"])
    open_questions = list(_questions(events))
    late = asked = silent = 0
    for n, due in enumerate(missed):
        question = any(
            a <= due.end + LATE_TOLERANCE["move"] and b >= due.begin - EARLY_TOLERANCE
            for a, b in open_questions
        )
        after = (k for k, event in enumerate(events) if k not in used and due.late_by(event))
        if (hit := next(after, None)) is not None:
            used.add(hit)
            late += 1
        asked += question
        # An alert that was not emitted need not be resolved either.
        follows = due.kind == "resolved" and any(d.kind == "alert" and d.end <= due.begin for d in missed[:n])
        silent += not question and not follows
        problems.append(_missed(due, "asked about" if question else "late" if hit is not None else "missed"))
    spare = [event for k, event in enumerate(events) if k not in used]
    for event in spare:
        if event["type"] in ("alert", "move", "taken_back"):
            what = f"false alert {event['reason']}" if event["type"] == "alert" else f"false {event['type']}"
            problems.append(_at(frames, float(event["time"]), what, _brief(event)))
    times = [float(event["time"]) for event in events]
    return Score(
        plies_ok=same,
        plies_due=len(played),
        exact=emitted == played,
        in_time_ok=met["move"],
        in_time_due=wanted["move"],
        states_ok=states,
        alerts_ok=met["alert"],
        alerts_due=wanted["alert"],
        reasons_ok=sum(tally[2] for tally in reasons.values()),
        resolved_ok=met["resolved"],
        resolved_due=wanted["resolved"],
        prompts_ok=met["prompt"],
        prompts_due=wanted["prompt"],
        taken_back_ok=met["taken_back"],
        taken_back_due=wanted["taken_back"],
        false_alerts=sum(event["type"] == "alert" for event in spare),
        wrong_moves=sum(event["type"] == "move" for event in spare),
        late_moves=late,
        asked=asked,
        silent=silent,
        unclear=sum(event["type"] == "unclear" for event in events),
        falling=times != sorted(times),
        seconds=float(frames[-1]["t"]) + LAST_PICTURE_SECONDS,
        latencies=tuple(round(latency, 3) for latency in latencies),
        reasons={act: (tally[0], tally[1], tally[2]) for act, tally in sorted(reasons.items())},
        problems=tuple(sorted(problems, key=lambda problem: problem.time)),
    )


def _brief(event: Json) -> str:
    return " ".join(str(event[key]) for key in ("move", "reason", "squares", "ply") if key in event)


def _questions(events: Sequence[Json]) -> Iterator[tuple[float, float]]:
    """The intervals (s) during which players were asked which turn it was."""
    begun: float | None = None
    for event in events:
        if event["type"] == "unclear":
            begun = float(event["time"]) if begun is None else begun
        elif event["type"] in ("move", "resolved", "taken_back", "alert") and begun is not None:
            yield begun, float(event["time"])
            begun = None
    if begun is not None:
        yield begun, float("inf")


def _missed(due: Due, how: str) -> Problem:
    act = (due.shown.get("illegal") or {}).get("type", "")
    what = f"{how} {due.kind} {act}".strip()
    return Problem(due.begin, what, _during(due.shown), int(due.shown["i"]), str(due))


def _at(frames: Sequence[Json], time: float, what: str, detail: str) -> Problem:
    frame = next((f for f in reversed(frames) if float(f["t"]) <= time + 1e-6), frames[0])
    return Problem(time, what, _during(frame), int(frame["i"]), detail)


def _during(frame: Json) -> str:
    """A description of the picture without numbers, so that similar ones are counted together."""
    event = str(frame.get("event") or "").split(" by ")[0]
    drop = str(frame.get("move") or "").startswith("*")
    parts = (frame["kind"], event, "reserve turn" if drop else "", "trimmed" if frame.get("removed") else "")
    return ", ".join(filter(None, parts))
