"""The addresses at which other machines reach the page, and their QR codes."""

from __future__ import annotations

import io
import socket
from contextlib import closing


def lan_addresses(port: int, scheme: str = "http") -> list[str]:
    """Addresses of the page for other machines of the network, best first; none without a network."""
    return [f"{scheme}://{ip}:{port}/" for ip in lan_ips()]


def lan_ips() -> list[str]:
    """This machine's own addresses in its network, best first; none without a network.

    It is that of the interface through which a packet to the internet would leave; nothing is sent. Our pages
    listen on IPv4 only.
    """
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            # There is no route, so there is no address to show.
            return []
        return [str(probe.getsockname()[0])]


def host_names() -> list[str]:
    """Names of this machine on its own network."""
    name = socket.gethostname().lower()
    short = name.split(".")[0]
    return sorted({name, short, f"{short}.local"} - {""})


def qr_code(address: str) -> bytes:
    """The address as an SVG QR code, black on white even on a dark page, so that every phone can read it."""
    # Imported when somebody asks for a code: with what it needs, it takes a megabyte.
    import segno

    out = io.BytesIO()
    segno.make(address, error="m").save(
        out, kind="svg", scale=4, border=3, dark="#000", light="#fff", xmldecl=False
    )
    return out.getvalue()


def qr_text(address: str) -> str:
    """The address as a QR code for a terminal."""
    import segno

    out = io.StringIO()
    segno.make(address, error="l").terminal(out, border=2, compact=True)
    return out.getvalue()
