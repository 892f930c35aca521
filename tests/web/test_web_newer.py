"""The page says when a newer version than the running one is installed."""

from __future__ import annotations

from importlib import metadata

import pytest

from focus_companion import __version__
from focus_companion.web import newer
from focus_companion.web.newer import Installed


@pytest.mark.parametrize(
    ("running", "installed", "reported"),
    [
        ("0.1.0", "0.1.0", None),
        ("0.1.0", "0.2.0", "0.2.0"),
        ("0.9.3", "0.10.0", "0.10.0"),
        ("0.2.0", "0.1.9", None),
    ],
)
def test_only_a_newer_version_is_reported(
    monkeypatch: pytest.MonkeyPatch, running: str, installed: str, reported: str | None
) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: installed)
    assert Installed(running).newer() == reported


def test_a_version_that_is_being_replaced_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert Installed().newer() is None


def test_the_state_has_it_soon_after_the_installation(client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: __version__)
    assert client.get("/api/state").json["newer"] is None
    monkeypatch.setattr(metadata, "version", lambda name: "99.0.0")
    assert client.get("/api/state").json["newer"] is None, "the disk is not read for every viewer"
    monkeypatch.setattr(newer, "CHECK_INTERVAL", -1.0)
    assert client.get("/api/state").json["newer"] == "99.0.0"
