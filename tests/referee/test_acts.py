"""The acts that the referee lists, and the sentences of their alerts, without any picture."""

from __future__ import annotations

import re

from table_scene import rules

from focus_companion.game.moves import Move
from focus_companion.game.play import apply, play
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.act import Kind
from focus_companion.referee.illegal_acts import IllegalActs
from focus_companion.referee.legal_acts import LegalActs

RULES = rules({"d5": "rgrrg", "d7": "rg", "b2": "gg"}, {"g": 1})


def test_no_sentence_asks_for_no_pieces() -> None:
    """After a turn that needs no trimming, taking pieces is not a wrong trimming."""
    legal = LegalActs([start_position(RULES)], RULES)
    illegal = IllegalActs(legal)
    sentences = {
        act.wrong().text for move in legal.moves for act in illegal.wrong_trims(move) if act.wrong is not None
    }
    assert any(
        text.startswith("The wrong pieces were taken from d5. Green must take exactly 2")
        for text in sentences
    )
    assert any(text.startswith("Pieces are missing from") for text in sentences)
    every = range(len(INDEX))
    more = (
        *illegal.displacements(every),
        *illegal.removals(every),
        *illegal.shuffles(every),
        *illegal.double_turns(every),
    )
    sentences |= {act.wrong().text for act in more if act.wrong is not None}
    assert not [text for text in sentences if re.search(r"\b0 (piece|square)|[{}]|  ", text)]


def test_an_alert_names_all_its_squares() -> None:
    """Of two moves in one turn, the second may begin where the first began or ended."""
    illegal = IllegalActs(LegalActs([start_position(RULES)], RULES))
    alerts = [act.wrong() for act in illegal.double_turns(range(len(INDEX))) if act.wrong is not None]
    named = {}
    for alert in alerts:
        assert alert.reason == "two_moves" and alert.player == "g"
        (listed,) = re.findall(r"\(look at (.*)\)", alert.text)
        named[alert.squares] = listed
    for squares, listed in named.items():
        *most, last = (str(SQUARES[square]) for square in squares)
        assert listed == f"{', '.join(most)} and {last}"
    assert {len(squares) for squares in named} == {2, 3, 4}
    missing = {act.wrong().text for act in illegal.removals([INDEX["b2"]]) if act.wrong is not None}
    assert missing and all(text.startswith("Pieces are missing from b2, though") for text in missing)


def test_of_a_stack_two_too_high_one_piece_may_have_been_taken() -> None:
    """Then that piece may lie beside the board while the stack is still too high."""
    high = rules({"f7": "rrgrg", "e7": "rg"}, {})
    move = Move(INDEX["e7"], INDEX["f7"])
    acts = [
        act for act in LegalActs([start_position(high)], high).turns({move.target}) if act.moves == (move,)
    ]
    assert [act.trimmed for act in acts if act.kind is Kind.PENDING] == [""]
    two = Move(INDEX["d7"], INDEX["f7"])
    high = rules({"f7": "rrgrg", "d7": "rg"}, {})
    acts = [act for act in LegalActs([start_position(high)], high).turns({two.target}) if act.moves == (two,)]
    assert [act.trimmed for act in acts if act.kind is Kind.PENDING] == ["", "r"]


def test_a_trimmed_placing_that_leaves_the_same_pieces_is_no_change_of_their_order() -> None:
    """Green's own piece is taken from the bottom, and another one lies on top."""
    reserve = rules({"d5": "gggrr", "c7": "rgrgg"}, {"g": 1})
    illegal = IllegalActs(LegalActs([start_position(reserve)], reserve))
    orders = {SQUARES[s]: set() for s in (INDEX["d5"], INDEX["c7"])}
    for act in illegal.shuffles([INDEX[name] for name in orders]):
        ((square, stack),) = act.changes.items()
        orders[SQUARES[square]].add(stack)
    assert len(orders["d5"]) == 10 - 2 and "ggrrg" not in orders["d5"]
    assert len(orders["c7"]) == 10 - 1 and "grggr" in orders["c7"], "green has no red piece to place"


def test_only_a_piece_from_beside_the_board_adds_pieces() -> None:
    """A piece laid down in front of a square after a trimming does not count as a piece on that square."""
    legal = LegalActs([start_position(RULES)], RULES)
    illegal = IllegalActs(legal)
    near = {INDEX[name] for name in ("d5", "d6", "e6", "f7")}
    moved, placed = [], []
    for act in illegal.displacements(near):
        (placed if len(act.changes) == 1 else moved).append(act)
    assert moved and not any(act.pieces_added(legal.stacks) for act in moved)
    assert placed and all(act.pieces_added(legal.stacks) == 1 for act in placed)
    assert all(act.pieces_added(legal.stacks) < 0 for act in illegal.removals(near))


def test_another_turn_instead_of_the_last_may_have_been_followed_by_the_next() -> None:
    """Moving on the piece just set down is no turn; but if the next player has played on, that may replace
    the last turn by another one of the same piece.
    """
    before = start_position(RULES)
    last = Move.parse("f6-f7")
    legal = LegalActs([before, apply(before, last, RULES)], RULES)
    instead, then = Move.parse("f6-g6"), Move.parse("c5-c4")
    here = {INDEX[name] for name in ("f7", "g6")}
    assert not list(legal.retries(here))
    both = [act for act in legal.retries(here | {INDEX["c5"], INDEX["c4"]}) if act.moves == (instead, then)]
    (act,) = both
    after = apply(apply(before, instead, RULES), then, RULES)
    assert {SQUARES[s]: stack for s, stack in act.changes.items()} == {
        name: after.stacks[INDEX[name]] for name in ("c4", "c5", "f7", "g6")
    }
    assert act.legal and act.kind is Kind.BACK and act.ply == 0
    assert act.prior == Kind.BACK.value + Kind.TURNS.value
    assert not [act for act in legal.retries(range(len(INDEX))) if act.moves[0] == last], "it was not undone"


def test_an_earlier_turn_may_have_been_replaced_with_the_later_ones_left_as_they_are() -> None:
    """By another one after which they are legal; but not once its player has moved again."""
    history = [start_position(RULES)]
    for text in ("d5-d6", "c5-c4", "g4-h4"):
        history.append(play(history[-1], Move.parse(text), RULES))
    everywhere = range(len(INDEX))

    def replaced(plies: int) -> set[str]:
        legal = LegalActs(history[: plies + 1], RULES)
        acts = [act for act in legal.retries(everywhere) if act.ply == plies - 2]
        assert all(act.legal and act.kind is Kind.BACK for act in acts)
        return {" ".join(map(str, act.moves)) for act in acts}

    first = replaced(2)
    assert "g4-h4 c5-c4" in first and "d5-d6 c5-c4" not in first
    assert "d5-d4 c5-c4" not in first, "that may be one move of the piece on d6"
    assert all(moves.endswith("c5-c4") for moves in first)
    assert "b5-a5 g4-h4" in replaced(3), "red's turn, under green's next one"
    assert not [act for act in LegalActs(history, RULES).retries(everywhere) if act.ply == 0]


def test_another_turn_instead_of_the_last_may_have_made_a_stack_too_high() -> None:
    """Its excess may have been removed already."""
    high = rules({"f7": "rrgrg", "e7": "rg"}, {})
    before = start_position(high)
    last, instead = Move.parse("d5-d6"), Move(INDEX["e7"], INDEX["f7"])
    legal = LegalActs([before, apply(before, last, high)], high)
    acts = [act for act in legal.retries(range(len(INDEX))) if act.moves == (instead,)]
    assert {act.changes[INDEX["f7"]]: act.trimmed for act in acts} == {"rrgrgg": "", "rgrgg": "r"}


def test_a_piece_that_went_on_is_another_turn_where_that_was_to_be_expected() -> None:
    """The players had been asked about that turn, or the last turn had visibly been taken back."""
    before = start_position(RULES)
    legal = LegalActs([before, apply(before, Move.parse("f6-f7"), RULES)], RULES)
    instead, then = Move.parse("f6-g6"), Move.parse("c5-c4")
    here = {INDEX[name] for name in ("f7", "g6", "c5", "c4")}
    one, both = (act for act in legal.retries(here, (instead,)) if act.moves in ((instead,), (instead, then)))
    assert one.legal and one.kind is Kind.BACK and one.ply == 0
    assert {SQUARES[s] for s in one.changes} == {"f7", "g6"}
    assert one.prior == Kind.BACK.value, "there was evidence for the turn itself"
    assert both.prior == Kind.BACK.value + Kind.TURN.value
    # There is no such evidence for another turn.
    assert not [act for act in legal.retries(here, (then,)) if act.moves == (instead,)]


def test_during_the_drop_set_up_no_alert_mentions_a_reserve() -> None:
    """Both players have pieces in hand then, so a turn of the other player is out of turn, whatever the
    reserve.
    """
    drop = Rules.make(2, set_up="drop")
    position = start_position(drop)
    for text in ("*d5", "*d6") * 5:
        position = play(position, Move.parse(text), drop)
    illegal = IllegalActs(LegalActs([position], drop))
    alerts = {}
    for act in illegal.displacements([INDEX[name] for name in ("d5", "d6", "d4", "a3", "a4")]):
        assert act.wrong is not None
        wrong = act.wrong()
        alerts[tuple(SQUARES[s] for s in wrong.squares), wrong.player] = wrong
        assert "reserve" not in wrong.text and wrong.reason != "no_reserve"
        if len(act.changes) == 1:
            assert act.kind is Kind.WRONG
    assert alerts[("d5",), "r"].reason == "out_of_turn"
    assert alerts[("d5",), "g"].reason == "too_high" and "five lie already" in alerts[("d5",), "g"].text
    assert alerts[("d6",), "g"].reason == "reserve_square"
    assert "nothing moves until all pieces are placed" in alerts[("d5", "d4"), "g"].text


def test_a_placed_piece_without_a_reserve_is_alerted_as_such() -> None:
    illegal = IllegalActs(LegalActs([start_position(RULES)], RULES))
    sentences = {act.wrong().text for act in illegal.displacements([INDEX["a3"]]) if act.wrong is not None}
    assert any(text.startswith("Red placed a piece on a3 but has none in reserve") for text in sentences)


def test_in_the_drop_set_up_an_unseen_placing_is_likelier_than_one_out_of_turn() -> None:
    drop = Rules.make(2, set_up="drop")
    position = start_position(drop)
    for text in ("*d5", "*e4"):
        position = play(position, Move.parse(text), drop)
    d5, f6 = INDEX["d5"], INDEX["f6"]
    legal = LegalActs([position], drop)
    illegal = IllegalActs(legal)
    (unseen,) = [act for act in legal.unseen({f6}) if act.changes == {d5: "gg", f6: "r"}]
    wrong = [act for act in illegal.displacements({f6}) if act.changes == {f6: "r"}]
    assert unseen.placed and unseen.unseen == {d5}
    assert unseen.prior > max(act.prior for act in wrong)


def test_a_reserve_piece_may_replace_the_last_turn_where_it_began() -> None:
    """No single act takes a piece back and adds another one."""
    before = start_position(RULES)
    legal = LegalActs([before, apply(before, Move.parse("f6-f7"), RULES)], RULES)
    instead = Move.parse("*f6")
    (act,) = (act for act in legal.retries({INDEX["f6"], INDEX["f7"]}) if act.moves == (instead,))
    after = apply(before, instead, RULES).stacks
    assert act.changes == {INDEX[name]: after[INDEX[name]] for name in ("f6", "f7")}


def test_one_piece_may_have_been_taken_from_between_if_one_was_due() -> None:
    """Where two are due, what is left would be wrong in its height as well."""
    one, two = (rules({"f7": "rrgrg", name: "rg"}, {}) for name in ("e7", "d7"))
    left = {}
    for move, high in (("e7-f7", one), ("d7-f7", two)):
        illegal = IllegalActs(LegalActs([start_position(high)], high))
        left[move] = {act.changes.get(INDEX["f7"]) for act in illegal.wrong_trims(Move.parse(move))}
    assert "rrrgg" in left["e7-f7"] and "rrrgrg" not in left["d7-f7"]
