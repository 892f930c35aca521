"""Mutation tests of the lights: each safeguard is removed from a copy of the project; a test must fail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHIP = "tests/firmware/test_firmware_lockstep.py"
DRIVER = "tests/lights/test_lights_serial.py"
BUTTON = "tests/lights/test_lights_button.py"
WIRE = "tests/lights/test_lights_wire.py"
REQUESTS = "tests/session/test_session_requests.py"


@dataclass(frozen=True)
class Mutation:
    """Replaces ``old``, which occurs once in ``file``, by ``new``; ``test`` of ``tests`` must then fail."""

    name: str
    file: str
    old: str
    new: str
    tests: str
    test: str


def firmware(name: str, test: str, file: str, old: str, new: str = "") -> Mutation:
    return Mutation(f"firmware: {name}", f"firmware/{file}", old, new, CHIP, test)


def host(name: str, test: str, file: str, old: str, new: str = "", tests: str = DRIVER) -> Mutation:
    return Mutation(f"host: {name}", f"focus_companion/{file}", old, new, tests, test)


MUTATIONS = (
    firmware(
        "no interrupt lock", "test_burst", "strip.c", "    cli(); /* an interrupt would stretch a bit */\n"
    ),
    firmware(
        "no CRC check",
        "test_flipped_bits",
        "link.c",
        "length < 4 || crc_of(0, stuffed, length) != 0",
        "length < 4",
    ),
    firmware(
        "no acknowledgement",
        "test_states",
        "commands.c",
        "    link_send(frame->seq, frame->command | ANSWER, answer, length);",
        "    (void)length;",
    ),
    firmware(
        "acknowledgement before the work",
        "test_states",
        "commands.c",
        "        answer[0] = act(frame);",
        "        link_send(frame->seq, frame->command | ANSWER, answer, length);\n"
        "        act(frame);\n        return;",
    ),
    firmware("no byte taken between pixels", "test_burst", "strip.c", "        link_poll();\n"),
    firmware("no current cap", "test_current_cap", "strip.c", "drawn <= ROOM_MA", "drawn < 60000"),
    firmware(
        "no end to a frame's length",
        "test_garbage",
        "link.c",
        "if (stuffed_length < sizeof stuffed)",
        "if (stuffed_length < 255)",
    ),
    firmware(
        "no end to a COBS block",
        "test_garbage",
        "link.c",
        "        if (code > length - in)\n            return 0;\n",
    ),
    firmware(
        "a state's values not checked",
        "test_refused_and_nothing_changed",
        "commands.c",
        "!state_is_valid(&state) || ",
    ),
    firmware(
        "a repeated command done again",
        "test_a_repeated_command_is_answered_and_not_repeated",
        "commands.c",
        "any_done && frame->seq",
        "any_done && 0 && frame->seq",
    ),
    firmware(
        "a silent host not missed",
        "test_host_lost_and_found",
        "main.c",
        "board.silent >= HOST_LOST",
        "board.silent >= 2 * HOST_LOST",
    ),
    firmware(
        "noise is a sign of life",
        "test_host_lost_and_found",
        "main.c",
        "    if (board.silent < 255)\n",
        "    static uint8_t errors;\n    if (errors != link_errors)\n        board.silent = 0;\n"
        "    errors = link_errors;\n    if (board.silent < 255)\n",
    ),
    firmware("no watchdog", "test_watchdog", "main.c", "    wdt_enable(WDTO_500MS);\n"),
    firmware("watchdog never fed", "test_boot_and_self_test", "main.c", "        wdt_reset();\n"),
    firmware(
        "each bounce of the button counted",
        "test_button",
        "main.c",
        "held < 2 && ++held == 2",
        "held < 1 && ++held == 1",
    ),
    firmware(
        "colours in another order", "test_states", "strip.c", "strip[i].green, high", "strip[i].red, high"
    ),
    host("no CRC check", "test_a_flipped_bit", "lights/wire.py", "if crc16(body) != 0:", "if False:", WIRE),
    host(
        "no answer awaited",
        "test_lost_frames_are_sent_again",
        "lights/link.py",
        "            self._write(message)\n",
        "            self._write(message)\n            if command not in (Command.HELLO, Command.PING):\n"
        "                return b''\n",
    ),
    host(
        "nothing sent again",
        "test_lost_frames_are_sent_again",
        "lights/link.py",
        "TRIES: Final = 4",
        "TRIES: Final = 1",
    ),
    host(
        "the answer's number not looked at",
        "test_an_answer_to_another_frame_is_ignored",
        "lights/link.py",
        "frame.seq == self._seq and frame.data:",
        "frame.data:",
    ),
    host(
        "the answer's command not looked at",
        "test_an_answer_to_another_frame_is_ignored",
        "lights/link.py",
        "if frame.command == command | ANSWER and frame.seq",
        "if frame.seq",
    ),
    host(
        "state not sent to a board that has restarted",
        "test_after_a_restart_the_board_shows_the_state_again",
        "lights/serial.py",
        "        link.ask(Command.STATE, state_data(self._wanted))\n",
    ),
    host(
        "the board's report of a lost state ignored",
        "test_a_restart_whose_notice_was_lost",
        "lights/serial.py",
        "        if not pong.has_state:",
        "        if False:",
    ),
    host(
        "no heartbeat",
        "test_heartbeats_are_sent",
        "lights/serial.py",
        "elif now >= self._ping_at:",
        "elif False:",
    ),
    host(
        "a vanished port not expected",
        "test_unplugging_and_replugging_is_reported",
        "lights/link.py",
        "    return (OSError, termios.error)",
        "    return (KeyError,)",
    ),
    host(
        "the port shared with others",
        "test_a_port_in_use_is_reported",
        "lights/link.py",
        "exclusive=True",
        "exclusive=False",
    ),
    host(
        "any answer is a greeting",
        "test_another_device_is_reported",
        "lights/protocol.py",
        "        if len(data) != _HELLO.size:\n",
        "        if False:\n",
    ),
    host(
        "strangers opened again and again",
        "test_an_unknown_device_is_opened_once",
        "lights/serial.py",
        "            self._strangers.add(plugging)\n",
    ),
    host(
        "a fault reported at each attempt",
        "test_a_board_may_be_plugged_in_late",
        "lights/serial.py",
        "        if what != self._reported:\n",
        "        if True:\n",
    ),
    host(
        "lights left on at the end",
        "test_states_are_shown_and_the_board_is_dark_at_the_end",
        "lights/serial.py",
        "link.ask(Command.DARK, tries=2)",
        "None",
    ),
    host(
        "a press reported with each PING",
        "test_a_single_press_is_reported_once",
        "lights/serial.py",
        "new = min(2, (presses - self._presses) % 256)",
        "new = min(2, presses)",
    ),
    host(
        "a press dismisses what has just been reported",
        "test_the_button_dismisses",
        "session/events_from_requests.py",
        "time - max(shown) >= DISMISS_DELAY",
        "True",
        REQUESTS,
    ),
    host(
        "the button not joined to the game",
        "test_the_light_boards_button_dismisses_an_alert",
        "commands/shared/listeners.py",
        "open_lights(wanted, pressed)",
        "open_lights(wanted)",
        BUTTON,
    ),
)


def apart(root: Path, folder: Path, mutation: Mutation) -> str:
    """Copy the project to ``folder``, mutate it and run the tests; returns the first failure, "" if none.

    Raises:
        RuntimeError: the text to replace does not occur exactly once, or the tests could not be run.
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
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*pytest, "-k", mutation.test, mutation.tests],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    shutil.rmtree(folder)
    failed = re.search(r"^FAILED \S+::(\w+)", done.stdout, re.MULTILINE)
    if done.returncode and not failed:
        raise RuntimeError(f"{mutation.name}: {done.stdout[-3000:]}{done.stderr[-2000:]}")
    return failed[1] if failed else ""
