"""The host's loudspeaker: sentences spoken one after another by espeak-ng, on a thread of its own."""

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

PACE: Final = 150
"""Words a minute; the engine's own 175 is hard to follow for who does not expect the words."""

WAITING: Final = 20
"""Sentences that may wait; of more, the oldest are left out: nobody listens minutes after the event."""

CLOSING_SECONDS: Final = 1.0


def engine() -> str | None:
    """The path of espeak-ng; ``None`` where it is not installed."""
    return shutil.which(ENGINE)


class Loudspeaker:
    """Speaks what it is given. Every method returns at once and may be called from any thread."""

    def __init__(self, program: str, language: str) -> None:
        """``program``: the path of espeak-ng."""
        self._command = [program, "-v", VOICES[language], "-s", str(PACE), "--stdin"]
        self._news = threading.Condition()  # its lock may be taken again
        self._waiting: deque[Utterance] = deque(maxlen=WAITING)
        self._spoken: subprocess.Popen[bytes] | None = None
        self._now: Utterance | None = None
        self._closed = False
        self._last = ""
        self._told = ""
        self._thread = threading.Thread(target=self._run, name="loudspeaker", daemon=True)
        self._thread.start()

    def say(self, utterance: Utterance) -> None:
        """Speak it after what is spoken now; an urgent one at once, before all that waits."""
        with self._news:
            self._last = utterance.text
            if utterance.urgent:
                if self._now is not None and not self._now.urgent:
                    # A turn that is cut is said again: who only listens must miss none.
                    self._waiting.appendleft(self._now)
                self._silence()
                self._waiting.appendleft(utterance)
            else:
                self._waiting.append(utterance)
            self._news.notify()

    def answer(self, text: str) -> None:
        """Speak an answer, at once. What waited, the people who ask have stopped waiting for."""
        with self._news:
            self._waiting.clear()
            self._silence()
            self._waiting.append(Utterance(text))
            self._last = text
            self._news.notify()

    def repeat(self) -> None:
        """Speak again what was to be spoken last."""
        with self._news:
            text = self._last
        if text:
            self.answer(text)

    def stop(self) -> bool:
        """Be silent. Returns whether anything was spoken or waited."""
        with self._news:
            spoke = self.speaking
            self._waiting.clear()
            self._silence()
        return spoke

    @property
    def speaking(self) -> bool:
        """Whether anything is spoken or waits."""
        with self._news:
            return bool(self._waiting) or self._spoken is not None

    def close(self) -> None:
        """Be silent for good."""
        with self._news:
            self._closed = True
            self._silence()
            self._news.notify()
        self._thread.join(CLOSING_SECONDS)

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
                    self._tell(f"{self._command[0]} does not start ({error.strerror})")
                    continue
                speaking, self._now = self._spoken, utterance
            _, complaint = speaking.communicate(utterance.text.encode())
            with self._news:
                if self._spoken is speaking:
                    self._spoken = self._now = None
            lines = complaint.decode(errors="replace").strip().splitlines()
            last = lines[-1] if lines else ""
            # Below nought: it was silenced. Without a sound card it ends well, and says so all the same.
            if speaking.returncode > 0 or (speaking.returncode == 0 and last.startswith("error")):
                self._tell(last or f"it ended with status {speaking.returncode}")

    def _tell(self, fault: str) -> None:
        # Once for each fault, not once for each sentence.
        if fault != self._told:
            self._told = fault
            log.warning("Nothing can be spoken: %s; check the loudspeaker, the game goes on", fault)
