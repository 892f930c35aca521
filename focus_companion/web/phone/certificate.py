"""The companion's self-signed certificate: browsers give pages access to the camera only over HTTPS."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ... import private_files

FILE_NAME: Final = "phone-certificate.pem"

VALIDITY: Final = datetime.timedelta(days=397)
"""iOS rejects certificates valid for more than 825 days, browsers those of an authority for more than 398."""

RENEWAL_MARGIN: Final = datetime.timedelta(days=30)
"""Time before its expiry from which on it is replaced."""


def certificate(folder: Path, names: Iterable[str], now: datetime.datetime | None = None) -> Path:
    """The file with key and certificate for these host names and addresses, readable by this user alone.

    It is created if it does not exist, cannot be read, expires soon, or lacks one of ``names``.

    Raises:
        OSError: it cannot be written.
    """
    now = now or datetime.datetime.now(datetime.UTC)
    wanted = sorted(set(names))
    path = folder / FILE_NAME
    if not _is_usable(path, wanted, now):
        folder.mkdir(parents=True, exist_ok=True)
        private_files.replace(path, _generate(wanted, now))
    return path


def _is_usable(path: Path, names: Iterable[str], now: datetime.datetime) -> bool:
    """Whether the file can be reused: complete, private, for these names, and not expiring soon."""
    try:
        data = path.read_bytes()
        private = path.stat().st_mode & 0o077 == 0
        found = x509.load_pem_x509_certificate(data)
        key = serialization.load_pem_private_key(data, None)
        names_in_it = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, TypeError, x509.ExtensionNotFound):
        # There is none yet, or it is damaged: a new one is made.
        return False
    fits = found.public_key() == key.public_key()
    lasts = found.not_valid_before_utc <= now < found.not_valid_after_utc - RENEWAL_MARGIN
    return private and fits and lasts and {_general_name(name) for name in names} <= set(names_in_it)


def _generate(names: Iterable[str], now: datetime.datetime) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Focus Companion")])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # The clocks of phones may be wrong.
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + VALIDITY)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + made.public_bytes(serialization.Encoding.PEM)


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
