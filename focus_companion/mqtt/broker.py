"""A broker's address and credentials: ``mqtt[s]://[USER[:PASSWORD]@]HOST[:PORT]``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
"""Default ports by scheme."""


class BadBroker(ValueError):
    """The broker's address, password or certificate, whichever ``setting`` names, is invalid; the message
    never shows the password.
    """

    def __init__(self, text: str, setting: str = "mqtt") -> None:
        super().__init__(text)
        self.setting = setting


@dataclass(frozen=True)
class Broker:
    """An address with its credentials."""

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: Path | None = None
    """File with the CA certificates to trust; ``None``: those that the system trusts."""

    @property
    def shown(self) -> str:
        """The address for people, without user and password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"mqtt{'s' if self.tls else ''}://{host}:{self.port}"


def parse_broker(address: str, *, password: str | None = None, ca: Path | None = None) -> Broker:
    """Parse a broker's address; ``password`` overrides one in the address.

    Raises:
        BadBroker: it is invalid.
    """
    what = "give mqtt://HOST or mqtts://HOST, with :PORT where it is not the usual one"
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError:
        raise BadBroker(f"the port is invalid; {what}") from None
    if parts.scheme not in PORTS or not parts.hostname:
        shown = address.rpartition("@")[2][:60]
        raise BadBroker(f"{shown!r} is not a broker's address; {what}")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise BadBroker(f"nothing may follow the host and port of the address; {what}")
    tls = parts.scheme == "mqtts"
    if ca is not None:
        if not tls:
            raise BadBroker(
                "a certificate is for a broker with TLS, whose address is mqtts://HOST", "mqtt_ca"
            )
        if not ca.is_file():
            raise BadBroker(f"there is no file {ca}; give the broker's CA certificate (PEM)", "mqtt_ca")
    user = unquote(parts.username) if parts.username else None
    secret = password or (unquote(parts.password) if parts.password else None)
    if secret and not user:
        raise BadBroker(
            "a password needs a user, in the address: mqtt://USER@HOST",
            "mqtt_password" if password else "mqtt",
        )
    return Broker(parts.hostname, port or PORTS[parts.scheme], tls, user, secret, ca)
