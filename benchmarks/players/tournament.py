"""Lets two players play many games against each other: win rates with a confidence interval.

    python -m benchmarks.players.tournament ours alpha-beta:4 --players 2 --seconds 0.25 --games 400
    python -m benchmarks.players.tournament ours mcts --players 4 --partners --seconds 1 --games 400

``sparring.py`` lists who can play. Every random opening is played once from each seat: the first player named
has one seat (a pair, with partners), the second all the others. A game that does not end is cut off and
counts as a draw. Seconds are processor time, so that other load on the machine does not matter. The 95 %
interval is computed over openings, because the games of one opening are not independent.

Every opening is added to ``benchmarks/results/tournaments.csv``. Openings that are there already are counted,
not played again, unless the program has changed.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.accuracy.report import Z_95
from benchmarks.players.results import RESULTS_FILE, Pairing, Result, append, program, results_of
from benchmarks.players.sparring import Player, full_name, player
from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position

MAX_TURNS: Final = {2: 500, 3: 2000, 4: 2000}
"""Turns after which a game is cut off, by number of players."""


def opening(rules: Rules, seed: int) -> Position:
    """A position after some random turns in which nobody is clearly winning; deterministic for a seed."""
    choose = random.Random(seed)
    position = start_position(rules)
    turns = choose.randint(4, 8) + sum(position.placing) + sum(position.thirteenth)
    for _ in range(turns):
        position = apply(position, choose.choice(legal_moves(position, rules)), rules)
    return position


def play_game(
    first: Player, second: Player, seat: int, rules: Rules, seconds: float, seed: int
) -> tuple[float, int]:
    """The first player's share of a game (1, 0, or an even split), and its number of turns."""
    position = opening(rules, seed)
    game = [position]
    side = rules.side_of(rules.order[seat])
    for turn in range(MAX_TURNS[rules.players]):
        if position.result is not None:
            return float(rules.order[seat] in position.result.winners), turn
        who = first if position.to_move in side else second
        move = who.move(game, rules, seconds, seed * 7919 + seat)
        position = apply(position, move, rules)
        game.append(position)
    return 1 / len(rules.sides), MAX_TURNS[rules.players]


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """The mean of the openings' shares, and half the width of its 95 % confidence interval."""
    mean = statistics.fmean(shares)
    spread = statistics.stdev(shares) / math.sqrt(len(shares)) if len(shares) > 1 else 0.5
    return mean, Z_95 * spread


def summary(pairing: Pairing, results: Sequence[Result], seats: int) -> str:
    """The score of a pairing in a line."""
    games = sum(result.games for result in results)
    if not games:
        return "no games"
    mean, half = interval([result.share for result in results])
    return (
        f"{pairing.first} - {pairing.second}, {pairing.game}, {pairing.seconds} s a turn: "
        f"{100 * mean:.1f} ± {100 * half:.1f} % of {games} games (fair {100 / seats:.0f} %), "
        f"{sum(result.turns for result in results) / games:.0f} turns a game, "
        f"{sum(result.cut_off for result in results)} cut off"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--players", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--partners", action="store_true")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--set-up", default="pairs")
    parser.add_argument("--seconds", type=float, default=0.25, help="for each turn of each player")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no opening after that time")
    parser.add_argument("--results", type=Path, default=RESULTS_FILE)
    chosen = parser.parse_args()
    more: dict[str, Any] = {"partners": chosen.partners, "fast": chosen.fast, "set_up": chosen.set_up}
    rules = Rules.make(chosen.players, **more)
    variant = "".join(f", {name}" for name in ("partners", "fast") if more[name])
    variant += "" if chosen.set_up == "pairs" else f", {chosen.set_up}"
    pairing = Pairing(
        program(),
        full_name(chosen.first),
        full_name(chosen.second),
        f"{chosen.players} players{variant}",
        chosen.seconds,
    )
    results = list(results_of(pairing, chosen.results))
    played = {result.seed for result in results}
    first, second = player(chosen.first), player(chosen.second)
    seats, began = range(len(rules.sides)), time.perf_counter()
    for number in range(math.ceil(chosen.games / len(seats))):
        if time.perf_counter() - began > 60 * chosen.minutes:
            break
        seed = chosen.seed * 100_003 + number
        if seed in played:
            continue
        games = [play_game(first, second, seat, rules, chosen.seconds, seed) for seat in seats]
        lengths = [length for _, length in games]
        cut_off = lengths.count(MAX_TURNS[rules.players])
        share = statistics.fmean(share for share, _ in games)
        results.append(Result(seed, share, len(games), sum(lengths), cut_off))
        append(pairing, results[-1], chosen.results)
        print(summary(pairing, results, len(seats)), file=sys.stderr, flush=True)
    print(summary(pairing, results, len(seats)))


if __name__ == "__main__":
    main()
