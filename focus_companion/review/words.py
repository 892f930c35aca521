"""Renders a review in English for players; a translation replaces the texts and keeps their fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from focus_companion.game.colours import NAMES, names
from focus_companion.review.evaluation import Counts
from focus_companion.review.hints import hint_text
from focus_companion.review.review import Review, TurnReview

TEXTS: Final[dict[str, str]] = {
    "won": "Turns: {turns}. Won by {winners} ({reason}).",
    "draw": "Turns: {turns}. No winner ({reason}).",
    "swings": "The biggest swings:",
    "no_swings": "No turn changed the chances.",
    "swing": "turn {ply}, {player} {move}: {player}'s chance went from {before} to {outlook}",
    "after": "once {answer} answers it",
    "better": "{move} would have kept {outlook}",
    "nothing_better": "nothing better was found",
    "turns": "Every turn:",
    "captures": "captured {count}",
    "reserves": "reserve {count}",
    "control": "stacks {count}",
    "mobility": "moves {count}",
    "nothing": "nothing changed",
    "chances": "chances {chances}",
}

_MIN_NAMED_DIFFERENCE: Final = 0.02
"""Minimum difference of the chances for a better turn to be named; a smaller one is noise."""


def review_lines(review: Review) -> Iterator[str]:
    """Yield the review line by line: the result, the biggest swings, every turn."""
    result = review.result
    yield TEXTS["won" if result.winners else "draw"].format(
        turns=len(review.turns), winners=" and ".join(names(result.winners)), reason=result.reason
    )
    yield ""
    if review.swings:
        yield TEXTS["swings"]
        for turn in review.swings:
            yield f"  {swing_sentence(turn)}"
    else:
        yield TEXTS["no_swings"]
    if review.turns:
        yield ""
        yield TEXTS["turns"]
    for turn in review.turns:
        yield f"{turn.ply:4}. {NAMES[turn.player]:6} {turn.move!s:5}  {changes_text(turn)}"


def swing_sentence(turn: TurnReview) -> str:
    """Return what a turn did to the mover's chances, and what would have been better."""
    player = NAMES[turn.player]
    text = TEXTS["swing"].format(
        ply=turn.ply,
        player=player,
        move=turn.move,
        before=_percent(turn.before),
        outlook=_percent(turn.played.chance),
    )
    if turn.played.answer is not None:
        text += " " + TEXTS["after"].format(answer=turn.played.answer)
    if turn.missed >= _MIN_NAMED_DIFFERENCE:
        better = TEXTS["better"].format(move=turn.best.turn, outlook=_percent(turn.best.chance))
        return f"{text}; {better}."
    if turn.swing < 0 and turn.complete:
        return f"{text}; {TEXTS['nothing_better']}."
    return f"{text}."


def changes_text(turn: TurnReview) -> str:
    """Return what a turn won and lost, the mover first, the chances after it, and the hints it shows."""
    others = [player for player in turn.changes if player != turn.player]
    parts = [
        f"{NAMES[player]} {changed}"
        for player in (turn.player, *others)
        if (changed := _counts_text(turn.changes[player]))
    ]
    shown = ", ".join(f"{NAMES[player]} {_percent(chance)}" for player, chance in turn.after.items())
    hints = [hint_text(hint) for hint in turn.hints]
    return "; ".join([*(parts or [TEXTS["nothing"]]), TEXTS["chances"].format(chances=shown), *hints])


def _counts_text(change: Counts) -> str:
    counts = asdict(change).items()
    return ", ".join(TEXTS[name].format(count=_signed(count)) for name, count in counts if count)


def _signed(count: int) -> str:
    return f"+{count}" if count > 0 else f"−{-count}"


def _percent(chance: float) -> str:
    return f"{round(100 * chance)} %"
