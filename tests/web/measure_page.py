"""Measures the page of a running program; docs/page.md has the results.

PYTHONPATH=tests python tests/web/measure_page.py first-view URL
    a phone's first view: bytes, time until it is usable
PYTHONPATH=tests python tests/web/measure_page.py viewers URL NUMBER
    this many event streams: delay of the events
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import sys
import time
import urllib.request
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from system_browser import system_browser

NETWORKS = {
    "slow 4G (150 ms, 1.6 Mbit/s)": (150, 1638.4, 675),
    "fast 4G (60 ms, 9 Mbit/s)": (60, 9000, 1500),
    "home Wi-Fi (10 ms, 20 Mbit/s)": (10, 20000, 20000),
}
"""Round trip in ms, and kbit/s down and up, by name."""

CPU_SLOWDOWN = 4
"""Assumed factor by which a phone's processor is slower than this machine's."""

ROUND_TRIPS = 2
"""Before the page is usable: one for the page itself, one for everything it references, in parallel."""

DRAWN = """(() => {
    if (document.body?.dataset.ready === undefined) return false;
    if (window.drawn === undefined) {
        window.drawn = false;
        requestAnimationFrame(() => setTimeout(() => (window.drawn = true)));
    }
    return window.drawn;
})()"""
"""Whether the frame in which the page is usable has been drawn."""

REPETITIONS = 9
STREAM_SECONDS = 40


def first_view(url: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=system_browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        work = statistics.median(_work(browser, url) for _ in range(REPETITIONS))
        print(f"work of the page's thread until usable: {work:.0f} ms of this processor's time")
        for name, (latency, down, up) in NETWORKS.items():
            times: list[float] = []
            for _ in range(REPETITIONS):
                bytes_seen, before, took, kinds = _view(browser, url, latency, down, up)
                times.append(took)
            usable = f"usable after {statistics.median(times):.0f} ms, at best {min(times):.0f}"
            estimate = ROUND_TRIPS * latency + before * 8 / down + CPU_SLOWDOWN * work
            print(
                f"{name}: {bytes_seen / 1000:.0f} KB {dict(kinds)}, {before / 1000:.0f} KB of them before use"
            )
            print(f"    {usable}; on a machine without other work {estimate:.0f} ms")
        browser.close()


def _work(browser: Any, url: str) -> float:
    """Milliseconds of processor time of the page's thread until the page is usable.

    Unlike wall-clock time, it hardly depends on other work on the machine.
    """
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
    # Throttled, so that deferred parts load after the frame in which the page is usable, as on a phone.
    _throttle(cdp, *NETWORKS["slow 4G (150 ms, 1.6 Mbit/s)"])
    page.goto(url, wait_until="commit")
    # By polling, because the driver's own waiting injects a script, which would be counted as well.
    while not cdp.send("Runtime.evaluate", {"expression": DRAWN})["result"]["value"]:
        time.sleep(0.005)
    metrics = {metric["name"]: metric["value"] for metric in cdp.send("Performance.getMetrics")["metrics"]}
    context.close()
    return float(metrics["TaskDuration"]) * 1000


def _throttle(cdp: Any, latency: float, down: float, up: float) -> None:
    cdp.send("Network.enable")
    cdp.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": latency,
            "downloadThroughput": down * 125,
            "uploadThroughput": up * 125,
        },
    )


def _view(
    browser: Any, url: str, latency: float, down: float, up: float
) -> tuple[int, int, float, Counter[str]]:
    """Total bytes, bytes until the page is usable, milliseconds until then, bytes by kind."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    sizes: Counter[str] = Counter()
    named: dict[str, str] = {}
    cdp.on("Network.responseReceived", lambda seen: named.update({seen["requestId"]: seen["type"]}))
    cdp.on(
        "Network.loadingFinished",
        lambda seen: sizes.update({named.get(seen["requestId"], "?"): int(seen["encodedDataLength"])}),
    )
    _throttle(cdp, latency, down, up)
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    page.add_init_script(
        """new MutationObserver((_, seen) => {
            if (document.body?.dataset.ready === undefined) return;
            seen.disconnect();
            requestAnimationFrame(() => setTimeout(() => (window.usable = performance.now())));
        }).observe(document, {subtree: true, attributes: true, childList: true});"""
    )
    page.goto(url, wait_until="commit")
    page.wait_for_function("() => window.usable")
    took = page.evaluate("() => window.usable")
    before = sum(sizes.values())
    # The first picture of the camera is part of the view if it is visible.
    page.wait_for_timeout(1500)
    context.close()
    return sum(sizes.values()), before, took, sizes


async def _viewer(host: str, port: int, heard: list[tuple[float, int]], refused: list[int]) -> None:
    try:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(
            f"GET /api/events HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        status = int((await reader.readline()).split()[1])
        if status != 200:
            refused.append(status)
            writer.close()
            return
        while line := await reader.readline():
            if line.startswith(b"id: "):
                heard.append((time.monotonic(), int(line[4:])))
    except (OSError, IndexError):
        refused.append(0)


async def _follow(url: str, number: int) -> tuple[list[tuple[float, int]], list[int]]:
    where = urlsplit(url)
    heard: list[tuple[float, int]] = []
    refused: list[int] = []
    viewers = [
        asyncio.create_task(_viewer(where.hostname or "", where.port or 80, heard, refused))
        for _ in range(number)
    ]
    await asyncio.sleep(STREAM_SECONDS)
    for viewer in viewers:
        viewer.cancel()
    await asyncio.gather(*viewers, return_exceptions=True)
    return heard, refused


def viewers(url: str, number: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    before = _health(url)
    heard, refused = asyncio.run(_follow(url, number))
    after = _health(url)
    first: dict[int, float] = {}
    for at, event in heard:
        first[event] = min(at, first.get(event, at))
    # The delay from the first viewer who receives an event to each of the others.
    late = sorted((at - first[event]) * 1000 for at, event in heard)
    rate = (after["frames"] - before["frames"]) / STREAM_SECONDS
    print(
        f"{number} viewers: {number - len(refused)} served, {len(refused)} refused {dict(Counter(refused))}"
    )
    print(f"frames: {rate:.1f}/s; load of the machine {os.getloadavg()[0]:.1f}")
    if late:
        p50, p99 = late[len(late) // 2], late[int(len(late) * 0.99)]
        print(f"{len(first)} events: from the first to hear it p50 {p50:.0f} ms, p99 {p99:.0f} ms")


def _health(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url.rstrip('/')}/healthz", timeout=20) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["first-view", url]:
            first_view(url)
        case ["viewers", url, number]:
            viewers(url, int(number))
        case _:
            sys.exit(__doc__)
