"""Scripted games have legal turns, illegal acts that no legal turn explains, and a matching ground truth."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from focus_companion.game.faults import explain
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply, removed, untrimmed
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.for_tests.script import ScriptedGame, script_game
from focus_companion.simulator.mischief import (
    TRIMMING_SLIPS,
    TURN_SLIPS,
    carried_out,
    find_slip,
    find_trimming_slip,
    legally_reachable,
)
from focus_companion.simulator.player import choose
from focus_companion.simulator.scene_style import pleasant_look

LOOK = random_look(np.random.default_rng(1), (320, 240))

RULES = {
    "two": Rules.make(2),
    "three": Rules.make(3),
    "four": Rules.make(4),
    "partners": Rules.make(4, partners=True),
    "red first": Rules.make(2, order="rg"),
}


@cache
def game(rules: Rules, seed: int = 3, plies: int = 40) -> ScriptedGame:
    return script_game(LOOK, rules, seed=seed, plies=plies, trouble=0.4)


def pieces_in(frame: dict[str, Any]) -> str:
    parts = [*frame["board"].values(), frame["in_hand"], *frame["captured"].values()]
    return "".join(sorted("".join(parts) + "".join(c * n for c, n in frame["reserves"].items())))


@pytest.mark.parametrize("name", RULES)
def test_the_turns_of_a_game_are_legal_and_lead_from_one_position_to_the_next(name: str) -> None:
    rules = RULES[name]
    position = start_position(rules)
    turns = game(rules).turns
    assert len(turns) == 40
    for before, move in turns:
        assert before == position
        assert explain(position, move, rules) is None
        position = apply(position, move, rules)


@pytest.mark.parametrize("name", RULES)
def test_the_ground_truth_agrees_with_the_rules(name: str) -> None:
    rules = RULES[name]
    truth = game(rules).truth()
    position, ply = start_position(rules), 0
    for frame in truth["frames"]:
        if frame["kind"] == "settled" and frame["move"] and not frame.get("provisional"):
            move = Move.parse(frame["move"])
            gone = removed(position, move, rules)
            assert frame.get("removed", "") == "".join(piece.piece for piece in gone).upper()
            assert frame["mover"] == position.to_move.upper()
            position, ply = apply(position, move, rules), ply + 1
        assert frame["ply"] == ply
        if frame["kind"] == "settled" and not frame.get("provisional"):
            shown = tuple(frame["board"].get(square, "").lower() for square in SQUARES)
            assert shown == position.stacks
            assert frame["to_move"] == (position.to_move.upper() or None)
            for player in position.players:
                assert frame["reserves"][player.upper()] == position.reserve(player)
                for other, count in position.captures(player).items():
                    assert frame["captured"][player.upper()].count(other.upper()) == count


@pytest.mark.parametrize("name", RULES)
def test_the_number_of_pieces_is_constant(name: str) -> None:
    frames = game(RULES[name]).truth()["frames"]
    everything = pieces_in(frames[0])
    for frame in frames:
        if frame["kind"] in ("settled", "overflow-pending"):
            assert pieces_in(frame) == everything


def test_pieces_in_a_hand_are_not_on_the_board() -> None:
    frames = game(RULES["two"]).truth()["frames"]
    carrying = [f for f in frames if f["kind"] == "hand" and f["in_hand"]]
    assert len(carrying) >= 40
    everything = pieces_in(frames[0])
    assert sum(pieces_in(f) == everything for f in carrying) / len(carrying) > 0.9


@pytest.mark.parametrize("kind", TURN_SLIPS)
def test_an_illegal_act_is_explained_by_no_legal_turn(kind: str) -> None:
    rng, rules, position, found = np.random.default_rng(8), RULES["two"], start_position(RULES["two"]), 0
    for _ in range(60):
        slip = find_slip(position, rules, kind, rng)
        if slip is not None:
            found += 1
            assert slip.stacks == carried_out(position.stacks, slip.carries) != position.stacks
            results = {apply(position, m, rules).stacks for m in legal_moves(position, rules)}
            assert slip.stacks not in results
            assert max(map(len, slip.stacks)) <= 5
        move = choose(position, rules, rng)
        if move is None:
            break
        position = apply(position, move, rules)
    assert found >= (3 if kind == "drop_no_reserve" else 40)


def test_two_legal_turns_in_a_row_are_reachable() -> None:
    rules = RULES["two"]
    first = start_position(rules)
    second = apply(first, Move.parse("c2-c1"), rules)
    third = apply(second, Move.parse("d2-d1"), rules)
    assert legally_reachable(first, rules, third.stacks)
    twice = list(second.stacks)
    twice[SQUARES.index("f2")], twice[SQUARES.index("f1")] = "", "g"
    assert not legally_reachable(first, rules, tuple(twice))


def overflowing(rules: Rules) -> tuple[Position, Move]:
    rng, position = np.random.default_rng(2), start_position(rules)
    for _ in range(300):
        for move in legal_moves(position, rules):
            if removed(position, move, rules):
                return position, move
        chosen = choose(position, rules, rng)
        assert chosen is not None
        position = apply(position, chosen, rules)
    raise AssertionError("no stack ever grew too high")


@pytest.mark.parametrize("kind", TRIMMING_SLIPS)
def test_a_wrong_trimming_leaves_neither_the_untrimmed_nor_the_right_stack(kind: str) -> None:
    rules = RULES["two"]
    position, move = overflowing(rules)
    slips = [find_trimming_slip(position, move, rules, kind, np.random.default_rng(s)) for s in range(5)]
    slip = next(s for s in slips if s is not None)
    assert slip.stacks not in (untrimmed(position, move), apply(position, move, rules).stacks)
    if kind == "forgot_trim":
        assert len(slip.stacks[move.target]) > 5
        assert slip.player != position.to_move


def test_every_kind_of_trouble_occurs_and_is_corrected() -> None:
    seen: set[str] = set()
    for seed in range(3):
        frames = game(RULES["two"], seed, 60).truth()["frames"]
        for i, frame in enumerate(frames):
            if frame["kind"] == "illegal":
                seen.add(frame["illegal"]["type"])
                after = next(f for f in frames[i + 1 :] if f["kind"] != "hand")
                assert after["event"] in ("restored", "corrected", "restored, still to trim")
            elif "event" in frame:
                seen.add(frame["event"].split(" by ")[0])
    assert {*TURN_SLIPS, *TRIMMING_SLIPS} <= seen
    assert {"taken back", "light changed", "board moved"} <= seen


def test_the_truth_is_json_with_the_times_of_the_frames() -> None:
    truth = json.loads(json.dumps(game(RULES["three"]).truth(fps=15)))
    times = [frame["t"] for frame in truth["frames"]]
    assert truth["format"] == "domination-footage/1"
    assert times == sorted(set(times)) and times[0] == 0
    assert all(abs(t * 15 - round(t * 15)) < 0.02 for t in times)
    assert truth["settings"]["start_reserves"] == {"G": 1, "B": 1, "R": 1}


def test_the_stream_has_as_many_frames_as_its_truth_says() -> None:
    short = script_game(LOOK, RULES["two"], seed=1, plies=2, trouble=0.0)
    frames = list(short.frames(fps=5))
    seconds = sum(beat.seconds for beat in short.beats)
    assert [f.index for f in frames] == list(range(len(frames)))
    assert abs(len(frames) / 5 - seconds) <= 0.8
    last = short.truth(5)["frames"][-1]["t"]
    assert frames[-1].time >= last
    assert frames[0].image.shape == (240, 320, 3)
    moving = [np.abs(a.image.astype(int) - b.image).mean() for a, b in pairwise(frames)]
    assert max(moving) > 3 * min(moving)


def test_the_same_seed_plays_the_same_game() -> None:
    look = pleasant_look(320, 240)
    one, two, other = (script_game(look, RULES["two"], seed=s, plies=20) for s in (5, 5, 6))
    assert one.truth() == two.truth()
    assert one.truth() != other.truth()


def test_thinking_takes_time_but_changes_neither_turns_nor_the_board() -> None:
    plain = script_game(LOOK, RULES["two"], seed=4, plies=30, trouble=0.0)
    slow = script_game(LOOK, RULES["two"], seed=4, plies=30, trouble=0.0, thinking=40.0)
    assert [move for _, move in slow.turns] == [move for _, move in plain.turns]
    gained = sum(b.seconds for b in slow.beats) - sum(b.seconds for b in plain.beats)
    assert 30 * 30 < gained < 30 * 50
    doings = {beat.truth.get("doing") or beat.truth.get("event") for beat in slow.beats}
    assert {
        "an arm passed over",
        "a head passed over",
        "a hand hovered",
        "a piece was lifted and put back",
        "the camera was nudged",
    } <= doings
    stood = {position.stacks for position, _ in slow.turns} | {slow.beats[-1].stage.stacks}
    assert {beat.stage.stacks for beat in slow.beats if beat.kind == "settled"} <= stood
    drifts = [beat.at(share).drift for beat in slow.beats for share in (0.0, 1.0)]
    assert max(abs(b - a) for a, b in pairwise(drifts)) <= max(map(abs, drifts)) + 0.3
    assert len(set(drifts)) > 10


def test_the_stage_at_a_time_is_that_of_the_picture_at_that_time() -> None:
    short = script_game(LOOK, RULES["two"], seed=1, plies=3, trouble=0.0, thinking=4.0)
    counts = short._counts(5)
    shown = [b.at((k + 1) / n) for b, n in zip(short.beats, counts, strict=True) for k in range(n)]
    assert [short.stage_at(i / 5, 5) for i in range(len(shown))] == shown


def test_quick_turns_come_first_without_hands_or_trouble() -> None:
    game = script_game(LOOK, RULES["two"], seed=3, plies=4, trouble=1.0, quick=12)
    before = [beat for beat in game.beats if beat.truth["ply"] < 12]
    assert {beat.kind for beat in before} <= {"settled", "overflow-pending"}
    assert len(game.turns) == 16 and {beat.kind for beat in game.beats} >= {"hand", "illegal"}
    assert {beat.truth["ply"] for beat in game.beats} == set(range(17))
