"""The test vectors of docs/light-protocol.md, byte for byte from the simulated board."""

from __future__ import annotations

import re
from pathlib import Path

from chip_harness import READY_US, Chip, Script

DOC = (Path(__file__).parents[2] / "docs" / "light-protocol.md").read_text()
ROWS = re.findall(r"^\| ([^|]+) \| `([0-9a-f ]+)` \| `([0-9a-f ]+)` \|$", DOC, re.MULTILINE)
BOOT = re.findall(r"At power-on the board says `([0-9a-f ]+)`", DOC)


def test_vectors(chip: Chip) -> None:
    script = Script()
    for n, (_, host, _) in enumerate(ROWS):
        script.raw(READY_US + n * 50_000, bytes.fromhex(host))
    trace = chip.run(script, READY_US + len(ROWS) * 50_000)
    said = bytes(byte for _, byte in trace.sent)
    assert len(ROWS) == 12
    assert said == bytes.fromhex(BOOT[0]) + b"".join(bytes.fromhex(board) for _, _, board in ROWS)
