"""Whatever fails in between, the hall ends up with exactly the journals' games, byte for byte."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mosquitto import PROGRAM, Mosquitto, Wire
from published_table import Table
from same_games import differences
from waiting import until

from focus_companion.hall.evening import Evening
from focus_companion.hall.listener import Listener
from focus_companion.mqtt.broker import parse_broker
from focus_companion.storage.journal import Journal

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Mosquitto is installed; apt install mosquitto")

HERE = Path(__file__).parent


class Hall:
    def __init__(self, address: str) -> None:
        self.said: list[str] = []
        self.evening = Evening()
        self.listener = Listener(parse_broker(address), self.evening, tell=self.said.append)
        self.listener.connect()

    def becomes(self, table: Table | tuple[str, Journal], seconds: float = 180) -> None:
        """Wait until it has the table's games, byte for byte."""
        name, journal = table if isinstance(table, tuple) else (table.name, table.journal)
        end = time.monotonic() + seconds
        while found := differences(self.evening, name, journal):
            assert time.monotonic() < end, found
            time.sleep(0.05)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path / "broker") as made:
        yield made


@pytest.fixture
def hall_at() -> Iterator[Callable[[str], Hall]]:
    made: list[Hall] = []

    def make(address: str) -> Hall:
        made.append(Hall(address))
        return made[-1]

    yield make
    for hall in made:
        hall.listener.close()


@pytest.fixture
def table_at(tmp_path: Path) -> Iterator[Callable[..., Table]]:
    made: list[Table] = []

    def make(address: str, name: str = "Table 1") -> Table:
        made.append(Table(tmp_path / name, address, name))
        made[-1].publisher.start()
        return made[-1]

    yield make
    for table in made:
        table.close()


def test_a_hall_early_late_and_beside_another_has_the_same_games(broker, hall_at, table_at) -> None:
    early = hall_at(broker.address)
    table = table_at(broker.address)
    table.play(40)
    table.wait_confirmed()
    early.becomes(table)
    late = hall_at(broker.address)
    late.becomes(table)
    table.play(100)
    early.becomes(table)
    late.becomes(table)
    newest = table.journal.last_event()
    until(lambda: (tile := early.evening.tile("Table 1")) and tile["seq"] == newest)
    until(lambda: early.evening.tile("Table 1") == late.evening.tile("Table 1"))
    tile = early.evening.tile("Table 1")
    assert tile["players"]["green"]["name"] == "Ann" and tile["online"]


def test_a_table_that_has_gone_leaves_its_games(broker, hall_at, table_at) -> None:
    table = table_at(broker.address)
    table.play(75)
    table.wait_confirmed()
    table.publisher.close(5)
    hall = hall_at(broker.address)
    hall.becomes(table)
    until(lambda: hall.evening.tile("Table 1") is not None)
    assert not hall.evening.tile("Table 1")["online"]


def test_only_the_game_at_hand_and_later_ones_are_published(broker, hall_at, table_at, tmp_path) -> None:
    before = Table(tmp_path / "Table 1", "mqtt://127.0.0.1:1", "Table 1")
    for _ in range(2):
        before.play(20)
        before.another_game()
    newest = before.journal.games()[0].id
    before.close()
    table = table_at(broker.address)
    table.play(10)
    hall = hall_at(broker.address)
    until(lambda: hall.evening.games("Table 1") and newest in hall.evening.games("Table 1"))
    table.wait_confirmed()
    until(lambda: (tile := hall.evening.tile("Table 1")) and tile["seq"] == table.journal.last_event())
    assert min(hall.evening.games("Table 1")) == newest


@pytest.mark.parametrize(
    "kill", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["killed", "stopped"]
)
def test_the_broker_goes_and_comes(broker, hall_at, table_at, kill) -> None:
    hall, table = hall_at(broker.address), table_at(broker.address)
    for _ in range(2):
        table.play(30)
        broker.kill() if kill else broker.stop()
        table.play(10)
        table.another_game()
        table.play(20)
        broker.start()
    table.play(10)
    hall.becomes(table)
    assert any("cannot be reached" in line or "is lost" in line for line in table.said)
    until(lambda: "is reachable again" in table.said[-1])
    # A late joiner gets all of it too, although the broker has lost it.
    hall_at(broker.address).becomes(table)


def test_a_broker_that_has_lost_everything_is_given_it_again(broker, hall_at, table_at) -> None:
    table = table_at(broker.address)
    table.play(80)
    table.another_game()
    table.play(30)
    table.wait_confirmed()
    broker.kill()
    for kept in broker.folder.glob("mosquitto.db*"):
        kept.unlink()
    broker.start()
    hall_at(broker.address).becomes(table)


def test_the_wire_is_cut_and_mended(broker, hall_at, table_at) -> None:
    wires = [Wire(broker.port), Wire(broker.port)]
    hall, table = hall_at(wires[0].address), table_at(wires[1].address)
    for round_ in range(4):
        table.play(25)
        wires[round_ % 2].cut()
        table.play(25)
        wires[round_ % 2].mend()
    hall.becomes(table)
    for wire in wires:
        wire.close()


@pytest.mark.slow
def test_a_table_is_killed(broker, hall_at, tmp_path) -> None:
    hall = hall_at(broker.address)
    folder = tmp_path / "killed"
    for _ in range(5):
        emitted = run_and_kill(folder, broker.address, after=60)
        assert emitted
    # The last one stays, until all is sent.
    table = Table(folder, broker.address, "Table 1")
    table.publisher.start()
    table.play(5)
    hall.becomes(table)
    hall_at(broker.address).becomes(table)
    table.close()


def run_and_kill(folder: Path, address: str, after: int) -> int:
    """Start a table that plays on, kill it in the middle; returns how many pictures it had seen."""
    command = [sys.executable, str(HERE / "playing_table.py"), str(folder), address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        emitted = 0
        for line in process.stdout:
            emitted += json.loads(line)["emitted"]
            if emitted >= after:
                process.kill()
                break
    return emitted
