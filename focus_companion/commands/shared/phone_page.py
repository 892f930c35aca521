"""Serves the page with which a phone becomes the camera: its certificate, its port, its address."""

from __future__ import annotations

from contextlib import ExitStack

from focus_companion import logs
from focus_companion.settings import Settings
from focus_companion.vision.capture.phone import PhoneCamera


def phone_page(settings: Settings, camera: PhoneCamera, closing: ExitStack) -> str:
    """Serve the page for the phone until ``closing``; returns its address, with the secret word.

    Its port is the one after that of the game's page, so that the phone recognizes the address; if that is in
    use, any free one.

    Raises:
        OSError: the certificate cannot be written, or no port can be used.
    """
    # Imported here because they are slow, and only players with a phone need them.
    from focus_companion.web.lan import host_names, lan_addresses, lan_host, lan_ips
    from focus_companion.web.phone.app import create_phone_app
    from focus_companion.web.phone.certificate import certificate
    from focus_companion.web.phone.holder import Holder
    from focus_companion.web.phone.server import PhoneServer

    holder = Holder()
    logs.hide(holder.word)
    names = host_names()
    file = certificate(settings.data, ["localhost", "127.0.0.1", *names, *lan_ips()])
    app = create_phone_app(camera, holder, hosts=names)
    host = lan_host()
    try:
        server = PhoneServer(app, file, host=host, port=settings.port + 1 if 0 < settings.port < 65535 else 0)
    except OSError:
        server = PhoneServer(app, file, host=host)
    server.start()
    closing.callback(server.close)
    address = next(iter(lan_addresses(server.port, "https")), f"https://127.0.0.1:{server.port}/")
    return f"{address}#{holder.word}"
