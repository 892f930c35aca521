"""The functions whose time is measured by part."""

from __future__ import annotations

import importlib
from operator import attrgetter

import pytest

from benchmarks.speed.parts import PART_OF_FUNCTION


@pytest.mark.parametrize(
    ("module", "function"),
    [(module, function) for module, functions in PART_OF_FUNCTION.items() for function in functions],
)
def test_a_function_that_is_measured_exists(module: str, function: str) -> None:
    assert callable(attrgetter(function)(importlib.import_module(module)))
