"""The terms of decisions: they add up to the scores, and say which squares an act explains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest
from table_scene import Table, rules, small_look

from focus_companion.game.rules import Rules
from focus_companion.referee.decision import Decision
from focus_companion.referee.decision_terms import terms_of
from focus_companion.referee.terms import Terms
from focus_companion.referee.terms_text import light_text
from focus_companion.simulator.scene_style import aimed_camera
from focus_companion.support.decision_picture import COLOURS, PANEL_WIDTH, Views, draw
from focus_companion.support.explainer import Explainer
from focus_companion.vision.appearance.evidence import TEMPERATURE
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.registration.light import Light
from focus_companion.vision.registration.light_patch import LightPatch
from focus_companion.vision.tracking.look import Look

BESIDE = {"c5": "g", "b5": "g", "d5": "g", "c4": "r", "c6": "r", "b7": "", "f2": "r", "f3": "r"}
"""Green's piece between two of its own: from straight above, it is barely visible on which it was set."""

GAIN = np.ones((2, 2, 3), np.float32)


def lit(factor: float) -> LightPatch:
    return LightPatch(np.ones((8, 8), bool), np.full(3, factor, np.float32))


class TermsRecorder:
    """Keeps the terms of every decision, and the views of the last."""

    def __init__(self) -> None:
        self.terms: list[Terms] = []
        self.views: Views | None = None

    def __call__(self, decision: Decision, look: Look) -> None:
        self.terms.append(terms_of(look, decision, thorough=True))
        self.views = Views.of(look)

    def with_verdict(self, text: str) -> Terms:
        """The newest terms with a verdict that begins like this."""
        return next(terms for terms in reversed(self.terms) if any(v.startswith(text) for v in terms.decided))


RECORDER = TermsRecorder()


@pytest.fixture(scope="module")
def shared() -> Table:
    table = Table(Rules.make(2), on_decision=RECORDER)
    assert table.show().summary == []
    return table


@pytest.fixture
def table(shared: Table) -> Iterator[Table]:
    """The table at its start; what a test does is undone after it."""
    start = shared.stacks
    yield shared
    if shared.stacks != start or shared.session.history.ply:
        shared.show(start, 2.0)


@pytest.fixture(autouse=True)
def _add_up() -> Iterator[None]:
    """Every score is the sum of its terms, and the acts are in order, with the probabilities that follow from
    their distances.
    """
    RECORDER.terms.clear()
    yield
    for terms in RECORDER.terms:
        for act in terms.acts:
            assert act.picture == pytest.approx(sum(s.nats for s in act.squares) + act.overlap)
            total = act.picture + act.prior + sum(act.context.values()) + act.heights
            assert act.score == pytest.approx(total)
        # An act may be preferred to a better-fitting one that differs only in what is barely visible.
        behind = [act.behind for act in terms.acts]
        assert behind[1:] == sorted(behind[1:]) and behind[:1] in ([], [0.0])
        odds = np.exp(-np.maximum(behind, 0.0) / TEMPERATURE)
        assert [act.probability for act in terms.acts] == pytest.approx(list(odds / odds.sum()))


def test_a_turn_is_explained_by_its_two_squares(table: Table) -> None:
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]
    terms = RECORDER.with_verdict("turn d5-d6")
    best = terms.acts[0]
    assert best.act == "turn d5-d6" and best.probability > 0.99 and best.prior == -4.0
    assert {s.square: (s.before, s.now) for s in best.squares} == {"d5": ("g", ""), "d6": ("r", "rg")}
    assert all(square.nats > 20 for square in best.squares)
    assert [s.square for s in terms.squares if s.explained == "act"] != []
    assert not [s for s in terms.squares if s.explained == "not explained"]
    # Each square alone looks like the stack that the act leaves.
    assert all(s.like == s.act for s in terms.squares if s.explained == "act")
    (lead,) = [condition for condition in terms.conditions if condition.what == "nats"]
    assert lead.met and lead.reached == pytest.approx(min(act.behind for act in terms.acts[1:]), abs=1e-6)


def test_an_alert_states_what_it_waited_for(table: Table) -> None:
    emitted = table.show(table.put({"d5": "", "d7": "gg"}), 1.5)
    assert emitted.summary == ["alert distance"]
    before = next(terms for terms in RECORDER.terms if terms.acts and not terms.decided)
    assert "not yet 0.40 s" in before.why and not before.conditions[-1].met
    terms = RECORDER.with_verdict("alert distance d5 d7")
    assert not terms.acts[0].legal and all(condition.met for condition in terms.conditions)
    told = terms.to_json()["acts"][0]
    assert told["squares"][0].keys() == {"square", "before", "now", "nats", "pixels"}
    assert (told["score"], told["squares"][0]["nats"]) == (
        round(terms.acts[0].score, 3),
        round(terms.acts[0].squares[0].nats, 3),
    )


def test_what_the_likeliest_act_does_not_explain_is_listed_and_counts_against_it(table: Table) -> None:
    """Three squares far from each other have changed; a removal from two does not account for the other."""
    table.show(table.put({"b7": "", "g2": "", "g7": ""}), 0.4)
    acts = [act for terms in RECORDER.terms for act in terms.acts if len(act.squares) <= 2]
    assert acts and all(act.context["a changed square that it leaves alone"] < 0 for act in acts)
    table.show(table.put({"b7": "r", "g2": "g", "g7": "r"}), 2.0)


@pytest.mark.parametrize(("radius", "hidden"), [(20, False), (45, True)], ids=["a coin", "a mug"])
def test_squares_are_hidden_only_by_what_covers_the_board(table: Table, radius: int, hidden: bool) -> None:
    def with_object(image: Image) -> Image:
        return np.asarray(cv2.circle(image.copy(), (300, 240), radius, (60, 90, 200), -1), np.uint8)

    assert table.shoot(table.stage(), 0.4, with_object).summary == []
    explained = {square.explained for terms in RECORDER.terms for square in terms.squares}
    assert explained and ("hidden" in explained) is hidden


@pytest.mark.slow
def test_a_question_shows_the_acts_that_are_alike() -> None:
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=1.0, azimuth=200.0, roll=0.0, fill=0.9)
    table = Table(rules(BESIDE, {}), replace(look, camera=camera, seed=1), on_decision=RECORDER)
    assert table.show().summary == []
    assert table.show(table.put({"c5": "", "b5": "gg"}), 1.5).summary == ["unclear"]
    terms = RECORDER.with_verdict("question")
    close = [act for act in terms.acts if act.behind < 9]
    assert {"turn c5-b5", "turn c5-d5"} <= {act.act for act in close}
    assert any("it leads by" in RECORDER.terms[at].why for at in range(len(RECORDER.terms)))
    assert RECORDER.views is not None
    drawn = draw(RECORDER.views, terms)
    assert drawn.shape[1] > 3 * PANEL_WIDTH
    # The changed pixels of the act's squares are drawn in its colour.
    third = drawn[:, 2 * PANEL_WIDTH + 36 :]
    assert (third == COLOURS["act"][::-1]).all(-1).sum() > 200


def test_an_explanation_is_of_the_last_decision_up_to_its_time_with_its_verdicts() -> None:
    explainer = Explainer([99.0, 1.5])
    table = Table(Rules.make(2), on_decision=explainer)
    assert table.show().summary == []
    assert table.show(table.put({"d5": "", "d7": "gg"}), 3.0).summary == ["alert distance"]
    assert not explainer.done
    explainer.finish()
    assert explainer.missing == []
    early, alert = explainer.found
    assert early.terms.time <= 1.5 and early.terms.decided == ()
    # Long after the alert the picture is the same: the alert is what there is to explain.
    assert alert.terms.decided == ("alert distance d5 d7",) and alert.terms.time < 3.0


@pytest.mark.parametrize(
    ("light", "text"),
    [
        (None, "as in the reference"),
        (Light(GAIN, None), "another light"),
        (Light(GAIN, np.ones((4, 4), np.float32)), "another light, with a reflection"),
        (
            Light(GAIN, None, (lit(0.68), lit(1.24))),
            "another light, in parts with hard edges: levels times 0.68 and 1.24",
        ),
    ],
)
def test_the_light_is_described(light: Light | None, text: str) -> None:
    assert light_text(light) == text
