"""Trains the evaluation: the engine plays itself, and the weights are fitted to the results.

    python -m benchmarks.players.train_evaluation 2 --games 800 --nodes 1500 --data GAMES

Plays games of one kind (``2``, ``2-fast``, ``3`` … ``4-partners``), adds their positions to those in the
folder, fits the weights to a blend of results and search scores, and writes
``focus_companion/players/weights/KIND.json``. Run it again to play with the new weights; old games stay in
the folder until they are deleted.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.players import weights as room
from focus_companion.players.engine import Engine
from focus_companion.players.evaluation import ORBIT, progress, shape
from focus_companion.players.weights import KINDS, ORBITS, PROGRESS, RESERVES, SHAPES, Weights, weights_of

MAX_PLIES = {2: 300, 3: 1500, 4: 1500}
"""Plies after which a game is cut off and not used for training, by number of players."""

SAMPLING_INTERVAL = {2: 1, 3: 4, 4: 4}
"""One in this many positions is used, because long games have many similar ones."""

STACK_FEATURES = ORBITS * SHAPES
PLACING_FEATURE = STACK_FEATURES + RESERVES
FEATURES = PLACING_FEATURE + 2 + PROGRESS
"""Number of features of one player: stacks by kind and shape, reserve steps, pieces to place, to move,
progress steps."""


def features(position: Position, rules: Rules) -> NDArray[np.int8]:
    """(players, FEATURES) counts; all zero for a player who is out."""
    table = np.zeros((len(position.players), FEATURES), np.int8)
    for square, stack in enumerate(position.stacks):
        if stack:
            owner = stack[-1]
            kind = ORBIT[square] * SHAPES + shape(stack, rules.side_of(owner))
            table[position.players.index(owner), kind] += 1
    for index, player in enumerate(position.players):
        row = table[index]
        row[STACK_FEATURES + 1 : STACK_FEATURES + 1 + min(position.reserves[index], RESERVES - 1)] = 1
        if position.placing:
            row[PLACING_FEATURE] = position.placing[index]
        row[PLACING_FEATURE + 1] = player == position.to_move
        if rules.fast:
            way = int(16 * progress(position, rules, player) + 1e-9)
            row[PLACING_FEATURE + 3 : PLACING_FEATURE + 3 + way] = 1
        if player in position.out:
            row[:] = 0
    return table


def rules_of(kind: str, choose: random.Random) -> Rules:
    """Rules of that kind, sometimes with one of the variants that share its weights."""
    more: dict[str, Any] = {"fast": kind.endswith("fast"), "partners": kind.endswith("partners")}
    if kind.startswith("2"):
        more["set_up"] = choose.choice(("pairs",) * 5 + ("checkerboard", "drop"))
    if choose.random() < 0.1:
        more["reserve_on"] = "empty_or_own"
    return Rules.make(int(kind[0]), **more)


def play_game(engine: Engine, kind: str, nodes: int, noise: int, seed: int) -> dict[str, list[Any]]:
    """One game against itself: features, who moved, its score and the winners, one row per position."""
    choose = random.Random(seed)
    rules = rules_of(kind, choose)
    position = start_position(rules)
    game = [position]
    rows: dict[str, list[Any]] = {"features": [], "mover": [], "score": [], "winners": []}
    opening = choose.randint(2, 10) + sum(position.placing) + sum(position.thirteenth)
    for ply in range(MAX_PLIES[rules.players]):
        if position.over:
            break
        if ply < opening or choose.random() < 0.03:
            move = choose.choice(legal_moves(position, rules))
        else:
            engine.set_up(position, rules, earlier=game[:-1])
            found = engine.search(nodes=nodes, noise=noise, seed=seed)
            move = found.move
            if abs(found.score) < 20000 and ply % SAMPLING_INTERVAL[rules.players] == 0:
                rows["features"].append(features(position, rules))
                rows["mover"].append(position.players.index(position.to_move))
                rows["score"].append(found.score)
        position = apply(position, move, rules)
        game.append(position)
    winners = [0] * rules.players
    if position.result is not None:
        winners = [int(player in position.result.winners) for player in position.players]
    rows["winners"] = [winners] * len(rows["mover"])
    return rows


def collect(kind: str, games: int, nodes: int, noise: int, seed: int, folder: Path) -> None:
    """Play games and save their positions to a new file in the folder."""
    engine, kept, began = Engine(), [], time.perf_counter()
    for number in range(games):
        rows = play_game(engine, kind, nodes, noise, seed * 1_000_003 + number)
        if rows["mover"] and any(rows["winners"][0]):
            kept.append(rows)
    arrays = {key: np.array([row for rows in kept for row in rows[key]]) for key in kept[0]}
    folder.mkdir(parents=True, exist_ok=True)
    arrays["score"] = arrays["score"].astype(np.int16)
    np.savez_compressed(folder / f"{kind}_{seed}.npz", **arrays)  # type: ignore[arg-type]
    seconds = time.perf_counter() - began
    print(f"{kind}: {len(kept)} of {games} games decided, {len(arrays['mover'])} positions, {seconds:.0f} s")


def flat(weights: Weights) -> NDArray[np.float64]:
    """The weights as one vector in the order of :func:`features`, in nats."""
    vector = np.zeros(FEATURES)
    vector[:STACK_FEATURES] = np.array(weights.stack).ravel()
    vector[STACK_FEATURES + 1 : PLACING_FEATURE] = np.diff(weights.reserve)
    vector[PLACING_FEATURE], vector[PLACING_FEATURE + 1] = weights.unplaced, weights.tempo
    vector[PLACING_FEATURE + 3 :] = np.diff(weights.progress)
    return vector / 1000


def shaped(vector: NDArray[np.float64], old: Weights) -> Weights:
    """The weights from a vector, with the conversion to chances of ``old``."""
    whole = np.rint(vector * 1000).astype(int)
    return Weights(
        tuple(tuple(row) for row in whole[:STACK_FEATURES].reshape(ORBITS, SHAPES).tolist()),
        tuple(np.concatenate([[0], np.cumsum(whole[STACK_FEATURES + 1 : PLACING_FEATURE])]).tolist()),
        int(whole[PLACING_FEATURE]),
        tuple(np.concatenate([[0], np.cumsum(whole[PLACING_FEATURE + 3 :])]).tolist()),
        int(whole[PLACING_FEATURE + 1]),
        -8000,
        old.scale,
        old.shift,
    )


def fit(kind: str, folder: Path, blend: float, hold: float, epochs: int) -> Weights:
    """Fit the weights to the games in the folder, regularized towards the current ones.

    ``blend`` is the fraction of the game's result in the target, the rest being the search's own score;
    ``hold`` is the strength of the regularization, which dominates weights with few positions.
    """
    loaded = [np.load(path) for path in sorted(folder.glob(f"{kind}_*.npz"))]
    data = {key: np.concatenate([one[key] for one in loaded]) for key in loaded[0]}
    old = weights_of(kind)
    before = flat(old)
    x, mover, won = data["features"], data["mover"], data["winners"].astype(np.float32)
    partners, players = kind.endswith("partners"), x.shape[1]
    here = ~(x == 0).all(axis=2)
    chance = 1 / (1 + np.exp(-data["score"] / 1000 * old.scale - old.shift))
    if players > 2 and not partners:
        # It is unknown how the rest of the chance divides among the others, and a search that assumes them
        # all to be allied is pessimistic.
        blend = 1.0
    seats = np.arange(players)
    mine = (seats[None, :] - mover[:, None]) % (2 if partners else players) == 0
    predicted = np.where(mine, chance[:, None], 1 - chance[:, None])
    target = (blend * won + (1 - blend) * predicted).astype(np.float32)
    if partners:
        x = np.stack([x[:, side::2].sum(1, dtype=np.int8) for side in (0, 1)], 1)
        target, here = target[:, :2], np.ones((len(target), 2), bool)
    vector, first, second = before.copy(), np.zeros(FEATURES), np.zeros(FEATURES)
    order, batch, step = np.random.default_rng(1), 4096, 0
    apart = order.random(len(x)) < 0.08
    rows = np.flatnonzero(~apart)
    for epoch in range(epochs):
        order.shuffle(rows)
        rate = 0.02 * 0.5 * (1 + math.cos(math.pi * epoch / epochs))
        for begin in range(0, len(rows), batch):
            part = rows[begin : begin + batch]
            _, gradient = _loss(vector, x[part], target[part], here[part])
            gradient += hold * (vector - before) / len(rows)
            step += 1
            first = 0.9 * first + 0.1 * gradient
            second = 0.999 * second + 0.001 * gradient**2
            vector = vector - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    was, _ = _loss(before, x[apart], target[apart], here[apart])
    now, _ = _loss(vector, x[apart], target[apart], here[apart])
    print(f"{kind}: {len(x)} positions; loss on positions kept apart {was:.4f} before, {now:.4f} after")
    return shaped(vector, old)


def _loss(
    vector: NDArray[np.float64], x: NDArray[np.int8], target: NDArray[np.float32], here: NDArray[np.bool_]
) -> tuple[float, NDArray[np.float64]]:
    counts = x.astype(np.float32)
    values = np.where(here, counts @ vector.astype(np.float32), -1e4)
    values -= values.max(1, keepdims=True)
    shares = np.exp(values)
    shares /= shares.sum(1, keepdims=True)
    wrong = shares - target
    gradient = np.einsum("npf,np->f", counts, wrong, optimize=True) / len(x)
    return float(-(target * np.log(shares + 1e-9)).sum(1).mean()), gradient.astype(np.float64)


def fit_chances(kind: str, folder: Path) -> tuple[float, float]:
    """Scale and shift that convert a search's score to the mover's chance, from the newest games."""
    newest = max(folder.glob(f"{kind}_*.npz"), key=lambda path: path.stat().st_mtime)
    data = np.load(newest)
    score = data["score"].astype(np.float64) / 1000
    won = data["winners"][np.arange(len(score)), data["mover"]]
    columns = np.stack([score, np.ones_like(score)], 1)
    found = np.array([1.0, 0.0])
    for _ in range(30):  # Newton's method for a logistic regression; two equal sides need no shift
        predicted = 1 / (1 + np.exp(-columns @ found))
        gradient = columns.T @ (predicted - won)
        curvature = (columns * (predicted * (1 - predicted))[:, None]).T @ columns
        if data["winners"].shape[1] == 2 or kind.endswith("partners"):
            found[0] -= gradient[0] / curvature[0, 0]
        else:
            found = found - np.linalg.solve(curvature, gradient)
    predicted = 1 / (1 + np.exp(-columns @ found))
    for low in np.arange(0, 1, 0.1):
        here = (predicted >= low) & (predicted < low + 0.1)
        if here.any():
            print(f"  predicted {predicted[here].mean():.2f}, won {won[here].mean():.2f} of {here.sum()}")
    return round(float(found[0]), 3), round(float(found[1]), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--nodes", type=int, default=1500)
    parser.add_argument("--noise", type=int, default=80, help="of the players, in thousandths")
    parser.add_argument("--seed", type=int, default=1, help="another one for every round")
    parser.add_argument("--blend", type=float, default=0.6, help="part of the result in what is fitted")
    parser.add_argument("--hold", type=float, default=20.0, help="how strongly weights stay where they were")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--data", type=Path, required=True, help="folder of the games played")
    parser.add_argument(
        "--chances", action="store_true", help="fit how scores are converted to chances, nothing else"
    )
    chosen = parser.parse_args()
    if chosen.games:
        collect(chosen.kind, chosen.games, chosen.nodes, chosen.noise, chosen.seed, chosen.data)
    if chosen.chances:
        scale, shift = fit_chances(chosen.kind, chosen.data)
        weights = replace(weights_of(chosen.kind), scale=scale, shift=shift)
    else:
        weights = fit(chosen.kind, chosen.data, chosen.blend, chosen.hold, chosen.epochs)
    path = Path(room.__file__).parent / "weights" / f"{chosen.kind}.json"
    path.write_text(json.dumps(weights.to_json()) + "\n")


if __name__ == "__main__":
    main()
