"""A game can be reconstructed from the transcript of its speech alone, in every language."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

import pytest
from transcript import LANGUAGES, Listener

from focus_companion.game.colours import LETTER, NAMES
from focus_companion.game.moves import legal_moves
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.referee.verdict import OtherBegins, PutRight, TurnSeen, Verdict, WentBack, Wrong
from focus_companion.referee.words import TEMPLATES
from focus_companion.session.beginning import began
from focus_companion.session.events import Acted, Event, Moved
from focus_companion.session.events_from_verdicts import follow, result
from focus_companion.session.history import History, Transition
from focus_companion.session.state_json import change
from focus_companion.speech import Voice, narrate
from focus_companion.web.catalogues import translations

GAMES: Final = 200
MAX_TURNS: Final = 160
"""A game is broken off after these; it must be reconstructed from its transcript nevertheless."""

MAX_WORDS: Final = 12
"""Of the sentence for a turn."""

NAMES_GIVEN: Final = (
    "Ann",
    "Bob",
    "Anna Maria",
    "Zoë",
    "O'Neil",
    "",
    "Red",
    "Delta",
    "ann",
    "李雷",
    "4",
    "Jan-Ove",
    "x" * 40,
)


def events_of(verdict: Verdict, history: History, time: float) -> list[Event]:
    """The events of a verdict."""
    return [transition.event for transition in follow([verdict], history, time)]


def games() -> Iterator[tuple[History, list[tuple[Event, dict]]]]:
    """Games of 2 to 4 players in which everything may happen: the game, and its events with their states."""
    for seed in range(GAMES):
        yield game(random.Random(seed))


def game(chance: random.Random) -> tuple[History, list[tuple[Event, dict]]]:
    players = chance.choice((2, 3, 4))
    partners = players == 4 and chance.random() < 0.4
    rules = Rules.make(players, partners=partners, fast=not partners and chance.random() < 0.3)
    names = {letter: chance.choice(NAMES_GIVEN) for letter in rules.order}
    history = History.begin(rules, names)
    emitted: list[tuple[Event, dict]] = []
    listed: list[dict] = []

    def emit(*events: Event) -> None:
        nonlocal history, listed
        before = history
        for event in events:
            history = history.take(event)
        # The events of one picture are emitted together, with the state after the last of them.
        after = change(Transition(events[-1], before, history))
        listed = [*listed[: after["moves"]["keep"]], *after["moves"]["add"]]
        emitted.extend((event, after | {"moves": listed}) for event in events)

    emit(began(history, 0.0))
    if chance.random() < 0.2:
        first = chance.choice(rules.order[1:])
        emit(*events_of(OtherBegins(first, start_position(rules.begun_by(first))), history, 0.0))
    time = 0.0
    while not history.over and len(emitted) < MAX_TURNS * 2 and history.ply < MAX_TURNS:
        time += 1
        at, position = chance.random(), history.position
        if at < 0.03 and history.ply:
            emit(*events_of(WentBack(chance.randrange(max(0, history.ply - 3), history.ply)), history, time))
        elif at < 0.06:
            reason = chance.choice(sorted(TEMPLATES))
            emit(*events_of(Wrong(reason, position.to_move, (3, 4, 9), "…"), history, time))
            emit(*events_of(PutRight(), history, time))
        elif at < 0.063 and players > 2 and not partners:
            act = Acted(time, chance.choice(("resign", "leave")), NAMES[position.to_move])
            emit(act, *result(history.take(act).position, time))
        elif at < 0.065:
            act = Acted(time, "draw", "")
            emit(act, *result(history.take(act).position, time))
        else:
            moves = legal_moves(position, history.rules)
            # Prefer high targets, which lead to captures; with equal chances, games would hardly progress.
            move = max(chance.sample(moves, min(3, len(moves))), key=lambda m: len(position.stacks[m.target]))
            emit(*events_of(TurnSeen(move, 0.9), history, time))
    return history, emitted


@pytest.fixture(scope="module")
def played() -> list[tuple[History, list[tuple[Event, dict]]]]:
    return list(games())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_is_reconstructed_from_its_transcript(language: str, played) -> None:
    voice = Voice(translations(language))
    ended = captures = 0
    for history, emitted in played:
        transcript = []
        for event, after in emitted:
            said = narrate(event, after, voice)
            if said is None:
                continue
            transcript.append(said.text)
            if isinstance(event, Moved):
                assert len(said.text.split()) <= MAX_WORDS, said.text
        heard = Listener(language).rebuild(transcript)
        rules = history.rules
        assert heard.order == "".join(rules.order)
        assert heard.flags == {name for name in ("partners", "fast") if getattr(rules, name)}
        movers = [position.to_move for position in history.positions]
        moves = [str(entry.what) for entry in history.moves]
        assert heard.moves == list(zip(movers, moves, strict=False)), transcript
        turns = [turn for turn in emitted[-1][1]["moves"] if "move" in turn]
        assert heard.taken == [(len(turn["captured"]), len(turn["reserve"])) for turn in turns]
        acts = [turn for turn in emitted[-1][1]["moves"] if "act" in turn]
        assert [(kind, who) for kind, who, _ in heard.acts] == [
            (turn["act"], LETTER.get(turn.get("player", ""), "")) for turn in acts
        ]
        outcome = history.position.result
        assert heard.winners == (None if outcome is None else outcome.winners)
        ended += outcome is not None
        captures += sum(len(turn["captured"]) for turn in turns)
    assert ended > GAMES / 4 and captures > GAMES, "games in which little happens test little"
    assert {len(history.rules.order) for history, _ in played} == {2, 3, 4}
