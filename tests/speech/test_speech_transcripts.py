"""A whole game as it is spoken, word for word: one file per language, from which the record is reconstructed.

After an intended change, ``python tests/speech/test_speech_transcripts.py`` rewrites the files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from transcript import LANGUAGES, Listener

from focus_companion.formats.json_record import record_from_json
from focus_companion.game.colours import LETTER
from focus_companion.game.moves import Move
from focus_companion.referee.verdict import TurnSeen
from focus_companion.session.beginning import began
from focus_companion.session.events_from_verdicts import follow
from focus_companion.session.history import History
from focus_companion.session.state_json import state
from focus_companion.speech import Voice, narrate
from focus_companion.web.catalogues import translations

FOLDER: Final = Path(__file__).parent / "transcripts"
RECORD: Final = FOLDER / "game.json"


def spoken(language: str) -> list[str]:
    """The sentences spoken during the recorded game."""
    record = record_from_json(json.loads(RECORD.read_text(encoding="utf-8")))
    voice = Voice(translations(language))
    history = History.begin(record.rules, record.players)
    first = began(history, 0.0)
    history = history.take(first)
    lines = [narrate(first, state(history), voice)]
    for entry in record.entries:
        assert isinstance(entry.what, Move)
        for transition in follow([TurnSeen(entry.what, 1.0)], history, entry.time or 0.0):
            history = transition.after
            lines.append(narrate(transition.event, state(history), voice))
    return [said.text for said in lines if said is not None]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_spoken_sentences_are_those_in_the_file(language: str) -> None:
    assert spoken(language) == (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_record_is_reconstructed_from_the_file_alone(language: str) -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    heard = Listener(language).rebuild((FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines())
    assert heard.order == "".join(LETTER[colour] for colour in record["rules"]["order"])
    assert [move for _, move in heard.moves] == [turn["move"] for turn in record["moves"]]
    assert heard.winners == "".join(LETTER[colour] for colour in record["result"]["winners"])


if __name__ == "__main__":
    for chosen in LANGUAGES:
        (FOLDER / f"{chosen}.txt").write_text("\n".join(spoken(chosen)) + "\n", encoding="utf-8")
