"""The lights as seen by the rest of the program: notified on the game's thread, driven by their own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from ..session.events import Event
from .meaning import NOTHING, Cue, Meaning, after, cue, leading

log = logging.getLogger(__name__)

CLOSING_SECONDS = 2.0
"""How long :meth:`Lights.close` waits for a back end that does not answer."""


class LightsUnavailable(RuntimeError):
    """A back end cannot work here; the message says what is missing and what to do."""


class Backend(Protocol):
    """One kind of light. After construction, one thread calls its methods; ``hurry`` comes from another."""

    name: str

    def present(self, meaning: Meaning, cue: Cue) -> None:
        """Show ``meaning`` from now on and sound ``cue`` once. Never raises for faults of the device."""

    def tick(self) -> float:
        """Do the upkeep that is due; return the seconds until it is due again."""

    def settled(self) -> bool:
        """Whether the device shows the newest meaning."""

    def hurry(self) -> None:
        """It is about to be closed: stop waiting for anything."""

    def close(self) -> None:
        """Turn everything off and release the device."""


class _Writer:
    """The thread that drives one back end. Shows only the newest meaning; superseded ones are skipped."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        # Not a lock that both threads take: the game would block whenever the writer is blocked.
        self._asked: SimpleQueue[tuple[Meaning, Cue] | None] = SimpleQueue()
        self._asked_count = 0
        self._taken_count = 0
        self._shown_count = -1  # not even what it is to show first
        self._shown = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=f"lights {backend.name}", daemon=True)
        self._thread.start()

    def show(self, meaning: Meaning, cue: Cue) -> None:
        self._asked_count += 1
        self._asked.put((meaning, cue))

    def wait(self, timeout: float) -> bool:
        with self._shown:
            self._shown.wait_for(lambda: self._is_shown() or not self._thread.is_alive(), timeout)
            return self._is_shown()

    def close(self, timeout: float) -> bool:
        self.backend.hurry()
        self._asked.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _is_shown(self) -> bool:
        return self._shown_count == self._asked_count

    def _run(self) -> None:
        try:
            while True:
                pause = self.backend.tick()
                with self._shown:
                    self._shown_count = self._taken_count if self.backend.settled() else -1
                    self._shown.notify_all()
                with suppress(Empty):
                    if not self._take(pause):
                        break
        except Exception:
            # A bug of ours in a light must not stop the game: it is logged, and this back end ends.
            log.exception(
                "The %s lights stopped because of a fault in the program; the game goes on without them",
                self.backend.name,
            )
        finally:
            self.backend.close()

    def _take(self, pause: float) -> bool:
        """Wait for a meaning and show the newest; ``False`` at the end. Raises ``Empty`` on timeout."""
        asked = [self._asked.get(timeout=pause)]
        while not self._asked.empty():
            asked.append(self._asked.get())
        news = [item for item in asked if item is not None]
        self._taken_count += len(news)
        if len(news) < len(asked):
            return False
        self.backend.present(news[-1][0], max(cue for _, cue in news))
        return True


class Lights:
    """All lights at the table; without back ends, a null object that accepts everything and shows nothing."""

    def __init__(self, backends: Sequence[Backend] = (), *, leads: bool = False) -> None:
        """``leads``: while the board is set up, the next square alone is lit, in the colour of its piece."""
        self._leads = leads
        self._meaning = self._meant = NOTHING  # what is shown, and what follows from the events alone
        self._writers = [_Writer(backend) for backend in backends]

    @property
    def meaning(self) -> Meaning:
        """The meaning on display."""
        return self._meaning

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the back ends in use; ``()`` for none."""
        return tuple(writer.backend.name for writer in self._writers)

    def show(self, event: Event, state: Mapping[str, Any]) -> None:
        """Show what ``event`` means, given the session's ``state`` after it. Never blocks."""
        meaning = after(self._meant, event, state)
        self.present(leading(meaning, event, state) if self._leads else meaning, cue(event))
        self._meant = meaning

    def present(self, meaning: Meaning, cue: Cue = Cue.NONE) -> None:
        """Show ``meaning`` regardless of events (for the light test). Never blocks."""
        self._meaning = self._meant = meaning
        for writer in self._writers:
            writer.show(meaning, cue)

    def wait(self, timeout: float) -> bool:
        """Wait until every device shows the newest meaning; ``False`` if ``timeout`` seconds pass first."""
        end = time.monotonic() + timeout
        return all(writer.wait(max(0.0, end - time.monotonic())) for writer in self._writers)

    def close(self) -> None:
        """Turn all lights off and release the devices. May be called again."""
        end = time.monotonic() + CLOSING_SECONDS
        writers, self._writers = self._writers, []
        for writer in writers:
            if not writer.close(max(0.1, end - time.monotonic())):
                log.warning("The %s lights do not answer and were left as they are", writer.backend.name)

    def __enter__(self) -> Lights:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
