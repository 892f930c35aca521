"""Refused connections and invalid messages give one line each, and break nothing."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mosquitto import PROGRAM, Mosquitto
from published_table import Table
from waiting import until

from focus_companion.hall.evening import Evening
from focus_companion.hall.listener import Listener
from focus_companion.mqtt.broker import BadBroker, parse_broker
from focus_companion.mqtt.line import Line, LineDown
from focus_companion.mqtt.messages import TableStatus, read_status, write_status
from focus_companion.mqtt.topics import BadTableName, Topics, check_name

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Mosquitto is installed; apt install mosquitto")

ROOT = Path(__file__).parents[2]


def hall(*arguments: str, password: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command ``hall``, which must exit by itself."""
    return subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", "hall", "--port", "0", *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "FOCUS_COMPANION_MQTT_PASSWORD": password},
    )


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker that accepts ``table`` with the password ``right``, which may write only its own topics."""
    secrets, rights = tmp_path / "passwords", tmp_path / "rights"
    secrets.touch(mode=0o600)
    for user in ("table", "reader"):
        subprocess.run(
            ["mosquitto_passwd", "-b", str(secrets), user, "right"],
            check=True,
            env={"PATH": "/usr/bin:/usr/sbin"},
        )
    rights.write_text(
        "user table\ntopic readwrite focus-companion/1/Mine/#\ntopic write homeassistant/#\n"
        "user reader\ntopic read focus-companion/#\n"
    )
    rights.chmod(0o600)
    more = f"allow_anonymous false\npassword_file {secrets}\nacl_file {rights}"
    with Mosquitto(tmp_path / "locked", more=more) as made:
        yield made


def test_a_wrong_password_is_reported_in_one_line(locked: Mosquitto) -> None:
    for user, password, said in [
        ("table@", "wrong", "does not accept the user 'table'"),
        ("", "", "lets nobody in"),
    ]:
        done = hall("--mqtt", f"mqtt://{user}127.0.0.1:{locked.port}", password=password)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1 and said in done.stderr, done.stderr
        assert "wrong" not in done.stderr


def test_the_game_goes_on_without_the_broker(locked: Mosquitto, tmp_path: Path) -> None:
    table = Table(tmp_path / "t", f"mqtt://table:wrong@127.0.0.1:{locked.port}", "Mine")
    table.publisher.start()
    until(lambda: table.said)
    table.play(30)
    assert table.session.history.ply > 20
    assert len(table.said) == 1 and "does not accept the user 'table'" in table.said[0]
    table.close()
    # With the right password, the table publishes what was missing.
    table = Table(tmp_path / "t", f"mqtt://table:right@127.0.0.1:{locked.port}", "Mine")
    table.publisher.start()
    table.wait_confirmed()
    table.close()


def test_a_table_without_write_permission_reports_it(locked: Mosquitto, tmp_path: Path) -> None:
    table = Table(tmp_path / "t", f"mqtt://table:right@127.0.0.1:{locked.port}", "Other")
    table.publisher.start()
    # The broker may close the connection first.
    until(lambda: any("access list" in said for said in table.said))
    assert table.publisher.confirmed == 0
    table.close()


def certificates(folder: Path) -> None:
    """A CA, a broker's certificate signed by it, and another CA."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    for name in ("ca", "other"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                "-keyout", f"{name}.key", "-out", f"{name}.pem")  # fmt: skip
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-keyout", "broker.key",
            "-out", "broker.csr")  # fmt: skip
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
    openssl("x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", "names", "-out", "broker.pem")  # fmt: skip


# paho leaves the socket of a handshake that failed to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_tls_with_the_right_and_the_wrong_certificate(tmp_path: Path) -> None:
    certificates(tmp_path)
    lines = f"cafile {tmp_path}/ca.pem\ncertfile {tmp_path}/broker.pem\nkeyfile {tmp_path}/broker.key"
    with Mosquitto(tmp_path / "tls", listener=lines) as broker:
        address = f"mqtts://127.0.0.1:{broker.port}"
        right = parse_broker(address, ca=tmp_path / "ca.pem")
        Line(right, "right", on_message=lambda message: None).close()
        for ca in (tmp_path / "other.pem", None):
            with pytest.raises(LineDown, match=r"not trusted.*--mqtt-ca"):
                Line(parse_broker(address, ca=ca), "wrong", on_message=lambda message: None)
        done = hall("--mqtt", address, "--mqtt-ca", str(tmp_path / "other.pem"))
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "not trusted" in done.stderr
        done = hall("--mqtt", address, "--mqtt-ca", str(tmp_path / "names"))
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "not a certificate" in done.stderr
    with (
        Mosquitto(tmp_path / "plain") as broker,
        pytest.raises(LineDown, match=r"does not speak TLS|closed|cannot be reached"),
    ):
        Line(parse_broker(f"mqtts://127.0.0.1:{broker.port}"), "plain", on_message=lambda message: None)


NONSENSE: list[tuple[str, bytes]] = [
    ("status", b"hello"),
    ("status", b'{"online": 1}'),
    ("state", b"[" * 100_000),
    ("state", b'{"journal": "x", "seq": -1}'),
    ("events", b"\xff\xfe"),
    ("events", b'{"table": "Other", "seq": 1}'),
    (
        "events",
        json.dumps(
            {
                "table": "T",
                "journal": "x",
                "game": 1,
                "began": "",
                "seq": 1,
                "prev": 1,
                "at": "",
                "event": {"type": "move"},
            }
        ).encode(),
    ),
    ("games/1", b"no head at all"),
    ("games/1", b'{"table": "T"}\n' + gzip.compress(bytes(50_000_000))),
    ("games/999999999999999999999", b"{}"),
    ("games/x", b"{}"),
    ("ask", b"tell me"),
    ("ask", b'{"after": 1e300}'),
    ("state", bytes(300_000)),
    ("elsewhere/and/deeper", b"{}"),
]


def test_a_connection_that_ends_while_it_is_being_closed(tmp_path: Path) -> None:
    """The client's thread attribute is reset between being read and being joined."""

    class Ending:
        def __init__(self, thread: Any) -> None:
            self.thread = thread

        def __eq__(self, other: object) -> bool:
            line._client._thread = None
            return False

        __hash__ = None  # type: ignore[assignment]

    with Mosquitto(tmp_path / "broker") as broker:
        line = Line(parse_broker(broker.address), "ends", on_message=lambda message: None)
        thread = line._client._thread
        line._client._thread = Ending(thread)
        line.close()
        thread.join(5)
        assert not thread.is_alive() and line._client._thread is None


@contextmanager
def listened_to(folder: Path) -> Iterator[tuple[Mosquitto, Evening, Table]]:
    """A broker, a table T that publishes to it, and a hall that listens."""
    with Mosquitto(folder / "broker") as broker:
        evening = Evening()
        listener = Listener(parse_broker(broker.address), evening)
        listener.connect()
        table = Table(folder / "t", broker.address, "T")
        table.publisher.start()
        try:
            yield broker, evening, table
        finally:
            table.close()
            listener.close()


def test_invalid_messages_on_our_topics_break_nothing(tmp_path: Path, caplog: Any) -> None:
    with listened_to(tmp_path) as (broker, evening, table):
        table.play(10)
        foreign = Line(parse_broker(broker.address), "foreign", on_message=lambda message: None)
        for retain in (False, True):
            for tail, payload in NONSENSE:
                for name in ("T", "Ghost"):
                    foreign.publish(f"focus-companion/1/{name}/{tail}", payload, retain=retain)
        table.play(30)
        table.wait_confirmed()
        until(lambda: (tile := evening.tile("T")) and tile["seq"] == table.journal.last_event())
        assert evening.record("T", 1) == table.journal.record(1)
        assert evening.tile("T")["online"] and evening.tile("Ghost") is None
        # Once per table and kind, not once per message.
        messages = [line for line in caplog.messages if "An invalid message" in line]
        assert 4 <= len(messages) == len(set(messages)) < 12
        assert all("\n" not in line for line in messages)
        foreign.close()


def test_a_forged_event_is_corrected(tmp_path: Path) -> None:
    """Without access control on the broker anybody may write; the table's later messages correct it."""
    with listened_to(tmp_path) as (broker, evening, table):
        table.play(20)
        table.wait_confirmed()
        until(lambda: evening.games("T"))
        last = table.journal.last_event()
        began = table.journal.began(1)
        forged = {"table": "T", "journal": table.journal.identity(), "game": 1, "began": began,
                  "seq": last + 1, "prev": last, "at": "", "event": {"type": "result", "time": 1.0,
                  "winners": ["red"], "reason": "domination"}}  # fmt: skip
        taken: list[int] = []
        foreign = Line(
            parse_broker(broker.address),
            "foreign",
            on_message=lambda message: None,
            on_confirmed=lambda mid, fault: taken.append(mid),
        )
        foreign.publish(Topics("T").events, json.dumps(forged).encode())
        # Once it has arrived, all later messages are delivered after it.
        until(lambda: taken)
        table.play(40)
        table.another_game()
        table.wait_confirmed()
        until(lambda: len(evening.games("T")) == 2 and evening.record("T", 1) == table.journal.record(1))
        foreign.close()


def test_two_machines_with_the_same_name(tmp_path: Path) -> None:
    with Mosquitto(tmp_path / "broker") as broker:
        first = Table(tmp_path / "1", broker.address, "T")
        first.publisher.start()
        first.play(5)
        first.wait_confirmed()
        second = Table(tmp_path / "2", broker.address, "T")
        second.publisher.start()
        second.play(5)
        until(lambda: second.said)
        assert "another machine is connected as the table 'T'" in second.said[0]
        first.play(5)
        first.wait_confirmed()
        second.close()
        assert not first.said
        first.close()


def test_a_machine_with_a_name_in_use_takes_no_table_off_the_hall(tmp_path: Path) -> None:
    """It asks again every half a minute; each time, finished games would be missing from the standings."""
    with listened_to(tmp_path) as (broker, evening, table):
        table.play(5)
        table.another_game()
        table.wait_confirmed()
        last = table.journal.last_event()
        until(lambda: (tile := evening.tile("T")) and tile["seq"] == last and len(evening.logs()) == 1)
        second = Table(tmp_path / "2", broker.address, "T")
        second.publisher.start()
        until(lambda: second.said)
        second.close()
        # The first table says nothing new: its turns would bring back what was forgotten.
        tile = evening.tile("T")
        assert tile is not None and tile["online"] and tile["seq"] == last
        assert len(evening.logs()) == 1


def test_the_last_will_of_another_machine_leaves_the_table_online(tmp_path: Path) -> None:
    """A machine that has lost its network, and whose place another has taken, is given up later."""
    with listened_to(tmp_path) as (broker, _, table):
        table.play(5)
        table.wait_confirmed()
        foreign = Line(parse_broker(broker.address), "foreign", on_message=lambda message: None)
        foreign.publish(Topics("T").status, write_status(False, "another", 0, "test"), retain=True)
        foreign.close()
        seen: list[TableStatus] = []

        def retained() -> bool:
            late = Line(
                parse_broker(broker.address),
                "late",
                on_message=lambda message: seen.append(read_status(message.payload)),
            )
            late.subscribe(Topics("T").status)
            until(lambda: seen)
            late.close()
            return seen.pop().online

        until(retained)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://here", "not a broker's address"),
        ("mqtt://", "not a broker's address"),
        ("broker", "not a broker's address"),
        ("mqtt://here:port", "the port is invalid"),
        ("mqtt://here:99999", "the port is invalid"),
        ("mqtt://here/topic", "nothing may follow"),
        ("mqtt://:secret@here", "a password needs a user"),
        ("tcp://me:secret@here", "not a broker's address"),
    ],
)
def test_an_invalid_broker_address_is_refused(address: str, said: str) -> None:
    with pytest.raises(BadBroker, match=said) as caught:
        parse_broker(address)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["a/b", "#", "+", "x" * 41, " ", "a\tb", "$SYS"])
def test_a_name_that_is_invalid_in_a_topic_is_refused(name: str) -> None:
    with pytest.raises(BadTableName, match="is invalid"):
        check_name(name)
