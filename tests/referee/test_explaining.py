"""Does an act account for what a look shows?"""

from __future__ import annotations

import pytest

from focus_companion.game.moves import Move
from focus_companion.game.squares import INDEX
from focus_companion.referee.acts import Act, Kind
from focus_companion.referee.explaining import as_due
from focus_companion.referee.trimming import Pending
from focus_companion.referee.weighing import Judgement


@pytest.mark.parametrize(
    ("awaited", "lead", "due"),
    [("*f7", 9.3, True), ("*f7", 5.0, False), ("*c8", 9.3, False), ("", 9.3, False)],
)
def test_what_a_prompt_asks_for_need_not_show(awaited: str, lead: float, due: bool) -> None:
    turn = Act(Kind.TURN, {INDEX["f7"]: "rgrgg"}, (Move.parse("*f7"),), trimmed="r")
    pending = Pending(Move.parse(awaited), sure=True) if awaited else None
    assert as_due(Judgement(turn, -13.8, lead), pending) is due
