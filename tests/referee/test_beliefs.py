"""Beliefs about turns that could not be distinguished, without any picture."""

from __future__ import annotations

import pytest

from focus_companion.game.moves import Move
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee.act import Kind
from focus_companion.referee.beliefs import Belief, World, believe, common_prefix, doubtful_squares

RULES = Rules.make(2)
START = start_position(RULES)


def row(text: str) -> tuple[Move, ...]:
    return tuple(Move.parse(move) for move in text.split())


def played(text: str) -> Position:
    position = START
    for move in row(text):
        position = apply(position, move, RULES)
    return position


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        (["d5-d6 c3-c4", "d5-d6 c3-c2"], "d5-d6"),
        (["d5-d6", "d5-d6 c3-c2"], "d5-d6"),
        (["d5-d6 c3-c4", "d5-d4 c3-c4"], ""),
        (["d5-d6 c3-c4"], "d5-d6 c3-c4"),
    ],
)
def test_the_common_prefix_of_sequences_of_turns(rows: list[str], first: str) -> None:
    assert common_prefix([row(text) for text in rows]) == row(first)


def test_the_squares_on_which_beliefs_differ_are_doubtful() -> None:
    beliefs = [believe(row(text), START, RULES) for text in ("d5-d6", "d5-d4")]
    assert doubtful_squares(beliefs, START) == tuple(sorted(INDEX[name] for name in ("d6", "d4")))
    nothing = believe((), START, RULES)
    assert doubtful_squares([nothing, beliefs[0]], START) == tuple(
        sorted(INDEX[name] for name in ("d5", "d6"))
    )


def test_turns_that_become_certain_are_removed_from_the_beliefs() -> None:
    belief = believe(row("d5-d6 c3-c4"), START, RULES, -3.0)
    rest = belief.rest([played("d5-d6")])
    assert rest is not None
    assert (rest.turns, rest.positions, rest.nats) == (row("c3-c4"), (played("d5-d6 c3-c4"),), -3.0)
    assert belief.rest([played("d5-d4")]) is None


def test_acts_of_a_world_are_changes_relative_to_the_assumed_stacks() -> None:
    likely, other = (
        believe(row(text), START, RULES, nats) for text, nats in (("d5-d6", 0.0), ("d5-d4", -5.0))
    )
    assumed = likely.positions[-1].stacks
    world = World(other, [START], RULES, assumed, in_reference=True)
    after = {INDEX["d6"]: START.stacks[INDEX["d6"]], INDEX["d4"]: other.positions[-1].stacks[INDEX["d4"]]}
    assert world.nothing_since.changes == after
    assert world.nothing_since.moves == row("d5-d4")
    assert world.nothing_since.prior == -5.0
    acts = list(world.rebase(world.legal.turns(range(52))))
    assert all(act.moves[0] == Move.parse("d5-d4") and len(act.moves) == 2 for act in acts)
    assert all(act.prior < -5.0 for act in acts)
    # A belief that was undone leaves the board as before.
    back = [act for act in world.rebase(world.legal.back()) if act.kind is Kind.NOTHING]
    assert len(back) == 1
    assert back[0].changes == {
        square: stack for square, stack in enumerate(START.stacks) if stack != assumed[square]
    }


def test_that_nothing_happened_is_neither_more_nor_less_likely_without_evidence() -> None:
    """The hypothesis that no turn was played is weighed against the beliefs, the likeliest of which has 0."""
    world = World(Belief(), [START], RULES, START.stacks, in_reference=False)
    assert (world.nothing_since.prior, world.nothing_since.changes) == (0.0, {})


@pytest.mark.parametrize("in_reference", [True, False])
def test_squares_that_a_world_restores_must_have_changed_since_the_reference(in_reference: bool) -> None:
    likely, other = (believe(row(text), START, RULES) for text in ("d5-d6", "d5-d4"))
    world = World(other, [START], RULES, likely.positions[-1].stacks, in_reference=in_reference)
    (back,) = (act for act in world.rebase(world.legal.back()) if act.kind is Kind.NOTHING)
    d4 = INDEX["d4"]
    assert d4 not in back.changes, "it already has the assumed stack"
    assert back.restored == ({d4: other.positions[-1].stacks[d4]} if in_reference else {})


@pytest.mark.parametrize(
    ("replaced", "moves", "new"),
    [(2, "d5-d6 c3-c2", "c3-c2"), (1, "d5-d4 c3-c4", "d5-d4 c3-c4"), (1, "d5-d4", "d5-d4"), (2, "d5-d6", "")],
    ids=["the last turn", "all, and one more", "all", "the last by none"],
)
def test_only_the_turns_that_replace_those_of_a_belief_are_new(replaced: int, moves: str, new: str) -> None:
    """The turns before them were made before the reference picture, and need not be seen again."""
    belief = believe(row("d5-d6 c3-c4")[:replaced], START, RULES)
    world = World(belief, [START], RULES, belief.positions[-1].stacks, in_reference=True)
    listed = [*world.legal.back(), *world.legal.retries(range(52), row("d5-d4 c3-c2"))]
    (found,) = [act for act in world.rebase(listed) if act.moves == row(moves)]
    assert found.moves[found.believed :] == row(new)
    assert found.kind is (Kind.TURN if " " not in moves else Kind.TURNS) and found.ply == -1
