"""The addresses at which other machines reach the page, and their QR codes."""

from __future__ import annotations

import io
import socket
from contextlib import closing


def lan_addresses(port: int, scheme: str = "http") -> list[str]:
    """Addresses of the page for other machines of the network, best first; none without a network."""
    return [f"{scheme}://{f'[{ip}]' if ':' in ip else ip}:{port}/" for ip in lan_ips()]


def lan_ips() -> list[str]:
    """This machine's own addresses in its network, best first; none without a network.

    It is that of the interface through which a packet to the internet would leave; nothing is sent. An IPv6
    address counts only in a network without IPv4: see :func:`lan_host`.
    """
    ip = _source_ip(socket.AF_INET) or _source_ip(socket.AF_INET6)
    return [ip] if ip else []


def lan_host() -> str:
    """The address to listen on for the whole network: "::", which includes IPv4, in a network without IPv4.

    Elsewhere IPv4 only: an IPv6 address can often be reached from the whole internet.
    """
    return "::" if any(":" in ip for ip in lan_ips()) else "0.0.0.0"


def _source_ip(family: socket.AddressFamily) -> str:
    """The address from which a packet to the internet would leave, "" if there is no route or it is valid on
    its own link only.
    """
    beyond = "192.0.2.1" if family == socket.AF_INET else "2001:db8::1"
    try:
        with closing(socket.socket(family, socket.SOCK_DGRAM)) as probe:
            probe.connect((beyond, 9))
            ip = str(probe.getsockname()[0])
    except OSError:
        return ""
    return "" if ip.startswith("fe80:") else ip


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
