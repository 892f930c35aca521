"""Every text in every language, with its plural forms and placeholders."""

from __future__ import annotations

import ast
import errno
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from flask.testing import FlaskClient

from focus_companion.formats.errors import FormatError
from focus_companion.formats.match import Match
from focus_companion.formats.writing import FORMATS, Format
from focus_companion.game.faults import Fault, Reason, parts
from focus_companion.game.rules import Rules
from focus_companion.referee.words import TEMPLATES
from focus_companion.web.app import create_app
from focus_companion.web.assets import Assets
from focus_companion.web.catalogues import FOLDER, LANGUAGES, catalogue
from focus_companion.web.reasons import REASONS

KEYWORDS = dict.fromkeys(("t", "said", "_", "gettext", "RequestRefused"))
KEYWORDS |= {"tn": (1, 2), "ngettext": (1, 2), "HttpError": (2,)}
SOURCES = [("**/templates/**.html", "jinja2"), ("**/js/**.js", "javascript"), ("**.py", "python")]
JSON = {"Content-Type": "application/json"}
TRANSLATED = [code for code in LANGUAGES if code != "en"]


def source_texts() -> set[str | tuple[str, ...]]:
    folders = (FOLDER.parent, *(FOLDER.parents[1] / room for room in ("formats", "hall", "session")))
    found = (each for folder in folders for each in extract_from_dir(folder, SOURCES, keywords=KEYWORDS))
    return {message for _, _, message, _, _ in found if message}


def po(language: str) -> Catalog:
    with Path(FOLDER, language, "LC_MESSAGES", "messages.po").open("rb") as file:
        return read_po(file, locale=language)


def names(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_is_translated_and_keeps_its_names(language: str) -> None:
    found = po(language)
    texts = source_texts()
    assert len(texts) > 100
    for text in texts:
        message = found.get(text if isinstance(text, str) else text[0])
        assert message is not None, f"{text!r} is missing; see the README beside the catalogues"
        forms = (message.string,) if isinstance(message.string, str) else message.string
        assert len(forms) == (1 if isinstance(text, str) else found.num_plurals)
        for form in forms:
            assert form, f"{text!r} is empty"
            wanted = names(text if isinstance(text, str) else text[-1])
            # The form for exactly one may omit the number.
            assert names(form) <= wanted
            assert wanted - names(form) <= {"n"}


def _straight(texts: Iterable[str | tuple[str, ...] | None]) -> list[str]:
    flat = (each for text in texts if text for each in ((text,) if isinstance(text, str) else text))
    return [text for text in flat if "'" in text]


def test_every_text_has_the_typographic_apostrophe() -> None:
    refusals = (parts(Fault(reason))[0] for reason in get_args(Reason))
    assert _straight([*source_texts(), *TEMPLATES.values(), *refusals, *REASONS]) == []
    for language in TRANSLATED:
        assert _straight(message.string for message in po(language)) == [], language


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_compiled_catalogue_is_up_to_date(language: str) -> None:
    with Path(FOLDER, language, "LC_MESSAGES", "messages.mo").open("rb") as file:
        compiled = read_mo(file)
    for message in po(language):
        if message.id:
            key = message.id if isinstance(message.id, str) else message.id[0]
            assert compiled.get(key).string in (message.string, list(message.string))


def test_the_page_has_a_text_for_every_refusal() -> None:
    """Every reason is a string of the package that gives it."""
    given = {
        node.value
        for room in ("game", "session", "vision")
        for path in (FOLDER.parents[1] / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
    }
    assert set(REASONS) <= given


ONLY_WRITTEN = {"capitals", "off_board", "unreadable", "no_such_player", "already_out"}
"""Reasons for refusing a turn that only a record or a program can contain."""


@pytest.mark.parametrize("reason", sorted(set(get_args(Reason)) - ONLY_WRITTEN))
def test_the_page_has_a_text_for_every_reason_of_an_illegal_turn(reason: Reason) -> None:
    template, _ = parts(Fault(reason))
    assert template in REASONS or template in source_texts()


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_page_gets_its_texts_in_two_parts_in_time(client: FlaskClient, language: str) -> None:
    first, later = (client.get(f"/texts/{language}/{name}.json").get_json() for name in ("main", "later"))
    assert (
        first | later == client.get(f"/texts/{language}.json").get_json() and not first.keys() & later.keys()
    )
    script = Assets()["main.js"].plain.decode()
    for key in re.findall(r'\b(?:t|tn|said)\("((?:[^"\\]|\\.)*)"', script):
        assert key in first, f"{key!r} would be in English at first"
    page = client.get("/", headers={"Accept-Language": language}).text
    assert f'data-texts="/texts/{language}/main.json"' in page
    assert f'data-more="/texts/{language}/later.json"' in page


def test_in_english_no_texts_are_requested(client: FlaskClient) -> None:
    assert "/texts/" not in client.get("/").text


@pytest.mark.parametrize(
    ("language", "words"), [("en", "New game"), ("pl", "Nowa partia"), ("it", "Nuova partita")]
)
def test_the_dialogs_are_in_the_language_of_the_page(client: FlaskClient, language: str, words: str) -> None:
    page = client.get("/", headers={"Accept-Language": language})
    assert f'data-dialogs="/dialogs/{language}"' in page.text
    dialogs = client.get(f"/dialogs/{language}", headers={"Accept-Language": "fr"})
    assert words in dialogs.text and "Set-Cookie" not in dialogs.headers
    assert client.get("/dialogs/xx").status_code == 404


@pytest.mark.parametrize(
    ("language", "wrong"),
    [("pl", ["Wyłączony", "Wyłączona"]), ("it", ["Spento", "Spenta", "Attiva", "Attivo"])],
)
def test_off_agrees_with_sound_and_with_vibration(
    client: FlaskClient, language: str, wrong: list[str]
) -> None:
    """One text serves nouns of different gender and number."""
    page = client.get(f"/?lang={language}").text
    assert [word for word in wrong if f">{word}</option>" in page] == []


def test_polish_has_three_plural_forms() -> None:
    assert catalogue("pl")["{n} piece"] == ["{n} pionek", "{n} pionki", "{n} pionków"]
    assert catalogue("en") == {}


@pytest.mark.parametrize(
    ("accept", "query", "expected"),
    [
        ("pl,en;q=0.5", "", "pl"),
        ("it-IT", "", "it"),
        ("fr", "", "en"),
        ("pl", "?lang=it", "it"),
        ("pl", "?lang=xx", "pl"),
    ],
)
def test_the_language_is_that_of_the_browser_or_the_chosen_one(
    client: FlaskClient, accept: str, query: str, expected: str
) -> None:
    page = client.get(f"/{query}", headers={"Accept-Language": accept}).text
    assert f'<html lang="{expected}">' in page


def test_the_chosen_language_is_remembered(client: FlaskClient) -> None:
    client.get("/?lang=pl")
    assert '<html lang="pl">' in client.get("/", headers={"Accept-Language": "it"}).text


def test_the_page_has_every_sentence_of_the_referee() -> None:
    script = (FOLDER.parent / "static" / "js" / "game" / "alerts.js").read_text(encoding="utf-8")
    known = set(re.findall(r'^  said\("(.*)"\),$', script, re.MULTILINE))
    assert known == set(TEMPLATES.values())


@pytest.mark.parametrize(
    ("language", "nothing", "not_so", "too_much", "no_format", "no_game"),
    [
        (
            "en",
            "There is nothing at",
            "This address does not",
            "The request is too",
            "There is no format “odd”.",
            "The j",
        ),
        ("pl", "Pod tym adresem nic", "Ten adres nie", "Wysłano więcej", "Nie ma formatu „odd”.", "W dzie"),
        ("it", "A questo indirizzo", "Questo indirizzo", "È stato", "Il formato «odd» non esiste.", "Nel re"),
    ],
)
def test_failures_are_reported_in_the_viewers_language(
    table,
    client: FlaskClient,
    language: str,
    nothing: str,
    not_so: str,
    too_much: str,
    no_format: str,
    no_game: str,
) -> None:
    table.start()
    headers = {"Accept-Language": language}
    assert nothing in client.get("/nowhere", headers=headers).text
    for answer, code, words in (
        (client.get("/api/nowhere", headers=headers), 404, nothing),
        (client.delete("/api/state", headers=headers), 405, not_so),
        (client.post("/api/requests", data=b"0" * 300_000, headers=headers | JSON), 413, too_much),
        (client.get("/api/games/1/export?format=odd", headers=headers), 400, no_format),
        (client.get("/api/games/77", headers=headers), 404, no_game),
    ):
        assert answer.status_code == code
        assert answer.get_json()["error"].startswith(words), (code, answer.get_json())


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "cannot be written as sgf; the host’s log"),
        ("pl", "zapisać jako sgf; powód"),
        ("it", "come sgf; il motivo"),
    ],
)
def test_a_game_that_a_format_cannot_hold(
    table,
    client: FlaskClient,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    language: str,
    words: str,
) -> None:
    def refuse(match: Match) -> bytes:
        raise FormatError("too odd")

    table.start()
    monkeypatch.setitem(FORMATS, "sgf", Format(refuse, "text/plain", "sgf"))
    answer = client.get("/api/games/1/export?format=sgf", headers={"Accept-Language": language})
    assert answer.status_code == 400 and words in answer.get_json()["error"]
    assert "too odd" in caplog.text


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (subprocess.TimeoutExpired(["python"], 300), "the host needed more than 5 minutes"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "the host has too little memory now"),
        (subprocess.CompletedProcess([], -9, b"", b""), "the host has too little memory now"),
        (subprocess.CompletedProcess([], 1, b"", b"...\nMemoryError"), "the host has too little memory now"),
        (OSError(errno.ENOENT, "No such file"), "the host’s log says why"),
        (subprocess.CompletedProcess([], 1, b"", b"...\nRuntimeError: odd"), "the host’s log says why"),
    ],
)
def test_what_the_host_lacks_to_write_a_game_is_said(
    table, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, failure: Any, words: str
) -> None:
    def run(*_: object, **__: object) -> Any:
        if isinstance(failure, Exception):
            raise failure
        return failure

    table.start()
    monkeypatch.setattr("focus_companion.web.child_process.subprocess.run", run)
    answer = client.get("/api/games/1/export?format=gif")
    assert answer.status_code in (400, 503) and words in answer.get_json()["error"]


@pytest.mark.parametrize(
    ("language", "words", "crossing", "blue"),
    [
        (
            "en",
            "No turn has",
            "that: the corners must go round the board",
            "Blue does not play in this game.",
        ),
        ("pl", "Nie było jeszcze", "tak wskazać: rogi muszą", "Niebieski nie gra w tej partii."),
        ("it", "Non è ancora stata", "così: gli angoli devono", "Blu non gioca in questa partita."),
    ],
)
def test_refusals_of_the_game_are_in_the_viewers_language(
    table, client: FlaskClient, language: str, words: str, crossing: str, blue: str
) -> None:
    table.start()
    for act in ({"act": "take_back"}, {"act": "not_legal"}):
        answer = table.ask(client, act, {"Accept-Language": language})
        assert answer.status_code == 409 and answer.get_json()["error"].startswith(words)
    corners = {"a1": [0.8, 0.9], "h1": [0.2, 0.9], "h8": [0.7, 0.2], "a8": [0.3, 0.2]}
    answer = table.ask(client, {"act": "place_board", "corners": corners}, {"Accept-Language": language})
    assert crossing in answer.get_json()["error"]
    answer = table.ask(client, {"act": "resign", "player": "blue"}, {"Accept-Language": language})
    assert answer.get_json()["error"] == blue


THREE = Rules.make(players=3)


@pytest.mark.parametrize("act", ["choose", "legal"])
@pytest.mark.parametrize(
    ("rules", "move", "refusals"),
    [
        (None, "b6-c7", {"en": "From b6 to c7 is no", "pl": "Z b6 na c7 nie", "it": "Da b6 a c7 non c’è"}),
        (
            None,
            "b6-d6",
            {
                "en": "From b6 to d6 it is 2 squares, but b6 is 1 high:",
                "pl": "Odległość z b6 na d6 to 2, a stos na b6 ma wysokość 1:",
                "it": "Da b6 a d6 la distanza è 2, ma la pila in b6 è alta 1:",
            },
        ),
        (
            None,
            "b5-b6",
            {
                "en": "The stack on b5 is Red’s, and it is Green’s turn.",
                "pl": "Stosem na b5 rusza Czerwony, a teraz ruch ma Zielony.",
                "it": "La pila in b5 è di Rosso, e ora tocca a Verde.",
            },
        ),
        (
            None,
            "*a3",
            {
                "en": "Green has no piece in reserve to place.",
                "pl": "Zielony nie ma pionka w rezerwie.",
                "it": "Verde non ha pezzi in riserva da piazzare.",
            },
        ),
        (
            None,
            "a3-a4",
            {
                "en": "There is no piece on a3.",
                "pl": "Na a3 nie ma żadnego pionka.",
                "it": "In a3 non c’è nessun pezzo.",
            },
        ),
        (
            THREE,
            "*d5",
            {
                "en": "Green must first place the thirteenth piece",
                "pl": "Zielony musi najpierw postawić trzynasty pionek",
                "it": "Verde deve prima piazzare il tredicesimo pezzo",
            },
        ),
    ],
)
def test_an_illegal_turn_by_hand_is_refused_in_the_viewers_language(
    tmp_path: Path, make_table, act: str, rules: Rules | None, move: str, refusals: dict[str, str]
) -> None:
    table = make_table(tmp_path, rules)
    client = create_app(table.session, table.journal).test_client()
    table.start()
    for language, words in refusals.items():
        answer = table.ask(client, {"act": act, "move": move}, {"Accept-Language": language})
        assert answer.get_json()["error"].startswith(words)
