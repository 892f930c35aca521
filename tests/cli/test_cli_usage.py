"""Help, rule options and error messages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from focus_companion import __version__
from focus_companion.cli import COMMANDS
from focus_companion.commands.shared import console
from focus_companion.commands.shared.console import BadInput, NegativeResult
from focus_companion.commands.shared.rule_options import make_rules, match_options
from focus_companion.game.presets import PRESETS
from focus_companion.game.rules import Rules


@pytest.mark.parametrize("args", [(), ("-h",), ("--help",)])
def test_help_names_every_command(focus: Any, args: tuple[str, ...]) -> None:
    ended = focus(*args)
    assert ended.status == 0
    assert all(name in ended.out for name in COMMANDS)


def test_the_version_is_printed(focus: Any) -> None:
    assert focus("--version").out.strip().endswith(__version__)


@pytest.mark.parametrize("args", [("--help",), ("replay", "-h"), ("export", "-h"), ("perft", "1")])
def test_help_loads_nothing_heavy(args: tuple[str, ...]) -> None:
    code = (
        "import sys; from focus_companion.commands.shared.console import run; "
        "from focus_companion.cli import cli; "
        f"assert run(cli, {list(args)!r}) == 0; "
        "heavy = {'cv2', 'numpy', 'flask', 'sqlite3', 'PIL'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)


def test_a_game_starts_without_what_few_games_need() -> None:
    code = (
        "import sys; from focus_companion.commands.shared import playing; import focus_companion.web.app; "
        "import focus_companion.lights; import focus_companion.support.live_report; "
        "packages = ('review', 'players.engine', 'lights.wled', 'seats.other_table', 'support.machine'); "
        "needless = {f'focus_companion.{name}' for name in packages} & set(sys.modules); "
        "assert not needless, needless"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("fly",), ("fly", "--help")),
        (("--fly",), ("--fly", "--help")),
        (("perft",), ("DEPTH",)),
        (("perft", "-1"), ("-1",)),
        (("perft", "1e5"), ("'1e5'", "a whole number from 0 to 100")),
        (("read", "x.jpg", "--rise", "20"), ("--rise", "--learn")),
        (("read", "x.jpg", "--learn", "x.toml", "--json"), ("--json", "--learn")),
        (("watch", "x.mp4", "--explain-to", "x"), ("--explain TIME", "give both")),
        (("rerun", "x", "--explain-to", "x"), ("--explain TIME", "give both")),
        (("perft", "1", "--players", "5"), ("--players", "5", "from 2 to 4")),
        (("perft", "1", "--players", "two"), ("--players", "'two'")),
        (("perft", "1", "--order", "green,pink"), ("--order", "'pink'", "red")),
        (("perft", "1", "--order", "green,green"), ("--order", "twice")),
        (("perft", "1", "--players", "3", "--order", "green,red"), ("turn order", "3")),
        (("perft", "1", "--stuck", "wait"), ("--stuck", "'wait'", "'pass', 'out'")),
        (("perft", "1", "--set-up", "heap"), ("--set-up", "'heap'", "'drop'")),
        (("perft", "1", "--set-up", "drop", "--players", "3"), ("drop", "two players")),
        (("perft", "1", "--set-up", "position"), ("position", "start")),
        (("perft", "1", "--partners"), ("partners", "four")),
        (("perft", "1", "--players", "4", "--partners", "--fast"), ("fast", "partners")),
        (
            ("perft", "1", "--players", "4", "--partners", "--order", "green,yellow,blue,red"),
            ("partners sit opposite", "alternately"),
        ),
        (("perft", "1", "--fast-each", "3"), ("fast_each", "fast")),
        (("perft", "1", "--fast", "--fast-total", "many"), ("--fast-total", "'many'", "none")),
        (("perft", "1", "--no-thirteenth-piece"), ("thirteenth_piece", "three")),
        (("perft", "1", "--move-partner-stacks"), ("move_partner_stacks", "partners")),
        (("perft", "1", "--rules", "nothing.toml"), ("nothing.toml", "tournament")),
        (("export", "x", "--format", "pdf"), ("--format", "'pdf'", "'sgf'")),
        (("export", "x"), ("'--format'. Choose from: json, sgf, text,", "export --help")),
        (("service",), ("Missing command", "focus-companion service --help")),
        (("think", "x", "--seconds", "nan"), ("--seconds", "'nan'", "number")),
        (("watch", "x", "--fps", "NaN", "--events", "-"), ("--fps", "'NaN'", "number")),
        (("think", "x", "--seconds", "0"), ("--seconds", "'0'", "a number above 0 and up to 86400")),
        (("play", "--tape-size", "x"), ("--tape-size", "'x'", "a number of 1 or more")),
        (("replay", "x\udcff.json"), ("'x\\xff.json'",)),
        (("read", "x\udcff.png"), ("x\\xff.png",)),
        (("backup", "-"), ("give its name",)),
        (("report", "--at", "nan"), ("--at", "'nan'", "number from 0 to")),
        (("report", "--at", "18.5"), ("--at", "--tape FOLDER")),
        (("report", "--whole-pictures", "--yes"), ("--whole-pictures", "--tape FOLDER")),
        (("rerun", "x", "--explain", "1e308"), ("--explain", "'1e308'", "a number from 0 to")),
        (("watch", "x", "--explain", "inf"), ("--explain", "'inf'", "a number from 0 to")),
    ],
)
def test_wrong_usage_is_one_line(focus: Any, args: tuple[str, ...], words: tuple[str, ...]) -> None:
    ended = focus(*args)
    ended.refused(2, *words)
    assert ended.out == ""


def test_ctrl_c_while_the_program_is_imported_gives_no_traceback(tmp_path: Path) -> None:
    # The first package that is imported presses it.
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    ended = subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", "--version"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize(
    ("args", "count"),
    [
        (("0",), 1),
        (("3",), 299_912),
        (("2", "--players", "3"), 240),
        (("3", "--players", "3", "--order", "green,blue,red"), 3_360),
        (("2", "--players", "4", "--partners"), 1_895),
        (("1", "--set-up", "drop"), 52),
        (("1", "--players", "3", "--no-thirteenth-piece"), 46),
        (("2", "--order", "r,g"), 4_460),
    ],
)
def test_perft_prints_the_count(focus: Any, args: tuple[str, ...], count: int) -> None:
    ended = focus("perft", *args)
    assert ended.status == 0
    assert ended.out.splitlines()[-1] == str(count)


FILES = [
    ("players = 3\nstuck = 'pass'\n", Rules.make(3, stuck="pass")),
    (
        "[rules]\nplayers = 4\npartners = true\nmove-partner-stacks = true",
        Rules.make(4, partners=True, move_partner_stacks=True),
    ),
    ("order = ['blue', 'red', 'green']", Rules.make(3, order="brg")),
    ("order = 'blue, red, green'", Rules.make(3, order="brg")),
    ("preset = 'fast'\nplayers = 4\nfast_each = 3", Rules.make(4, fast=True, fast_each=3)),
    ("fast = true\nplayers = 3\nfast_total = 'none'", Rules.make(3, fast=True, fast_total=None)),
    ("", Rules.make(2)),
]


@pytest.mark.parametrize(("text", "rules"), FILES)
def test_rules_files_are_read(write: Any, text: str, rules: Rules) -> None:
    assert make_rules({}, str(write("rules.toml", text))) == rules


def test_a_preset_for_another_number_of_players(focus: Any) -> None:
    focus("perft", 1, "--rules", "tournament", "--players", 3).refused(2, "tournament", "2 players")
    assert focus("perft", 1, "--rules", "tournament", "--players", 2).out == "68\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fsat = true", ("'fsat'", "did you mean 'fast'")),
        ("[rules]\nplayers = 3\nthirteenth-peace = false", ("did you mean 'thirteenth_piece'",)),
        ("xyzzy = 1", ("'xyzzy'", "there are players")),
        ("preset = 'partners'\norder = 'green, yellow, red, blue'", ("partners sit opposite",)),
        ("players = 2\nstuck = 'out'\nthirteenth_piece = false", ("three players",)),
    ],
)
def test_unplayable_rules_in_a_file_are_reported(
    focus: Any, write: Any, text: str, words: tuple[str, ...]
) -> None:
    focus("perft", 1, "--rules", write("rules.toml", text)).refused(2, "rules.toml", *words)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_found_by_name(name: str) -> None:
    assert make_rules({}, name) == PRESETS[name].rules()


def test_an_option_takes_precedence_over_the_file(focus: Any, write: Any) -> None:
    path = write("rules.toml", "players = 3\nthirteenth_piece = false\nstuck = 'pass'")
    assert make_rules({"stuck": "out"}, str(path)) == Rules.make(3, thirteenth_piece=False)
    assert focus("perft", 1, "--rules", path, "--thirteenth-piece").out == "16\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"players =\n3", ("not TOML", "line 1")),
        (b"\xff", ("UTF-8",)),
        (b"players = 9", ("9",)),
        (b"players = 'two'", ("players",)),
        (b"colour = 'red'", ("colour", "there is no rule")),
        (b"preset = 'chess'", ("chess", "domination")),
        (b"preset = []", ("preset",)),
        (b"order = 7", ("order",)),
        (b"order = ['red', ['x']]", ("order",)),
        (b"fast_each = 1979-05-27", ("fast_each",)),
        (b"stuck = nan", ("stuck",)),
        (b"a = " + b"[" * 50_000, ("rules.toml",)),
        (b"players = " + b"9" * 5_000, ("rules.toml",)),
        (b"#" * 2_000_000, ("too large",)),
        (b"set_up = 'position'\n[start]\nposition = 'x'", ("rank",)),
        (b"set_up = 'position'\nstart = 3", ("start",)),
        (b"order = [" + b"'red'," * 100_000 + b"]", ("100000",)),
    ],
)
def test_invalid_rules_files_are_reported(
    focus: Any, write: Any, content: bytes, words: tuple[str, ...]
) -> None:
    focus("perft", 1, "--rules", write("rules.toml", content)).refused(2, "rules.toml", *words)


@pytest.mark.parametrize(
    ("args", "given"), [([], False), (["--players", "3"], True), (["--rules", "fast"], True)]
)
def test_rules_are_optional(args: list[str], given: bool) -> None:
    seen = []

    @click.command()
    @match_options
    def command(rules: Rules | None, start_from: str, games: int) -> None:
        seen.append(rules)

    assert console.run(command, args) == 0
    assert (seen[0] is not None) is given


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (NegativeResult("no board"), 1, "focus-companion: no board\n"),
        (BadInput("odd\nline\x1b[31m"), 2, "focus-companion: odd line [31m\n"),
        (
            FileNotFoundError(2, "No such file or directory", "a.mp4"),
            2,
            "a.mp4: No such file or directory; check the name",
        ),
        (OSError("said in our own words"), 2, "focus-companion: said in our own words\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 0, ""),
        (ZeroDivisionError("oh"), 2, "internal error, please report it (ZeroDivisionError: oh)"),
    ],
)
def test_every_error_is_one_line(
    error: BaseException,
    status: int,
    line: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(console.TRACEBACK_VARIABLE, raising=False)
    monkeypatch.setattr(
        console, "_silence_output", lambda: None
    )  # it would close the test's own standard output

    @click.command()
    def command() -> None:
        raise error

    assert console.run(command, []) == status
    said = capfd.readouterr().err
    assert line in said and len(said.splitlines()) == bool(line)


def test_the_traceback_is_printed_on_request(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(console.TRACEBACK_VARIABLE, "1")

    @click.command()
    def command() -> None:
        raise ZeroDivisionError("oh")

    assert console.run(command, []) == 2
    assert "Traceback" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("closed", "args", "status", "error"),
    [
        ("<&- >&-", ("perft", "1"), 0, ""),
        ("<&-", ("think", "-"), 0, ""),
        ("<&-", ("replay", "-"), 2, "the file is empty"),
        ("<&- >&- 2>&-", ("perft", "101"), 2, ""),
    ],
)
def test_a_standard_stream_may_be_closed(closed: str, args: tuple[str, ...], status: int, error: str) -> None:
    program = f'exec "$@" {closed}'
    done = subprocess.run(
        ["sh", "-c", program, "sh", sys.executable, "-m", "focus_companion.cli", *args],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (status, "")
    assert error in done.stderr and bool(done.stderr) is bool(error)


def test_names_that_the_terminal_cannot_encode_are_replaced(write: Any) -> None:
    record = {"format": "focus-companion game", "version": 1, "rules": {"players": 2}, "moves": []}
    path = write("g.json", record | {"players": {"green": {"name": "Łucja"}}})
    done = subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", "replay", str(path)],
        env=os.environ | {"PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0"},
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0 and b"green (?ucja)" in done.stdout
