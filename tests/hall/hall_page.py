"""The hall's page with many tables in a browser: its speed and appearance.

    PYTHONPATH=tests python tests/hall/hall_page.py FOLDER [--tables 300] [--seconds 10]

Prints for each width the time until all tables are drawn, the time that the page needs for an event, and the
layout shift while tables play and alerts come and go; FOLDER gets the screenshots. The tables are generated
here and fed to a real hall without a broker; benchmarks/load/hall.py measures the path of an event from the
table on.
"""

from __future__ import annotations

import argparse
import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from system_browser import system_browser

from focus_companion.formats.strict_json import compact
from focus_companion.game.colours import NAMES
from focus_companion.game.moves import legal_moves
from focus_companion.game.rules import Rules
from focus_companion.hall.app import create_hall
from focus_companion.hall.evening import Evening
from focus_companion.mqtt.line import Message
from focus_companion.mqtt.messages import write_log, write_status
from focus_companion.mqtt.topics import Topics
from focus_companion.session.clock import TimeControl
from focus_companion.session.events import Alert, Event, GameBegan, Prompt, Ready, Resolved
from focus_companion.session.events_from_verdicts import turn
from focus_companion.session.history import History
from focus_companion.session.state_json import standing
from focus_companion.web.server import PageServer

PEOPLE = (
    *("Ann", "Bob", "Cleo", "Dan", "Eva", "Filip", "Gina", "Hugo", "Ida", "Jan", "Kai", "Lea", "Małgorzata"),
    *("Noor", "Olaf", "Pia", "Quinn", "Rosa", "Sven", "Tess", "Uli", "Vera", "Wim", "Xenia", "Yves", "Zoë"),
)

WATCH = """() => {
  window.shift = 0;
  window.long = 0;
  const watch = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: false });
  watch("layout-shift", (entry) => (window.shift += entry.hadRecentInput ? 0 : entry.value));
  watch("longtask", (entry) => (window.long = Math.max(window.long, entry.duration)));
}"""


class Made:
    """A table that exists only as messages: a random game, fed to the evening."""

    def __init__(self, evening: Evening, number: int, chance: random.Random) -> None:
        self.name, self._evening, self._chance = f"Table {number}", evening, chance
        players = chance.choice((2, 2, 2, 3, 4))
        rules = Rules.make(players)
        names = dict(zip(rules.order, chance.sample(PEOPLE, players), strict=True))
        self.history = History.begin(rules, names, game=1, date="2026-11-20")
        control = TimeControl("down", 900, 10) if number % 3 else None
        seated = {NAMES[letter]: {"name": name} for letter, name in names.items()}
        begun = GameBegan(
            0.0, 1, rules.to_json(), seated, self.history.position.text, control and control.to_json()
        )
        self.seq = 0
        self.take(begun, Ready(1.0, self.history.position.text))
        for _ in range(chance.randrange(4, 60)):
            self.play()

    def take(self, *events: Event) -> None:
        self.history = self.history.take_all(events)
        self.seq += len(events)

    @property
    def time(self) -> float:
        return self.history.time

    def play(self) -> None:
        moves = legal_moves(self.history.position, self.history.rules)
        if moves and not self.history.over:
            self.take(
                *turn(self._chance.choice(moves), 1.0, self.history, self.time + self._chance.uniform(2, 9))
            )

    def alert(self) -> None:
        player = NAMES[self.history.position.to_move or self.history.position.players[0]]
        text = f"{player.capitalize()} moved 2 pieces by 3 squares. Put them back, then go exactly 2 squares."
        self.take(Alert(self.time, "distance", player, ["d5", "d6"], text))

    def prompt(self) -> None:
        self.take(Prompt(self.time, "d5", [{"piece": "r", "to": "captured", "owner": "red"}]))

    def resolve(self) -> None:
        self.take(Resolved(self.time))

    def tell(self, *, camera: str = "ok", alert_at: str | None = None) -> None:
        history = self.history
        clock = history.clock and history.clock.to_json(self.time, history.position.players)
        state = standing(history) | {"table": self.name, "journal": "j", "seq": self.seq, "clock": clock}
        self._send("state", compact(state | {"camera": camera, "alert_at": alert_at}).encode())

    def status(self, online: bool = True) -> None:
        self._send("status", write_status(online, "j", 0, "test"))

    def over(self) -> None:
        """Publish the complete game, as ended now."""
        position = self.history.position
        order = [NAMES[letter] for letter in position.players]
        head = {
            "table": self.name,
            "journal": "j",
            "game": 1,
            "began": "2026-11-20T19:00:00+00:00",
            "prev": 0,
        }
        head |= {"first": 1, "last": self.seq, "plies": self.history.ply, "order": order}
        head |= {"players": {NAMES[letter]: name for letter, name in self.history.players.items()}}
        head |= {"points": {colour: self._chance.randrange(20) for colour in order}}
        head |= {"result": {"winners": [self._chance.choice(order)], "reason": "domination"}}
        self._send("games/1", write_log(head, ()))

    def _send(self, kind: str, payload: bytes) -> None:
        topics = Topics(self.name)
        topic = topics.game(1) if kind.startswith("games") else getattr(topics, kind)
        self._evening.take(Message(topic, payload, True))


@contextmanager
def hall_of(count: int, chance: random.Random) -> Iterator[tuple[list[Made], str]]:
    """A hall with this many tables, a few of them in each kind of trouble; and its address."""
    evening = Evening()
    evening.news.line(True)
    tables = [Made(evening, number, chance) for number in range(1, count + 1)]
    for index, table in enumerate(tables):
        if index % 71 == 16:
            table.alert()
        if index % 97 == 30:
            table.prompt()
        if index % 13 == 5:
            table.over()
        table.status(online=index % 113 != 40)
        camera = "no board" if index % 131 == 50 else "ok"
        table.tell(camera=camera, alert_at=f"2026-11-20T19:{59 - index % 60:02}:00+00:00")
    with PageServer(create_hall(evening, viewers=8), port=0) as server:
        yield tables, f"http://127.0.0.1:{server.port}/"
        evening.news.close()


def run(folder: Path, count: int, seconds: float) -> None:
    """Measure and take screenshots at both widths, light and dark."""
    from playwright.sync_api import sync_playwright

    chance = random.Random(7)
    with hall_of(count, chance) as (tables, address), sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=system_browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        for width, height in ((768, 1024), (1920, 1080)):
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                page.goto(address)
                page.wait_for_selector(f"#tables li:nth-child({count})", state="attached")
                drawn = page.evaluate(
                    "() => new Promise((done) => requestAnimationFrame(() => done(performance.now())))"
                )
                page.wait_for_timeout(1500)
                page.screenshot(path=folder / f"hall-{count}-{width}-{scheme}.png")
                if scheme == "light":
                    print(
                        json.dumps(
                            {"width": width, "drawn_ms": round(drawn)} | _play(page, tables, chance, seconds)
                        ),
                        flush=True,
                    )
                    page.locator("#arbiter li button").first.click()
                    page.wait_for_timeout(500)
                    page.screenshot(path=folder / f"hall-{count}-{width}-chosen.png")
                page.close()
        browser.close()


def _play(page: Any, tables: list[Made], chance: random.Random, seconds: float) -> dict[str, Any]:
    """60 turns a second and an alert every second; returns the time that the page needed."""
    page.evaluate(WATCH)
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable")

    def metrics() -> dict[str, float]:
        return {each["name"]: each["value"] for each in cdp.send("Performance.getMetrics")["metrics"]}

    stop, sent = threading.Event(), [0]

    def bring() -> None:
        open_now: list[Made] = []
        while not stop.wait(1 / 60):
            table = chance.choice(tables)
            if table.history.over:
                continue
            if sent[0] % 60 == 0:
                table.alert()
                open_now.append(table)
            elif sent[0] % 60 == 30 and open_now:
                table = open_now.pop(0)
                table.resolve()
            elif table.history.alert is None:
                table.play()
            table.tell(alert_at="2026-11-20T20:00:00+00:00")
            sent[0] += 1

    before = metrics()
    bringing = threading.Thread(target=bring)
    bringing.start()
    page.wait_for_timeout(1000 * seconds)
    stop.set()
    bringing.join()
    after = metrics()
    spent = {
        key: 1000 * (after[key] - before[key])
        for key in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration", "TaskDuration")
    }
    return {
        "events": sent[0],
        "ms_an_event": {key: round(value / sent[0], 2) for key, value in spent.items()},
        "longest_task_ms": round(page.evaluate("window.long")),
        "layout_shift": round(page.evaluate("window.shift"), 4),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=10)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    run(asked.folder, asked.tables, asked.seconds)
