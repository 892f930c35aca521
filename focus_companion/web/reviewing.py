"""Reviews of finished games, made one at a time in a separate process, so that no game waits for them."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections import OrderedDict
from typing import Any, Final

from ..formats.json_record import read_json, write_json
from ..formats.match import Match
from ..game.record import GameRecord
from .child_process import ChildFailed, run_module

log = logging.getLogger(__name__)

MAX_CACHED: Final = 32
"""Maximum number of reviews held in memory."""

REVIEW_TIMEOUT: Final = 300.0
"""Timeout in seconds for one review."""

MAX_PENDING: Final = 8
"""Maximum number of pending reviews."""


class ReviewFailed(ValueError):
    """This game cannot be reviewed; the text says why."""


class Reviews:
    """Returns reviews that are ready, and starts the others."""

    def __init__(self, timeout: float = REVIEW_TIMEOUT) -> None:
        self._timeout = timeout
        self._lock = threading.Lock()
        self._child_lock = threading.Lock()
        self._made: OrderedDict[str, dict[str, Any] | ReviewFailed] = OrderedDict()
        self._making: set[str] = set()

    def ask(self, record: GameRecord) -> dict[str, Any] | None:
        """The review of a finished game, or ``None`` while it is being made: call again later.

        Raises:
            ReviewFailed: it could not be made.
        """
        text = write_json(Match((record,), single=True))
        with self._lock:
            if text in self._made:
                found = self._made[text]
                if isinstance(found, ReviewFailed):
                    raise found
                return found
            if text not in self._making and len(self._making) < MAX_PENDING:
                self._making.add(text)
                threading.Thread(target=self._make, args=(text,), name="review", daemon=True).start()
        return None

    def _make(self, text: str) -> None:
        with self._child_lock:
            made = _in_child(text, self._timeout)
        if isinstance(made, ReviewFailed):
            log.warning("%s", made)
        with self._lock:
            self._making.discard(text)
            self._made[text] = made
            while len(self._made) > MAX_CACHED:
                self._made.popitem(last=False)


def _in_child(text: str, timeout: float) -> dict[str, Any] | ReviewFailed:
    try:
        made: dict[str, Any] = json.loads(run_module(__name__, given=text.encode(), timeout=timeout))
    except (ChildFailed, ValueError) as error:
        return ReviewFailed(f"The review could not be made: {error}")
    return made


def main() -> None:
    """Review the record given on standard input; the review goes to standard output."""
    from ..review.review import review

    (record,) = read_json(sys.stdin.buffer.read()).games
    json.dump(review(record).to_json(), sys.stdout)


if __name__ == "__main__":
    main()
