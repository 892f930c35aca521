"""A game that was only heard: from the transcript alone it is rebuilt, in every language."""

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
from focus_companion.referee.verdict import OtherBegins, PutRight, TurnSeen, WentBack, Wrong
from focus_companion.referee.words import TEMPLATES
from focus_companion.session.beginning import began
from focus_companion.session.events import Acted, Event, Moved
from focus_companion.session.events_from_verdicts import follow, result
from focus_companion.session.history import History, Transition
from focus_companion.session.state_json import change
from focus_companion.speech import Voice, narrate
from focus_companion.web.catalogues import translations

GAMES: Final = 100
"""In which everything happens that there is to tell: every alert, act and end, for 2 to 4 players."""

LONGEST: Final = 160
"""Turns after which a game is broken off: its transcript must rebuild it all the same."""

WORDS: Final = 12
"""What a turn may have at the most."""

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


def games() -> Iterator[tuple[History, list[tuple[Event, dict]]]]:
    """Games of 2 to 4 players with all that may happen: the game, and its events with their states."""
    for seed in range(GAMES):
        yield game(random.Random(seed))


def game(chance: random.Random) -> tuple[History, list[tuple[Event, dict]]]:
    players = chance.choice((2, 3, 4))
    partners = players == 4 and chance.random() < 0.4
    rules = Rules.make(players, partners=partners, fast=not partners and chance.random() < 0.3)
    names = {letter: chance.choice(NAMES_GIVEN) for letter in rules.order}
    history = History.begin(rules, names)
    told: list[tuple[Event, dict]] = []
    listed: list[dict] = []

    def tell(transitions: list[Transition]) -> None:
        nonlocal history, listed
        # Those of one picture are told when all of them have happened.
        after = change(Transition(transitions[-1].event, history, transitions[-1].after))
        history = transitions[-1].after
        listed = [*listed[: after["moves"]["keep"]], *after["moves"]["add"]]
        told.extend((transition.event, after | {"moves": listed}) for transition in transitions)

    tell(history.transitions([began(history, 0.0)]))
    if chance.random() < 0.2:
        first = chance.choice(rules.order[1:])
        tell(follow([OtherBegins(first, start_position(rules.begun_by(first)))], history, 0.0))
    time = 0.0
    while not history.over and len(told) < LONGEST * 2 and history.ply < LONGEST:
        time += 1
        at, position = chance.random(), history.position
        if at < 0.03 and history.ply:
            back = chance.randrange(max(0, history.ply - 3), history.ply)
            tell(follow([WentBack(back)], history, time))
        elif at < 0.06:
            reason = chance.choice(sorted(TEMPLATES))
            tell(follow([Wrong(reason, position.to_move, (3, 4, 9), "…")], history, time))
            tell(follow([PutRight()], history, time))
        elif at < 0.063 and players > 2 and not partners:
            act = Acted(time, chance.choice(("resign", "leave")), NAMES[position.to_move])
            tell(history.transitions([act, *result(history.take(act).position, time)]))
        elif at < 0.065:
            act = Acted(time, "draw", "")
            tell(history.transitions([act, *result(history.take(act).position, time)]))
        else:
            moves = legal_moves(position, history.rules)
            # Long steps onto high stacks end in captures; alike chances would wander about.
            move = max(chance.sample(moves, min(3, len(moves))), key=lambda m: len(position.stacks[m.target]))
            tell(follow([TurnSeen(move, 0.9)], history, time))
    return history, told


@pytest.fixture(scope="module")
def played() -> list[tuple[History, list[tuple[Event, dict]]]]:
    return list(games())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_transcript_alone_rebuilds_the_game(language: str, played) -> None:
    voice = Voice(translations(language))
    ended = captures = 0
    for history, told in played:
        transcript = []
        for event, after in told:
            said = narrate(event, after, voice)
            if said is None:
                continue
            transcript.append(said.text)
            if isinstance(event, Moved):
                assert len(said.text.split()) <= WORDS, said.text
        heard = Listener(language).rebuild(transcript)
        rules = history.rules
        assert heard.order == "".join(rules.order)
        assert heard.flags == {name for name in ("partners", "fast") if getattr(rules, name)}
        movers = [position.to_move for position in history.positions]
        moves = [str(entry.what) for entry in history.moves]
        assert heard.moves == list(zip(movers, moves, strict=False)), transcript
        turns = [turn for turn in told[-1][1]["moves"] if "move" in turn]
        assert heard.taken == [(len(turn["captured"]), len(turn["reserve"])) for turn in turns]
        acts = [turn for turn in told[-1][1]["moves"] if "act" in turn]
        assert [(kind, who) for kind, who, _ in heard.acts] == [
            (turn["act"], LETTER.get(turn.get("player", ""), "")) for turn in acts
        ]
        outcome = history.position.result
        assert heard.winners == (None if outcome is None else outcome.winners)
        ended += outcome is not None
        captures += sum(len(turn["captured"]) for turn in turns)
    assert ended > GAMES / 4 and captures > GAMES, "games that say little show little"
    assert {len(history.rules.order) for history, _ in played} == {2, 3, 4}
