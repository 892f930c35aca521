"""What is taken back or corrected at one of two tables that share a game concerns the other, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from scripted import Still, Unseeing

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.referee.verdict import StartSeen, TurnSeen
from focus_companion.seats.other_table import GamesDiffer, OtherTable
from focus_companion.session import requests as ask
from focus_companion.session.history import History
from focus_companion.session.session import Session

RULES = Rules.make(2)


class Table(Unseeing):
    """A table whose players make the turns that the test names; requests are carried out at once."""

    def __init__(self, played_by: Mapping[str, str]) -> None:
        self.says: list[Any] = [StartSeen()]
        self.session = Session(RULES, {}, None, lambda _: self, played_by=played_by)
        self.see()

    @property
    def history(self) -> History:
        return self.session.history

    @property
    def entries(self) -> list[str]:
        return [str(getattr(entry.what, "kind", entry.what)) for entry in self.history.entries]

    @property
    def reply(self) -> str:
        return self.history.reply.move if self.history.reply else ""

    def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
        said, self.says = self.says, []
        return said

    def see(self, *moves: str) -> None:
        self.says += [TurnSeen(Move.parse(move), 0.9) for move in moves]
        self.session.push(Still(int(self.history.time * 10) + 1))  # type: ignore[arg-type]

    def submit(self, request: ask.Request) -> Future[None]:
        done = self.session.submit(request)
        self.session.attend()
        return done


class Client:
    """Stands for the connection to the host: red is played from the guest's table."""

    address = "http://host"
    held = frozenset("r")
    carried_out = True

    def __init__(self, host: Table) -> None:
        self._host = host

    def state(self) -> dict[str, Any]:
        return self._host.session.state()

    def act(self, path: str, colour: str, body: Mapping[str, Any]) -> bool:
        if path == "/api/turn":
            where = body["game"], body["ply"], body["position"]
            self._host.submit(ask.SubmitTurn("r", Move.parse(body["move"]), *where)).result(0)
        else:
            self._host.submit({"resign": ask.Resign, "leave": ask.Leave}[body["act"]]("r")).result(0)
        return self.carried_out


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Table, Table, Callable[[], None]]:
    """The host with a far seat for red, the guest, and the guest's next step."""
    host, guest = Table({"r": "far"}), Table({"g": "table:http://host"})
    link = OtherTable(guest, tmp_path, {}, lambda line: None)
    link._client = Client(host)  # type: ignore[assignment]
    return host, guest, link.turn


@pytest.mark.parametrize("polls", [1, 2])
@pytest.mark.parametrize("act", [ask.Resign("g"), ask.AgreeDraw()])
def test_an_act_of_the_host(
    tables: tuple[Table, Table, Callable[[], None]], act: ask.Request, polls: int
) -> None:
    host, guest, poll = tables
    host.submit(act)
    for _ in range(polls):
        poll()
    assert guest.history.over
    host.submit(ask.TakeBack())
    poll()
    assert host.entries == guest.entries == []


@pytest.mark.parametrize("polls", [1, 2])
def test_an_act_of_the_guest(tables: tuple[Table, Table, Callable[[], None]], polls: int) -> None:
    host, guest, poll = tables
    guest.submit(ask.Resign("r"))
    for _ in range(polls):
        poll()
    assert host.history.over
    host.submit(ask.TakeBack())
    poll()
    assert host.entries == guest.entries == []
    # The players may still resign after that.
    guest.submit(ask.Resign("r"))
    poll()
    assert host.entries == guest.entries == ["resign"]


def test_a_turn_that_was_not_made_here_yet(tables: tuple[Table, Table, Callable[[], None]]) -> None:
    host, guest, poll = tables
    host.see("d5-d6")
    poll()
    assert guest.reply == "d5-d6"
    host.submit(ask.TakeBack())
    poll()
    assert guest.reply == ""
    host.see("c4-c5")
    poll()
    assert guest.reply == "c4-c5"
    host.submit(ask.TakeBack())
    host.see()
    host.see("d5-d6")
    poll()
    poll()
    assert guest.reply == "d5-d6"
    guest.see("d5-d6")
    poll()
    assert host.entries == guest.entries == ["d5-d6"]


def play_and_answer(host: Table, guest: Table, poll: Callable[[], None]) -> None:
    """The host plays a turn, and the guest another, which the host is asked to make."""
    host.see("d5-d6")
    poll()
    guest.see("d5-d6")
    poll()
    guest.see("f7-f8")
    poll()
    assert host.reply == "f7-f8"


def test_a_turn_of_the_guest_that_the_host_takes_back_at_once(
    tables: tuple[Table, Table, Callable[[], None]],
) -> None:
    """It was made and taken back between two polls."""
    host, guest, poll = tables
    play_and_answer(host, guest, poll)
    host.see("f7-f8")
    host.submit(ask.TakeBack())
    poll()
    assert (host.reply, host.entries, guest.entries) == ("", ["d5-d6"], ["d5-d6"])
    poll()
    assert host.reply == "", "it is not asked for again"
    # The guest may choose the same turn again.
    guest.see()
    guest.see("f7-f8")
    poll()
    poll()
    assert host.reply == "f7-f8" and guest.entries == ["d5-d6", "f7-f8"]
    host.see("f7-f8")
    poll()
    assert host.entries == guest.entries


def test_a_turn_that_a_busy_host_has_only_accepted_is_sent_again(
    tables: tuple[Table, Table, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    host, guest, poll = tables
    monkeypatch.setattr(Client, "carried_out", False)
    play_and_answer(host, guest, poll)
    host.submit(ask.SetSeat("r", "far"))
    assert host.reply == "", "as if the request had not been carried out yet"
    poll()
    assert host.reply == "f7-f8" and guest.entries == ["d5-d6", "f7-f8"]


def test_a_corrected_position_is_to_be_entered_at_the_other_table(
    tables: tuple[Table, Table, Callable[[], None]],
) -> None:
    host, guest, poll = tables
    poll()
    corrected = ask.SetPosition(host.history.position.stacks, "r")
    host.submit(corrected)
    with pytest.raises(GamesDiffer, match="at one table only; enter the same at the other"):
        poll()
    guest.submit(corrected)
    poll()
    guest.see("f7-f8")
    poll()
    assert host.reply == "f7-f8"


def test_a_turn_whose_players_seat_the_host_gives_to_somebody_else(
    tables: tuple[Table, Table, Callable[[], None]],
) -> None:
    host, guest, poll = tables
    play_and_answer(host, guest, poll)
    host.submit(ask.SetSeat("r", "companion"))
    assert host.reply == ""
    for _ in range(2):
        with pytest.raises(GamesDiffer, match="red is no longer played from here"):
            poll()
    assert guest.entries == ["d5-d6", "f7-f8"], "nobody has taken it back"
    host.submit(ask.SetSeat("r", "far"))
    poll()
    assert host.reply == "f7-f8"
    # Whoever has the seat plays something else: that counts at both tables.
    host.submit(ask.SetSeat("r", "board"))
    host.see("f5-f6")
    poll()
    assert guest.entries == ["d5-d6"]
