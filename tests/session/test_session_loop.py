"""The session's loop: verdicts and requests in, events out, in order, each once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from scripted import Player, Script, Still, play_on

from focus_companion.game.moves import Move
from focus_companion.game.play import removed
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee import verdict as said
from focus_companion.session import requests as ask
from focus_companion.session.events import event_from_json
from focus_companion.session.session import Session

D5, D6 = INDEX["d5"], INDEX["d6"]


def turn(text: str, confidence: float = 0.9) -> said.TurnSeen:
    return said.TurnSeen(Move.parse(text), confidence)


def session_of(*verdicts: object, rules: Rules | None = None, **more: object) -> Session:
    """A session whose n-th frame causes the n-th verdict (or list of verdicts)."""
    says = {i: v if isinstance(v, list) else [v] for i, v in enumerate(verdicts)}
    return Session(rules or Rules.make(2), {"g": "Ann", "r": "Bob"}, None, Script(says), **more)


def types(events: list[object]) -> list[str]:
    return [event.type for event in events]


WRONG = said.Wrong("distance", "g", (D5,), "Put it back.")
TRIM = said.TrimAwaited(Move.parse("c5-d5"), D5, ())

# The verdicts of the pipeline, frame by frame -> the emitted events, frame by frame.
HEARD = [
    ([said.StartSeen(), said.StartSeen()], [["ready"], []]),
    ([said.StartDiffers((D5,)), said.StartDiffers((D5,)), said.StartDiffers((D6,)), said.StartSeen()],
     [["set_up"], [], ["set_up"], ["ready"]]),
    ([said.OutOfView(), said.OutOfView(), said.BackInView(), said.BackInView()],
     [["lost"], [], ["found"], []]),
    ([WRONG, WRONG, said.PutRight(), said.PutRight()], [["alert"], [], ["resolved"], []]),
    ([TRIM, TRIM, said.PutRight()], [["prompt"], [], ["resolved"]]),
    # A legal move from the last legal position resolves an alert, even without a verdict that says so.
    ([WRONG, turn("c4-b4")], [["alert"], ["resolved", "move"]]),
    ([WRONG, [said.PutRight(), turn("c4-b4")]], [["alert"], ["resolved", "move"]]),
    # An alert from before a restart is over when the start is on the board.
    ([WRONG, said.StartSeen()], [["alert"], ["resolved", "ready"]]),
    ([said.Undecided((Move.parse("c4-b4"), Move.parse("c4-c5"))), turn("c4-b4")], [["unclear"], ["move"]]),
    ([[turn("c4-b4"), turn("b3-c3")]], [["move", "move"]]),
    ([turn("c4-b4"), said.WentBack(0), said.WentBack(0)], [["move"], ["taken_back"], []]),
]  # fmt: skip


@pytest.mark.parametrize(("verdicts", "told"), HEARD)
def test_each_verdict_is_emitted_once(verdicts: list[object], told: list[list[str]]) -> None:
    session = session_of(*verdicts)
    assert [types(session.push(Still(i))) for i in range(len(verdicts))] == told


def test_a_move_carries_all_that_the_contract_asks() -> None:
    session = session_of(turn("c4-c5", 0.98765))
    (move,) = session.push(Still(7))
    told = move.to_json()
    assert list(told) == [
        "type", "time", "ply", "player", "move", "position", "reserves", "captured", "to_move", "confidence",
    ]  # fmt: skip
    assert told["time"] == 0.7 and told["ply"] == 1 and told["player"] == "green" and told["to_move"] == "red"
    assert told["reserves"] == {"green": 0, "red": 0}
    assert told["captured"] == {"green": {"red": 0}, "red": {"green": 0}}
    assert told["confidence"] == 0.9877
    assert told["position"] == session.position.text
    assert event_from_json(told) == move


def test_a_prompt_names_every_piece_that_goes() -> None:
    rules = Rules.from_json(
        {
            "players": 2,
            "set_up": "position",
            "start": {
                "position": "-,-,-,-/-,-,-,-,-,-/-,-,-,-,-,-,-,-/-,-,-,g,rgrgr,-,-,-/-,-,-,-,-,-,-,r/"
                "-,-,-,-,-,-,-,-/-,-,-,-,-,-/-,-,-,-",
                "to_move": "green",
            },
        }
    )
    move = Move.parse("d5-e5")
    session = session_of(rules=rules)
    gone = removed(session.position, move, rules)
    session = session_of(said.TrimAwaited(move, INDEX["e5"], gone), rules=rules)
    (prompt,) = session.push(Still(0))
    assert prompt.to_json()["square"] == "e5"
    assert prompt.to_json()["remove"] == [{"piece": "r", "to": "captured", "owner": "green"}]
    assert session.state()["prompt"] == prompt.to_json() | {"move": "d5-e5"}


def test_a_question_is_over_once_its_stack_is_prompted_for_and_may_be_asked_again() -> None:
    """The question is then whether the stack was trimmed."""
    asked = said.Undecided((TRIM.move,))
    session = session_of(asked, TRIM, asked)
    standing = []
    for index in range(3):
        session.push(Still(index))
        state = session.state()
        standing.append((state["prompt"] is not None, state["unclear"]))
    assert standing == [(False, ["c5-d5"]), (True, None), (True, ["c5-d5"])]


def test_times_never_decrease() -> None:
    session = session_of(WRONG, said.PutRight(), WRONG)
    stamps = [session.push(Still(0, t))[0].time for t in (5.0, 3.0, 6.0)]
    assert stamps == [5.0, 5.0, 6.0]


def test_a_reopened_source_continues_in_time() -> None:
    session = session_of(WRONG, said.PutRight())
    session.push(Still(0, 5.0))
    session.new_stream()
    (resolved,) = session.push(Still(0, 0.0))
    assert resolved.time == 5.0
    session.push(Still(1, 0.5))
    session.submit(ask.Pause())
    assert session.attend()[0].time == 5.5


def test_the_pipeline_gets_frames_in_the_time_of_the_game() -> None:
    # Otherwise a board sought at 300 s would not be sought again for 300 s after a source restarts at 0.
    script = Script({})
    session = Session(Rules.make(2), {}, None, script)
    for opened, stamps in enumerate([(4.0, 300.0), (0.0, 0.1), (7.0, 7.5)]):
        if opened:
            session.new_stream()
        for index, stamp in enumerate(stamps):
            session.push(Still(index, stamp))
    assert script.times == pytest.approx([4.0, 300.0, 300.0, 300.1, 300.1, 300.6])


def test_a_finished_game_stays_finished_while_the_board_is_cleared() -> None:
    session = session_of(turn("c4-c5"), [], WRONG, said.WentBack(0), turn("c4-b4"), said.StartDiffers((D5,)))
    session.push(Still(0))
    session.submit(ask.Resign("r"))
    assert types(session.push(Still(1))) == ["act", "result"]
    assert [session.push(Still(i)) for i in range(2, 6)] == [[], [], [], []]
    assert session.state()["result"] == {"winners": ["green"], "reason": "resigned"}
    assert session.state()["to_move"] is None


@pytest.mark.parametrize("ply", [0, 1])
def test_no_turn_is_taken_back_after_a_game_that_did_not_end_by_a_turn(ply: int) -> None:
    session = session_of([turn("c4-c5"), turn("b3-b4")], said.WentBack(ply))
    session.push(Still(0))
    session.submit(ask.Resign("r"))
    assert types(session.attend()) == ["act", "result"]
    assert session.push(Still(1)) == []
    assert session.history.ply == 2


def test_another_game_follows_when_asked_to() -> None:
    rules = Rules.make(2)
    session = Session(rules, {}, None, Player(rules), again=1.0)
    told = play_on(session.push, 12)
    session.submit(ask.AgreeDraw())
    told += play_on(session.push, 1, 12)
    assert types(told)[-2:] == ["act", "result"]
    assert play_on(session.push, 8, 13) == []
    told = play_on(session.push, 4, 21)
    assert types(told)[0] == "game" and "move" in types(told)
    assert told[0].game == session.state()["game"]


def test_the_pipeline_is_shown_the_history_it_made() -> None:
    session = session_of(turn("c4-c5"), turn("d5-d6"), said.WentBack(1))
    for i in range(4):
        session.push(Still(i))
    seen = session._sight.seen
    assert [len(history) for history in seen] == [1, 2, 3, 2]
    assert seen[3] == seen[1]


def test_the_state_describes_the_game() -> None:
    session = session_of(said.StartSeen(), turn("c4-c5"), WRONG)
    assert session.state()["camera"] == "starting"
    for i in range(3):
        session.push(Still(i))
    state = session.state()
    assert state["ply"] == 1 and state["last_move"] == "c4-c5" and state["to_move"] == "red"
    assert state["position"] == session.position.text and state["camera"] == "ok" and state["event"] == 4
    assert state["alert"]["reason"] == "distance" and state["prompt"] is None and state["result"] is None
    assert state["players"]["green"] == {"name": "Ann", "seat": "bottom"}
    assert state["rules"] == Rules.make(2).to_json()
    (move,) = state["moves"]
    assert (move["ply"], move["player"], move["move"], move["time"]) == (1, "green", "c4-c5", 0.1)


def test_the_record_holds_turns_and_incidents() -> None:
    session = session_of(turn("c4-c5"), WRONG, said.PutRight(), said.WentBack(0), turn("c4-b4"))
    for i in range(5):
        session.push(Still(i))
    record = session.history.record()
    assert [str(entry.what) for entry in record.entries] == ["c4-b4"]
    assert [incident["type"] for incident in record.incidents] == ["alert", "taken_back"]
    assert record.incidents[1]["moves"] == ["c4-c5"]
    assert record.players == {"g": "Ann", "r": "Bob"}


def test_health_needs_a_picture_and_a_live_loop() -> None:
    now = [0.0]
    session = session_of(said.StartSeen(), clock=lambda: now[0])
    assert not session.health()["ok"]
    session.push(Still(0))
    now[0] = 2.0
    assert session.health()["ok"] and session.health()["frame_age"] == 2.0
    now[0] = 60.0
    assert not session.health()["ok"]
    session.attend()
    assert session.health()["ok"] and session.health()["frame_age"] == 60.0


class Thinker(Script):
    """Needs a while for a picture."""

    def __init__(self) -> None:
        super().__init__({})
        self.looks, self.done = threading.Event(), threading.Event()

    def push(self, frame: Any, history: Sequence[Position], asked: Any = None) -> Sequence[said.Verdict]:
        self.looks.set()
        assert self.done.wait(10)
        return super().push(frame, history, asked)


def test_a_request_waits_while_a_picture_is_processed() -> None:
    sight = Thinker()
    session = Session(Rules.make(2), {}, None, sight)
    session.wait_while_busy(60)  # No picture is being processed: no waiting.
    with ThreadPoolExecutor(2) as threads:
        game = threads.submit(session.push, Still(0))
        assert sight.looks.wait(10)
        session.wait_while_busy(0.01)  # At most the given time, even if it takes for ever.
        assert not game.done()
        asks = threads.submit(session.wait_while_busy, 60)
        with pytest.raises(TimeoutError):
            asks.result(0.05)
        sight.done.set()
        asks.result(10)
        game.result(10)
