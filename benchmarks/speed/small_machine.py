"""Measures the program on a small machine: with hard limits of processor time and memory.

    python -m benchmarks.speed.small_machine RECORDING.mp4 … [--command play] [--share 0.12] [--memory 400]
    python -m benchmarks.speed.small_machine RECORDING.mp4 --idle 60 --share 0

A recording lies beside its truth (RECORDING/truth.json). Outside the limits, a camera serves its pictures as
MJPEG, 15 a second: the first ones back and forth until the program reports that it is ready, then all of
them, then the last ones back and forth. ``play`` has three viewers, who follow the events and get a picture
every second, a simulated light board and a journal.

Prints for each recording whether all was right, the delays (seconds from the sending of the picture that
shows it to the event's arrival), what became of the pictures, the peak memory, and the share of one core that
each part took. ``--idle``: only the board before the first turn, for so many seconds; then the share is
measured after the first half.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks import history
from benchmarks.accuracy.scoring import Score, score
from benchmarks.processes import peak_megabytes, processor_seconds
from benchmarks.quantiles import quantile
from benchmarks.speed.limits import limited, make_limit
from benchmarks.speed.mjpeg_camera import MjpegCamera, encoded
from benchmarks.speed.page_viewers import Viewers, page_of

STILL_SECONDS: Final = 20.0
"""Seconds for which the last pictures are shown, for a program that lags behind."""
VIEWERS: Final = 3
PICTURES_BEFORE_PLAY: Final = 14
"""Number of pictures at the beginning of a recording in which no hand is in view yet."""


@dataclass
class Run:
    """The measurements of a run. Times are monotonic."""

    started: float
    limit: str
    """How the limit was enforced."""
    events: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    """Time of arrival and event."""
    figures: dict[str, Any] = field(default_factory=dict)
    before: dict[str, float] = field(default_factory=dict)
    """Each part's seconds in the first half of an idle run."""
    cpu: float = 0.0
    """Processor time in seconds, without the first half of an idle run."""
    wall: float = 0.0
    """Seconds of wall time in which it was used."""
    megabytes: float = 0.0
    page: list[float] = field(default_factory=list)
    """Seconds that each request of a viewer took."""


def rules_of(truth: Mapping[str, Any]) -> list[str]:
    from focus_companion.game.colours import NAMES

    order = [NAMES[letter.lower()] for letter in truth["settings"]["order"]]
    return ["--players", str(len(order)), "--order", ",".join(order)]


def run(
    command: str, rules: list[str], camera: MjpegCamera, share: float | None, memory: int | None, idle: bool
) -> Run:
    """Run the program, from its start until the camera's last picture has been judged."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = folder / "figures.json"
        program = [sys.executable, "-m", "benchmarks.speed.parts", str(figures), command]
        environment = _compiled() | {"FOCUS_COMPANION_CONFIG": str(folder / "config.toml")}
        lines = subprocess.PIPE if command == "watch" else (folder / "out").open("w")
        with contextlib.ExitStack() as closing:
            (folder / "config.toml").write_text(_lights(folder, closing) if command == "play" else "")
            if command == "watch":
                arguments = [camera.address, *rules, "--events", "-"]
            else:
                place = ["--data", str(folder / "data"), "--port", "0"]
                arguments = ["--camera", camera.address, *rules, *place]
            limit = make_limit(share, memory)
            done = Run(time.monotonic(), limit.kind)
            process = closing.enter_context(
                limited([*program, *arguments], limit, env=environment,
                        stdout=lines, stderr=(folder / "err").open("w"), text=True)
            )  # fmt: skip
            viewers = None
            if command == "watch":
                reader = threading.Thread(target=_read, args=(process.stdout, done, camera), daemon=True)
                reader.start()
            else:
                page = page_of(process, folder / "out")
                viewers = closing.enter_context(
                    Viewers(page, VIEWERS, lambda event: _heard(event, done, camera), done.page)
                )
            try:
                _measure(process, camera, done, figures if idle else None)
            except OSError:
                sys.exit(f"the program has ended: {(folder / 'err').read_text()[-2000:]}")
            if command == "watch":
                # The stream ends; the program judges pending pictures and exits.
                process.wait(60)
                reader.join()
                done.figures = json.loads(figures.read_text(encoding="utf-8"))
            else:
                done.figures = _written(process, figures)
            if viewers is not None:
                viewers.close()
    return done


def _compiled() -> dict[str, str]:
    """Compile the modules, as an installation does; returns the environment for the program."""
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    compiling = [sys.executable, "-m", "compileall", "-q", "focus_companion", "benchmarks"]
    subprocess.run(compiling, env=environment, cwd=Path(__file__).parents[2], check=True)
    return environment


def _lights(folder: Path, closing: contextlib.ExitStack) -> str:
    """A simulated light board, and the settings that name it."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "lights"))
    from light_board_fake import FakeBoard

    board = FakeBoard(folder / "ttyFOCUS")
    closing.callback(board.unplug)
    return f'[lights]\n[lights.serial]\nport = "{board.link}"\nack_timeout = 1.0\n'


def _measure(process: subprocess.Popen[str], camera: MjpegCamera, done: Run, figures: Path | None) -> None:
    """Measure processor time and memory until the camera has sent its last picture; ``figures``: the file to
    which the program writes the figures of the first half, which do not count.
    """
    from_time, from_cpu = done.started, 0.0
    while not camera.over.wait(0.2):
        if process.poll() is not None:
            raise OSError("ended")
        done.megabytes = peak_megabytes(process.pid)
        done.cpu, done.wall = processor_seconds(process.pid) - from_cpu, time.monotonic() - from_time
        if figures is not None and from_cpu == 0.0 and camera.half_played:
            from_time, from_cpu = time.monotonic(), processor_seconds(process.pid)
            done.before = _written(process, figures)["seconds"]


def _written(process: subprocess.Popen[str], figures: Path) -> dict[str, Any]:
    """The program's figures so far."""
    figures.unlink(missing_ok=True)
    process.send_signal(signal.SIGUSR2)
    _until(figures.exists, 30)
    found: dict[str, Any] = json.loads(figures.read_text(encoding="utf-8"))
    return found


def _read(lines: Iterator[str], done: Run, camera: MjpegCamera) -> None:
    for line in lines:
        _heard(json.loads(line), done, camera)


def _heard(event: dict[str, Any], done: Run, camera: MjpegCamera) -> None:
    done.events.append((time.monotonic(), event))
    if event["type"] == "ready":
        camera.play()  # the players begin


def _until(reached: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > end:
            sys.exit(f"nothing has happened for {seconds:.0f} seconds")
        time.sleep(0.05)


def shifted(done: Run, camera: MjpegCamera) -> list[dict[str, Any]]:
    """The events, with their times relative to the recording."""
    by = done.figures["noted"]["camera read from"] - camera.began
    return [event | {"time": round(event["time"] + by, 3)} for _, event in done.events]


def arrivals(done: Run, camera: MjpegCamera, events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, with their times of arrival."""
    return [event | {"time": at - camera.began} for (at, _), event in zip(done.events, events, strict=True)]


def late(truth: Mapping[str, Any], arrived: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    """For each event that is due, its picture's time in the recording, and the seconds until its arrival,
    however
    late that is.

    Events arrive in order, so the n-th due event of a kind is the n-th emitted one.
    """
    from benchmarks.accuracy.scoring import dues

    waiting = [event for event in arrived if event["type"] in ("move", "alert", "taken_back")]
    found = []
    for due in dues(truth["frames"]):
        if due.kind not in ("move", "alert", "taken_back"):
            continue
        hit = next((event for event in waiting if event["type"] == due.kind), None)
        if hit is not None:
            waiting.remove(hit)
            found.append((due.begin, hit["time"] - due.begin))
    return found


def report(truth: Mapping[str, Any], done: Run, camera: MjpegCamera, share: float | None) -> dict[str, str]:
    events = shifted(done, camera)
    scored: Score = score(truth, events)
    delivered = late(truth, arrivals(done, camera, events))
    latest = sorted(delivered, key=_by_delay)
    delays = [delay for _, delay in delivered]
    moves = [at for at, event in done.events if event["type"] == "move"]
    counts = done.figures["counts"]
    figures = {
        "events": "all right" if scored.all_right else _faults(scored),
        "delay in the stream, median and p95": _two(scored.latencies),
        "delay until told, median and p95": _two(delays),
        "told latest": ", ".join(f"{by:.1f} s at {at:.0f} s" for at, by in latest[:4]),
        "start to the first turn told": f"{moves[0] - done.started:.1f} s" if moves else "none",
        "start to the camera, to ready": f"{camera.connected - done.started:.1f} s, "
        f"{camera.began - done.started:.1f} s",
        **usage(done, camera, counts),
    }
    if lost := [event for _, event in done.events if _is_fault(event)]:
        figures["lost"] = ", ".join("{time:.1f} s {what} {why}".format(**event) for event in lost)
    if done.page:
        figures["page, median and p99"] = (
            f"{statistics.median(done.page):.2f} s, {quantile(done.page, 0.99):.2f} s"
        )
    return figures


def usage(done: Run, camera: MjpegCamera, counts: Mapping[str, int]) -> dict[str, str]:
    figures = {
        "pictures sent, left out by the camera": f"{camera.sent}, {camera.late}",
        "pictures decoded, judged": f"{counts.get('imdecode', 0)}, {counts.get('Session.push', 0)}",
        "looks judged": str(counts.get("Watching._compare", 0)),
        "peak memory": f"{done.megabytes:.0f} MB",
        "processor, of one core": f"{100 * done.cpu / done.wall:.1f} %",
    }
    spent_on = {part: all_of_it - done.before.get(part, 0.0) for part, all_of_it in
                done.figures["seconds"].items()}  # fmt: skip
    total = sum(spent_on.values())
    parts = sorted(spent_on.items(), key=lambda part: -part[1])
    figures["of it"] = ", ".join(
        f"{part} {100 * s / total:.0f} % ({s:.2f} s)" for part, s in parts if s > 0.005 * total
    )
    return figures


def _is_fault(event: Mapping[str, Any]) -> bool:
    # The end of the camera's stream is no fault.
    return bool(event["type"] == "lost" and event["why"] != "ended")


def _two(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return f"{statistics.median(values):.2f} s, {quantile(values, 0.95):.2f} s"


def _by_delay(delivered: tuple[float, float]) -> float:
    return -delivered[1]


def _faults(scored: Score) -> str:
    return f"{len(scored.problems)} problems: " + "; ".join(
        f"{problem.time:.1f} s {problem.what}" for problem in scored.problems[:6]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recordings", nargs="+", type=Path)
    parser.add_argument("--command", choices=("watch", "play"), default="watch")
    parser.add_argument("--share", type=float, default=0.12, help="of one core; 0: unlimited")
    parser.add_argument("--memory", type=float, default=400, help="megabytes; 0: unlimited")
    parser.add_argument("--idle", type=float, metavar="SECONDS")
    parser.add_argument("--keep", action="store_true", help="append the figures to the history")
    given = parser.parse_args()
    share, memory = given.share or None, round(given.memory * 1e6) or None
    for recording in given.recordings:
        truth = json.loads((recording.with_suffix("") / "truth.json").read_text(encoding="utf-8"))
        idle = given.idle is not None
        pictures = encoded(recording, PICTURES_BEFORE_PLAY if idle else None)
        camera = MjpegCamera(pictures, PICTURES_BEFORE_PLAY, given.idle if idle else STILL_SECONDS)
        try:
            done = run(given.command, rules_of(truth), camera, share, memory, idle)
        finally:
            camera.close()
        counts = done.figures["counts"]
        figures = usage(done, camera, counts) if idle else report(truth, done, camera, share)
        figures["load of the machine"] = f"{os.getloadavg()[0]:.1f}"
        kind = "idle " if idle else ""
        setting = (
            f"{kind}{given.command} {recording.stem}, {given.share:.0%} of a core, {given.memory:.0f} MB"
        )
        print(f"\n{setting} ({done.limit})")
        for measure, value in figures.items():
            print(f"  {measure}: {value}", flush=True)
        if given.keep:
            history.append("speed.small_machine", setting, figures)


if __name__ == "__main__":
    main()
