"""``play --speak``: a game without a screen, on the host's loudspeaker."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from locale import getlocale
from typing import TYPE_CHECKING, Any, Final

from focus_companion.commands.shared.console import print_notice
from focus_companion.commands.shared.loudspeaker import ENGINE, VOICES, Loudspeaker, engine
from focus_companion.commands.shared.serving import say
from focus_companion.speech import NoSuchQuestion, Utterance, Voice, answer, narrate, opening

if TYPE_CHECKING:
    from focus_companion.session.session import Session
    from focus_companion.settings import Settings

QUESTION_KEYS: Final = {"r": "repeat", "t": "turn", "s": "standing", "c": "time"}
"""The question that a letter typed into the terminal stands for; a square's name asks about its stack."""

_BACKGROUND_SECONDS: Final = 0.5
"""Seconds between two tries to read from a terminal that another program has in the foreground."""

HELP: Final = "To hear it, type r: again, t: whose turn, s: the score, c: the clocks, d5: that square"


class Speaker:
    """Speaks the events of a game, and answers questions."""

    def __init__(self, session: Session, loudspeaker: Loudspeaker, voice: Voice) -> None:
        self._session, self._loudspeaker, self._voice = session, loudspeaker, voice

    def on_event(self, event: Any) -> None:
        """Speak an event; returns at once."""
        said = narrate(event, self._session.state(), self._voice)
        if said is not None:
            self._loudspeaker.say(said)

    def ask(self, about: str, square: str = "") -> None:
        """Answer a question (see ``speech.answers``), or repeat the last sentence ("repeat")."""
        if about == "repeat":
            self._loudspeaker.repeat()
        else:
            self._loudspeaker.answer(answer(about, self._session.state(), self._voice, square))

    def stop(self) -> bool:
        """Stop speaking. Returns whether anything was being spoken."""
        return self._loudspeaker.stop()

    def typed(self, line: str) -> None:
        """Handle a typed line: an empty one stops speech, an unknown one prints the help."""
        word = line.strip().lower()
        if not word:
            self.stop()
            return
        try:
            if word in QUESTION_KEYS:
                self.ask(QUESTION_KEYS[word])
            else:
                self.ask("square", word)
        except NoSuchQuestion:
            say(HELP)


def speaker(settings: Settings, session: Session, closing: ExitStack) -> Speaker | None:
    """The speaker, if the settings ask for one. A missing speech engine is reported in one line."""
    if settings.speak is None:
        return None
    from focus_companion.web.catalogues import translations

    program = engine()
    if program is None:
        print_notice(
            f"Nothing is spoken: {ENGINE} is not installed; sudo apt install {ENGINE}, then start again"
        )
        return None
    language = _language(settings.speak)
    loudspeaker = Loudspeaker(program, language)
    closing.callback(loudspeaker.close)
    voice = Voice(translations(language))
    made = Speaker(session, loudspeaker, voice)
    # The event that began the game was emitted before there was a listener.
    loudspeaker.say(Utterance(opening(session.state(), voice)))
    if sys.stdin is not None and sys.stdin.isatty():
        _TYPED.go_to(made.typed)
        say(HELP)
    return made


def _language(chosen: str) -> str:
    system = (getlocale()[0] or "")[:2]
    return chosen if chosen in VOICES else system if system in VOICES else "en"


class TypedLines:
    """The lines typed into the terminal, for one receiver at a time."""

    def __init__(self) -> None:
        self._receive: Callable[[str], None] = lambda _: None
        # One for the whole process, because nothing can interrupt a thread that waits for a terminal.
        self._thread = threading.Thread(target=self._read, name="keys", daemon=True)

    def go_to(self, receive: Callable[[str], None]) -> None:
        """From now on, call ``receive`` with every line, on a thread of its own. On the main thread."""
        self._receive = receive
        if self._thread.ident is None:
            # While the program is in the background, reading fails, and does not stop the program.
            signal.signal(signal.SIGTTIN, signal.SIG_IGN)
            self._thread.start()

    def _read(self) -> None:
        with open(sys.stdin.fileno(), errors="replace", closefd=False) as lines:
            while True:
                try:
                    for line in lines:
                        self._receive(line)
                    return
                except OSError:
                    time.sleep(_BACKGROUND_SECONDS)


_TYPED: Final = TypedLines()
