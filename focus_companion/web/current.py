"""The parts of the app that answers the current request: its access rules, its game, its journal."""

from __future__ import annotations

from flask import current_app

from .access import Access
from .ports import GameJournal, GameSession


def access() -> Access:
    """Who may watch and who may act."""
    found: Access = current_app.extensions["access"]
    return found


def session() -> GameSession:
    """The running game."""
    found: GameSession = current_app.extensions["game"]
    return found


def journal() -> GameJournal | None:
    """The past games; ``None`` if the game is played without a journal."""
    found: GameJournal | None = current_app.extensions["journal"]
    return found
