"""Screenshots of every state of the page, in every language, at three widths, in light and dark.

    PYTHONPATH=tests python tests/web/screenshots.py FOLDER [--only STATE …] [--sheets]
    PYTHONPATH=tests python tests/web/screenshots.py docs/images --docs

``--sheets`` joins the screenshots of each state; ``--docs`` makes those of the documentation.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from browsing import SWITCHES, Seen, playwright
from PIL import Image
from scripted_table import ScriptedSight, Table
from system_browser import system_browser

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import removed
from focus_companion.game.position import parse_position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.verdict import BoardRead, StartDiffers, TrimAwaited, Undecided, Wrong
from focus_companion.referee.words import say
from focus_companion.session.clock import TimeControl
from focus_companion.session.requests import (
    Assess,
    GiveUp,
    NewGame,
    Resign,
    SetPosition,
    SetSeat,
    SubmitTurn,
)
from focus_companion.vision.capture.frames import Frame
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.overlay import draw_reading
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

IMAGES = Path(__file__).parents[2] / "fixtures" / "images"
LANGUAGES = ("en", "pl", "it")
SIZES = {320: (320, 640), 768: (768, 1024), 1920: (1920, 1080)}
SCHEMES = ("light", "dark")
MIDDLE = (
    "-,-,-,-/r,gr,g,-,r,-/-,g,rggr,r,-,g,g,-/-,r,-,rrg,g,r,-,-/-,g,g,-,grr,g,r,-/"
    "-,-,rg,g,-,r,r,-/g,grg,r,r,gg,-/-,-,-,-"
)
"""A position in the middle of a game, with a turn that makes a stack of seven."""
NAMES = {"g": "Ann", "r": "Bartholomew"}


class Photographed(ScriptedSight):
    """A scripted sight whose camera shows a recorded start position."""

    def __init__(self, stacks: Sequence[str]) -> None:
        super().__init__()
        self.image = np.asarray(cv2.imread(str(IMAGES / "2p-oblique-start.jpg")), np.uint8)
        found = find_board(self.image, [board_profile()], stacks)
        assert found is not None
        self.outlines = Outlines(found.camera, found.profile)

    def overlay(self, image: Any, stacks: Sequence[str], wrong: Sequence[int] = ()) -> Any:
        return draw_reading(image, self.outlines, stacks, wrong)

    def corners(self) -> dict[str, tuple[float, float]]:
        from focus_companion.vision.detection.manual_corners import corners_of

        return corners_of(self.outlines.camera, self.outlines.profile)


class Stage(Table):
    """A table that can be brought into each state."""

    def __init__(self, folder: Path, rules: Rules | None = None, names: dict[str, str] | None = None) -> None:
        super().__init__(folder, rules or Rules.make(order=("red", "green")), names or NAMES)
        self.sight = Photographed(self.session.position.stacks)
        self.session._sight = self.sight

    def see(self, *verdicts: Any) -> None:
        self.sight.script = list(verdicts)
        self.frames += 1
        self.session.push(Frame(self.frames, self.frames / 15, self.sight.image))

    def ask(self, request: Any) -> None:
        self.session.submit(request)
        self.session.attend()


def begun(stage: Stage, plies: int = 4) -> None:
    stage.ask(NewGame(stage.session.rules, NAMES, clock=TimeControl("down", 900, 10)))
    stage.start()
    for _ in range(plies):
        stage.play(_quiet(stage))


def _quiet(stage: Stage) -> str:
    """A turn that builds tall stacks, always the same one in the same position."""
    legal = sorted(stage.session.legal())
    return legal[(7 * stage.session.history.ply + 3) % len(legal)]


def set_up(stage: Stage) -> None:
    stage.see(StartDiffers(tuple(INDEX[name] for name in ("b7", "d5", "g2"))))


def no_board(stage: Stage) -> None:
    stage.sight.camera_state = "no board"
    stage.see()


def alert(stage: Stage) -> None:
    begun(stage)
    state = stage.session.position
    mover = state.to_move
    origin = next(i for i, stack in enumerate(state.stacks) if stack and stack[-1] == mover)
    file, rank = SQUARES[origin]
    target = INDEX[f"{chr(ord(file) + 1)}{int(rank) - 1}"]
    text = say("not_straight", mover, origin=origin, target=target, number=1)
    stage.see(Wrong("not_straight", mover, (origin, target), text))


def who_begins(stage: Stage) -> None:
    """The first turn is made by a player who is not to move."""
    stage.start()
    letter = next(p for p in stage.session.position.players if p != stage.session.position.to_move)
    begun_by = replace(stage.session.position, to_move=letter)
    move = legal_moves(begun_by, stage.session.rules)[0]
    squares = (move.origin, move.target)
    text = say(
        "begins_out_of_turn", letter, origin=move.origin, target=move.target,
        turn=stage.session.position.to_move,
    )  # fmt: skip
    stage.see(Wrong("out_of_turn", letter, squares, text))


def reply(stage: Stage) -> None:
    """The computer has chosen its turn, which somebody has to make on the board."""
    begun(stage)
    stage.ask(SetSeat("r", "companion:3"))
    now = stage.session.history
    move = Move.parse(_quiet(stage))
    stage.ask(SubmitTurn(now.position.to_move, move, now.game, now.ply, now.position.text))


def sits(kind: str, why: str = "") -> Callable[[Stage], None]:
    """The player to move is not at the table and has not chosen a turn yet; ``why``: why they will not."""

    def do(stage: Stage) -> None:
        begun(stage)
        stage.ask(SetSeat(stage.session.position.to_move, kind))
        now = stage.session.history
        if why:
            stage.ask(GiveUp(now.position.to_move, now.game, now.ply, now.position.text, why))

    return do


def advised(stage: Stage) -> str:
    """The computer's assessment of a stack of the player to move is that there is something better."""
    begun(stage)
    now = stage.session.history
    square = next(move[:2] for move in sorted(stage.session.legal()) if not move.startswith("*"))
    stage.ask(Assess(INDEX[square], 0.1, now.game, now.ply, now.position.text))
    return square


def in_hand(stage: Stage) -> None:
    """The same for a stack that has been in the hand for so long that there is an alert."""
    at, mover = INDEX[advised(stage)], stage.session.position.to_move
    stage.see(Wrong("wrong_removal", mover, (at,), say("vanished", mover, squares=(at,))))


def prompt(stage: Stage) -> None:
    begun(stage)
    stacks = parse_position(MIDDLE)
    stage.ask(SetPosition(stacks, "r", {"r": 2, "g": 1}, {"r": {"g": 4}, "g": {"r": 3}}))
    stage.start()
    move = Move.parse("c6-c2")
    gone = removed(stage.session.position, move, stage.session.rules)
    stage.see(TrimAwaited(move, move.target, gone))


def three(stage: Stage) -> None:
    stage.ask(NewGame(Rules.make(players=3), players={"g": "Ann", "b": "Bo", "r": "Di"}))
    stage.start()


def unclear(stage: Stage) -> None:
    begun(stage)
    legal = stage.session.legal()
    stage.see(Undecided((Move.parse(legal[0]), Move.parse(legal[5]))))


def unclear_one(stage: Stage) -> None:
    """A barely visible turn, or a piece in the wrong place."""
    begun(stage)
    stage.see(Undecided((Move.parse("b5-c5"),)))


def unclear_three(stage: Stage) -> None:
    """Two of the turns end on one square, as if two equal stacks were beside it."""
    begun(stage)
    stage.see(Undecided(tuple(map(Move.parse, ("b5-c5", "d5-c5", "d5-b5")))))


def unclear_six(stage: Stage) -> None:
    """The maximum number of candidates, some of them reserve pieces, while play goes on."""
    begun(stage)
    stage.ask(SetPosition(parse_position(MIDDLE), "r", {"r": 2, "g": 1}, {"r": {"g": 4}, "g": {"r": 3}}))
    stage.start()
    turns = ("*c5", "f7-e7", "*d4", "b7-c7", "b7-b6", "c6-c2")
    stage.see(Undecided(tuple(map(Move.parse, turns))))


def over(stage: Stage) -> None:
    begun(stage, 6)
    stage.ask(Resign("g"))


def lost(stage: Stage) -> None:
    begun(stage)
    stage.session.camera_lost()


def four(stage: Stage) -> None:
    stage.ask(
        NewGame(Rules.make(players=4, fast=True), players={"g": "Ann", "b": "Bo", "y": "Cy", "r": "Di"})
    )
    stage.start()
    for _ in range(5):
        stage.play(_quiet(stage))


def read(stage: Stage) -> None:
    """A start read by the camera, with two doubtful squares."""
    stage.ask(NewGame(Rules.make(), NAMES, start_from="camera"))
    stacks = list(start_position(Rules.make()).stacks)
    stacks[INDEX["d5"]], stacks[INDEX["c4"]], stacks[INDEX["e5"]] = "rgg", "", "gr"
    stage.sight.reads = [BoardRead(tuple(stacks), (INDEX["d5"], INDEX["e5"]), 0.8)]
    stage.see()


def wooden(stage: Stage) -> None:
    """A set whose profile has names and colours, before the first turn."""
    stage.sight.looks = {
        "g": {"seen": "#dcc9a0", "name": "Wood", "shade": "#d8b884"},
        "r": {"seen": "#2b2422", "name": "Black", "shade": "#2a2625"},
    }
    stage.ask(NewGame(Rules.make()))
    stage.start()


def click(*selectors: str) -> Callable[[Any], None]:
    def do(page: Any) -> None:
        for selector in selectors:
            page.click(selector)
        page.wait_for_timeout(500)

    return do


def corners(page: Any) -> None:
    click(".camera [data-act=place]")(page)
    page.wait_for_function("() => document.querySelector('#corners img')?.naturalWidth > 0")
    page.focus("[data-corner=h8]")
    page.keyboard.press("ArrowRight")


def nothing(page: Any) -> None:
    """The page as served."""


CORRECTIONS = ".acts details:has([data-act=edit]) summary"

STATES: dict[str, tuple[Callable[[Stage], object], Callable[[Any], None], str]] = {
    "set-up": (set_up, nothing, "/"),
    "no-board": (no_board, nothing, "/"),
    "corners": (set_up, corners, "/"),
    "turn": (begun, nothing, "/"),
    "alert": (alert, nothing, "/"),
    "who-begins": (who_begins, nothing, "/"),
    "reply": (reply, nothing, "/"),
    "seat-companion": (sits("companion:3"), nothing, "/"),
    "seat-far": (sits("far"), nothing, "/"),
    "seat-engine": (sits("engine:./program", "late"), nothing, "/"),
    "seat-table": (sits("table:http://192.0.2.7:8000", "away"), nothing, "/"),
    "seats": (begun, click("details:has(#seats) summary"), "/"),
    "assessment": (advised, nothing, "/"),
    "in-hand": (in_hand, nothing, "/"),
    "prompt": (prompt, nothing, "/"),
    "unclear": (unclear, nothing, "/"),
    "unclear-one": (unclear_one, nothing, "/"),
    "unclear-three": (unclear_three, nothing, "/"),
    "unclear-six": (unclear_six, nothing, "/"),
    "choose": (alert, click("[data-act=legal]"), "/"),
    "choose-touch": (begun, click(CORRECTIONS, "[data-act=enter]", '[data-square="c7"]'), "/"),
    "table": (prompt, nothing, "/?view=table"),
    "table-alert": (alert, nothing, "/?view=table"),
    "table-four": (four, nothing, "/?view=table"),
    "over": (over, nothing, "/"),
    "lost": (lost, nothing, "/"),
    "read": (read, nothing, "/"),
    "read-mend": (read, click("[data-act=edit_reading]", "#editor .first button"), "/"),
    "whose": (wooden, nothing, "/"),
    "three": (three, click('[data-square="b5"]'), "/"),
    "four": (four, nothing, "/"),
    "new-game": (begun, click(".acts [data-act=new_game]", "#new-game summary"), "/"),
    "begin": (begun, click(".acts [data-act=new_game]"), "/"),
    "editor": (begun, click(CORRECTIONS, "[data-act=edit]", '[data-square="d4"]'), "/"),
    "settings": (begun, click(".menu summary"), "/"),
    "games": (over, nothing, "/games"),
    "past": (over, nothing, "/games/2"),
}


def in_language(path: str, language: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}lang={language}"


def shoot(folder: Path, states: Sequence[str]) -> list[Path]:
    made = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=system_browser(), args=SWITCHES)
        for name in states:
            prepare, act, path = STATES[name]
            with tempfile.TemporaryDirectory() as journal:
                stage = Stage(Path(journal))
                prepare(stage)
                with PageServer(create_app(stage.session, stage.journal), port=0) as server:
                    for size, scheme in product(SIZES, SCHEMES):
                        width, height = SIZES[size]
                        view = {"width": width, "height": height}
                        context = browser.new_context(
                            viewport=view, color_scheme=scheme, reduced_motion="reduce"
                        )
                        for language in LANGUAGES:
                            page = Seen(context.new_page(), server.port).open(in_language(path, language))
                            page.wait_for_timeout(300)
                            act(page)
                            made.append(folder / f"{name}-{size}-{scheme}-{language}.png")
                            page.screenshot(path=str(made[-1]))
                            page.close()
                        context.close()
                stage.close()
        browser.close()
    return made


DOCS: dict[str, tuple[str, tuple[int, int], str, str]] = {
    "page-alert-desktop": ("alert", (1280, 720), "light", "en"),
    "page-alert-phone": ("alert", (320, 640), "light", "en"),
    "page-alert-phone-dark-pl": ("alert", (320, 640), "dark", "pl"),
    "page-prompt-desktop": ("prompt", (1280, 720), "light", "en"),
    "page-prompt-phone": ("prompt", (320, 640), "light", "en"),
    "page-three": ("three", (1280, 720), "light", "en"),
    "page-corners": ("corners", (640, 853), "light", "en"),
    "page-new-game": ("begin", (1366, 850), "light", "en"),
}


def shoot_docs(folder: Path) -> list[Path]:
    made = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=system_browser(), args=SWITCHES)
        for name, (state, (width, height), scheme, language) in DOCS.items():
            prepare, act, path = STATES[state]
            with tempfile.TemporaryDirectory() as journal:
                stage = Stage(Path(journal))
                prepare(stage)
                with PageServer(create_app(stage.session, stage.journal), port=0) as server:
                    page = browser.new_page(
                        viewport={"width": width, "height": height},
                        color_scheme=scheme,
                        reduced_motion="reduce",
                    )
                    Seen(page, server.port).open(in_language(path, language))
                    page.wait_for_timeout(900)
                    act(page)
                    if state != "corners":
                        page.evaluate("scrollTo(0, 0)")
                    made.append(folder / f"{name}.png")
                    page.screenshot(path=str(made[-1]))
                    page.close()
                stage.close()
            _small(made[-1])
        browser.close()
    return made


def _small(path: Path) -> None:
    """Convert to a palette, as photographs would make the screenshots large."""
    colours = Image.open(path).convert("RGB")
    small = colours.quantize(64, Image.Quantize.MEDIANCUT, kmeans=4, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def sheet(folder: Path, name: str) -> Path:
    """All screenshots of one state: a row for each width and theme."""
    rows = []
    for size, scheme in product(SIZES, SCHEMES):
        shots = [Image.open(folder / f"{name}-{size}-{scheme}-{language}.png") for language in LANGUAGES]
        rows.append([shot.resize((round(shot.width * 560 / shot.height), 560)) for shot in shots])
    wide = max(sum(shot.width + 8 for shot in row) for row in rows)
    joined = Image.new("RGB", (wide, 568 * len(rows)), "#777")
    for at, row in enumerate(rows):
        left = 0
        for shot in row:
            joined.paste(shot, (left, 568 * at))
            left += shot.width + 8
    path = folder / f"sheet-{name}.png"
    joined.save(path)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=STATES, default=list(STATES))
    parser.add_argument("--sheets", action="store_true")
    parser.add_argument("--docs", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.docs:
        print(f"{len(shoot_docs(asked.folder))} pictures in {asked.folder}")
        parser.exit()
    print(f"{len(shoot(asked.folder, asked.only))} pictures in {asked.folder}")
    if asked.sheets:
        for name in asked.only:
            print(sheet(asked.folder, name))
