"""Checks of the firmware on the simulated chip, shared by tests, mutations and benchmark.

A check raises :class:`AssertionError` if it fails.
"""

from __future__ import annotations

import random
from contextlib import suppress

from chip_harness import BUDGET, READY_US, Chip, Script, expected

from focus_companion.lights.meaning import Cue, Meaning, path_of, straight
from focus_companion.lights.pixels import PIXELS
from focus_companion.lights.protocol import Command, state_data
from focus_companion.lights.settings import COLOURS
from focus_companion.lights.wire import WireMessage, encode

GREEN = Meaning(turn="green", reserves=(1, 7, 13, 18), path=path_of("d5-d2"), mover="red")
"""Green to move after red's d5-d2."""


def random_meaning(source: random.Random) -> Meaning:
    path: tuple[int, ...] = ()
    if source.random() < 0.8:
        target = source.randrange(52)
        with suppress(ValueError):  # not on one line: a piece placed
            path = (target,)
            path = straight(source.randrange(52), target)
    return Meaning(
        turn=source.choice([None, *COLOURS]),
        warning=source.random() < 0.3,
        wrong=tuple(sorted(source.sample(range(52), source.choice([0, 0, 1, 3])))),
        path=path,
        mover=source.choice([None, *COLOURS]),
        take=(source.randrange(52), source.randint(1, 6)) if source.random() < 0.3 else None,
        reserves=(source.randrange(20), source.randrange(8), source.randrange(3), 0),
        winners=tuple(source.sample(COLOURS, source.randint(0, 2))),
        over=source.random() < 0.2,
        camera_lost=source.random() < 0.2,
    )


def check_states(chip: Chip, count: int = 25) -> None:
    """Random meanings: the picture before each answer is phase 0, those after it the phases that follow."""
    source = random.Random(1)
    meanings = [random_meaning(source) for _ in range(count)]
    script = Script()
    step = 213_000  # ten more frames of each
    for n, meaning in enumerate(meanings):
        script.show(READY_US + n * step, meaning)
    trace = chip.run(script, READY_US + count * step)
    answers = trace.answers(Command.STATE)
    assert [(a.seq, a.data) for _, a in answers] == [(n + 1, b"\0") for n in range(count)]
    for (time, _), meaning in zip(answers, meanings, strict=True):
        first = trace.pictures.index(trace.last_before(time))
        shown = [p.pixels for p in trace.pictures[first : first + 10]]
        assert shown == [expected(meaning, phase) for phase in range(10)]


def check_current(chip: Chip) -> None:
    script = Script()
    for n, value in enumerate((255, 128, 40, 12)):
        script.ask(READY_US + n * 40_000, Command.BRIGHTNESS, b"\xff")
        script.ask(READY_US + n * 40_000 + 10_000, Command.PIXELS, bytes((0, 80, value, value, value)))
    trace = chip.run(script, READY_US + 200_000)
    for picture in trace.pictures:
        drawn = PIXELS + sum(map(sum, picture.pixels)) * 20 / 255
        assert drawn <= BUDGET
    capped = [trace.last_before(time).pixels[0][0] for time, _ in trace.answers(Command.PIXELS)]
    # (400 - 80) mA of 4800: a factor of 17/256; 12 draws 225 mA and stays
    assert capped == [255 * 17 >> 8, 128 * 34 >> 8, 40 * 108 >> 8, 12]


def check_burst(chip: Chip) -> None:
    """Nine states without a pause, 250 bytes: none is lost although frames are sent out in between."""
    source = random.Random(3)
    meanings = [random_meaning(source) for _ in range(9)]
    script = Script()
    for meaning in meanings:
        script.show(READY_US, meaning)
    trace = chip.run(script, READY_US + 200_000)
    assert trace.dropped == 0
    assert len(trace.answers(Command.STATE)) == 9
    for (time, _), meaning in zip(trace.answers(Command.STATE), meanings, strict=True):
        assert trace.last_before(time).pixels == expected(meaning, 0)


def latencies(chip: Chip, moves: int = 30) -> list[float]:
    """µs from the first byte of a turn to the latch of its last pixel, at each phase of a tick."""
    script = Script()
    times = [READY_US + n * 101_700 for n in range(moves)]
    for time in times:
        script.show(time, GREEN, Cue.TURN)
    trace = chip.run(script, times[-1] + 100_000)
    answers = trace.answers(Command.STATE)
    return [trace.last_before(answer).time - asked for asked, (answer, _) in zip(times, answers, strict=True)]


def noise(source: random.Random) -> bytes:
    """Random bytes, sometimes more than the chip can buffer, and every other time a truncated frame with a
    flipped bit.
    """
    found = bytearray(source.randbytes(source.randrange(60 if source.random() < 0.97 else 700)))
    if source.random() < 0.5:
        frame = bytearray(
            encode(WireMessage(source.randrange(256), source.choice(list(Command)), source.randbytes(20)))
        )
        del frame[source.randrange(len(frame)) :]
        if frame:
            frame[source.randrange(len(frame))] ^= 1 << source.randrange(8)
        found += frame
    return bytes(found)


def check_garbage(chip: Chip, streams: int, seed: int = 5) -> None:
    """After each stream of noise the next valid frame is shown exactly, and stays."""
    source = random.Random(seed)
    script = Script()
    time = READY_US
    meanings, ends = [], []
    for _ in range(streams):
        stream = noise(source)
        script.raw(time, stream)
        time += 87 * len(stream) + 1_000
        meanings.append(random_meaning(source))
        script.show(time, meanings[-1])
        time += 33_000 if source.random() < 0.2 else 13_000
        ends.append(time)
    trace = chip.run(script, time + 50_000)
    answers = [(t, a) for t, a in trace.answers(Command.STATE) if a.data == b"\0"]
    assert len(answers) == streams
    for (answered, _), meaning, end in zip(answers, meanings, ends, strict=True):
        first = trace.pictures.index(trace.last_before(answered))
        shown = [picture.pixels for picture in trace.pictures[first : first + 3] if picture.time < end]
        assert shown == [expected(meaning, phase) for phase in range(len(shown))] and shown


def check_crc(chip: Chip) -> None:
    """One flipped bit anywhere in a frame: never shown, never answered."""
    shown = Meaning(turn="green")
    message = encode(WireMessage(77, Command.STATE, state_data(GREEN)))
    script = Script()
    script.show(READY_US, shown)
    time = READY_US + 10_000
    for at in range(1, len(message) - 1):
        for bit in (0, 3, 7):
            flipped = bytearray(message)
            flipped[at] ^= 1 << bit
            script.raw(time, bytes(flipped))
            time += 6_000
    trace = chip.run(script, time)
    assert len(trace.answers(Command.STATE)) == 1
    assert all(
        not any(pixel)
        for p in trace.pictures
        if READY_US + 10_000 < p.begin < READY_US + 1_900_000
        for i, pixel in enumerate(p.pixels)
        if i != 53
    )


MUTATIONS = {
    "interrupt lock": ("strip.c", "    cli(); /* an interrupt would stretch a bit */\n", "", check_burst),
    "crc": ("link.c", "length < 4 || crc_of(0, stuffed, length) != 0", "length < 4", check_crc),
    "acknowledgement": (
        "commands.c",
        "    link_send(frame->seq, frame->command | ANSWER, answer, length);",
        "    (void)length;",
        check_states,
    ),
    "bytes taken between pixels": ("strip.c", "        link_poll();\n", "", check_burst),
    "current cap": ("strip.c", "drawn <= ROOM_MA", "drawn < 60000", check_current),
}
