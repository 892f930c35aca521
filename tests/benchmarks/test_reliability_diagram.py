"""The reliability diagram bins claims correctly and recovers the temperature they were drawn with."""

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks.accuracy.reliability_diagram import (
    Claim,
    binned,
    claims,
    confidence,
    drawing,
    fitted,
    shown_at,
)
from benchmarks.accuracy.report import wilson
from benchmarks.accuracy.simulated import case
from focus_companion.vision.appearance.evidence import TEMPERATURE


def claim(lead: float, right: bool) -> Claim:
    return Claim("drawn", 0.0, "TURN", "", lead, right, True)


@pytest.mark.parametrize("temperature", [2.0, 7.0])
def test_the_temperature_that_claims_were_drawn_with_is_recovered(temperature: float) -> None:
    random = np.random.default_rng(3)
    leads = random.uniform(0.0, 5 * temperature, 20_000)
    drawn = [claim(lead, random.random() < confidence(lead, temperature)) for lead in leads]
    assert fitted(drawn) == pytest.approx(temperature, rel=0.05)


def test_claims_are_counted_by_their_confidence() -> None:
    sure, unsure = 12 * TEMPERATURE, 0.1 * TEMPERATURE
    bins = binned([claim(sure, True)] * 9 + [claim(sure, False)] + [claim(unsure, False)] * 2)
    assert [(each.right, each.of) for each in bins] == [(0, 2), (9, 10)]
    assert bins[0].claimed == pytest.approx(0.525, abs=0.001) and bins[1].claimed > 0.999


def test_the_interval_contains_the_share_and_narrows_with_more_claims() -> None:
    few, many = wilson(9, 10), wilson(900, 1000)
    assert few[0] < many[0] < 0.9 < many[1] < few[1] <= 1
    assert wilson(10, 10)[1] == pytest.approx(1)


def test_the_drawing_has_one_point_for_each_bin() -> None:
    bins = binned([claim(50.0, True), claim(0.0, False)])
    assert len(ElementTree.fromstring(drawing(bins)).findall("{*}circle")) == len(bins) == 2


def test_no_position_is_known_while_a_hand_moves_pieces() -> None:
    game = case(1, plies=1, trouble=0.0)
    frames = game.truth()["frames"]
    hands = [float(frame["t"]) for frame in frames if frame["kind"] == "hand"]
    assert hands and all(shown_at(frames, time) is None for time in hands)
    assert shown_at(frames, float(frames[0]["t"])) is not None
    assert shown_at(frames, float(frames[0]["t"]) - 1) is None


@pytest.mark.slow
def test_a_watched_game_makes_one_claim_per_turn() -> None:
    game = case(3, plies=3, trouble=0.0)
    made = claims(game.name, game.frames(), game.truth(), game.rules)
    turns = [each for each in made if each.act == "TURN" and each.reported]
    assert [each.right for each in turns] == [True] * 3
    assert len({each.position for each in turns}) == 3
    assert all((a.act, a.position) != (b.act, b.position) for a, b in pairwise(made))
