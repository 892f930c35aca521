"""Draws a game against level 1 and one against level 8 for docs/players.md.

    python -m benchmarks.players.level_games docs/images

Their opponent, level 3, stands in for somebody who has played for a while. Searches are limited by the number
of positions, so the games are the same on every machine. Each picture shows six positions of its game, with
the turn that led there.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from focus_companion.formats.svg import board_svg
from focus_companion.game.moves import Move
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.players.choosing import Budget, choose

OPPONENT_LEVEL: Final = 3
NODES: Final = 300_000
SEED: Final = 1
COLUMNS: Final = 3
"""Boards beside each other."""
ROWS: Final = 2
"""Boards above each other."""
WIDTH: Final = 300
"""Width of a board in pixels."""
HEIGHT: Final = 348
"""Height of a board with its caption in pixels."""


def game(level: int) -> list[tuple[Move | None, Position]]:
    """The positions of a game and the turns that led to them; level 3 is green and moves first."""
    rules = Rules.make(2)
    position = start_position(rules)
    played: list[tuple[Move | None, Position]] = [(None, position)]
    while not position.over:
        who = OPPONENT_LEVEL if position.to_move == "g" else level
        earlier = [before for _, before in played[:-1]]
        found = choose(position, rules, who, Budget(nodes=NODES), SEED, earlier)
        position = apply(position, found.move, rules)
        played.append((found.move, position))
    return played


def picture(level: int) -> str:
    """Six positions of the game against ``level``, evenly spaced from the first turns to the last."""
    played = game(level)
    last = len(played) - 1
    count = COLUMNS * ROWS
    title = f"A game of level 3 (green) against level {level} (red), won after {last} turns"
    boards = []
    for number in range(count):
        ply = round(last * (number + 1) / count)
        move, position = played[ply]
        player = "green" if played[ply - 1][1].to_move == "g" else "red"
        board = board_svg(
            position.stacks, title=f"After turn {ply}", captions=[f"{ply}. {player} {move}"], move=move
        )
        x, y = number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT
        boards.append(board.replace("<svg ", f'<svg x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" ', 1))
    box = f"0 0 {COLUMNS * WIDTH} {ROWS * HEIGHT}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label="{title}">'
    return "\n".join([head, f"<title>{title}</title>", *boards]) + "</svg>\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for level in (1, 8):
        (folder / f"level-{level}.svg").write_text(picture(level), encoding="utf-8")


if __name__ == "__main__":
    main()
