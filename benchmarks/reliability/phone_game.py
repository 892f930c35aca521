"""Plays a recorded game through a phone's browser: accuracy, delay, cuts of the network, processor time.

    python -m benchmarks.reliability.phone_game RECORDING.mp4 TRUTH.json
    python -m benchmarks.reliability.phone_game RECORDING.mp4 TRUTH.json --cuts 20

Chromium, whose camera is the recording, sends its pictures over HTTPS on loopback to a real ``play --camera
phone``; ``watch`` reads the same recording as a file, and ``play --camera http://…`` as a network camera. The
delay of an event is the time from the picture at which ``watch`` reports it to its arrival at a listener; it
includes the time for judging that picture.
With ``--cuts`` the recording runs at a third of its speed, and the line is cut that often while it runs,
every other time by closing it and by carrying nothing. The record is then scored against what was played. An
illegal act that was made and put right during a cut cannot be alerted: alerts of acts that were in view for a
second are counted apart.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from benchmarks import history
from benchmarks.accuracy.scoring import Due, Score, dues, score
from benchmarks.processes import processor_seconds
from benchmarks.quantiles import quantile
from benchmarks.reliability.phone_camera import READ_NUMBERS, FrameClock, Line, NetworkCamera, write_camera

FRAME_RATE: Final = 15
"""Pictures a second of the recording, and the maximum of the phone."""

SLOWDOWN: Final = 3
"""Factor by which the recording is slowed down if the network is cut."""

LEAD_SECONDS: Final = 4.0
"""Seconds for which the first picture is shown before the recording runs."""

TRAIL_SECONDS: Final = 8.0
"""Seconds for which the last picture is shown after the recording."""

QUALITY: Final = 85
"""JPEG quality of the network camera, the same as that of the phone's page."""

TIMEOUT: Final = 60.0
"""Seconds to wait for each step."""

CUT_SECONDS: Final = (1.0, 4.0, 6.0)
"""Durations of the cuts, in turn; the companion reports a silent phone after three seconds."""

MIN_SECONDS_IN_VIEW: Final = 1.0
"""Seconds without a cut for which an illegal act must have been in view to count as seen."""

MIN_SECONDS_BETWEEN_CUTS: Final = 3.0
"""Minimum seconds from the first picture after a cut to the next cut."""


@dataclass(frozen=True)
class Received:
    """An event and when it arrived, in seconds since 1970."""

    at: float
    event: Mapping[str, Any]

    @property
    def key(self) -> tuple[str, str]:
        """Identifies the event in different runs of the recording."""
        words = (self.event.get("move") or self.event.get("reason"), *sorted(self.event.get("squares") or ()))
        return self.event["type"], " ".join(str(word) for word in words)


class Play:
    """A running ``play`` with a journal of its own, its events, and the processor time that it takes."""

    def __init__(self, camera: str, rules: list[str], folder: Path) -> None:
        folder.mkdir()
        self.port, self.folder = random.SystemRandom().randrange(20_000, 32_000), folder
        self.received: list[Received] = []
        with (folder / "said.txt").open("w") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "focus_companion.cli", "play", "--camera", camera, *rules,
                 "--port", str(self.port), "--data", str(folder / "data")],
                stdout=said, stderr=said, env=os.environ | {"XDG_RUNTIME_DIR": str(folder)},
            )  # fmt: skip
        self.wait(lambda: "Page: " in self.said, "the page is up")
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def said(self) -> str:
        return (self.folder / "said.txt").read_text()

    def link(self) -> str:
        """The address for the phone."""
        file = self.folder / f"focus-companion-{self.port}.phone"
        self.wait(file.exists, "the phone's address is written")
        return file.read_text().strip()

    def _listen(self) -> None:
        address = f"http://127.0.0.1:{self.port}/api/events?after=0"
        try:
            with urllib.request.urlopen(address) as lines:
                for line in lines:
                    if line.startswith(b"data: "):
                        self.received.append(Received(time.time(), json.loads(line[6:])))
        except OSError:
            return  # the program was stopped

    def wait(self, come: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + TIMEOUT
        while not come():
            if self._process.poll() is not None or time.monotonic() > end:
                sys.exit(f"not in time: {what}\n{self.said}")
            time.sleep(0.02)

    def count(self, kind: str) -> int:
        return sum(item.event["type"] == kind for item in self.received)

    def processor(self) -> float:
        """Seconds of processor time so far."""
        return processor_seconds(self._process.pid)

    def close(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(20)


@contextmanager
def phone(camera: Path, link: str) -> Iterator[Any]:
    """Opens the phone's page in a Chromium whose camera is that file; yields it once its pictures arrive."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    switches = [
        "--no-sandbox",
        "--disable-gpu",
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={camera}",
    ]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=switches)
        page = browser.new_page(ignore_https_errors=True, viewport={"width": 390, "height": 800})
        page.add_init_script(READ_NUMBERS)
        page.goto(link)
        page.wait_for_selector("body[data-ready]")
        page.click("#start")
        page.wait_for_selector("#line[data-line=live]", timeout=TIMEOUT * 1e3)
        yield page
        browser.close()


def whole_game(video: Path, truth: Mapping[str, Any], rules: list[str], folder: Path) -> dict[str, object]:
    """Play the game through the phone, from a file, and from a network camera."""
    by_file = watched(video, rules, folder)
    camera = folder / "camera.y4m"
    lead = round(LEAD_SECONDS * FRAME_RATE)
    trail = round(TRAIL_SECONDS * FRAME_RATE)
    pictures = write_camera(video, camera, rate=FRAME_RATE, lead=lead, trail=trail)
    seconds = (pictures - TRAIL_SECONDS * FRAME_RATE) / FRAME_RATE
    with ExitStack() as closing:
        play = Play("phone", rules, folder / "phone")
        closing.callback(play.close)
        page = closing.enter_context(phone(camera, play.link()))
        load, share = measured(play, seconds)
        shown, sent = page.evaluate("[shown, sent]")
    camera.unlink()
    clock = FrameClock(shown)
    at = [{**item.event, "time": (clock.number(item.at) - lead) / FRAME_RATE} for item in play.received]
    late = delays(play.received, by_file, lambda number: clock.taken(number + lead))
    way = [(arrived - taken) / 1e3 for taken, arrived in sent if taken]
    network = NetworkCamera(video, QUALITY, rate=FRAME_RATE, lead=lead)
    with ExitStack() as closing:
        closing.callback(network.close)
        beside = Play(network.address, rules, folder / "network")
        closing.callback(beside.close)
        _, other = measured(beside, seconds)
    late_beside = delays(beside.received, by_file, lambda number: network.taken(number + lead))
    return {
        "load of the machine": f"{load:.1f}",
        "pictures a second arrived": f"{(len(sent) - 1) / (sent[-1][1] - sent[0][1]) * 1e3:.1f}",
        "pictures a second taken": f"{rate(shown):.1f}",
        **scored(score(truth, at), at, by_file),
        "from phone to companion, median": f"{statistics.median(way):.3f} s",
        "from phone to companion, 95 of 100": f"{quantile(way, 0.95):.3f} s",
        **spread("delay beyond the file", late),
        **spread("delay, network camera", late_beside),
        "processor, phone": f"{share:.1%} of a core",
        "processor, network camera": f"{other:.1%} of a core",
    }


def delays(live: list[Received], filed: list[Received], taken: Callable[[float], float]) -> list[float]:
    """Seconds from the picture at which the run of the file emits an event to its arrival in a live run.

    ``taken`` returns when the recording's picture of that number was taken, in seconds since 1970.
    """
    return [one.at - taken(round(float(event["time"]) * FRAME_RATE)) for one, event in pairs(live, filed)]


def spread(what: str, seconds: list[float]) -> dict[str, object]:
    return {
        f"{what}, median": f"{statistics.median(seconds):.3f} s",
        f"{what}, 95 of 100": f"{quantile(seconds, 0.95):.3f} s",
        f"{what}, longest": f"{max(seconds):.3f} s of {len(seconds)} events",
    }


def rate(shown: list[list[float]]) -> float:
    """Pictures a second that the camera took, from the page's records."""
    return (shown[-1][1] - shown[0][1]) / (shown[-1][0] - shown[0][0]) * 1e3


def measured(play: Play, seconds: float) -> tuple[float, float]:
    """Let the game run; returns the machine's load at its end, and the program's share of a core."""
    play.wait(lambda: play.count("ready") > 0, "the board is found")
    began, used = time.monotonic(), play.processor()
    time.sleep(seconds)
    return os.getloadavg()[0], (play.processor() - used) / (time.monotonic() - began)


def cut_game(
    video: Path, truth: Mapping[str, Any], rules: list[str], folder: Path, cuts: int
) -> dict[str, object]:
    """Play the game through the phone at a third of its speed, with the network cut again and again."""
    by_file = watched(video, rules, folder)
    slow, camera = FRAME_RATE // SLOWDOWN, folder / "camera.y4m"
    lead = round(LEAD_SECONDS * slow)
    pictures = write_camera(video, camera, rate=slow, lead=lead, trail=round(TRAIL_SECONDS * slow))
    end = time.monotonic() + (pictures - TRAIL_SECONDS * slow / 2) / slow
    back: list[float] = []
    away: list[tuple[float, float]] = []
    with ExitStack() as closing:
        play = Play("phone", rules, folder / "cut")
        closing.callback(play.close)
        link = play.link()
        line = Line(int(link.rpartition(":")[2].partition("/")[0]))
        closing.callback(line.close)
        page = closing.enter_context(
            phone(camera, f"https://127.0.0.1:{line.port}/#{link.partition('#')[2]}")
        )
        play.wait(lambda: play.count("ready") > 0, "the board is found")
        end = time.monotonic() + (pictures - TRAIL_SECONDS * slow) / slow
        for number in range(cuts):
            cut = time.time()
            line.cut("silent" if number % 2 else "refused")
            time.sleep(CUT_SECONDS[number % len(CUT_SECONDS)])
            mended = time.time()
            line.mend()
            page.wait_for_function("at => sent.at(-1)[1] > at", arg=mended * 1e3, timeout=TIMEOUT * 1e3)
            first = page.evaluate("at => sent.find(([, arrived]) => arrived > at)[1]", mended * 1e3) / 1e3
            back.append(first - mended)
            away.append((cut, first))
            # The remaining cuts are spread over the rest of the game.
            left = (end - time.monotonic()) / (cuts - number) - statistics.mean(CUT_SECONDS)
            time.sleep(max(MIN_SECONDS_BETWEEN_CUTS, left))
        time.sleep(max(0.0, end - time.monotonic()))
        shown = page.evaluate("shown")
    camera.unlink()
    clock = FrameClock(shown)

    def in_recording(moment: float) -> float:
        return (clock.number(moment) - lead) / FRAME_RATE

    at = [{**item.event, "time": in_recording(item.at)} for item in play.received]
    cuts_at = [(in_recording(begin), in_recording(end)) for begin, end in away]
    alerts = (due for due in dues(truth["frames"]) if due.kind == "alert")
    seen = [due for due in alerts if in_view(due, cuts_at) > MIN_SECONDS_IN_VIEW]
    alerted = sum(any(due.met_by(event) for event in at) for due in seen)
    return {
        "back after, median": f"{statistics.median(back):.2f} s",
        "back after, longest": f"{max(back):.2f} s",
        "back by itself": f"{len(back)}/{cuts}",
        "reported as lost": play.count("lost"),
        "illegal acts in view alerted": f"{alerted}/{len(seen)}",
        **scored(score(truth, at), at, by_file),
    }


def in_view(due: Due, cuts: list[tuple[float, float]]) -> float:
    """The longest time without a cut during which ``due`` could be seen, in seconds."""
    begin, longest = due.begin, 0.0
    for cut, back in cuts:
        if cut < due.end and back > due.begin:
            longest, begin = max(longest, cut - begin), back
    return SLOWDOWN * max(longest, due.end - begin)


def watched(video: Path, rules: list[str], folder: Path) -> list[Received]:
    """The events of the recording read as a file, each received at the time of its picture."""
    events = folder / "file.jsonl"
    command = [
        sys.executable,
        "-m",
        "focus_companion.cli",
        "watch",
        str(video),
        *rules,
        "--events",
        str(events),
    ]
    subprocess.run(command, check=True, capture_output=True)
    found = map(json.loads, events.read_text().splitlines())
    return [Received(float(event["time"]), event) for event in found]


def pairs(live: list[Received], filed: list[Received]) -> Iterator[tuple[Received, Mapping[str, Any]]]:
    """Pairs of the same event in both runs, in order: turns, alerts and what follows them."""
    kinds = ("move", "alert", "resolved", "prompt", "taken_back")
    one, two = ([item for item in run if item.event["type"] in kinds] for run in (live, filed))
    for a, b, size in SequenceMatcher(
        None, [item.key for item in one], [item.key for item in two], autojunk=False
    ).get_matching_blocks():
        for k in range(size):
            yield one[a + k], two[b + k].event


def scored(found: Score, live: Sequence[Mapping[str, Any]], filed: list[Received]) -> dict[str, object]:
    """The figures of a run; ``live``: its events with their times in the recording.

    An alert is false if there is no illegal act on the board at that time, and the run of the file has no
    such alert.
    """
    known = Counter(item.key for item in filed)
    spare = {problem.time for problem in found.problems if problem.what.startswith("false alert")}
    alerts = [(event["time"], Received(0.0, event).key) for event in live if event["type"] == "alert"]
    timely = Counter(key for time, key in alerts if time not in spare)
    for problem in found.problems:
        print(f"  {problem.time:6.1f} s  {problem.what}: {problem.detail}")
    return {
        "record exact": "yes" if found.exact else "no",
        "turns right": f"{found.plies_ok}/{found.plies_due}",
        "alerts in time": f"{found.alerts_ok}/{found.alerts_due}",
        "alerts right and in time": f"{found.reasons_ok}/{found.alerts_due}",
        "false alerts": (Counter(key for _, key in alerts) - (known | timely)).total(),
        "asked": found.unclear,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("video", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--cuts", type=int, default=0, help="cut the line that often instead of measuring")
    parser.add_argument("--no-history", action="store_true", help="append nothing to the history")
    options = parser.parse_args()
    truth = json.loads(options.truth.read_text(encoding="utf-8"))
    settings = truth["settings"]
    names = {"R": "red", "G": "green", "B": "blue", "Y": "yellow"}
    order = ",".join(names[colour] for colour in settings["order"])
    rules = ["--players", str(settings["players"]), "--order", order]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if options.cuts:
            figures = cut_game(options.video, truth, rules, folder, options.cuts)
        else:
            figures = whole_game(options.video, truth, rules, folder)
    for measure, value in figures.items():
        print(f"{measure:32} {value}")
    if not options.no_history:
        setting = f"{options.video.stem}, {options.cuts} cuts" if options.cuts else options.video.stem
        history.append("reliability.phone_game", setting, figures)


if __name__ == "__main__":
    main()
