"""Two real ``play`` processes at simulated tables share one game: the record is the same at both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_seats_companion import Playing

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PLIES = 8


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    made = tmp_path / "host", tmp_path / "guest"
    for folder in made:
        folder.mkdir()
    yield made


def test_each_board_is_the_others_hands(folders: tuple[Path, Path]) -> None:
    there, here = folders
    host = Playing(there, "--seat", "red=far")
    guest = None
    try:
        host.until(lambda state: state["ply"] >= 1)
        (links,) = there.rglob("*.links")
        link = links.read_text(encoding="utf-8").split()[-1]
        assert links.stat().st_mode & 0o077 == 0
        guest = Playing(here, "--seat", f"green=table:{link}")
        first = guest.until(lambda state: state["ply"] >= PLIES)
        assert first["seats"] == {"green": f"table:http://127.0.0.1:{host.port}", "red": "board"}
        theirs = host.until(lambda state: state["ply"] >= PLIES - 1)

        def moves(state: dict[str, object]) -> list[str]:
            told = state["moves"]
            assert isinstance(told, list)
            return [entry["move"] for entry in told][: PLIES - 1]

        assert moves(first) == moves(theirs)
    finally:
        for one in filter(None, (host, guest)):
            one.process.terminate()
            said = one.process.communicate(timeout=60)[0]
            assert "Traceback" not in said, said
    log = here / "state" / "focus_companion" / "log" / "focus-companion.log"
    assert link.partition("#")[2] not in log.read_text(encoding="utf-8") + said, "the word stays out of it"
