"""Takes a position of a recorded game as the start of another."""

from __future__ import annotations

from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.sources import load
from focus_companion.game.faults import IllegalMove
from focus_companion.game.record import positions
from focus_companion.game.rules import Rules, RulesError
from focus_companion.game.setups import start_position
from focus_companion.game.start import Start


def rules_from_game(text: str, data: str | None) -> Rules:
    """The rules of a game that starts from the last position of ``GAME`` (a record file, a game's number in
    the journal, or ``last``) or, for ``GAME@PLY``, from its position after that turn.

    Raises:
        BadInput: there is no such game or turn, or no game can begin from there.
    """
    game, at, turn = text.rpartition("@")
    if not (at and turn.isascii() and turn.isdigit()):
        game, turn = text, ""
    record = load(game, data).games[0]
    try:
        reached = list(positions(record))
    except IllegalMove as error:
        raise BadInput(f"{game}: {error}") from None
    ply = int(turn[:9]) if turn else len(reached) - 1
    if ply >= len(reached):
        raise BadInput(f"{game}: there is no turn {ply}; the last one is {len(reached) - 1}")
    position = reached[ply]
    if position.over:
        raise BadInput(f"{game}: the game is over at turn {ply}; name an earlier one as {game}@{ply - 1}")
    if any(position.thirteenth) or any(position.placing):
        raise BadInput(f"{game}: at turn {ply} pieces are still to be placed; name a later turn")
    start = Start(
        position.stacks, position.reserves, position.captured, position.to_move, "".join(position.out)
    )
    settings = record.rules.to_json() | {"set_up": "position", "start": start.to_json(position.players)}
    try:
        rules = Rules.from_json(settings, played=True)
        start_position(rules)
    except RulesError as error:
        raise BadInput(f"{game}: {error}") from None
    return rules
