"""The mutants with which the tests are measured: small changes that compile and that a test could notice."""

from __future__ import annotations

import ast

from benchmarks.reliability.mutants import mutants, sample

SOURCE = '''\
"""A module."""
LIMIT: "int" = 3

@decorated(frozen=True)
def judged(value: int = 0) -> bool:
    """Whether it is so."""
    log.info("5 of %s", 1 < 2)
    if value >= LIMIT and not tall(value):
        note("é", value - 1)
        return None
    return False
'''


def test_each_mutant_changes_one_expression_that_is_executed() -> None:
    changed = {mutant.old: mutant.new for mutant in mutants("m.py", SOURCE)}
    assert changed["3"] == "4"
    assert changed["0"] == "1"
    assert changed["value >= LIMIT"] == "(value) > (LIMIT)"
    assert changed["not tall(value)"] == "(tall(value))"
    assert changed["value - 1"] == "((value) + (1))"
    assert changed['note("é", value - 1)'] == "pass"
    assert not {"True", "1 < 2", "return None", "return False", '"int"'} & changed.keys()


def test_the_rest_of_the_file_is_unchanged() -> None:
    for mutant in mutants("m.py", SOURCE):
        after = mutant.applied(SOURCE)
        ast.parse(after)
        assert after != SOURCE
        assert after.count("\n") == SOURCE.count("\n")


def test_the_same_seed_draws_the_same_mutants_from_each_folder() -> None:
    drawn = sample(9, 4, ("game", "storage"))
    assert drawn == sample(9, 4, ("game", "storage"))
    assert [mutant.file.split("/")[1] for mutant in drawn].count("game") == 5
