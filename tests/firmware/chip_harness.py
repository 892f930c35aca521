"""The firmware on a simulated chip: builds it, runs a script, and decodes its pins."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from focus_companion.lights.meaning import Cue, Meaning
from focus_companion.lights.pixels import Rgb, dimmed, draw
from focus_companion.lights.protocol import ANSWER, Command, state_data
from focus_companion.lights.wire import Decoder, WireMessage, encode

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[1] / "firmware"

BRIGHTNESS = 96
BUDGET = 400
READY_US = 1_000_000
"""Time when the self test is over."""


def build_firmware(source: Path, build: Path) -> Path:
    """The .elf built by the folder's own Makefile, with warnings as errors."""
    subprocess.run(
        ["make", "-s", "-C", str(source), f"BUILD={build}", "EXTRA_CFLAGS=-Werror"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (elf,) = build.rglob("*.elf")
    return elf


def build_harness(build: Path) -> Path:
    harness = build / "harness"
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(harness), str(HERE / "harness.c")]
    subprocess.run([*command, "-I/usr/include/simavr", "-lsimavr"], check=True)
    return harness


@dataclass(frozen=True)
class Picture:
    """A latched picture. Times in µs; the ranges in cycles of 62.5 ns."""

    time: float
    begin: float
    pixels: list[Rgb]
    zeros: tuple[int, int]
    ones: tuple[int, int]
    periods: tuple[int, int]


@dataclass
class Trace:
    """The activity of the pins, in order of time."""

    pictures: list[Picture] = field(default_factory=list)
    sent: list[tuple[float, int]] = field(default_factory=list)
    warning: list[tuple[float, int]] = field(default_factory=list)
    buzzer: list[tuple[float, int]] = field(default_factory=list)
    dropped: int = 0
    broken: int = 0
    ended: str = ""

    def take(self, line: str) -> None:
        """One line of the harness."""
        time_text, word, *rest = line.split()
        time = float(time_text)
        match word:
            case "tx":
                self.sent.append((time, int(rest[0], 16)))
            case "pixels":
                raw = bytes.fromhex(rest[1])
                pixels = [(raw[at], raw[at + 1], raw[at + 2]) for at in range(0, len(raw), 3)]
                z0, z1, o0, o1, p0, p1 = map(int, rest[2:])
                self.pictures.append(Picture(time, float(rest[0]), pixels, (z0, z1), (o0, o1), (p0, p1)))
            case "warning" | "buzzer":
                changes = getattr(self, word)
                value = int(rest[0])
                if not changes or changes[-1][1] != value:
                    changes.append((time, value))
            case "dropped":
                self.dropped = int(rest[0])
            case "broken":
                self.broken += 1
            case "ended":
                self.ended = rest[0]
            case _:
                raise AssertionError(f"the harness said {line!r}")

    def frames(self) -> list[tuple[float, WireMessage]]:
        """The board's frames, each with the time of its first byte."""
        found: list[tuple[float, WireMessage]] = []
        decoder = Decoder()
        start = 0.0
        for time, byte in self.sent:
            if byte == 0:
                found += [(start, frame) for frame in decoder.feed(b"\0")]
                start = 0.0
            else:
                start = start or time
                decoder.feed(bytes((byte,)))
        assert decoder.bad == 0
        return found

    def answers(self, command: Command) -> list[tuple[float, WireMessage]]:
        return [(time, frame) for time, frame in self.frames() if frame.command == command | ANSWER]

    def last_before(self, time: float) -> Picture:
        """The last picture that was completely sent before ``time``."""
        return [picture for picture in self.pictures if picture.begin < time][-1]


class Script:
    """A script of inputs to the board, times in µs."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._seq = 0

    def say(self, time: float, word: str) -> None:
        self.lines.append(f"{int(time)} {word}")

    def raw(self, time: float, data: bytes) -> None:
        # The harness accepts lines of up to 64 KiB; an empty one would send nothing.
        if data:
            self.say(time, f"rx {data.hex()}")

    def ask(self, time: float, command: int, data: bytes = b"", seq: int | None = None) -> int:
        """Send a command; returns its sequence number."""
        if seq is None:
            self._seq = seq = self._seq % 255 + 1
        self.raw(time, encode(WireMessage(seq, command, data)))
        return seq

    def show(self, time: float, meaning: Meaning, cue: Cue = Cue.NONE) -> int:
        return self.ask(time, Command.STATE, state_data(meaning, cue))


@dataclass(frozen=True)
class Chip:
    """A built firmware and its harness."""

    harness: Path
    elf: Path

    def run(self, script: Script, end: float) -> Trace:
        """Run in lockstep, from power-on to ``end`` µs."""
        script.say(end, "end")
        done = subprocess.run(
            [str(self.harness), str(self.elf)],
            input="\n".join(script.lines) + "\n",
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        trace = Trace()
        for line in done.stdout.splitlines():
            trace.take(line)
        assert trace.ended == "script", done.stderr
        return trace


def expected(meaning: Meaning, phase: int, brightness: int = BRIGHTNESS) -> list[Rgb]:
    """The expected picture."""
    return dimmed(draw(meaning, phase), brightness, BUDGET)
