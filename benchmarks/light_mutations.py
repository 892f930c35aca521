"""Safeguards of firmware and driver, each taken out of a copy of the project: the tests must notice."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHIP = "tests/firmware/test_firmware_lockstep.py"
PTY = "tests/firmware/test_firmware_driver.py"
DRIVER = "tests/lights/test_lights_serial.py"
WIRE = "tests/lights/test_lights_wire.py"
BUTTON = "tests/lights/test_lights_button.py"


@dataclass(frozen=True)
class Mutation:
    """``old`` (which occurs once in ``file``) becomes ``new``; ``tests`` then have to fail."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def firmware(name: str, file: str, old: str, new: str = "") -> Mutation:
    return Mutation(f"firmware, {name}", f"firmware/{file}", old, new, (CHIP,))


def host(name: str, file: str, old: str, new: str, *tests: str) -> Mutation:
    return Mutation(f"host, {name}", f"focus_companion/{file}", old, new, tests or (DRIVER,))


MUTATIONS = (
    firmware("no interrupt lock", "strip.c", "    cli(); /* an interrupt would stretch a bit */\n"),
    firmware("no CRC check", "link.c", "length < 4 || crc_of(0, stuffed, length) != 0", "length < 4"),
    firmware(
        "no acknowledgement",
        "commands.c",
        "    link_send(frame->seq, frame->command | ANSWER, answer, length);",
        "    (void)length;",
    ),
    firmware(
        "acknowledgement before the work",
        "commands.c",
        "        answer[0] = act(frame);",
        "        link_send(frame->seq, frame->command | ANSWER, answer, length);\n"
        "        act(frame);\n        return;",
    ),
    firmware("no byte taken between pixels", "strip.c", "        link_poll();\n"),
    firmware("no current cap", "strip.c", "drawn <= ROOM_MA", "drawn < 60000"),
    firmware("no length check of a frame", "link.c", "if (stuffed_length < sizeof stuffed)", "if (1)"),
    firmware(
        "no check of a COBS block", "link.c", "        if (code > length - in)\n            return 0;\n"
    ),
    firmware("no check of a state's values", "commands.c", "!state_is_valid(&state) || "),
    firmware("a repeated command done again", "commands.c", "any_done && frame->seq", "0 && frame->seq"),
    firmware("a host that falls silent not missed", "main.c", "board.silent >= HOST_LOST", "0"),
    firmware(
        "noise a sign of life",
        "link.c",
        "        if (any)\n",
        "        if (any) board.silent = 0;\n        if (any)\n",
    ),
    firmware("no watchdog", "main.c", "    wdt_enable(WDTO_500MS);\n"),
    firmware("watchdog never fed", "main.c", "        wdt_reset();\n"),
    firmware("cause of the reset kept", "main.c", "    MCUSR = 0;\n"),
    firmware("a button that bounces counted", "main.c", "held < 2 && ++held == 2", "held < 1 && ++held == 1"),
    firmware("wire order of the colours", "strip.c", "strip[i].green, high", "strip[i].red, high"),
    host("no CRC check", "lights/wire.py", "    if crc16(body) != 0:", "    if False:", WIRE),
    host(
        "no acknowledgement awaited",
        "lights/link.py",
        "frame.seq == self._seq and frame.data:",
        "frame.data:",
    ),
    host("no resend", "lights/link.py", "TRIES: Final = 4", "TRIES: Final = 1"),
    host(
        "the answer's command not looked at",
        "lights/link.py",
        "if frame.command == command | ANSWER and frame.seq == self._seq",
        "if frame.seq == self._seq",
    ),
    host("state not sent again after BOOT", "lights/serial.py", "                self._restore(link)\n", ""),
    host(
        "told bit of PING not looked at", "lights/serial.py", "        if not pong.told:", "        if False:"
    ),
    host("no heartbeat", "lights/serial.py", "elif now >= self._ping_at:", "elif False:"),
    host(
        "port not shut after a fault", "lights/serial.py", "            link.close()\n", "            pass\n"
    ),
    host(
        "state not sent when the board returns",
        "lights/serial.py",
        "        self._send(link, Cue.NONE)\n",
        "        self._shown = True\n",
    ),
    host(
        "a vanished port not caught",
        "lights/link.py",
        "    return (OSError, termios.error)",
        "    return (KeyError,)",
    ),
    host("a port shared with others", "lights/link.py", "exclusive=True", "exclusive=False"),
    host(
        "any answer a light board's",
        "lights/protocol.py",
        "        if len(data) != _HELLO.size:\n",
        "        if False:\n",
    ),
    host("strangers opened again", "lights/serial.py", "            self._strangers.add(plugging)\n", ""),
    host(
        "every fault told each time",
        "lights/serial.py",
        "        if what != self._told:\n",
        "        if True:\n",
    ),
    host("dark forgotten at the end", "lights/serial.py", "link.ask(Command.DARK, tries=2)", "None"),
    host("a press told twice", "lights/serial.py", "new = presses != self._presses", "new = presses > 0"),
    host(
        "a press dismisses what was just told",
        "session/answering.py",
        "time - max(told) >= JUST_TOLD",
        "True",
        "tests/session/test_session_requests.py",
    ),
    host(
        "the button not joined to the game",
        "commands/play.py",
        "settings.lights), pressed)",
        "settings.lights))",
        BUTTON,
    ),
)


def apart(root: Path, folder: Path, mutation: Mutation) -> str:
    """Copy the project to ``folder``, change it and run the tests; what failed first, "" if nothing did.

    Raises:
        RuntimeError: the place to change is not there (any more), or the tests could not be run.
    """
    for name in ("focus_companion", "firmware", "tests", "docs", "calibration", "pyproject.toml"):
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy
        folder.mkdir(parents=True, exist_ok=True)
        copy(root / name, folder / name)
    shutil.rmtree(folder / "firmware" / "build", ignore_errors=True)
    changed = folder / mutation.file
    text = changed.read_text()
    if text.count(mutation.old) != 1:
        raise RuntimeError(f"{mutation.name}: {mutation.old!r} is not once in {mutation.file}")
    changed.write_text(text.replace(mutation.old, mutation.new))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-m",
            "not slow",
            "-p",
            "no:cacheprovider",
            *mutation.tests,
        ],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    shutil.rmtree(folder)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{mutation.name}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    failed = re.search(r"^(?:FAILED|ERROR) \S+::(\S+)", done.stdout, re.MULTILINE)
    return failed[1] if failed else ""
