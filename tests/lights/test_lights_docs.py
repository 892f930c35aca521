"""docs/lights.md is correct: each cell of its table of events is compared with what the back ends do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory

from focus_companion.game.rules import Rules
from focus_companion.lights import GpioSettings
from focus_companion.lights.gpio import turn_light, warning_light
from focus_companion.lights.meaning import Cue, Meaning, after, cue, path_of
from focus_companion.lights.pixels import CYCLE, DARK, PIXELS, TURN_PIXEL, dimmed, draw, warning_on
from focus_companion.lights.settings import COLOURS
from focus_companion.session import events

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "lights.md").read_text(encoding="utf-8")
ROWS = [
    (kind, [cell.strip() for cell in cells.split("|")])
    for kinds, cells in re.findall(r"^\| (`[a-z_]+`[^|]*) \| (.*) \|$", TEXT, re.MULTILINE)
    for kind in re.findall(r"`([a-z_]+)`", kinds)
]

RESERVES = {"green": 2, "red": 1}
STATE: dict[str, Any] = {
    "to_move": "green",
    "reserves": RESERVES,
    "last_move": "d5-d2",
    "moves": [{"move": "d5-d2", "player": "red"}],
    "result": None,
    "camera": "ok",
}
PLAYING = Meaning(
    players=("green", "red"), turn="green", mover="red", path=path_of("d5-d2"), reserves=(1, 2, 0, 0)
)
LOST = Meaning(camera_lost=True)

HAPPENED: dict[str, tuple[Meaning, events.Event, dict[str, Any]]] = {
    "game": (PLAYING, events.GameBegan(0.0, 1, Rules.make(2).to_json()), {"to_move": "green"}),
    "set_up": (PLAYING, events.SetUp(0.0, ["c3"]), STATE),
    "ready": (LOST, events.Ready(0.0, "…"), STATE),
    "move": (LOST, events.Moved(0.0, 1, "red", "d5-d2", "…", RESERVES, {}, "green", 1.0), STATE),
    "prompt": (PLAYING, events.Prompt(0.0, "d2", [{"piece": "r"}]), STATE),
    "alert": (PLAYING, events.Alert(0.0, "distance", "red", ["c3", "f8"], "…"), STATE),
    "resolved": (PLAYING, events.Resolved(0.0), STATE),
    "taken_back": (PLAYING, events.TakenBack(0.0, 1), STATE),
    "corrected": (PLAYING, events.Corrected(0.0, "…"), STATE),
    "begins": (PLAYING, events.Begins(0.0, "red", ["red", "green"]), STATE),
    "unclear": (PLAYING, events.Unclear(0.0, ["d5-d6"]), STATE),
    "refused": (PLAYING, events.Refused(0.0, "…"), STATE),
    "reply": (PLAYING, events.Reply(0.0, "green", "b6-b7", [], "companion"), STATE),
    "seat": (PLAYING, events.Seated(0.0, "red", "companion"), STATE),
    "ruling": (PLAYING, events.Ruled(0.0, True, 1, "d5-d6", "red"), STATE),
    "act": (PLAYING, events.Acted(0.0, "leave", "blue"), STATE),
    "pause": (PLAYING, events.Paused(0.0, True), STATE),
    "lost": (PLAYING, events.Lost(0.0, "camera"), STATE | {"camera": "lost"}),
    "found": (LOST, events.Found(0.0, "camera"), STATE),
    "result": (PLAYING, events.Result(0.0, ["green"], "domination"), STATE),
}
SOUNDS = {
    Cue.NONE: "",
    Cue.TURN: "a click",
    Cue.PROMPT: "two short beeps",
    Cue.ALERT: "three beeps",
    Cue.OVER: "a long beep",
}


def squares(meaning: Meaning) -> str:
    """What the pixels under the squares show over two seconds, in the words of the table."""
    seen = {pixel for phase in range(CYCLE) for pixel in draw(meaning, phase)[:52]} - {DARK}
    if any(red and red == blue and not green for red, green, blue in seen):
        return "blink magenta"
    if any(red == green == blue for red, green, blue in seen):
        return "pulse white"
    return "path" if seen else "dark"


def turn_lights(meaning: Meaning) -> str:
    lit = [[pixel != DARK for pixel in draw(meaning, p)[TURN_PIXEL : TURN_PIXEL + 4]] for p in range(CYCLE)]
    once = [any(phase[i] for phase in lit) for i in range(4)]
    always = [all(phase[i] for phase in lit) for i in range(4)]
    if all(once):
        return "all, slowly" if lit[0] == [True] * 4 and lit[-1] == [False] * 4 else "?"
    if not any(once):
        return "dark"
    assert [COLOURS[i] for i in range(4) if once[i]] == ["green"]
    levels = {draw(meaning, p)[TURN_PIXEL + 1] for p in range(CYCLE)}
    return "breathes" if any(always) and len(levels) > 10 else "blinks"


def warning(meaning: Meaning) -> str:
    lit = [warning_on(meaning, phase) for phase in range(CYCLE)]
    return "on" if all(lit) else "slowly" if any(lit) else "off"


def gpio_turn(meaning: Meaning) -> str:
    how = [turn_light(meaning, colour) for colour in COLOURS]
    shown = [word for word in how if word != "off"]
    assert len(shown) <= 1
    return {"on": "on", "blink": "blinks"}[shown[0]] if shown else "off"


def gpio_warning(meaning: Meaning) -> str:
    return {"on": "on", "off": "off", "slow": "slowly", "blink": "blinks"}[warning_light(meaning)]


LOOKS = (squares, turn_lights, warning, gpio_turn, gpio_warning)


def test_events_that_are_not_in_the_table_change_nothing() -> None:
    assert sorted(kind for kind, _ in ROWS) == sorted(HAPPENED)
    for kind in events.TYPES.keys() - HAPPENED.keys():
        # Whatever its attributes are: the lights ignore it.
        event = object.__new__(events.TYPES[kind])
        assert after(PLAYING, event, STATE) == PLAYING and cue(event) is Cue.NONE, kind


@pytest.mark.parametrize(("kind", "cells"), ROWS, ids=[kind for kind, _ in ROWS])
def test_events_look_as_documented(kind: str, cells: list[str]) -> None:
    before, event, state = HAPPENED[kind]
    assert event.type == kind
    meaning = after(before, event, state)
    for cell, look in zip(cells, LOOKS, strict=False):
        assert look(meaning) == (look(before) if cell == "as before" else cell), look.__name__
    assert SOUNDS[cue(event)] == cells[len(LOOKS)]


def drawn(brightness: int) -> float:
    """Maximum current in mA while a turn is shown with its path."""
    return max(PIXELS + sum(map(sum, dimmed(draw(PLAYING, p), brightness))) * 20 / 255 for p in range(CYCLE))


def test_the_power_budget() -> None:
    prose = " ".join(TEXT.split())
    ((usual, full),) = re.findall(r"about (\d+) mA at the default brightness and (\d+) mA at full", prose)
    assert drawn(96) == pytest.approx(int(usual), abs=5) and drawn(255) == pytest.approx(int(full), abs=5)
    (white,) = re.findall(r"80 white pixels would draw ([0-9.]+) A", prose)
    assert float(white) == pytest.approx(PIXELS * 61 / 1000, abs=0.05)
    (cap,) = re.findall(r"^BUDGET_MA \?= (\d+)", (DOCS.parent / "firmware" / "Makefile").read_text(), re.M)
    (parts,) = re.findall(r"Nano \((\d+) mA\), the LED \((\d+) mA\) and the buzzer \((\d+) mA\)", prose)
    assert f"caps them at {cap} mA" in prose and int(cap) + sum(map(int, parts)) < 500


def test_the_wiring_diagram_has_the_default_pins() -> None:
    """And the numbers of the header's pins for them."""
    header = MockFactory().board_info.headers["J8"]
    named = {int(pin.name.removeprefix("GPIO")): n for n, pin in header.pins.items() if "GPIO" in pin.name}
    shown = {
        int(bcm): int(n)
        for bcm, n in re.findall(r">(\d+) \((\d+)\)<", (DOCS / "wiring-gpio.svg").read_text(encoding="utf-8"))
    }
    default = GpioSettings()
    parts = {*default.turn.values(), default.warning, default.buzzer}
    assert parts <= set(shown) and shown == {bcm: named[bcm] for bcm in shown}
