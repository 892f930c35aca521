"""Saves the results of many games line by line in a file, and summarizes them in tables."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from benchmarks.accuracy.scoring import Problem, Score
from benchmarks.quantiles import quantile

Result = dict[str, Any]
"""One game: ``name``, ``group``, its description, and ``scores`` by contestant."""

VERDICTS: Final = ("sure", "fair", "hard", "not found")
"""The verdicts of the mount check, and the label for a board that was never found."""

Z_95: Final = 1.96
"""Half the width of a 95 % confidence interval in standard deviations."""

HISTORY_FIGURES: Final = (
    "hours",
    "games exact",
    "plies right",
    "illegal acts alerted",
    "with the right reason",
    "false alerts",
    "false turns",
    "asked about instead",
)
"""The figures of a run that go into the history of measurements."""

TILT_BINS: Final = (15, 25, 35, 51)
"""Upper bounds of the bins of tilt in degrees."""
PITCH_BINS: Final = (25, 40, 60, 200)
"""Upper bounds of the bins of a square's side in pixels."""


def load(path: Path | None) -> list[Result]:
    """The results saved so far; none if there is no file."""
    if path is None or not path.exists():
        return []
    results = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    for result in results:
        result["scores"] = {name: _score(values) for name, values in result["scores"].items()}
    return results


def keep(path: Path | None, result: Result) -> None:
    """Append a result to the file, if there is one."""
    if path is None:
        return
    written = {**result, "scores": {name: asdict(score) for name, score in result["scores"].items()}}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(written) + "\n")


def _score(values: Mapping[str, Any]) -> Score:
    known = {f.name for f in fields(Score)}
    read = {key: value for key, value in values.items() if key in known}
    read["problems"] = tuple(Problem(**problem) for problem in read["problems"])
    read["latencies"] = tuple(read["latencies"])
    read["reasons"] = {act: tuple(tally) for act, tally in read["reasons"].items()}
    return Score(**read)


def share(right: float, of: float) -> str:
    """ "98.5 % (197/200)"; "–" if ``of`` is 0."""
    return f"{100 * right / of:.1f} % ({right:.0f}/{of:.0f})" if of else "–"


def wilson(right: float, of: float) -> tuple[float, float]:
    """The 95 % Wilson interval (0…1) for ``right`` of ``of``."""
    if not of:
        return 0.0, 1.0
    rate, extra = right / of, Z_95 * Z_95 / of
    middle = (rate + extra / 2) / (1 + extra)
    reach = Z_95 * math.sqrt(rate * (1 - rate) / of + extra / (4 * of)) / (1 + extra)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def share_within(right: float, of: float) -> str:
    """ "98.5 % (197/200; 95.7 to 99.5)": the share and its Wilson interval; "–" if ``of`` is 0."""
    low, high = wilson(right, of)
    return f"{share(right, of)[:-1]}; {100 * low:.1f} to {100 * high:.1f})" if of else "–"


def rate_upper_bound(events: int, of: float) -> float:
    """The 95 % upper bound of a rate after so many events in ``of`` units; 3 / ``of`` after none."""
    low, high = 0.0, 3.0 * events + 10.0
    for _ in range(60):
        mean = (low + high) / 2
        seldom = sum(math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(events + 1))
        low, high = (mean, high) if seldom > 0.05 else (low, mean)
    return high / of if of else math.inf


def table(rows: Iterable[Sequence[object]], head: Sequence[object]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def figures(scores: Sequence[Score]) -> dict[str, str]:
    """Every figure of a set of games, by name."""
    latencies = [latency for score in scores for latency in score.latencies]
    hours = sum(score.seconds for score in scores) / 3600
    false = sum(score.false_alerts for score in scores)

    def shares(right: str, due: str) -> str:
        return share_within(sum(getattr(s, right) for s in scores), sum(getattr(s, due) for s in scores))

    return {
        "hours": f"{hours:.2f}",
        "all right": share_within(sum(s.all_right for s in scores), len(scores)),
        "games exact": share_within(sum(s.exact for s in scores), len(scores)),
        "plies right": shares("plies_ok", "plies_due"),
        "turns in time": shares("in_time_ok", "in_time_due"),
        "late turns": str(sum(s.late_moves for s in scores)),
        "false turns": str(sum(s.wrong_moves for s in scores)),
        "illegal acts alerted": shares("alerts_ok", "alerts_due"),
        "with the right reason": shares("reasons_ok", "alerts_due"),
        "false alerts": str(false),
        "false alerts an hour": f"{false / hours:.2f} (at most {rate_upper_bound(false, hours):.2f})"
        if hours
        else "–",
        "put right": shares("resolved_ok", "resolved_due"),
        "prompts": shares("prompts_ok", "prompts_due"),
        "take-backs": shares("taken_back_ok", "taken_back_due"),
        "questions": str(sum(s.unclear for s in scores)),
        "asked about instead": str(sum(s.asked for s in scores)),
        "missed silently": str(sum(s.silent for s in scores)),
        "games without a false event": share_within(sum(s.nothing_wrong for s in scores), len(scores)),
        "latency, median / 95 %": f"{quantile(latencies, 0.5):.2f} / {quantile(latencies, 0.95):.2f} s",
    }


def for_history(results: Sequence[Result], name: str) -> dict[str, str]:
    """The figures for the history: of all games, by tilt, and of those whose mount check says "sure"."""
    parts = {
        "all": results,
        "15° and more": [result for result in results if result.get("tilt", 0) >= 15],
        "below 15°": [result for result in results if result.get("tilt", 90) < 15],
        "mount check sure": [result for result in results if result.get("mount") == "sure"],
    }
    found: dict[str, str] = {}
    for part, chosen in parts.items():
        values = figures([result["scores"][name] for result in chosen]) | {"games": str(len(chosen))}
        found |= (
            {f"{measure}, {part}": values[measure] for measure in ("games", *HISTORY_FIGURES)}
            if chosen
            else {}
        )
    return found


def by_group(results: Sequence[Result]) -> str:
    """One column per group of games and contestant, one row per figure."""
    columns: dict[str, list[Score]] = defaultdict(list)
    for result in results:
        for name, score in result["scores"].items():
            columns[f"{result['group']}: {name}"].append(score)
    return _figure_table(columns, "")


def _figure_table(columns: Mapping[str, Sequence[Score]], corner: str) -> str:
    """One column per group of games, one row per figure, below the number of games."""
    values = {column: figures(scores) for column, scores in columns.items()}
    rows: list[list[object]] = [["games", *(len(scores) for scores in columns.values())]]
    rows += [[figure, *(values[column][figure] for column in columns)] for figure in figures([])]
    return table(rows, [corner, *columns])


def by_reason(results: Sequence[Result], name: str) -> str:
    """Illegal acts by kind: done, alerted, with the right reason."""
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for result in results:
        for act, counts in result["scores"][name].reasons.items():
            tally[act] = [a + b for a, b in zip(tally[act], counts, strict=True)]
    rows = [
        [act, done, share(seen, done), share(right, done)]
        for act, (done, seen, right) in sorted(tally.items())
    ]
    return table(rows, ["act", "done", "alerted", "right reason"])


def by_view(results: Sequence[Result], name: str) -> str:
    """Games and plies read correctly, by tilt (rows) and pitch in pixels (columns)."""
    cells: dict[tuple[int, int], list[Score]] = defaultdict(list)
    tilts: dict[int, list[Score]] = defaultdict(list)
    for result in results:
        if "tilt" in result:
            row = next(top for top in TILT_BINS if result["tilt"] < top)
            column = next(top for top in PITCH_BINS if result["pitch"] < top)
            cells[row, column].append(result["scores"][name])
            tilts[row].append(result["scores"][name])

    def cell(scores: Sequence[Score]) -> str:
        right, due = sum(s.plies_ok for s in scores), sum(s.plies_due for s in scores)
        return f"{sum(s.all_right for s in scores)}/{len(scores)}, {100 * right / due:.1f} %" if due else "–"

    def spans(tops: Sequence[int], unit: str) -> list[str]:
        return [f"{low}–{top} {unit}" for low, top in zip((0, *tops), tops, strict=False)]

    rows = [
        [label, *(cell(cells[row, column]) for column in PITCH_BINS), _right(tilts[row])]
        for label, row in zip(spans(TILT_BINS, "°"), TILT_BINS, strict=True)
    ]
    return table(rows, ["games all right, plies right", *spans(PITCH_BINS, "px"), "plies right, 95 % sure"])


def _right(scores: Sequence[Score]) -> str:
    return share_within(sum(s.plies_ok for s in scores), sum(s.plies_due for s in scores))


def by_mount(results: Sequence[Result], name: str) -> str:
    """Every figure by the mount check's verdict before the game."""
    columns: dict[str, list[Score]] = {verdict: [] for verdict in VERDICTS}
    for result in results:
        if "mount" in result:
            columns[result["mount"]].append(result["scores"][name])
    return _figure_table(columns, "the mount check says")


def first_problems(results: Sequence[Result], name: str) -> str:
    """The first problem of every game with an error, grouped by kind, the commonest kind first."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for result in results:
        score: Score = result["scores"][name]
        error = result.get("errors", {}).get(name)
        if score.all_right and not error:
            continue
        first = score.problems[0] if score.problems else None
        kind = error or (first.kind if first else "events not in order of time")
        when = f" at {first.time:.1f} s: {first.detail}" if first else ""
        kinds[kind].append(f"{result['name']} ({_view(result)}){when}")
    lines: list[str] = []
    for kind, games in sorted(kinds.items(), key=lambda item: -len(item[1])):
        lines += [f"- {len(games)} × {kind}", *(f"  - {game}" for game in games)]
    return "\n".join(lines) or "Nothing failed."


def _view(result: Result) -> str:
    keys = ("tilt", "pitch", "fps", "size", "players", "found")
    return ", ".join(f"{key} {result[key]}" for key in keys if key in result)
