"""The host's loudspeaker: sentences spoken one after another by espeak-ng, on a separate thread."""

from __future__ import annotations

import logging
import shutil
import subprocess
import threading
from collections import deque
from typing import Final

from focus_companion.speech import Utterance

log = logging.getLogger(__name__)

ENGINE: Final = "espeak-ng"
VOICES: Final = {"en": "en-gb", "pl": "pl", "it": "it"}
"""The engine's voice by language."""

WORDS_PER_MINUTE: Final = 150
"""The engine's default of 175 is hard to follow for listeners who do not expect the words."""

MAX_PENDING: Final = 20
"""Maximum number of pending sentences; if there are more, the oldest are dropped as stale."""

CLOSING_TIMEOUT: Final = 1.0
"""Seconds to wait for the speaking thread to end."""


def engine() -> str | None:
    """The path of espeak-ng; ``None`` where it is not installed."""
    return shutil.which(ENGINE)


class Loudspeaker:
    """Speaks sentences. Every method returns at once and may be called from any thread."""

    def __init__(self, program: str, language: str) -> None:
        """``program``: the path of espeak-ng."""
        self._command = [program, "-v", VOICES[language], "-s", str(WORDS_PER_MINUTE), "--stdin"]
        self._news = threading.Condition()  # its lock is reentrant
        self._waiting: deque[Utterance] = deque(maxlen=MAX_PENDING)
        self._spoken: subprocess.Popen[bytes] | None = None
        self._now: Utterance | None = None
        self._closed = False
        self._last = ""
        self._reported = ""
        self._thread = threading.Thread(target=self._run, name="loudspeaker", daemon=True)
        self._thread.start()

    def say(self, utterance: Utterance) -> None:
        """Speak a sentence after the pending ones; an urgent one at once, before all of them."""
        with self._news:
            self._last = utterance.text
            if utterance.urgent:
                if self._now is not None and not self._now.urgent:
                    # The interrupted sentence is repeated: players who only listen must not miss it.
                    self._waiting.appendleft(self._now)
                self._silence()
                self._waiting.appendleft(utterance)
            else:
                self._waiting.append(utterance)
            self._news.notify()

    def answer(self, text: str) -> None:
        """Speak an answer at once. Pending sentences are dropped: whoever asks no longer listens to them."""
        with self._news:
            self._waiting.clear()
            self._silence()
            self._waiting.append(Utterance(text))
            self._last = text
            self._news.notify()

    def repeat(self) -> None:
        """Repeat the last sentence."""
        with self._news:
            text = self._last
        if text:
            self.answer(text)

    def stop(self) -> bool:
        """Stop speaking. Returns whether anything was being spoken or pending."""
        with self._news:
            spoke = self.speaking
            self._waiting.clear()
            self._silence()
        return spoke

    @property
    def speaking(self) -> bool:
        """Whether anything is being spoken or pending."""
        with self._news:
            return bool(self._waiting) or self._spoken is not None

    def close(self) -> None:
        """Stop speaking for good."""
        with self._news:
            self._closed = True
            self._silence()
            self._news.notify()
        self._thread.join(CLOSING_TIMEOUT)

    def _silence(self) -> None:
        if self._spoken is not None:
            self._spoken.kill()
            self._spoken = self._now = None

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                utterance = self._waiting.popleft()
                try:
                    self._spoken = subprocess.Popen(
                        self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE,
                    )  # fmt: skip
                except OSError as error:
                    self._report(f"{self._command[0]} does not start ({error.strerror})")
                    continue
                speaking, self._now = self._spoken, utterance
            _, complaint = speaking.communicate(utterance.text.encode())
            with self._news:
                if self._spoken is speaking:
                    self._spoken = self._now = None
            lines = complaint.decode(errors="replace").strip().splitlines()
            last = lines[-1] if lines else ""
            # The status is negative if it was silenced, and 0, with an error message, without a sound card.
            if speaking.returncode == 0 and last.startswith("error"):
                self._report(f"no sound card can be used ({last.removeprefix('error: ')})")
            elif speaking.returncode > 0:
                self._report(last or f"it ended with status {speaking.returncode}")

    def _report(self, fault: str) -> None:
        # Once for each fault, not once for each sentence.
        if fault != self._reported:
            self._reported = fault
            log.warning("Nothing can be spoken: %s; check the loudspeaker, the game goes on", fault)
