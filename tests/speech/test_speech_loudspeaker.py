"""The host's loudspeaker and the button that asks questions, with a program in place of espeak-ng."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from small_demo import SMALL_DEMO
from transcript import Listener
from waiting import until

from focus_companion.commands.play import command
from focus_companion.commands.shared.button import Presses
from focus_companion.commands.shared.loudspeaker import ENGINE as ENGINE_NAME
from focus_companion.commands.shared.loudspeaker import MAX_PENDING, Loudspeaker
from focus_companion.commands.shared.speaking import Speaker, TypedLines, speaker
from focus_companion.game.colours import LETTER
from focus_companion.game.rules import Rules
from focus_companion.session.events import Moved
from focus_companion.session.history import History
from focus_companion.session.state_json import state
from focus_companion.settings import Settings
from focus_companion.speech import Utterance, Voice
from focus_companion.web.catalogues import translations

TIMEOUT = 60.0
"""Seconds; long, for a machine on which much else runs."""

WAV_HEADER: Final = 44
"""Bytes before the samples."""

ENGINE = """#!{python}
import sys, time
text = sys.stdin.read()
with open({log!r}, "a") as log:
    print(sys.argv[2], text, file=log, flush=True)
    time.sleep({seconds})
    print("done", text, file=log, flush=True)
"""


@pytest.fixture
def engine(tmp_path: Path) -> Callable[[float], Path]:
    """Makes a program that takes some time for each sentence, and logs the start and end of each."""

    def make(seconds: float) -> Path:
        program = tmp_path / "espeak-ng"
        log = str(tmp_path / "heard")
        program.write_text(ENGINE.format(python=sys.executable, log=log, seconds=seconds))
        program.chmod(0o755)
        return program

    return make


@pytest.fixture
def loudspeaker(engine: Callable[[float], Path]) -> Iterator[Loudspeaker]:
    made = Loudspeaker(str(engine(1000.0)), "pl")
    yield made
    made.close()


def heard(folder: Path) -> list[str]:
    log = folder / "heard"
    return log.read_text().splitlines() if log.exists() else []


def test_an_alert_interrupts_a_turn_which_is_repeated(loudspeaker: Loudspeaker, tmp_path: Path) -> None:
    loudspeaker.say(Utterance("a turn"))
    until(lambda: heard(tmp_path) == ["pl a turn"])
    loudspeaker.say(Utterance("the next turn"))
    loudspeaker.say(Utterance("an alert", urgent=True))
    until(lambda: heard(tmp_path) == ["pl a turn", "pl an alert"])
    loudspeaker.say(Utterance("another alert", urgent=True))
    until(lambda: heard(tmp_path)[2:] == ["pl another alert"])
    assert loudspeaker.stop()
    assert not any(line.startswith("done") for line in heard(tmp_path))


def test_turns_are_spoken_one_after_another(engine: Callable[[float], Path], tmp_path: Path) -> None:
    loudspeaker = Loudspeaker(str(engine(0.05)), "en")
    for text in ("one", "two", "three"):
        loudspeaker.say(Utterance(text))
    until(lambda: len(heard(tmp_path)) == 6)
    assert heard(tmp_path) == [
        f"{word} {text}" for text in ("one", "two", "three") for word in ("en-gb", "done")
    ]
    loudspeaker.say(Utterance("an alert", urgent=True))
    loudspeaker.say(Utterance("a turn"))
    until(lambda: heard(tmp_path)[-1] == "done a turn")
    loudspeaker.repeat()
    until(lambda: heard(tmp_path)[-2:] == ["en-gb a turn", "done a turn"] and len(heard(tmp_path)) == 12)
    loudspeaker.close()


def test_an_interrupted_turn_is_repeated_after_the_alert(
    engine: Callable[[float], Path], tmp_path: Path
) -> None:
    loudspeaker = Loudspeaker(str(engine(0.5)), "en")
    loudspeaker.say(Utterance("a turn"))
    until(lambda: heard(tmp_path))
    loudspeaker.say(Utterance("an alert", urgent=True))
    until(lambda: heard(tmp_path)[-1:] == ["done a turn"])
    assert heard(tmp_path) == [
        "en-gb a turn",
        "en-gb an alert",
        "done an alert",
        "en-gb a turn",
        "done a turn",
    ]
    loudspeaker.close()


def test_an_answer_is_spoken_at_once_and_the_queue_is_dropped(
    loudspeaker: Loudspeaker, tmp_path: Path
) -> None:
    for n in range(3 * MAX_PENDING):
        loudspeaker.say(Utterance(f"turn {n}"))
    until(lambda: heard(tmp_path))
    loudspeaker.answer("the answer")
    until(lambda: heard(tmp_path)[-1] == "pl the answer")
    assert loudspeaker.stop() and not loudspeaker.stop()


def test_the_first_word_comes_soon(engine: Callable[[float], Path], tmp_path: Path) -> None:
    """The minimum time from an event until the engine has the sentence, as the machine may be busy."""
    loudspeaker = Loudspeaker(str(engine(0.0)), "en")
    taken: list[float] = []
    for n in range(5):
        begun = time.monotonic()
        loudspeaker.say(Utterance(f"turn {n}"))
        until(lambda: len(heard(tmp_path)) > 2 * n)  # noqa: B023
        taken.append(time.monotonic() - begun)
        until(lambda: len(heard(tmp_path)) == 2 * n + 2)  # noqa: B023
    loudspeaker.close()
    assert min(taken) < 0.3, taken


MAX_FIRST_WORD_DELAY: Final = 0.3
"""Seconds from an event to its first word."""


@pytest.mark.skipif(shutil.which(ENGINE_NAME) is None, reason=f"{ENGINE_NAME} is not installed")
def test_espeak_gives_its_first_samples_soon_after_the_event(tmp_path: Path) -> None:
    """From an event to the engine's first samples, which are written to a file instead of a sound card."""
    samples, program = tmp_path / "samples.wav", tmp_path / "espeak-ng"
    program.write_text(f'#!/bin/sh\nexec {shutil.which(ENGINE_NAME)} --stdout "$@" >{samples}\n')
    program.chmod(0o755)
    history = History.begin(Rules.make(2), {"g": "Ann"})
    table: Any = SimpleNamespace(state=lambda: state(history))
    taken: list[float] = []
    for language in ("en", "pl", "it"):
        loudspeaker = Loudspeaker(str(program), language)
        announcer = Speaker(table, loudspeaker, Voice(translations(language)))
        for _ in range(5):
            samples.unlink(missing_ok=True)
            begun = time.monotonic()
            announcer.on_event(Moved(0.0, 1, "green", "d5-d6", "", {}, {}, "red", 0.9))
            until(lambda: samples.exists() and samples.stat().st_size > WAV_HEADER)
            taken.append(time.monotonic() - begun)
            until(lambda: not loudspeaker.speaking)  # noqa: B023
        loudspeaker.close()
    print(f"first samples: median {statistics.median(taken):.3f} s, longest {max(taken):.3f} s")
    # The minimum, as the machine may be busy.
    assert min(taken) < MAX_FIRST_WORD_DELAY, taken


@pytest.mark.parametrize("status", [0, 3])
def test_a_failing_engine_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """Without a sound card, espeak-ng exits with status 0, and with the words of the system alone."""
    program = tmp_path / "espeak-ng"
    program.write_text(f"#!/bin/sh\ncat >/dev/null\necho error: no such card >&2\nexit {status}\n")
    program.chmod(0o755)
    loudspeaker = Loudspeaker(str(program), "en")
    for _ in range(3):
        loudspeaker.say(Utterance("a turn"))
    until(lambda: "no such card" in caplog.text and not loudspeaker.speaking)
    loudspeaker.close()
    assert caplog.text.count("no such card") == 1
    assert ("no sound card can be used (no such card)" in caplog.text) == (status == 0)


def test_without_the_engine_one_line_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert speaker(Settings(data=tmp_path, speak="en"), None, None) is None  # type: ignore[arg-type]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and "sudo apt install espeak-ng" in lines[0]
    assert speaker(Settings(data=tmp_path), None, None) is None  # type: ignore[arg-type]
    assert capsys.readouterr().err == ""


def test_single_and_double_presses_are_distinguished() -> None:
    presses_seen: list[str] = []
    presses = Presses(lambda: presses_seen.append("short"), lambda: presses_seen.append("double"), within=0.2)
    presses.pressed()
    until(lambda: presses_seen == ["short"])
    presses.pressed()
    presses.pressed()
    assert presses_seen == ["short", "double"]
    time.sleep(0.4)
    assert presses_seen == ["short", "double"], (
        "the first press of a double one does not count as a short one"
    )
    presses.pressed()
    presses.close()
    time.sleep(0.4)
    assert presses_seen == ["short", "double"]


@pytest.mark.slow
def test_the_demo_can_be_reconstructed_from_its_speech(
    engine: Callable[[float], Path], tmp_path: Path
) -> None:
    """With ``play --camera demo --speak pl``, the sentences for the engine give the game in the journal."""
    program = engine(0.0)
    env = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "XDG_STATE_HOME": str(tmp_path)}
    command = [*SMALL_DEMO, "play", "--camera", "demo", "--speak", "pl"]
    play = subprocess.Popen(
        [*command, "--port", "0", "--data", str(tmp_path / "data"), "--name", "green=Ania"],
        env=env, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert play.stdout is not None
    rest = threading.Thread(target=play.stdout.read)
    try:
        address = next(word for line in play.stdout for word in line.split() if word.startswith("http://"))
        rest.start()

        def sentences() -> list[str]:
            return [line[3:] for line in heard(tmp_path) if line.startswith("pl ")]

        # Four turns of a whole program may take long on a busy machine.
        until(lambda: len(Listener("pl").rebuild(sentences()).moves) >= 4, 10 * TIMEOUT)
        spoken = Listener("pl").rebuild(sentences())
        with urllib.request.urlopen(f"{address}api/state", timeout=TIMEOUT) as answer:
            state = json.load(answer)
    finally:
        play.send_signal(signal.SIGTERM)
        play.wait(TIMEOUT)
        if rest.ident is not None:
            rest.join(TIMEOUT)
        play.stdout.close()
    turns = [(LETTER[turn["player"]], turn["move"]) for turn in state["moves"] if "move" in turn]
    assert spoken.moves == turns[: len(spoken.moves)] and any("Ania" in line for line in sentences())


def test_typed_questions_are_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history = History.begin(Rules.make(2), {"g": "Ann"})

    class Session:
        def state(self) -> dict[str, Any]:
            return state(history)

    said: list[str] = []

    class Said:
        def answer(self, text: str) -> None:
            said.append(text)

        def repeat(self) -> None:
            said.append("repeated")

        def stop(self) -> bool:
            said.append("silence")
            return True

    spoken = Speaker(Session(), Said(), Voice(translations("en")))  # type: ignore[arg-type]
    for line in ("t", " D5 \n", "r", "", "s"):
        spoken.typed(line)
    assert (
        said[0] == "Ann to move."
        and said[1].startswith("Delta five")
        and said[2:4] == ["repeated", "silence"]
    )
    assert said[4].startswith("Turn 0.") and capsys.readouterr().out == ""
    spoken.typed("what?")
    assert len(said) == 5 and "type r" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "language"),
    [(["--speak"], "system"), (["--speak", "--new"], "system"), (["--speak", "pl"], "pl"), ([], None)],
)
def test_the_language_is_optional(options: list[str], language: str | None) -> None:
    with command.make_context("play", options) as context:
        assert context.params["speak"] == language


LEADER = """
import os, signal, subprocess, sys
terminal = os.open(sys.argv[1], os.O_RDWR)  # the first one that is opened in a session belongs to it
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
command = [sys.executable, "-c", sys.argv[2]]
with subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, process_group=0) as program:
    print(program.stdout.readline(), flush=True)
    os.tcsetpgrp(terminal, program.pid)
    print(program.stdout.readline(), flush=True)
    program.kill()
"""
"""A shell: starts the program in the background, and brings it to the foreground after its first line."""

READING = """
import time
from focus_companion.commands.shared.speaking import TypedLines
TypedLines().go_to(lambda line: print("typed", line.strip(), flush=True))
time.sleep(1)
print("goes on", flush=True)
time.sleep(60)
"""


def test_a_program_in_the_background_goes_on_and_may_come_back() -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", LEADER, os.ttyname(theirs), READING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as shell:
        timer = threading.Timer(20, os.killpg, (shell.pid, signal.SIGKILL))
        timer.start()
        try:
            assert shell.stdout is not None
            assert "goes on" in shell.stdout.readline(), "it was stopped"
            os.write(ours, b"d5\n")
            assert "typed d5" in shell.stdout.read()
        finally:
            timer.cancel()
            shell.kill()
            os.close(ours)
            os.close(theirs)


def test_typed_lines_go_to_the_last_receiver_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    first: list[str] = []
    second: list[str] = []
    with os.fdopen(read) as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        lines = TypedLines()
        lines.go_to(first.append)
        os.write(write, b"d5\n")
        until(lambda: first == ["d5\n"])
        lines.go_to(second.append)
        os.write(write, b"\xff\n")
        os.write(write, b"t\n")
        until(lambda: second == ["\ufffd\n", "t\n"])
        os.close(write)
        until(lambda: not lines._thread.is_alive())
    assert len(first) == 1
