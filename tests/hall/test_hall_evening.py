"""How the hall handles messages, in any order and from any sender."""

from __future__ import annotations

import json
import math
import threading
import time
from typing import Any

import pytest

from focus_companion.formats.strict_json import compact
from focus_companion.game.rules import Rules
from focus_companion.hall.evening import Evening
from focus_companion.hall.listener import Listener
from focus_companion.hall.news import BATCH_SECONDS, News
from focus_companion.mqtt.broker import parse_broker
from focus_companion.mqtt.line import Message
from focus_companion.mqtt.messages import write_log, write_status
from focus_companion.session.history import History
from focus_companion.session.state_json import standing


def message(kind: str, payload: bytes, table: str = "T") -> Message:
    return Message(f"focus-companion/1/{table}/{kind}", payload, True)


def status(journal: str = "j") -> Message:
    return message("status", write_status(True, journal, 0, "test"))


def state(**other: Any) -> Message:
    current = standing(History.begin(Rules.make(2), {"g": "Ann", "r": "Bob"}, game=1))
    current |= {"camera": "ok", "clock": None, "journal": "j", "seq": 1, "table": "T"}
    return message("state", json.dumps(current | other).encode())


def log(result: dict[str, Any] | None = None, last: int = 2, **other: Any) -> Message:
    head = {"table": "T", "journal": "j", "game": 1, "began": "2026-11-20T19:00:00+00:00", "prev": 0}
    head |= {"first": 1, "last": last, "plies": 1, "order": ["green", "red"], "result": result}
    head |= {"players": {"green": "Ann", "red": "Bob"}, "points": {"green": 1, "red": 0}}
    return message(
        "games/1", json.dumps(head | other).encode() + b"\n" + write_log({}, ()).partition(b"\n")[2]
    )


OVER = {"winners": ["green"], "reason": "resigned"}


def shown(evening: Evening) -> tuple[list[str], int]:
    return evening.names(), len(evening.logs())


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)])
def test_the_order_of_what_the_broker_kept_is_all_one(order: tuple[int, ...]) -> None:
    evening, kept = Evening(), (status(), state(), log(OVER))
    for index in order:
        evening.take(kept[index])
    assert shown(evening) == (["T"], 1)
    assert json.loads(evening.tile_text("T") or "")["online"] is True


def test_a_table_taken_out_stays_out_of_a_hall_started_later() -> None:
    evening, later = Evening(), Evening()
    for kept in (status(), state(), log(OVER)):
        evening.take(kept)
    evening.take(message("status", b""))
    for kept in (state(), log(OVER)):
        evening.take(kept)
        later.take(kept)
    assert shown(evening) == shown(later) == ([], 0)
    assert evening.tile("T") is later.tile("T") is later.tile_text("T") is None


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        ("state", {"order": ["purple", "red"]}),
        ("state", {"position": "no/such"}),
        ("state", {"position": "x" * 900}),
        ("state", {"to_move": "purple"}),
        ("state", {"players": {"green": "Ann"}}),
        ("state", {"players": {"purple": {"name": "Ann"}}}),
        ("state", {"captured": {"purple": {}}}),
        ("state", {"alert": {"type": "alert"}}),
        ("state", {"alert": {"type": "resolved", "time": 1.0}}),
        ("state", {"result": {"winners": "red", "reason": "resigned"}}),
        ("state", {"result": {"winners": ["purple"], "reason": "resigned"}}),
        ("state", {"clock": {"used": 7}}),
        ("state", {"clock": {"used": {"red": math.nan}}}),
        ("state", {"clock": {"used": {"red": math.inf}}}),
        ("log", {"players": {"green": "\ud800"}}),
        ("state", {"players": {"green": {"name": "\ud800"}}}),
        ("log", {"order": ["purple"]}),
        ("log", {"order": [["red"]]}),
        ("log", {"players": {"purple": "Ann"}}),
        ("log", {"points": {"purple": 1}}),
        ("log", {"result": {"winners": [None], "reason": "resigned"}}),
        ("log", {"result": {"winners": []}}),
    ],
)
def test_what_the_page_could_not_show_is_not_taken(
    kind: str, other: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    evening = Evening()
    for kept in (status(), state(), log(OVER)):
        evening.take(kept)
    before = evening.tile_text("T"), evening.logs()
    evening.take(state(seq=9, **other) if kind == "state" else log(last=9, **other))
    assert (evening.tile_text("T"), evening.logs()) == before
    assert len(caplog.records) == 1 and "An invalid message" in caplog.text


@pytest.mark.parametrize("move", [None, "d4-d5"])
def test_a_prompt_is_shown_whether_its_turn_is_known_or_not(move: str | None) -> None:
    evening = Evening()
    prompt: dict[str, Any] = {"type": "prompt", "time": 3.0, "square": "d5", "move": move}
    prompt["remove"] = [{"piece": "r", "to": "captured", "owner": "red"}]
    evening.take(status())
    evening.take(state(prompt=prompt))
    assert (evening.tile("T") or {})["prompt"] == prompt


def test_nonsense_makes_no_table() -> None:
    evening = Evening()
    for number in range(2100):
        for kind in ("status", "state", "events", "games/1"):
            evening.take(message(kind, b"{}", f"Ghost {number}"))
    for kept in (status(), state()):
        evening.take(kept)
    assert evening.names() == ["T"] and evening.counts()["tables"] == 1


def test_a_forged_state_gives_way_to_the_next_true_one() -> None:
    evening = Evening()
    for kept in (status(), state(), state(seq=2**52, ply=99), state(seq=2, ply=2)):
        evening.take(kept)
    assert (evening.tile("T") or {})["ply"] == 2


def event(seq: int, prev: int | None = None, **other: Any) -> Message:
    head = {"table": "T", "journal": "j", "game": 1, "began": "2026-11-20T19:00:00+00:00", "seq": seq}
    head |= {"prev": seq - 1 if prev is None else prev, "at": "2026-11-20T19:01:00+00:00"}
    return message("events", compact(head | {"event": {"type": "game"}} | other).encode())


FORGED: dict[str, list[Message]] = {
    "an event": [event(2**50, prev=2)],
    "an event that waits": [event(2**50, prev=2**50 - 1)],
    "a game": [log(OVER, first=2**50, last=2**50)],
    "a game that does not join on": [log(OVER, first=2**50, last=2**50, prev=2**50 - 1)],
    "a floor": [message("status", write_status(True, "j", 2**50, "test"))],
    "all of it": [event(9, prev=0), log(OVER, last=2**52), event(2**50, prev=2), state(seq=2**52)],
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_forged_numbers_do_not_keep_the_tables_turns_out(forged: list[Message]) -> None:
    evening = Evening()
    for sent in (status(), state(seq=0), event(1), state(seq=1), event(2), state(seq=2), *forged):
        evening.take(sent)
    for seq in (3, 4):
        for sent in (event(seq), state(seq=seq)):
            evening.take(sent)
    table = evening._tables["T"]
    # Events dropped meanwhile are requested, and the table answers with the game.
    after = table.missing()
    assert after is not None and after <= 4 and not table.logs
    evening.take(log(last=4))
    assert table.missing() is None and table.last == 4
    evening.take(event(5))
    assert table.last == 5 and evening.logs()[0].result is None


def test_a_state_that_comes_again_forgets_nothing() -> None:
    """A table that is killed between its last game and its last state leaves a state that stays outdated."""
    evening = Evening()
    for sent in (status(), state(seq=5), event(6, prev=0), log(OVER, last=7), state(seq=5)):
        evening.take(sent)
    assert len(evening.logs()) == 1 and evening._tables["T"].last == 7


def test_a_journal_put_back_to_an_earlier_copy_goes_on_in_the_hall() -> None:
    evening = Evening()
    for sent in (status(), state(seq=9), log(last=9), status(), state(seq=6), event(7), state(seq=7)):
        evening.take(sent)
    table = evening._tables["T"]
    assert table.missing() is not None
    evening.take(log(last=7))
    assert table.last == 7 and table.missing() is None


@pytest.mark.parametrize("late", [event(2), log(last=2)], ids=["an event", "the whole game"])
def test_a_turn_that_arrives_after_its_state_is_news(late: Message) -> None:
    """Or the page would go on without it in its list of turns."""
    evening = Evening()
    for sent in (status(), event(1), state(seq=1), state(seq=2)):
        evening.take(sent)
    assert json.loads(evening.tile_text("T") or "")["last"] == 1
    evening.take(late)
    assert json.loads(evening.tile_text("T") or "")["last"] == 2


def test_turns_of_a_running_game_are_no_news_for_the_list_of_results() -> None:
    evening = Evening()
    for kept in (status(), state(), log()):
        evening.take(kept)
    following = iter(evening.news.follow(None, heartbeat=0.05))
    (begun,) = next(following) or (None,)
    assert begun is not None and begun.tables == ("T",)
    evening.take(log(last=5))
    assert next(following) is None
    evening.take(log(OVER, last=7))
    # On a slow machine, silence may come first.
    (ended,) = next(batch for batch in following if batch is not None)
    assert ended.results > begun.results and ended.tables == ()
    evening.news.close()


def test_viewers_share_the_serialized_events() -> None:
    news, written = News(), []
    news.changed("A")
    ways = [iter(news.follow(None, heartbeat=5)) for _ in range(3)]
    batches = [next(way) for way in ways]
    assert all(batch is not None and batch[0] is (batches[0] or [None])[0] for batch in batches)
    for found in batches:
        assert found is not None
        assert found[0].text(lambda batch: written.append(batch) or b"once") == b"once"
    assert len(written) == 1
    news.close()


def test_a_change_during_publishing_is_sent_once() -> None:
    news = News()
    following = iter(news.follow(None, heartbeat=5))
    next(following)
    news.changed("A")
    while (way := news.since(0, 5, lambda: False)) is not None and way[1] is None:
        continue
    # Between publishing and the viewer's reading of the batch.
    news.changed("B")
    assert [batch[0].tables for batch in (next(following), next(following)) if batch] == [("A",), ("B",)]
    news.close()


def test_simultaneous_changes_are_sent_together_and_none_is_lost() -> None:
    news = News()
    following = iter(news.follow(None, heartbeat=5))
    next(following)
    names = [f"T{number}" for number in range(200)]

    def bring() -> None:
        for name in names:
            news.changed(name)
            time.sleep(0.001)

    bringing = threading.Thread(target=bring)
    bringing.start()
    seen: list[str] = []
    batches, began = 0, time.monotonic()
    while len(set(seen)) < len(names):
        found = next(following)
        assert found is not None
        seen += found[0].tables
        batches += 1
    bringing.join()
    assert sorted(seen) == sorted(names)
    # Not one for each change: at most one every TOGETHER seconds, however long it took.
    assert batches <= (time.monotonic() - began) / BATCH_SECONDS + 2
    news.close()
    assert next(following, "end") == "end"


def test_a_reconnecting_viewer_receives_only_what_it_missed() -> None:
    news = News()
    news.changed("A")
    first = iter(news.follow(None, heartbeat=5))
    (begun,) = next(first) or (None,)
    assert begun is not None
    news.changed("B")
    (again,) = next(iter(news.follow(begun.place, heartbeat=5))) or (None,)
    assert again is not None and again.tables == ("B",)
    (other,) = next(iter(news.follow("0000-1", heartbeat=5))) or (None,)
    assert other is not None and other.tables == ("A", "B")
    news.close()


def test_a_fault_of_ours_with_one_message_leaves_the_other_tables(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    evening = Evening()
    listener = Listener(parse_broker("mqtt://127.0.0.1"), evening)
    monkeypatch.setattr("focus_companion.hall.evening.messages.read_status", lambda payload: 1 / 0)
    listener._take(status())
    listener._take(state())
    assert "fault in the program" in caplog.text
    assert evening._tables["T"].state is not None
