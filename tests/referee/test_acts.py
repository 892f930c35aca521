"""What the referee says of every act that it weighs: pure, without a picture."""

from __future__ import annotations

import re

from table_scene import rules

from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee.acts import Acts

RULES = rules({"d5": "rgrrg", "d7": "rg", "b2": "gg"}, {"g": 1})


def test_no_sentence_asks_for_no_pieces() -> None:
    """After a turn that needs no trimming, taking pieces is not a trimming gone wrong."""
    acts = Acts([start_position(RULES)], RULES)
    told = {
        act.wrong().text for move in acts.legal for act in acts.wrong_trims(move) if act.wrong is not None
    }
    assert any(
        text.startswith("The wrong pieces were taken from d5. Green must take exactly 2") for text in told
    )
    assert any(text.startswith("Pieces are missing from") for text in told)
    every = range(len(INDEX))
    more = (
        *acts.displacements(every),
        *acts.removals(every),
        *acts.shuffles(every),
        *acts.double_turns(every),
    )
    told |= {act.wrong().text for act in more if act.wrong is not None}
    assert not [text for text in told if re.search(r"\b0 (piece|square)|[{}]|  ", text)]
