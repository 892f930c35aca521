"""The firmware in simulated time: deterministic, whatever the load on the machine."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from chip_checks import (
    GREEN,
    MUTATIONS,
    check_burst,
    check_crc,
    check_current,
    check_garbage,
    check_states,
    latencies,
    random_meaning,
)
from chip_harness import BUDGET, FIRMWARE, READY_US, Chip, Picture, Script, Trace, build_firmware, expected

from focus_companion.game.squares import INDEX
from focus_companion.lights.meaning import NOTHING, Cue, Meaning
from focus_companion.lights.pixels import CYCLE, PIXELS, SQUARE_PIXEL, Rgb, warning_on
from focus_companion.lights.protocol import Command, Hello, Notice, Pong, Status, state_data
from focus_companion.lights.wire import WireMessage, encode

TICK_US = 20_000


def solid(colour: Rgb) -> list[Rgb]:
    return [colour] * PIXELS


def amber(trace: Trace, after: float) -> list[Picture]:
    """Pictures of a board without a host: only one turn pixel lit."""
    return [
        p
        for p in trace.pictures
        if p.begin > after
        and [i for i, pixel in enumerate(p.pixels) if any(pixel)] in ([52], [53], [54], [55])
    ]


def test_fits_and_is_one_elf(chip: Chip, tmp_path: Path) -> None:
    folder = tmp_path / "alone"
    shutil.copytree(FIRMWARE, folder, ignore=shutil.ignore_patterns("build"))
    subprocess.run(["make", "-s", "-C", str(folder)], check=True, stdout=subprocess.DEVNULL)
    (elf,) = folder.rglob("*.elf")
    sizes = subprocess.run(["avr-size", str(elf)], check=True, capture_output=True, text=True).stdout.split()
    text, data, bss = map(int, sizes[6:9])
    assert text + data <= 30_720 and data + bss <= 1_600


def test_boot_and_self_test(chip: Chip) -> None:
    trace = chip.run(Script(), 3_000_000)
    ((time, boot),) = trace.frames()
    assert time < 3000 and (boot.seq, boot.command) == (0, Notice.BOOT)
    hello = Hello.parse(boot.data)
    assert (hello.version, hello.pixels, hello.bar, hello.budget, int(hello.capabilities)) == (
        1,
        80,
        6,
        BUDGET,
        63,
    )
    # 40 of 255, dimmed to 96: red, green and blue, 15 ticks each
    wanted = [solid((15, 0, 0))] * 15 + [solid((0, 15, 0))] * 15 + [solid((0, 0, 15))] * 15
    assert [p.pixels for p in trace.pictures[:45]] == wanted
    # then one dim amber pixel after another, half a second each, until a host speaks
    waiting = trace.pictures[45:145]
    assert [[i for i, pixel in enumerate(p.pixels) if any(pixel)] for p in waiting] == [
        [52 + tick // 25] for tick in range(100)
    ]
    assert [v for _, v in trace.warning] == [0, 1, 0] and trace.warning[-1][0] == pytest.approx(
        905_000, abs=6000
    )
    assert [v for _, v in trace.buzzer] == [0, 1, 0, 1, 0]


def test_waveform(chip: Chip) -> None:
    script = Script()
    script.ask(READY_US, Command.BRIGHTNESS, b"\xff")
    for n in range(20):
        script.show(READY_US + 10_000 + n * 10_000, random_meaning(random.Random(n)))
    trace = chip.run(script, READY_US + 300_000)
    assert trace.broken == 0 and len(trace.pictures) > 60
    for picture in trace.pictures:
        assert len(picture.pixels) == PIXELS
        # WS2812B: a zero is high for 220…380 ns, old parts 200…500; a one 580…1000. In cycles of 62.5 ns.
        assert 4 <= picture.zeros[0] <= picture.zeros[1] <= 6
        assert picture.ones[1] == 0 or 10 <= picture.ones[0] <= picture.ones[1] <= 16
        assert picture.periods == (20, 20)
        assert picture.time - picture.begin < 3_300  # no gap anywhere near a latch


def test_hello_ping_and_errors(chip: Chip) -> None:
    script = Script()
    script.ask(READY_US, Command.HELLO, b"\x01", seq=9)
    script.ask(READY_US + 10_000, Command.PING, seq=10)
    bad = bytearray(encode(WireMessage(11, Command.STATE, state_data(GREEN))))
    bad[5] ^= 0x80
    script.raw(READY_US + 20_000, bytes(bad))
    script.show(READY_US + 30_000, GREEN)
    script.ask(READY_US + 1_050_000, Command.PING, seq=12)
    trace = chip.run(script, READY_US + 1_100_000)
    answers = [frame for _, frame in trace.frames()[1:]]
    assert [(a.seq, a.command) for a in answers] == [(9, 0x81), (10, 0x82), (1, 0x90), (12, 0x82)]
    assert Hello.parse(answers[0].data[1:]).firmware == (1, 0)
    assert Pong.parse(answers[1].data[1:]) == Pong(has_state=False, presses=0, errors=0, uptime=1)
    assert Pong.parse(answers[3].data[1:]) == Pong(has_state=True, presses=0, errors=1, uptime=2)
    # the frame with the wrong CRC changed nothing
    assert trace.last_before(READY_US + 30_000).pixels[52] != expected(GREEN, 0)[52]


def test_states(chip: Chip) -> None:
    check_states(chip)


@pytest.mark.parametrize(
    "meaning",
    [
        GREEN,
        Meaning(turn="yellow", take=(INDEX["d5"], 3), warning=True),
        Meaning(wrong=(0, 9, 51), camera_lost=True, reserves=(2, 0, 0, 0)),
        Meaning(over=True, winners=("green", "yellow"), path=(INDEX["h3"],)),
    ],
)
def test_a_whole_cycle(chip: Chip, meaning: Meaning) -> None:
    """A little more than two seconds, all phases, and the warning light; PINGs prevent the host timeout."""
    script = Script()
    script.show(READY_US, meaning)
    for n in range(1, 5):
        script.ask(READY_US + n * 500_000, Command.PING)
    trace = chip.run(script, READY_US + 2_300_000)
    first = trace.pictures.index(trace.last_before(trace.answers(Command.STATE)[0][0]))
    shown = trace.pictures[first : first + 105]
    assert [p.pixels for p in shown] == [expected(meaning, phase % CYCLE) for phase in range(105)]
    for phase, picture in enumerate(shown):
        lit = [value for time, value in trace.warning if time <= picture.begin][-1]
        assert bool(lit) == warning_on(meaning, phase % CYCLE)


def test_every_square_has_its_own_pixel(chip: Chip) -> None:
    script = Script()
    for square in range(52):
        script.show(READY_US + square * 12_000, Meaning(path=(square,)))
    trace = chip.run(script, READY_US + 52 * 12_000)
    lit = [
        [i for i, pixel in enumerate(trace.last_before(time).pixels) if any(pixel)]
        for time, _ in trace.answers(Command.STATE)
    ]
    assert lit == [[pixel] for pixel in SQUARE_PIXEL]
    # checked by hand: c8 begins the chain, g7 follows f8, a6 follows b7, c1 ends it
    assert [lit[INDEX[name]][0] for name in ("c8", "f8", "g7", "b7", "a6", "h6", "h5", "f1", "c1")] == [
        *(0, 3, 4, 9, 10, 17, 18, 48, 51)
    ]


@pytest.mark.parametrize(
    ("command", "data", "status"),
    [
        (0x77, b"", Status.UNKNOWN_COMMAND),
        (Command.STATE, bytes(19), Status.BAD_LENGTH),
        (Command.STATE, bytes(21), Status.BAD_LENGTH),
        (Command.STATE, bytes((4,)) + state_data(NOTHING)[1:], Status.BAD_VALUE),
        (Command.STATE, state_data(NOTHING)[:2] + b"\x08" + state_data(NOTHING)[3:], Status.BAD_VALUE),
        (Command.STATE, state_data(NOTHING)[:14] + b"\x10" + state_data(NOTHING)[15:], Status.BAD_VALUE),
        (Command.STATE, state_data(NOTHING)[:15] + b"\x00\x0a" + state_data(NOTHING)[17:], Status.BAD_VALUE),
        (Command.STATE, state_data(NOTHING)[:15] + b"\x34\x34" + state_data(NOTHING)[17:], Status.BAD_VALUE),
        (Command.STATE, state_data(NOTHING)[:15] + b"\xff\x01" + state_data(NOTHING)[17:], Status.BAD_VALUE),
        (Command.STATE, state_data(NOTHING)[:17] + b"\x34" + state_data(NOTHING)[18:], Status.BAD_VALUE),
        (Command.STATE, state_data(NOTHING)[:19] + b"\x05", Status.BAD_VALUE),
        (Command.BRIGHTNESS, b"", Status.BAD_LENGTH),
        (Command.SELF_TEST, b"\0", Status.BAD_LENGTH),
        (Command.DARK, b"\0", Status.BAD_LENGTH),
        (Command.PIXELS, b"\x50\x01\x01\x01\x01", Status.BAD_VALUE),
        (Command.PIXELS, b"\xff\xff\x01\x01\x01", Status.BAD_VALUE),
        (Command.PIXELS, b"\x01", Status.BAD_LENGTH),
    ],
)
def test_refused_and_nothing_changed(chip: Chip, command: int, data: bytes, status: Status) -> None:
    script = Script()
    script.show(READY_US, GREEN)
    script.ask(READY_US + 50_000, command, data)
    trace = chip.run(script, READY_US + 150_000)
    time, answer = trace.frames()[-1]
    assert (answer.seq, answer.command, answer.data) == (2, command | 0x80, bytes((status,)))
    pictures = trace.pictures[trace.pictures.index(trace.last_before(time)) :]
    first = next(phase for phase in range(10) if pictures[0].pixels == expected(GREEN, phase))
    assert [p.pixels for p in pictures] == [expected(GREEN, first + n) for n in range(len(pictures))]


def test_brightness_pixels_dark_self_test(chip: Chip) -> None:
    script = Script()
    script.show(READY_US, GREEN)
    script.ask(READY_US + 100_000, Command.BRIGHTNESS, b"\x20")
    script.ask(READY_US + 200_000, Command.PIXELS, bytes((50, 4, 255, 128, 0)))
    script.ask(READY_US + 300_000, Command.DARK)
    script.show(READY_US + 3_300_000, GREEN)  # a dark board has no host timeout
    script.ask(READY_US + 3_400_000, Command.SELF_TEST)
    trace = chip.run(script, READY_US + 4_600_000)
    (bright,), (painted,), (dark,) = (
        trace.answers(command) for command in (Command.BRIGHTNESS, Command.PIXELS, Command.DARK)
    )
    assert trace.last_before(bright[0]).pixels == expected(GREEN, 4, 32)
    assert trace.last_before(painted[0]).pixels == [
        (32, 16, 0) if 50 <= i < 54 else (0, 0, 0) for i in range(PIXELS)
    ]
    between = [p for p in trace.pictures if dark[0] < p.begin < READY_US + 3_300_000]
    assert len(between) >= 148 and all(p.pixels == solid((0, 0, 0)) for p in between)
    testing = trace.pictures.index(trace.last_before(trace.answers(Command.SELF_TEST)[0][0]))
    assert trace.pictures[testing].pixels == solid((5, 0, 0))
    assert trace.pictures[testing + 45].pixels == expected(GREEN, 0, 32)


def test_a_repeated_command_is_answered_and_not_repeated(chip: Chip) -> None:
    script = Script()
    message = encode(WireMessage(5, Command.STATE, state_data(GREEN, Cue.ALERT)))
    script.raw(READY_US, message)
    script.raw(READY_US + 900_000, message)
    script.ask(READY_US + 1_000_000, Command.HELLO, b"\x01")
    script.raw(READY_US + 1_100_000, message)  # another host with the same sequence numbers
    trace = chip.run(script, READY_US + 2_000_000)
    assert [a.data for _, a in trace.answers(Command.STATE)] == [b"\0"] * 3
    beeps = [time for time, value in trace.buzzer if value and time > READY_US]
    assert len(beeps) == 6 and beeps[3] > READY_US + 1_100_000


def test_current_cap(chip: Chip) -> None:
    check_current(chip)


def test_host_lost_and_found(chip: Chip) -> None:
    script = Script()
    script.show(READY_US, GREEN)
    script.ask(READY_US + 500_000, Command.PING)
    script.raw(READY_US + 1_500_000, b"\0\0\0\x05abc\0")  # noise does not count as a host
    script.ask(READY_US + 4_000_000, Command.PING)
    script.show(READY_US + 4_100_000, GREEN)
    trace = chip.run(script, READY_US + 4_200_000)
    alone = amber(trace, READY_US + 100_000)
    # two seconds after the PING, to a tick
    assert alone[0].begin - (READY_US + 500_000) == pytest.approx(2_000_000, abs=TICK_US + 5_000)
    assert max(alone[0].pixels[52]) == 45  # 120 of 255, dimmed to 96
    assert trace.warning[-2][1] == 1 and trace.warning[-1][1] == 0  # it flashes
    assert Pong.parse(trace.answers(Command.PING)[-1][1].data[1:]).has_state is False
    assert trace.pictures[-1].pixels in [expected(GREEN, phase) for phase in range(6)]


def test_watchdog(chip: Chip) -> None:
    script = Script()
    script.show(READY_US, GREEN)
    script.say(READY_US + 100_000, "hang")
    script.show(READY_US + 2_000_000, GREEN)
    trace = chip.run(script, READY_US + 2_100_000)
    boots = [
        (time, Hello.parse(frame.data)) for time, frame in trace.frames() if frame.command == Notice.BOOT
    ]
    assert len(boots) == 2
    assert boots[1][0] == pytest.approx(READY_US + 600_000, abs=60_000)
    assert boots[0][1].cause == 1 and boots[1][1].cause == 8
    assert trace.last_before(trace.answers(Command.STATE)[1][0]).pixels == expected(GREEN, 0)


def test_button(chip: Chip) -> None:
    script = Script()
    for n in range(3):
        script.say(READY_US + n * 300_000, "press")
        script.say(READY_US + n * 300_000 + 100_000, "release")
    script.say(READY_US + 1_000_000, "press")  # a contact's bounce
    script.say(READY_US + 1_010_000, "release")
    script.ask(READY_US + 1_100_000, Command.PING)
    trace = chip.run(script, READY_US + 1_200_000)
    notices = [(time, f.data[0]) for time, f in trace.frames() if f.command == Notice.BUTTON]
    assert [count for _, count in notices] == [1, 2, 3]
    assert notices[0][0] - READY_US < 3 * TICK_US
    assert Pong.parse(trace.answers(Command.PING)[0][1].data[1:]).presses == 3


def test_burst(chip: Chip) -> None:
    check_burst(chip)


def test_from_event_to_light(chip: Chip) -> None:
    """A move, at every moment of a tick."""
    assert max(latencies(chip)) < 20_000  # 60 ms are promised


def test_garbage(chip: Chip) -> None:
    check_garbage(chip, 150)


def test_flipped_bits(chip: Chip) -> None:
    check_crc(chip)


def test_the_same_twice(chip: Chip) -> None:
    def once() -> Trace:
        script = Script()
        for n in range(5):
            script.show(READY_US + n * 30_000, random_meaning(random.Random(n)))
        return chip.run(script, READY_US + 200_000)

    assert once() == once()


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_the_tests_notice(chip: Chip, name: str, tmp_path: Path) -> None:
    """Removing any safeguard from the firmware makes a check above fail."""
    file, old, new, check = MUTATIONS[name]
    folder = tmp_path / "firmware"
    shutil.copytree(FIRMWARE, folder, ignore=shutil.ignore_patterns("build"))
    source = (folder / file).read_text()
    assert source.count(old) == 1
    (folder / file).write_text(source.replace(old, new))
    mutant = Chip(chip.harness, build_firmware(folder, tmp_path / "build"))
    check(chip)
    with pytest.raises(AssertionError):
        check(mutant)
