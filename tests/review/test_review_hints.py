"""The rule book's hints, each on boards constructed for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from review_games import VARIANTS, given, random_record

from focus_companion.game.moves import Move
from focus_companion.game.play import play
from focus_companion.game.record import positions
from focus_companion.game.squares import SQUARES
from focus_companion.review import review as room
from focus_companion.review.hints import NUMBERS, SENTENCES, Hint, Kind, hint_text, hints
from focus_companion.review.review import review
from focus_companion.review.words import review_lines

FAR = {"a6": "g", "h3": "r"}


def shown(squares: dict[str, str], turn: str, players: int = 2, **more: Any) -> dict[Kind, list[str]]:
    before, rules = given(FAR | squares, players, **more)
    move = Move.parse(turn)
    found = hints(before, move, play(before, move, rules), rules)
    return {hint.kind: [SQUARES[square] for square in hint.squares] for hint in found}


CASES = [
    # 1: a second stack of two, two squares from the first; not three squares, nor another colour, nor taller
    ({"c4": "g", "c5": "r", "e5": "rg"}, "c4-c5", {"pair": ["c5", "e5"]}),
    ({"c4": "g", "c5": "r", "f5": "rg"}, "c4-c5", {}),
    ({"c4": "g", "c5": "g", "e5": "gr"}, "c4-c5", {}),
    ({"c4": "g", "c5": "r", "e5": "rgg"}, "c4-c5", {}),
    # 2: between two single red pieces; not beside only one, nor beside stacks, nor with a reserve piece
    ({"c4": "g", "b5": "r", "c6": "r"}, "c4-c5", {"between": ["c5", "c6", "b5"]}),
    ({"c4": "g", "b5": "r"}, "c4-c5", {}),
    ({"c4": "g", "b5": "gr", "c6": "gr"}, "c4-c5", {}),
    # 3: being the first to attack, or being left under attack
    ({"c3": "rgg", "c6": "ggr"}, "c3-c6", {"attacked_first": ["c3", "c6"]}),
    ({"c3": "rg", "c5": "ggr"}, "c3-c5", {}),
    ({"c3": "ggg", "d6": "ggr"}, "a6-a5", {}),
    ({"c4": "g", "c5": "gr", "f5": "rrr"}, "c4-c5", {"left_to_attack": ["c5", "f5"]}),
    ({"c4": "g", "c5": "gr", "f5": "rr"}, "c4-c5", {}),
    ({"c5": "grg", "f5": "rrr"}, "a6-a5", {}),
    # 4: a part of a threatened stack goes where no opponent reaches it
    ({"e4": "rrg", "e5": "r"}, "e4-c4", {"part_saved": ["e4", "c4"]}),
    ({"e4": "rrg", "e5": "r", "c5": "r"}, "e4-c4", {}),
    ({"e4": "rrg"}, "e4-c4", {}),
    # 6: a reserve piece on a stack of five whose lowest piece is one's own
    ({"d5": "grrrr"}, "*d5", {"reserve_back": ["d5"]}),
    ({"d5": "rrrrr"}, "*d5", {}),
    ({"d5": "grrr"}, "*d5", {}),
    ({"d5": "grrrg"}, "*d5", {}),
]


@pytest.mark.parametrize(("squares", "turn", "found"), CASES, ids=str)
def test_every_hint_is_given_for_the_turns_that_show_it(
    squares: dict[str, str], turn: str, found: dict[Kind, list[str]]
) -> None:
    assert shown(squares, turn, reserves={"g": 1}) == found


def test_a_partner_does_not_count_as_an_opponent() -> None:
    board = {"c4": "g", "b5": "y", "c6": "y", "f3": "b"}
    assert shown(board, "c4-c5", 4, partners=True) == {}
    assert shown(board, "c4-c5", 4) == {"between": ["c5", "c6", "b5"]}


@pytest.mark.parametrize("variant", [*VARIANTS, {"players": 2, "set_up": "drop"}], ids=str)
def test_the_review_names_the_hints(variant: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_POSITIONS_PER_TURN", 300)  # hints do not depend on the search
    record = random_record(**{"plies": 40, **variant})
    found = review(record)
    game = list(positions(record))
    for turn in found.turns:
        before, after = game[turn.ply - 1], game[turn.ply]
        assert turn.hints == hints(before, turn.move, after, record.rules)
        if before.placing:
            assert not turn.hints
    lines = list(review_lines(found))
    for turn in found.turns:
        line = next(line for line in lines if line.startswith(f"{turn.ply:4}. "))
        assert all(hint_text(hint) in line for hint in turn.hints)
        assert [item["hint"] for item in turn.to_json()["hints"]] == [hint.number for hint in turn.hints]


def test_every_hint_has_a_text_and_the_rules_page_lists_all_seven() -> None:
    assert set(SENTENCES) == set(NUMBERS) == set(get_args(Kind))
    for kind in NUMBERS:
        text = hint_text(Hint(kind, (0, 1, 2)))
        assert text.startswith(f"hint {NUMBERS[kind]}: ") and not re.search(r"[{}]", text)
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    advice = page[page.index("## The rule book's hints") :]
    assert [f"\n{number}. " in advice for number in range(1, 8)] == [True] * 7
    script = Path(__file__).parents[2] / "focus_companion/web/static/js/game/hints.js"
    assert all(f"{kind}: t(" in script.read_text(encoding="utf-8") for kind in NUMBERS)
