"""A tape replays to the same events, bit for bit: with requests, a lost camera, and a restart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from small_demo import SMALL_DEMO

from focus_companion.commands import watch as watch_module
from focus_companion.commands.shared.taping import begin_tape, sight_to_json
from focus_companion.game.moves import Move
from focus_companion.game.record import Entry, GameRecord
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee.verdict import BoardRead, OtherBegins, StartSeen, TurnSeen, Wrong
from focus_companion.session import requests as ask
from focus_companion.session.decisions import DecisionLog
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal
from focus_companion.storage.tape import tape as tape_module
from focus_companion.storage.tape.replay import InMemory, Recording
from focus_companion.storage.tape.stills import _jpeg, stills
from focus_companion.storage.tape.tape import Tape, TapeError
from focus_companion.vision.capture.frames import Frame, lazily_decoded
from focus_companion.vision.capture.jpeg import JpegPicture

ROOT = Path(__file__).parents[2]


class Brightness:
    """Reads the turn from the picture's brightness, distinguishing pictures that differ by a single level."""

    camera_state = "ok"
    at_rest = False
    lifted = None

    def __init__(self, rules: Rules) -> None:
        self.turns = [Move.parse(text) for text in ("d5-d6", "d7-d6", "c5-c6", "e7-e6")]

    def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
        level = int(frame.image[3, 4, 1])
        if level == 1:
            return [StartSeen()]
        return [TurnSeen(self.turns[level - 10], frame.time / 1000)] if 10 <= level < 14 else []

    def vouch(self) -> None:
        return None

    def mount(self) -> None:
        return None

    def corners(self) -> None:
        return None

    def pieces(self) -> dict[str, dict[str, str]]:
        return {}

    def read(self, frame: Any, standing: Any) -> Sequence[Any]:
        return ()

    def read_again(self) -> None:
        return None

    def place(self, corners: Any, *, believed: bool = True) -> None:
        return None

    def hurry(self, until: float) -> None:
        return None

    def overlay(self, image: Any, stacks: Any, wrong: Any = ()) -> Any:
        return image


def picture(level: int) -> Any:
    image = np.random.default_rng(1).integers(0, 255, (24, 32, 3), dtype=np.uint8)
    image[3, 4, 1] = level
    return image


def taped(folder: Path, *, sight: type[Brightness] = Brightness, **more: Any) -> tuple[Session, Tape]:
    session = Session(Rules.make(2), {"g": "Ann"}, InMemory(1, None), sight)
    header = {"game": 1, "rules": Rules.make(2).to_json(), "players": {"g": "Ann"}, "events": None}
    session.tape = tape = Tape(folder, header, **{"megabytes": 100.0} | more)
    return session, tape


def play(session: Session) -> None:
    time = 0.1
    for level in (0, 1, 0, 0, 10):
        time *= 1.37
        session.push(Frame(0, time, picture(level)))
    session.submit(ask.Pause())
    session.attend()
    session.camera_lost("stalled")
    session.submit(ask.Resume())
    session.submit(ask.TakeBack())
    session.submit(ask.TakeBack())
    session.new_stream()
    session.camera_found()
    for index, level in enumerate((0, 0, 10, 11)):
        session.push(Frame(index, index / 7, picture(level)))
    session.submit(ask.NewGame())
    session.push(Frame(9, 9 / 7, picture(1)))
    session.push(Frame(10, 10 / 7, picture(10)))


class Whole(Brightness):
    """Decodes nothing: it takes the picture as it comes."""

    def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
        assert isinstance(frame.picture, np.ndarray)
        return super().push(frame, history)


def test_a_picture_that_is_taped_is_looked_at_as_it_will_be_again(tmp_path: Path) -> None:
    image = np.random.default_rng(1).integers(0, 255, (960, 1280, 3), dtype=np.uint8)
    jpeg = lazily_decoded(bytes(cv2.imencode(".jpg", image)[1]), "test")
    assert isinstance(jpeg, JpegPicture)
    session, tape = taped(tmp_path / "tape", sight=Whole)
    session.push(Frame(0, 0.1, jpeg))
    tape.close()
    assert np.array_equal(cv2.imread(str(next((tmp_path / "tape").glob("*.png")))), jpeg.image)


class Beginners(Brightness):
    """Another player begins than the one named: seen as out of turn, or implied by the next turn."""

    def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
        level = int(frame.image[3, 4, 1])
        if level == 2:
            return [Wrong("out_of_turn", "r", (INDEX["d6"], INDEX["d7"]), "Red moved.")]
        if level == 3:
            turns = [TurnSeen(Move.parse(text), 0.9) for text in ("d6-d7", "c4-c5")]
            return [OtherBegins("r", start_position(Rules.make(2, order="rg"))), *turns]
        return super().push(frame, history)


@pytest.mark.parametrize("by_word", [True, False], ids=["said", "played on"])
def test_who_began_in_anothers_place_does_so_again(tmp_path: Path, by_word: bool) -> None:
    session, tape = taped(tmp_path / "tape", sight=Beginners)
    for index, level in enumerate((1, 2)):
        session.push(Frame(index, index / 7, picture(level)))
    if by_word:
        session.submit(ask.Begin("r"))
    session.push(Frame(2, 2 / 7, picture(0 if by_word else 3)))
    tape.close()
    compared = list(Recording(tmp_path / "tape").run(Beginners))
    assert all(one.same for one in compared), [one for one in compared if not one.same]
    assert "begins" in [one.emitted["type"] for one in compared if one.emitted]


def test_the_same_is_told_again_bit_for_bit(tmp_path: Path) -> None:
    session, tape = taped(tmp_path / "tape")
    play(session)
    tape.close()
    compared = list(Recording(tmp_path / "tape").run(Brightness))
    assert all(one.same for one in compared), [one for one in compared if not one.same]
    kinds = [one.emitted["type"] for one in compared if one.emitted]
    assert kinds.count("move") == 4 and {"lost", "found", "pause", "taken_back", "refused", "game"} <= set(
        kinds
    )
    # Equal pictures are stored once, readable only by their owner.
    files = list((tmp_path / "tape").glob("*.png"))
    assert len(files) < 11
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in (tmp_path / "tape").iterdir())


def test_a_tape_of_a_resumed_game_continues_it(tmp_path: Path) -> None:
    """Also the games after it have the same numbers again."""
    with Journal(tmp_path / "data", write=True) as journal:
        first = Session(Rules.make(2), {"g": "Ann"}, journal, Brightness)
        for index, level in enumerate((1, 10)):
            first.push(Frame(index, index / 7, picture(level)))
        journal.keep_time(journal.last_event(), 40.0)
        session = Session(Rules.make(2), {}, journal, Brightness)
        assert session.resumed and session.history.ply == 1
        tape = begin_tape(tmp_path / "tape", 100.0, session, journal, DecisionLog())
        for index, level in enumerate((1, 11)):
            session.push(Frame(index, index / 7, picture(level)))
        session.submit(ask.NewGame())
        session.push(Frame(2, 2 / 7, picture(1)))
        tape.close()
    compared = list(Recording(tmp_path / "tape").run(Brightness))
    assert all(one.same for one in compared), [one for one in compared if not one.same]
    emitted = [one.emitted for one in compared if one.emitted]
    assert [event["ply"] for event in emitted if event["type"] == "move"] == [2]
    assert [event["game"] for event in emitted if event["type"] == "game"] == [2]


class Reading(Brightness):
    """Reads the start of the game from every picture."""

    def read(self, frame: Any, standing: Any) -> Sequence[Any]:
        return [BoardRead(start_position(Rules.make(2)).stacks, (), 0.9)]


@pytest.mark.parametrize("takes_reading", [True, False])
def test_a_start_read_from_the_camera_is_read_again(tmp_path: Path, takes_reading: bool) -> None:
    session = Session(
        Rules.make(2), {}, InMemory(1, None), Reading, start_from="camera", takes_reading=takes_reading
    )
    tape = begin_tape(tmp_path / "tape", 100.0, session, None, DecisionLog())
    session.push(Frame(0, 0.1, picture(0)))
    tape.close()
    compared = list(Recording(tmp_path / "tape").run(Reading))
    assert all(one.same for one in compared), [one for one in compared if not one.same]
    kinds = [one.emitted["type"] for one in compared if one.emitted]
    assert "reading" in kinds and ("corrected" in kinds) is takes_reading


def test_a_single_changed_level_is_found_out(tmp_path: Path) -> None:
    session, tape = taped(tmp_path)
    play(session)
    tape.close()
    for path in sorted(tmp_path.glob("*.png")):
        image = cv2.imread(str(path))
        if image[3, 4, 1] == 10:
            image[3, 4, 1] = 12
            cv2.imwrite(str(path), image)
            break
    assert not all(one.same for one in Recording(tmp_path).run(Brightness))


def test_a_tape_of_a_killed_program_is_run_as_far_as_it_goes(tmp_path: Path) -> None:
    session, tape = taped(tmp_path)
    play(session)
    tape.close()
    whole = len(list(Recording(tmp_path).run(Brightness)))
    lines = (tmp_path / "tape.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "tape.jsonl").write_text("".join(lines[:-2]) + lines[-2][:20], encoding="utf-8")
    (tmp_path / sorted(path.name for path in tmp_path.glob("*.png"))[-1]).unlink()
    compared = list(Recording(tmp_path).run(Brightness))
    assert 3 < len(compared) < whole and all(one.same for one in compared)


def test_a_tape_of_watch_lacks_nothing_after_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It usually comes while a picture is judged, whose events are then not on the tape."""
    pictures, tape = tmp_path / "pictures", tmp_path / "tape"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "1.png"), picture(1))

    def interrupted(session: Session, frames: Any, *more: Any) -> None:
        assert session.tape is not None
        session.tape.frame(next(iter(frames)))
        raise KeyboardInterrupt

    monkeypatch.setattr(watch_module, "watch_once", interrupted)
    args = [str(pictures), "--players", "2", "--tape", str(tape)]
    with watch_module.command.make_context("watch", args) as context, pytest.raises(KeyboardInterrupt):
        watch_module.command.invoke(context)
    assert '"end":"interrupted"' in (tape / "tape.jsonl").read_text(encoding="utf-8")
    assert len(list(tape.glob("*.png"))) == 1
    assert all(one.same for one in Recording(tape).run(Brightness))


def test_a_tape_has_its_end_mark_only_after_all_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program may be killed before the disk has caught up: then the tape ends with its last picture."""
    goes_on, encode = threading.Event(), cv2.imencode

    def slowly(*given: Any) -> Any:
        goes_on.wait(20)
        return encode(*given)

    monkeypatch.setattr(tape_module.cv2, "imencode", slowly)
    session, tape = taped(tmp_path)
    session.push(Frame(0, 0.1, picture(0)))
    session.push(Frame(1, 0.2, picture(10)))
    threading.Timer(0.3, goes_on.set).start()
    before = threading.Thread(target=tape.close)
    before.start()
    time.sleep(0.1)
    assert '"end"' not in (tmp_path / "tape.jsonl").read_text(encoding="utf-8")
    assert all(one.same for one in Recording(tmp_path).run(Brightness))
    before.join()
    assert '"end":"closed"' in (tmp_path / "tape.jsonl").read_text(encoding="utf-8")
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".jsonl", ".png", ".png"]


def still_game(*moves: str) -> GameRecord:
    return GameRecord(Rules.make(2), entries=tuple(Entry.parse(move) for move in moves))


def test_what_the_camera_saw_at_each_turn(tmp_path: Path) -> None:
    session, tape = taped(tmp_path)
    for index, level in enumerate((1, 10, 0, 11, 0, 12)):
        session.push(Frame(index, index / 7, picture(level)))
    session.submit(ask.TakeBack())
    session.push(Frame(6, 6 / 7, picture(0)))
    tape.close()
    seen = Recording(tmp_path).turns()
    shown = {ply: int(cv2.imread(str(path))[3, 4, 1]) for ply, (_, path) in seen.items()}
    # The third turn was taken back; each picture is the one for which its turn was emitted.
    assert shown == {0: 1, 1: 10, 2: 11}
    found = stills(tmp_path, still_game("d5-d6", "d7-d6", "c5-c6"))
    assert found.keys() == {0, 1, 2}
    image = cv2.imdecode(np.frombuffer(found[1], np.uint8), cv2.IMREAD_COLOR)
    assert image is not None and image.shape == (24, 32, 3)
    assert abs(image.mean() - picture(10).mean()) < 4
    with pytest.raises(TapeError, match="another game: its turn 2 is d7-d6"):
        stills(tmp_path, still_game("d5-d6", "c5-c6"))
    seen[2][1].unlink()
    assert stills(tmp_path, still_game("d5-d6", "d7-d6")).keys() == {0, 1}


def test_stills_are_small(tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    cv2.imwrite(str(path), np.full((960, 1280, 3), 128, np.uint8))
    image = cv2.imdecode(np.frombuffer(_jpeg(path), np.uint8), cv2.IMREAD_COLOR)
    assert image is not None and image.shape == (360, 480, 3)


def test_a_tape_without_turns_has_no_stills(tmp_path: Path) -> None:
    session, tape = taped(tmp_path)
    session.push(Frame(0, 0.1, picture(1)))
    tape.close()
    with pytest.raises(TapeError, match="no turn"):
        stills(tmp_path, still_game())


def test_a_tape_is_not_replaced_by_its_events(tmp_path: Path) -> None:
    taped(tmp_path)[1].close()
    lines = tmp_path / "tape.jsonl"
    head, rest = lines.read_text().split("\n", 1)
    content = json.dumps(json.loads(head) | {"sight": sight_to_json("bottom", None, None)}) + f"\n{rest}"
    lines.write_text(content)
    refused = run("rerun", tmp_path, "--events", lines)
    assert refused.returncode == 2 and "is the file that is read" in refused.stderr
    assert lines.read_text() == content


@pytest.mark.slow
def test_the_demonstration_is_run_again_to_the_same_events(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*SMALL_DEMO, "play", "--camera", "demo", "--port", "0",
         "--data", str(tmp_path / "data"), "--tape", str(tmp_path / "tape")],
        cwd=ROOT, env=os.environ | {"FOCUS_COMPANION_LIGHTS": "none"}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    with process:
        try:
            next(line for line in process.stdout if line.startswith("   1. "))
        finally:
            process.terminate()
    again = run("rerun", tmp_path / "tape")
    assert again.returncode == 0 and "as recorded" in again.stderr, again.stderr


def test_a_full_tape_ends_and_the_game_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    session, tape = taped(tmp_path, megabytes=0.005)
    play(session)
    tape.close()
    assert session.history.ply == 1
    assert "it is full" in caplog.text and caplog.text.count("the game goes on") == 1
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 30_000
    compared = list(Recording(tmp_path).run(Brightness))
    assert all(one.same for one in compared)


def test_a_disk_that_does_not_follow_ends_the_tape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tape_module, "_QUEUE_TIMEOUT", 0.01)
    monkeypatch.setattr(Tape, "_write", lambda self: None)
    session, tape = taped(tmp_path)
    for level in range(9):
        session.push(Frame(level, level / 10, picture(level + 30 if level % 2 else 0)))
    assert "too slow" in caplog.text
    tape.close()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (None, r"cannot be read \(No such file or directory\)"),
        ("", "not JSON"),
        ("[1]\n", "not an object"),
        ('{"format": "something"}\n', "not a tape"),
        ('{"format":"focus-companion tape","version":1,"game":1,"players":{},"events":null}\n', "beginning"),
        ('HEAD\n{"frame":1,"time":0.1,"file":"../../etc/passwd"}\n{"end":""}\n', "not a file of the tape"),
        ('HEAD\n{"frame":1,"time":0.1,"file":"1.png"}\n{"end":""}\n', "1.png"),
        ('HEAD\n{"frame":1,"time":true,"file":"1.png"}\n{"end":""}\n', "line 2: it has no known content"),
        ('HEAD\n{"frame":1,"time":"0.1","file":"1.png"}\n{"end":""}\n', "line 2: it has no known content"),
        ('HEAD\n{"frame":1,"time":1e300,"file":"1.png"}\n{"end":""}\n', "line 2: it has no known content"),
        ('HEAD\n{"request":{"is":"Explode"},"in_push":false}\n', "line 2"),
        ('HEAD\n{"what":1}\n', "line 2"),
    ],
)  # fmt: skip
def test_what_is_no_tape_is_one_line(tmp_path: Path, content: str | None, word: str) -> None:
    head = {"format": "focus-companion tape", "version": 1, "game": 1, "rules": {"players": 2}, "players": {}}
    if content is not None:
        text = content.replace("HEAD", json.dumps(head | {"events": None}))
        (tmp_path / "tape.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(OSError, match=word):
        list(Recording(tmp_path).run(Brightness))


def test_a_game_in_a_turn_order_that_is_refused_today_is_run_again(tmp_path: Path) -> None:
    """Partners once could sit side by side."""
    order = ["green", "yellow", "blue", "red"]
    head = {"format": "focus-companion tape", "version": 1, "game": 1, "players": {}, "events": None}
    head["rules"] = {"players": 4, "partners": True, "order": order}
    (tmp_path / "tape.jsonl").write_text(f'{json.dumps(head)}\n{{"end":""}}\n', encoding="utf-8")
    assert list(Recording(tmp_path).run(Brightness)) == []


def test_the_decisions_are_on_the_tape_in_their_places(tmp_path: Path) -> None:
    session, tape = taped(tmp_path)
    session.push(Frame(0, 0.1, picture(1)))
    tape.decided({"why": "the start"})
    session.push(Frame(1, 0.2, picture(10)))
    tape.decided({"why": "a turn"})
    tape.close()
    lines = [json.loads(line) for line in (tmp_path / "tape.jsonl").read_text(encoding="utf-8").splitlines()]
    kinds = [kind for line in lines for kind in ("frame", "decided") if kind in line]
    assert kinds == ["frame", "decided"] * 2
    assert [line["decided"]["why"] for line in lines if "decided" in line] == ["the start", "a turn"]
    compared = list(Recording(tmp_path).run(Brightness))
    assert compared and all(one.same for one in compared)


def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", *map(str, args)],
        cwd=ROOT, capture_output=True, text=True, timeout=280,
        env=os.environ | {"FOCUS_COMPANION_LIGHTS": "none"},
    )  # fmt: skip


@pytest.mark.slow
def test_a_real_recording_is_run_again_to_the_same_events(tmp_path: Path) -> None:
    """Eight seconds of the clip through the real pipeline, taped and run again by the commands."""
    clip = ROOT / "fixtures" / "images" / "clip-oblique.mp4"
    capture = cv2.VideoCapture(str(clip))
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for index in range(120):
        _, image = capture.read()
        cv2.imwrite(str(pictures / f"{index:04d}.png"), image[::2, ::2], [cv2.IMWRITE_PNG_COMPRESSION, 1])
    rules = ("--players", "2", "--order", "red,green")
    done = run("watch", pictures, *rules, "--events", tmp_path / "then", "--tape", tmp_path / "tape")
    assert done.returncode == 0, done.stderr
    kept = [json.loads(line) for line in (tmp_path / "tape" / "tape.jsonl").read_text("utf-8").splitlines()]
    decided = [line["decided"] for line in kept if "decided" in line]
    again = run("rerun", tmp_path / "tape", "--events", tmp_path / "now")
    assert again.returncode == 0 and "as recorded" in again.stderr, again.stderr
    then = [json.loads(line) for line in (tmp_path / "then").read_text(encoding="utf-8").splitlines()]
    now = [json.loads(line) for line in (tmp_path / "now").read_text(encoding="utf-8").splitlines()]
    assert [event["move"] for event in then if event["type"] == "move"]
    assert [event for event in now if event["type"] != "game"] != []
    for one, other in zip(then, (event for event in now if event["type"] != "game"), strict=True):
        assert one | {"time": 0} == other | {"time": 0}
    # The decisions are on the tape, and explained like any other afterwards.
    move = next(event for event in then if event["type"] == "move")
    (terms,) = [terms for terms in decided if any(move["move"] in text for text in terms["decided"])]
    at = f"{move['time']:.2f}"
    explained = run("rerun", tmp_path / "tape", "--explain", str(move["time"]), "--explain-to", tmp_path)
    assert explained.returncode == 0 and f"turn {move['move']}" in explained.stdout, explained.stderr
    later = json.loads((tmp_path / f"explained-{at}.json").read_text("utf-8"))
    assert later["acts"] == terms["acts"] and later["time"] == terms["time"]
    drawn = cv2.imread(str(tmp_path / f"explained-{at}.png"))
    assert drawn is not None and drawn.shape[1] > 1500
    early = run("rerun", tmp_path / "tape", "--explain", "0", "--explain-to", tmp_path)
    assert early.returncode == 1 and "nothing was decided" in early.stderr and "Trace" not in early.stderr
