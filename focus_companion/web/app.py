"""The Flask app around a running game."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from flask import Flask

from . import api, hinting, pages, reporting, seats, speaking, stream
from .access import Access
from .base import base_app
from .far import FarSeats
from .newer import Installed
from .ports import CameraOffer, FaultReports, GameJournal, GameSession
from .reporting import Reporting
from .reviewing import Reviews
from .series import Series

VIEWERS = 240
"""How many viewers may follow the event stream at a time."""

AFTER_YOU: Final = 0.2
"""Seconds for which whoever asks for something waits at most while a picture is judged."""


def create_app(
    session: GameSession,
    journal: GameJournal | None = None,
    *,
    lan: bool = False,
    pin: str | None = None,
    hosts: Iterable[str] = (),
    viewers: int = VIEWERS,
    far: FarSeats | None = None,
    offer: CameraOffer | None = None,
    phone: str | None = None,
    reports: FaultReports | None = None,
) -> Flask:
    """The page of a running game.

    ``lan``: answer under bare addresses of this machine and the names in ``hosts``, not under loopback alone.
    ``pin``: whoever knows it may act from elsewhere too; without one only the host machine may.
    ``viewers``: most open event streams; past it viewers are told to poll. ``far``: who holds the seats of
    players far away. ``offer``: where the demonstration stands in for a camera, what tells of one that is
    plugged in. ``phone``: the address, with its secret word, under which a phone becomes the camera.
    ``reports``: what shows the game's last fault, to be saved as a file.
    """
    app = base_app(Access(lan=lan, pin=pin, hosts=hosts), viewers)
    app.extensions["game"] = session
    # With a thousand who ask, those who come during a look would each take their share of its time.
    app.before_request(partial(session.let_pass, AFTER_YOU))
    app.extensions["journal"] = journal
    app.extensions["blocks"] = stream.Blocks(stream.event_block)
    app.extensions["state_blocks"] = stream.Blocks(partial(stream.state_block, session))
    app.extensions["offer"] = offer
    app.extensions["phone"] = phone
    app.extensions["reporting"] = Reporting(reports) if reports is not None else None
    app.extensions["installed"] = Installed()
    app.extensions["series"] = Series()
    app.extensions["far"] = far or FarSeats()
    app.extensions["reviews"] = Reviews()
    # Where else the page can be opened is known once its server runs; shown with a QR code, best first.
    app.extensions["addresses"] = ()
    app.register_blueprint(pages.blueprint)
    app.register_blueprint(api.blueprint)
    app.register_blueprint(seats.blueprint)
    app.register_blueprint(speaking.blueprint)
    app.register_blueprint(hinting.blueprint)
    app.register_blueprint(reporting.blueprint)
    app.register_blueprint(stream.blueprint)
    return app
