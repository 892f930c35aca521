"""The Flask app around a running game."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from http import HTTPStatus
from typing import Final

from flask import Flask, Response

from ..storage.errors import JournalError
from . import api, hinting, pages, reporting, seats, speaking, stream
from .access import Access, HttpError
from .base import base_app, refused
from .far import FarSeats
from .newer import Installed
from .ports import FaultReports, GameJournal, GameSession, OfferedCameras
from .reporting import Reporting
from .reviewing import Reviews
from .series import Series

log = logging.getLogger(__name__)

MAX_VIEWERS = 240
"""Maximum number of viewers of the event stream at a time."""

MAX_YIELD_SECONDS: Final = 0.2
"""Maximum seconds for which a request waits while a picture is being processed."""


def create_app(
    session: GameSession,
    journal: GameJournal | None = None,
    *,
    lan: bool = False,
    pin: str | None = None,
    hosts: Iterable[str] = (),
    viewers: int = MAX_VIEWERS,
    far: FarSeats | None = None,
    offer: OfferedCameras | None = None,
    phone: str | None = None,
    reports: FaultReports | None = None,
) -> Flask:
    """The page of a running game.

    ``lan``: accept requests to IP addresses of this machine and to the names in ``hosts``, not only loopback.
    ``pin``: lets those who know it act from elsewhere, too; without one only the host machine may act.
    ``viewers``: maximum number of open event streams; further viewers have to poll. ``far``: who holds the
    remote seats. ``offer``: the cameras that can be chosen, if the demo stands in for one. ``phone``: the
    address, with its secret word, at which a phone becomes the camera. ``reports``: makes a report of the
    last fault of the game, to be saved as a file.
    """
    app = base_app(Access(lan=lan, pin=pin, hosts=hosts), viewers)
    app.extensions["game"] = session
    # With a thousand viewers, requests would otherwise slow down the processing of pictures.
    app.before_request(partial(session.wait_while_busy, MAX_YIELD_SECONDS))
    app.extensions["journal"] = journal
    app.extensions["blocks"] = stream.Blocks(stream.event_block)
    app.extensions["state_blocks"] = stream.Blocks(partial(stream.state_block, session))
    app.extensions["offer"] = offer
    app.extensions["phone"] = phone
    app.extensions["reporting"] = Reporting(reports) if reports is not None else None
    app.extensions["installed"] = Installed()
    app.extensions["series"] = Series()
    app.extensions["far"] = far or FarSeats()
    app.extensions["far"].follow(session.state()["game"], journal)
    app.extensions["reviews"] = Reviews()
    # Further addresses of the page, known once its server runs; shown with a QR code, best first.
    app.extensions["addresses"] = ()
    app.register_error_handler(JournalError, _no_journal)
    app.register_blueprint(pages.blueprint)
    app.register_blueprint(api.blueprint)
    app.register_blueprint(seats.blueprint)
    app.register_blueprint(speaking.blueprint)
    app.register_blueprint(hinting.blueprint)
    app.register_blueprint(reporting.blueprint)
    app.register_blueprint(stream.blueprint)
    return app


def _no_journal(error: JournalError) -> Response:
    """The answer to a request for which the journal cannot be read or written now."""
    log.error("%s", error)
    return refused(
        HttpError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "The host cannot read or write its games now; its terminal says why. Try again later.",
        )
    )
