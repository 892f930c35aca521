"""The demo is an endless sequence of legal games, which can start from any position."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import islice, pairwise

import pytest

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.simulator.beats import Beat
from focus_companion.simulator.demo import END_STILL, PACE, START_STILL, DemoSource
from focus_companion.simulator.director import Director

SMALL = (320, 240)
RULES = Rules.make(2)


def beats(source: DemoSource, seconds: float) -> list[tuple[float, Beat]]:
    """The beats of the first seconds, each with its start time."""
    out, now = [], 0.0
    for beat in source.beats():
        if now > seconds:
            return out
        out.append((now, beat))
        now += beat.seconds
    return out


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_games_are_legal_and_end_and_new_ones_begin(seed: int) -> None:
    position, games, illegal, turns = start_position(RULES), 0, 0, 0
    stood: set[tuple[str, ...]] = set()
    for _, beat in beats(DemoSource(RULES, seed=seed, size=SMALL), 900):
        if beat.kind == "illegal":
            illegal += 1
            # Otherwise the turn was taken back.
            assert beat.stage.stacks not in stood
        if beat.kind != "settled":
            continue
        if beat.truth["move"]:
            stood.add(position.stacks)
            position = apply(position, Move.parse(beat.truth["move"]), RULES)
            turns += 1
        elif beat.seconds == START_STILL:
            position = start_position(RULES)
            stood.clear()
        elif beat.seconds == END_STILL:
            assert position.over
            games += 1
        assert beat.stage.stacks == position.stacks
        assert "taken back" not in str(beat.truth.get("event"))
    assert games >= 2
    assert 6 < turns / illegal < 11


@pytest.mark.parametrize("seed", [1, 4])
def test_a_turn_comes_at_least_every_five_seconds(seed: int) -> None:
    last = None
    gaps = []
    for when, beat in beats(DemoSource(RULES, seed=seed, size=SMALL), 900):
        if beat.seconds == END_STILL and beat.kind == "settled":
            last = None
        elif beat.kind == "settled" and beat.truth["move"]:
            if last is not None:
                gaps.append(when - last)
            last = when
    assert max(gaps) < 5.0
    assert 2.0 < sum(gaps) / len(gaps) < 4.0


def middle_of_a_game() -> Position:
    position = start_position(RULES)
    for _, beat in beats(DemoSource(RULES, seed=7, size=SMALL), 60):
        if beat.kind == "settled" and beat.truth["move"]:
            position = apply(position, Move.parse(beat.truth["move"]), RULES)
    return position


def test_after_a_restart_the_board_is_unchanged() -> None:
    position = middle_of_a_game()
    source = DemoSource(RULES, position, seed=9, size=SMALL)
    row = beats(source, 12)
    first = row[0][1]
    assert first.stage.stacks == position.stacks
    assert dict(first.stage.reserves) == dict(zip(position.players, position.reserves, strict=True))
    for player, letters in first.stage.captured.items():
        assert {p: letters.count(p) for p in position.captures(player)} == position.captures(player)
    mover = next(beat.truth["mover"] for _, beat in row if beat.kind == "settled" and beat.truth["move"])
    assert mover == position.to_move


def test_a_finished_game_is_followed_by_a_new_one() -> None:
    over = middle_of_a_game()
    while not over.over:
        row = beats(DemoSource(RULES, over, seed=3, size=SMALL), 600)
        for _, beat in row:
            if beat.kind == "settled" and beat.truth["move"] and not over.over:
                over = apply(over, Move.parse(beat.truth["move"]), RULES)
    row = beats(DemoSource(RULES, over, seed=1, size=SMALL), 25)
    assert row[0][1].stage.stacks == over.stacks
    assert any(
        beat.stage.stacks == start_position(RULES).stacks and beat.kind == "settled" for _, beat in row
    )


def test_frames_come_in_real_time_and_stop_when_closed() -> None:
    source = DemoSource(RULES, seed=1, fps=20, size=SMALL)
    began = time.monotonic()
    with source:
        frames = list(islice(source, 12))
        passed = time.monotonic() - began
        assert source.live
        assert [f.index for f in frames] == list(range(12))
        assert frames[0].image.shape == (240, 320, 3)
        assert 0.3 < frames[-1].time - frames[0].time < min(6, passed)
        assert all(a.time < b.time for a, b in pairwise(frames))
    assert list(source) == []


def test_closing_ends_a_waiting_reader() -> None:
    source = DemoSource(RULES, seed=1, fps=0.005, size=SMALL)
    reader = threading.Thread(target=lambda: list(source), daemon=True)
    reader.start()
    time.sleep(0.3)
    source.close()
    reader.join(timeout=60)
    assert not reader.is_alive()


def test_a_slow_reader_misses_no_still_picture() -> None:
    source = DemoSource(RULES, seed=1, fps=30, size=SMALL)
    stills = []
    with source:
        for frame in islice(source, 3):
            stills.append(frame.time)
            time.sleep(0.6)
    # In two pauses of 0.6 s, at most 0.5 s of play pass, during which the board is still.
    assert stills[-1] > 1.1


@pytest.mark.parametrize("players", [3, 4])
def test_games_of_three_and_four_players_are_played(players: int) -> None:
    rules = Rules.make(players)
    row = beats(DemoSource(rules, seed=1, size=SMALL), 60)
    assert sum(bool(beat.truth.get("move")) for _, beat in row if beat.kind == "settled") >= 12


def test_with_a_slow_reader_play_is_no_faster_than_real_time() -> None:
    """Otherwise an illegal act would be over before the referee, after its settle time, can report it."""
    source = DemoSource(seed=1, size=(320, 240))
    shown: list[float] = []
    beat = Beat("settled", 1.0, Director(source.look, source.rules, PACE).stage(start_position(source.rules)))

    def beats() -> Iterator[Beat]:
        while True:
            shown.append(time.monotonic())
            yield beat

    source.beats = beats  # type: ignore[method-assign]
    began = time.monotonic()
    for _, _frame in zip(range(30), source, strict=False):
        time.sleep(0.12)
    assert len(shown) - 1 <= time.monotonic() - began + 0.5


class Table:
    """Requests turns from the simulated table, at which red is not present."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.asks = rules, True
        self.positions: list[Position] = []

    def awaited(self, position: Position) -> bool:
        return position.to_move == "r"

    def asked(self, position: Position) -> Move | None:
        self.positions.append(position)
        return legal_moves(position, self.rules)[0] if self.asks else None


def test_requested_turns_are_played_but_sometimes_only_after_a_mistake() -> None:
    rules = Rules.make(2)
    table = Table(rules)
    source = DemoSource(rules, seed=4, size=(320, 240), orders=table)
    made: dict[str, int] = {"asked": 0, "wrong": 0}
    for beat in islice(source.beats(), 4000):
        illegal = beat.truth.get("illegal", {})
        made["wrong"] += illegal.get("type") == "not_the_reply"
        if beat.kind == "settled" and beat.truth.get("mover") == "r":
            made["asked"] += 1
            assert beat.truth["move"] in {str(legal_moves(p, rules)[0]) for p in table.positions[-1:]}
    assert made["asked"] > 30 and 0 < made["wrong"] < made["asked"] / 2


def test_without_a_request_the_board_does_not_change() -> None:
    rules = Rules.make(2, order="rg")
    table = Table(rules)
    table.asks = False
    source = DemoSource(rules, seed=4, size=(320, 240), orders=table)
    stands = start_position(rules).stacks
    assert all(beat.stage.stacks == stands and beat.stage.hand is None for beat in islice(source.beats(), 60))
    table.asks = True
    assert any(beat.stage.stacks != stands for beat in islice(source.beats(), 40))
