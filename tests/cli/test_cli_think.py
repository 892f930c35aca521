"""``think``: the best turn of a record, and the server that answers requests, exactly as specified."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from cli_games import VARIANTS, game

from focus_companion.cli import cli
from focus_companion.commands.shared import console
from focus_companion.commands.think import _lines
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.record import Entry, GameRecord, positions
from focus_companion.game.rules import Rules
from focus_companion.players import protocol

OVER = {
    "players": 2,
    "set_up": "position",
    "start": {"position": "-,-,-,-/-,-,-,-,-,-/-,-,-,-,-,-,-,-/-,-,-,g,-,-,-,-/-,-,-,r,-,-,-,-/"
              "-,-,-,-,-,-,-,-/-,-,-,-,-,-/-,-,-,-"},
    "moves": ["d5-d4"],
}  # fmt: skip


class Served:
    """A running ``think -``."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "focus_companion.cli", "think", "-", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, line: bytes | dict[str, Any]) -> dict[str, Any]:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert isinstance(stdin, IO | object) and stdin is not None and stdout is not None
        stdin.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        stdin.flush()
        answer = json.loads(stdout.readline())
        assert isinstance(answer, dict)
        return answer

    def close(self) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        status = self.process.wait(60)
        self.process.stdout.close()
        return status


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    server = Served()
    yield server
    assert server.close() == 0


def last_of(rules: dict[str, Any], moves: list[str]) -> tuple[Any, Rules]:
    made = Rules.from_json(rules)
    *_, last = positions(GameRecord(made, entries=tuple(Entry.parse(move) for move in moves)))
    return last, made


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_the_answer_is_a_legal_turn_with_its_chance_of_winning(served: Served, rules: dict[str, Any]) -> None:
    for plies in (0, 7, 45):
        moves = game(rules, plies)["moves"]
        answer = served.ask({**rules, "moves": moves, "nodes": 3000})
        assert list(answer) == ["move", "value"]
        position, made = last_of(rules, moves)
        assert Move.parse(answer["move"]) in legal_moves(position, made)
        assert 0 <= answer["value"] <= 1


def test_a_limit_in_nodes_gives_the_same_answer_in_another_process(served: Served) -> None:
    lines = [{**rules, "moves": game(rules, 20)["moves"], "nodes": 8000, "level": 7} for rules in VARIANTS]
    first = [served.ask(line) for line in lines]
    assert [served.ask(line) for line in reversed(lines)] == first[::-1]
    other = Served()
    assert [other.ask(line) for line in lines] == first
    assert other.close() == 0


def test_the_time_limit_is_used_and_kept(served: Served) -> None:
    moves = game({"players": 2}, 12)["moves"]
    for seconds in (0.05, 0.25, 1.0):
        took: list[float] = []
        # Repeated if the machine was busy with something else.
        while len(took) < 30 and not (took and took[-1] <= 1.2 * seconds):
            began = time.perf_counter()
            served.ask({"players": 2, "moves": moves, "seconds": seconds})
            took.append(time.perf_counter() - began)
        assert 0.8 * seconds <= min(took) <= 1.2 * seconds


def test_the_time_limit_counts_from_the_arrival_of_the_line() -> None:
    """With a clock that advances by a millisecond whenever it is read."""
    for seconds in (0.02, 0.1, 1):
        looks = 0

        def clock() -> float:
            nonlocal looks
            looks += 1
            return looks / 1000

        line = json.dumps({"players": 2, "moves": ["b2-b3"], "seconds": seconds}).encode()
        assert "move" in json.loads(protocol.answer(line, clock, 1, protocol.Defaults()))
        # A strict timekeeper at the other end gets the answer before the time is up.
        spared = min(0.06 * seconds, 0.03)
        assert looks == pytest.approx(1000 * (seconds - spared), abs=2)


def test_the_given_order_determines_who_begins(served: Served) -> None:
    answer = served.ask({"players": 2, "order": ["red", "green"], "moves": [], "nodes": 500})
    position, rules = last_of({"players": 2, "order": ["red", "green"]}, [])
    assert position.to_move == "r" and Move.parse(answer["move"]) in legal_moves(position, rules)


def test_a_game_that_is_over_has_no_move(served: Served) -> None:
    assert served.ask({**OVER, "seconds": 0.1}) == {"move": None, "value": 0.0}


def test_a_player_who_must_pass_is_skipped(served: Served) -> None:
    """Four players, blue and yellow without a stack: after green's turn red is to move."""
    start = {"position": "-,-,-,-/-,-,-,-,-,-/-,-,-,-,-,-,-,-/g,-,-,-,-,-,-,r/-,-,-,-,-,-,-,-/"
             "-,-,-,-,-,-,-,-/-,-,-,-,-,-/-,-,-,-"}  # fmt: skip
    answer = served.ask(
        {"players": 4, "set_up": "position", "start": start, "moves": ["a5-a4"], "nodes": 1000}
    )
    assert answer["move"] in {"h5-g5", "h5-h4", "h5-h6"}


HOSTILE: tuple[tuple[bytes, str], ...] = (
    (b"", "not a JSON"),
    (b"think!", "not a JSON"),
    (b"\xff\xfe{}", "not a JSON"),
    (b"[" * 100_000, "not a JSON"),
    (b'{"players": ' + b"9" * 5000 + b"}", "not a JSON"),
    (b"[]", "not an object"),
    (b"17", "not an object"),
    (b"{}", "how many players"),
    (b'{"players": 5, "moves": []}', "2, 3 or 4"),
    (b'{"players": "two", "moves": []}', "2, 3 or 4"),
    (b'{"players": 2, "moves": "b2-b3"}', "'moves'"),
    (b'{"players": 2, "moves": [1, 2]}', "'moves'"),
    (b'{"players": 2, "moves": ["b2-b3", "b2-b3"]}', "ply 2, b2-b3"),
    (b'{"players": 2, "moves": ["z9-\\ud800"]}', "ply 1"),
    (b'{"players": 2, "seconds": 0}', "'seconds'"),
    (b'{"players": 2, "seconds": -1}', "'seconds'"),
    (b'{"players": 2, "seconds": NaN}', "'seconds'"),
    (b'{"players": 2, "seconds": 1e999}', "'seconds'"),
    (b'{"players": 2, "seconds": "1"}', "'seconds'"),
    (b'{"players": 2, "seconds": true}', "'seconds'"),
    (b'{"players": 2, "nodes": 0}', "'nodes'"),
    (b'{"players": 2, "nodes": 1.5}', "'nodes'"),
    (b'{"players": 2, "nodes": 100, "seconds": 1}', "not both"),
    (b'{"players": 2, "level": 9, "nodes": 9}', "'level'"),
    (b'{"players": 2, "level": "8", "nodes": 9}', "'level'"),
    (b'{"players": 2, "speed": 3}', "there is no rule 'speed'"),
    (b'{"players": 2, "order": "red"}', "'order'"),
    (b'{"players": 2, "order": ["red", "pink"]}', "pink"),
    (b'{"players": 2, "set_up": ["drop"]}', "'set_up'"),
    (b'{"players": 2, "set_up": "position"}', "start"),
    (b'{"players": 2, "set_up": "position", "start": 3}', "'start' must be"),
    (
        b'{"players": 2, "set_up": "position", "start": {"position": "x"}}',
        "'start.position': a position has 8",
    ),
    (b'{"players": 2, "moves": [""]}', "ply 1, ''"),
    (b'{"players": 2, "moves": ["b2-b3\\n"]}', "ply 1, 'b2-b3\\n'"),
    (b'{"players": 3, "partners": true}', "four"),
    (b'{"players": 2, "moves": ["' + b"d5" * 600_000 + b'"]}', "longer than"),
)


@pytest.mark.parametrize(("line", "words"), HOSTILE, ids=[repr(line[:40]) for line, _ in HOSTILE])
def test_an_invalid_request_is_reported_and_the_next_one_is_answered(
    served: Served, line: bytes, words: str
) -> None:
    answer = served.ask(line)
    assert list(answer) == ["error"]
    assert words.lower() in answer["error"].lower()
    assert "\n" not in answer["error"] and answer["error"][-1] in ".!"
    assert len(answer["error"]) < 400
    assert served.ask({"players": 2, "moves": [], "nodes": 50})["move"]


def test_a_last_line_without_a_newline_is_answered() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", "think", "-", "--nodes", "100"],
        input=b'{"players": 2}',
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["move"] and done.stderr == b""


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_byte_order_mark_and_line_ends_of_windows_are_read(end: bytes) -> None:
    line = b'{"players": 2}'
    done = subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", "think", "-", "--nodes", "100"],
        input=b"\xef\xbb\xbf" + line + end + line + end,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert ["move" in json.loads(answer) for answer in done.stdout.splitlines()] == [True, True]


def test_a_byte_order_mark_alone_is_no_request() -> None:
    assert list(_lines(io.BytesIO(b"\xef\xbb\xbf"))) == []
    assert list(_lines(io.BytesIO(b"{}\n\xef\xbb\xbf{}\n"))) == [b"{}", b"\xef\xbb\xbf{}"]


def test_a_server_loads_no_heavy_libraries() -> None:
    """One runs for every seat that the computer plays: it must not load image libraries or the web server."""
    probe = (
        "import sys; sys.argv = ['x', 'think', '-']\n"
        "from focus_companion import cli\n"
        "try:\n    cli.main()\nexcept SystemExit: pass\n"
        "print(*sorted({'cv2', 'flask', 'numpy', 'sqlite3'} & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], input=b'{"players": 2, "nodes": 9}\n', capture_output=True, timeout=60
    )
    assert done.stderr.strip() == b"" and b"move" in done.stdout


def run(args: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = console.run(cli, args)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_record_is_answered_for_people_and_for_programs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(game({"players": 3}, 12)))
    status, out, _ = run(["think", str(path), "--nodes", "2000", "--json"], capsys)
    found = json.loads(out)
    position, rules = last_of({"players": 3}, game({"players": 3}, 12)["moves"])
    assert status == 0 and list(found) == ["move", "value", "line", "depth", "nodes"]
    assert found["line"][0] == found["move"] and Move.parse(found["move"]) in legal_moves(position, rules)
    status, out, _ = run(["think", str(path), "--nodes", "2000"], capsys)
    assert status == 0 and f"to move: {found['move']}" in out and " ".join(found["line"]) in out
    status, out, _ = run(["think", str(path), "--nodes", "1"], capsys)
    assert status == 0 and out.endswith("\nlooked 0 turns ahead, at 1 position\n")


def test_a_record_that_is_finished_or_illegal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    rules = {key: value for key, value in OVER.items() if key != "moves"}
    record = {"format": "focus-companion game", "version": 1, "rules": rules, "moves": OVER["moves"]}
    path.write_text(json.dumps(record))
    assert run(["think", str(path)], capsys)[:2] == (0, "The game is over: won by green (domination).\n")
    status, out, _ = run(["think", str(path), "--json"], capsys)
    assert status == 0 and json.loads(out) == {"move": None, "value": 0.0}
    path.write_text(json.dumps(record | {"moves": ["d5-d3"]}))
    status, out, err = run(["think", str(path)], capsys)
    assert (status, out) == (1, "") and "ply 1, d5-d3" in err
    assert run(["think", str(path), "--nodes", "5", "--seconds", "1"], capsys)[0] == 2
    assert run(["think", str(path), "--level", "9"], capsys)[0] == 2


@pytest.mark.parametrize("limit", [{"seconds": 60}, {"nodes": 1_000_000_000}], ids=str)
def test_ctrl_c_ends_a_search_at_once_and_in_silence(limit: dict[str, int]) -> None:
    command = [sys.executable, "-m", "focus_companion.cli", "think", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None and process.stdout is not None
        for request in ({"players": 2, "nodes": 1}, {"players": 2} | limit):
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        # The server has started; a moment later it is searching for the second answer.
        process.stdout.readline()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            out, error = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, out, error) == (130, b"", b"")
