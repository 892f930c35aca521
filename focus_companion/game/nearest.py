"""Finds the closest match for an unknown word, for the error messages that refuse it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: object, known: Iterable[str]) -> str:
    """Return the known word with the most similar spelling; ``""`` if none is similar."""
    spelled = str(word)[:40].lower().replace("-", "_")
    return next(iter(get_close_matches(spelled, list(known), n=1, cutoff=0.5)), "")


def unknown_rule(word: object, known: Iterable[str]) -> str:
    """Return the sentence that refuses a rule of this name, with the closest match, else all known rules."""
    names = list(known)
    meant = nearest(word, names)
    shown = repr(str(word)[:40])
    return f"there is no rule {shown}; " + (
        f"did you mean {meant!r}?" if meant else f"there are {', '.join(names)}"
    )
