"""The sentences that a browser receives to speak: events and answers, in its language."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask

from focus_companion.referee.verdict import PutRight, Wrong


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("en", ["Green, bravo six to bravo seven.",
                "Red: Wrong number of squares. Please correct: delta eight.", "Corrected. Red to move."]),
        ("pl", ["Zielony, brawo sześć na brawo siedem.",
                "Czerwony: Zła liczba pól. Proszę poprawić: delta osiem.", "Poprawione. Ruch: Czerwony."]),
        ("it", ["Verde, bravo sei a bravo sette.", None, "Rimesso a posto. Tocca a Rosso."]),
    ],
)  # fmt: skip
def test_sentences_come_as_events_happen(
    app: Flask, table: Any, language: str, sentences: list[str | None]
) -> None:
    table.start()
    begun = table.session.state()["event"]
    table.play("b6-b7")
    table.see(Wrong("distance", "r", (1,), "…"))
    table.see(PutRight())
    answer = app.test_client().get(f"/api/speech?lang={language}&after={begun}", buffered=False)
    assert answer.mimetype == "text/event-stream"
    said: list[dict[str, Any]] = []
    for block in answer.iter_encoded():
        for line in block.decode().splitlines():
            if line.startswith("data: "):
                said.append(json.loads(line[6:]))
        if len(said) == len(sentences):
            break
    answer.close()
    assert [item["type"] for item in said] == ["move", "alert", "resolved"]
    assert [item["urgent"] for item in said] == [False, True, False]
    for item, text in zip(said, sentences, strict=True):
        assert text is None or item["text"] == text


def test_questions_are_answered(app: Flask, table: Any) -> None:
    table.start()
    table.play("b6-b7")
    client = app.test_client()

    def reply_to(query: str) -> Any:
        answer = client.get(f"/api/speech/answer?{query}")
        return answer.status_code, answer.get_json().get("text") or answer.get_json()["error"]

    assert reply_to("about=turn") == (200, "Red to move.")
    assert reply_to("about=square&square=B7&lang=it") == (200, "Bravo sette, dall’alto: verde, rosso.")
    assert reply_to("about=standing&lang=pl")[1].startswith("Ruch 1. Zielony: zbite 0, w rezerwie 0.")
    assert reply_to("about=square&square=z9") == (400, "Ask for a square by its name, such as d5.")
    choices = "turn, standing, time, square"
    assert reply_to("about=weather") == (
        400, f"There is no question “weather”. Choose one of: {choices}."
    )  # fmt: skip
    assert reply_to("lang=pl") == (400, f"Nie ma pytania „”. Wybierz jedno z: {choices}.")
