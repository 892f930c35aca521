"""The test vectors of docs/light-protocol.md on the host's side; tests/firmware tests the board's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from focus_companion.game.squares import INDEX
from focus_companion.lights.meaning import Cue, Meaning, path_of
from focus_companion.lights.protocol import ANSWER, Command, Status, state_data
from focus_companion.lights.wire import Decoder, WireMessage, encode

DOC = Path(__file__).parents[2] / "docs" / "light-protocol.md"
ROWS = re.findall(r"^\| ([^|]+) \| `([0-9a-f ]+)` \| `([0-9a-f ]+)` \|$", DOC.read_text(), re.MULTILINE)

DATA = [
    (Command.HELLO, b"\x01"),
    (Command.PING, b""),
    (Command.STATE, state_data(Meaning())),
    (
        Command.STATE,
        state_data(
            Meaning(turn="green", mover="red", path=path_of("d5-d2"), reserves=(1, 7, 0, 0)), Cue.TURN
        ),
    ),
    (
        Command.STATE,
        state_data(Meaning(turn="red", warning=True, wrong=(INDEX["c8"], INDEX["f1"])), Cue.ALERT),
    ),
    (Command.STATE, state_data(Meaning(turn="red", take=(INDEX["d6"], 2)), Cue.PROMPT)),
    (Command.BRIGHTNESS, bytes((96,))),
    (Command.PIXELS, bytes((52, 4, 255, 128, 0))),
    (Command.SELF_TEST, b""),
    (Command.DARK, b""),
    (0x77, b""),
    (Command.STATE, b"\0"),
]
STATUS = [Status.DONE] * 10 + [Status.UNKNOWN_COMMAND, Status.BAD_LENGTH]


def test_every_vector_has_its_data() -> None:
    assert len(ROWS) == len(DATA)


@pytest.mark.parametrize("row", range(len(DATA)))
def test_the_host_encodes_and_decodes_the_vector(row: int) -> None:
    _, host, board = ROWS[row]
    command, data = DATA[row]
    assert encode(WireMessage(row + 1, command, data)) == bytes.fromhex(host)
    (answer,) = Decoder().feed(bytes.fromhex(board))
    assert (answer.seq, answer.command, answer.data[0]) == (row + 1, command | ANSWER, STATUS[row])
