"""SGF: checked with another reader, and lossless for foreign content."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from record_games import VARIANTS, played, records
from sgfmill import sgf

from focus_companion.formats import sgf_tree
from focus_companion.formats.errors import FormatError, one_line
from focus_companion.formats.match import Match
from focus_companion.formats.sgf_record import read_sgf, write_sgf
from focus_companion.game.record import Declaration, GameRecord


def one(record: GameRecord) -> str:
    return write_sgf(Match((record,), single=True))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_sgfmill_reads_one_node_a_turn(variant: dict[str, object]) -> None:
    record = played(variant, 11, 80, act_at=40)
    game = sgf.Sgf_game.from_bytes(one(record).encode())
    root, *nodes = game.get_main_sequence()
    assert (root.get_raw("FF"), root.get_raw("GM"), root.get_raw("CA")) == (b"4", b"36", b"UTF-8")
    assert [node.get_raw("MV").decode() for node in nodes] == [str(move) for move in record.moves]
    acts = [raw for node in (root, *nodes) if node.has_property("ACT") for raw in node.get_raw_list("ACT")]
    assert len(acts) == sum(isinstance(entry.what, Declaration) for entry in record.entries)


@settings(max_examples=40, deadline=None)
@given(record=records())
def test_sgfmill_reads_any_names(record: GameRecord) -> None:
    assert len(sgf.Sgf_game.from_bytes(one(record).encode()).get_main_sequence()) == len(record.moves) + 1


def test_two_players_are_named_for_other_tools() -> None:
    record = played({"players": 2}, 1, 10, act_at=9, players={"g": "Ann ]", "r": "Ben"})
    root = sgf.Sgf_game.from_bytes(one(record).encode()).get_root()
    assert (root.get("PB"), root.get("PW")) == ("Ann ]", "Ben")
    assert root.get("RE")[:1] in ("B", "W", "0")


def test_names_keep_flags_and_joined_emoji_whole() -> None:
    flag = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbsct") + "\U000e007f"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    root = sgf.Sgf_game.from_bytes(
        one(played({"players": 2}, 1, 1, players={"g": f"Ailsa {flag}", "r": f"The {family}s"})).encode()
    ).get_root()
    assert (root.get("PB"), root.get("PW")) == (f"Ailsa {flag}", f"The {family}s")
    assert one_line(f"Ailsa {flag} of Skye", 14) == f"Ailsa {flag}…"
    assert one_line(f"Ailsa {flag} of Skye", 13) == "Ailsa …", "part of it would be another flag"
    assert one_line(f"a\x1b\u202e{flag[1:3]}b") == "a    b"


FOREIGN = """ (;GM[36]FF[4]
RULES[{"players":2}]GC[a comment\\] with ] AW[aa][bb]PB[An\\]n]
 ;MV[b2-b3]C[good: \\\\ move]XX[1] [2]
 (;MV[b3-b2]TIME[7](;MV[b4-b3])(;C[end (of] line]))
 (;MV[b5-b6]
C[other ) way]))"""


def test_unknown_properties_and_variations_survive() -> None:
    text = FOREIGN.replace("with ]", "with]").replace("(of] line", "(of line")
    once = read_sgf(text)
    (game,) = once.games
    assert game.players == {"g": "An]n"}
    assert [str(move) for move in game.moves] == ["b2-b3", "b3-b2", "b4-b3"]
    written = write_sgf(once)
    assert read_sgf(written) == once
    for part in (
        "GC[a comment\\] with]",
        "AW[aa][bb]",
        "C[good: \\\\ move]",
        "XX[1][2]",
        "(;C[end (of line])",
        "C[other ) way]",
    ):
        assert part in written
    main = sgf.Sgf_game.from_bytes(written.encode()).get_main_sequence()
    assert [len(node) for node in main] == [1, 2, 2, 0]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(;GM[1])", "root, GM"),
        ("(;FF[4])", "root, GM"),
        ("(;GM[36])", "root, RULES"),
        ("(;GM[36]RULES[{}])", "root, RULES.players"),
        ("(;GM[36]RULES[[])", "root, RULES"),
        ('(;GM[36]RULES[{"players":2}];MV[zz])', "node 1"),
        ('(;GM[36]RULES[{"players":2}];MV[b2-b3];TIME[1]MV[b2-b3]TIME[NaN])', "node 2, TIME"),
        ('(;GM[36]RULES[{"players":2}]ACT[resign purple])', "root, ACT"),
        ('(;GM[36]RULES[{"players":2}]ACT[sleep red])', "root, ACT"),
        ("(;GM[36", "line 1, column 5"),
        ("(;GM[36]\n;[x])", "line 2, column 2"),
        ("(;A)", "line 1, column 4"),
        ("()", "line 1, column 2"),
        ("(;GM[36]) junk", "line 1, column 11"),
        ("(;CA[nonsense]GM[36])", "CA"),
    ],
)
def test_faults_name_their_place(text: str, place: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_sgf(text.encode())
    assert caught.value.place.startswith(place)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ('(;CA[ISO-8859-1]GM[36]RULES[{"players":2}]PB[Zoë])'.encode("latin-1"), "Zoë"),
        ('(;GM[36]RULES[{"players":2}]PB[Zoë])'.encode("latin-1"), "Zoë"),
        ('(;GM[36]RULES[{"players":2}]PB[Łucja])'.encode(), "Łucja"),
        ('\ufeff(;GM[36]RULES[{"players":2}]PB[Łucja])'.encode(), "Łucja"),
        ('(;CA[windows-1250]GM[36]RULES[{"players":2}]PB[Łucja])'.encode("cp1250"), "Łucja"),
    ],
)
def test_character_sets(data: bytes, name: str) -> None:
    assert read_sgf(data).games[0].players == {"g": name}


def test_nesting_costs_nothing_but_length() -> None:
    deep = 100_000  # a hundred times as deep as Python's stack
    (nodes,) = sgf_tree.parse("(;" * deep + ")" * deep)
    assert len(nodes) == deep
    with pytest.raises(FormatError):
        sgf_tree.parse("(;" * deep)
    assert not sgf_tree.is_tree("(;A[1])(;B[2])")
