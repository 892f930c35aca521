"""Screenshots of each step from the first start to the end of a game, on a phone, in the three languages.

    PYTHONPATH=tests python tests/web/step_screenshots.py docs/images [--only STEP …]

Each picture shows all languages side by side; elements that overflow or have no name are printed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import screenshots as shots
from browsing import SWITCHES, Seen, playwright
from PIL import Image
from system_browser import system_browser

from focus_companion.game.rules import Rules
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal
from focus_companion.vision.capture.phone import PhoneCamera
from focus_companion.web.app import create_app
from focus_companion.web.phone.app import create_phone_app
from focus_companion.web.phone.holder import Holder
from focus_companion.web.server import PageServer

PHONE: Final = {"width": 390, "height": 844}
SCALE: Final = 0.62
JPEG_QUALITY: Final = 55
GAP_PIXELS: Final = 8
FAKE_CAMERA: Final = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
PHONE_PICTURE: Final = shots.IMAGES / "2p-oblique-start.jpg"
"""The picture from the phone's camera."""
ADDRESS: Final = "https://192.168.1.20:8001/#word"

FAULTS: Final = """() => {
  const faults = [];
  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) faults.push(`wider than the screen: ${width}`);
  for (const e of document.querySelectorAll("button, a[href], input, select, summary")) {
    if (!e.checkVisibility()) continue;
    const name = e.getAttribute("aria-label") || e.textContent.trim() || e.title
      || e.labels?.[0]?.textContent || e.placeholder;
    if (!name) faults.push(`no name: ${e.outerHTML.slice(0, 90)}`);
    if (e.matches("button") && e.scrollWidth > e.clientWidth + 1) faults.push(`cut off: ${name}`);
  }
  return faults; }"""


class CameraOffer:
    """No camera is plugged in; another one may be chosen."""

    found = None

    def take(self, source: str | None = None) -> bool:
        return True


def _demo(stage: shots.Stage, folder: Path) -> None:
    """A game on the simulated board, as at the first start."""
    stage.session.close()
    stage.journal.close()
    stage.journal = Journal(folder / "demo", write=True)
    rules = Rules.make(order=("red", "green"))
    stage.session = Session(rules, {}, stage.journal, lambda _: stage.sight, demo=True)
    shots.begun(stage, 2)


def _send(page: Any) -> None:
    page.click("#start")
    page.wait_for_selector("#line[data-line=live]")
    page.wait_for_timeout(500)


Act = Callable[[Any], None]
STEPS: Final[dict[str, tuple[Callable[..., None] | None, Act, dict[str, Any]]]] = {
    "camera": (None, shots.nothing, {"offer": CameraOffer()}),
    "scan": (lambda stage: None, shots.nothing, {"offer": CameraOffer(), "phone": ADDRESS}),
    "sending": (None, _send, {}),
    "set-up": (shots.set_up, shots.nothing, {}),
    "players": (shots.set_up, shots.click(".acts [data-act=new_game]"), {}),
    "turn": (shots.begun, shots.nothing, {}),
    "alert": (shots.alert, shots.nothing, {}),
    "prompt": (shots.prompt, shots.nothing, {}),
    "over": (shots.over, shots.nothing, {}),
}
"""For each step: set-up (``None``: see :func:`_served`), action on the page, options of the app."""


@contextmanager
def _served(step: str) -> Iterator[tuple[PageServer, str]]:
    """The step's page on a server, and its path."""
    prepare, _, options = STEPS[step]
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        if step == "sending":
            holder = Holder()
            app = create_phone_app(PhoneCamera(), holder)
            yield closing.enter_context(PageServer(app, port=0)), f"#{holder.word}"
            return
        stage = shots.Stage(folder)
        closing.callback(stage.close)
        if prepare is None:
            _demo(stage, folder)
        else:
            prepare(stage)
        app = create_app(stage.session, stage.journal, **options)
        with PageServer(app, port=0) as server, stage.looping():
            yield server, ""


def shoot(browser: Any, step: str, folder: Path) -> Path:
    """The step in every language, side by side."""
    taken: list[Image.Image] = []
    _, act, _ = STEPS[step]
    with _served(step) as (server, word), tempfile.TemporaryDirectory() as made:
        for language in shots.LANGUAGES:
            context = browser.new_context(
                viewport=PHONE, device_scale_factor=2, reduced_motion="reduce", permissions=["camera"]
            )
            page = context.new_page()
            seen = Seen(page, server.port)
            page.goto(f"http://127.0.0.1:{server.port}{shots.in_language('/', language)}{word}")
            page.wait_for_selector("body[data-ready]")
            page.wait_for_timeout(600)
            act(page)
            page.wait_for_timeout(300)
            if faults := page.evaluate(FAULTS) + seen.troubles:
                print(step, language, faults)
            path = Path(made) / f"{language}.png"
            page.screenshot(path=str(path))
            size = (round(PHONE["width"] * SCALE), round(PHONE["height"] * SCALE))
            taken.append(Image.open(path).convert("RGB").resize(size, Image.Resampling.LANCZOS))
            context.close()
    joined = Image.new(
        "RGB", (sum(t.width + GAP_PIXELS for t in taken) - GAP_PIXELS, taken[0].height), "#777"
    )
    for at, picture in enumerate(taken):
        joined.paste(picture, (at * (picture.width + GAP_PIXELS), 0))
    path = folder / f"step-{step}.jpg"
    joined.save(path, quality=JPEG_QUALITY, optimize=True, progressive=True)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=STEPS, default=list(STEPS))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with playwright.sync_playwright() as driver, tempfile.TemporaryDirectory() as made:
        camera = Path(made) / "camera.mjpeg"
        camera.write_bytes(PHONE_PICTURE.read_bytes() * 60)
        switches = [*SWITCHES, *FAKE_CAMERA, f"--use-file-for-fake-video-capture={camera}"]
        browser = driver.chromium.launch(executable_path=system_browser(), args=switches)
        for step in asked.only:
            path = shoot(browser, step, asked.folder)
            print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main()
