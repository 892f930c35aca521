"""Random words that links and cookies carry, and how a word from outside is compared with the right one."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Final

_BYTES: Final = 12
"""Random bytes of a word: too many to guess, and few enough for a QR code on a terminal."""


def new_word(byte_count: int = _BYTES) -> str:
    """A new random word of letters, digits, ``-`` and ``_``."""
    return secrets.token_urlsafe(byte_count)


def digest(word: str) -> str:
    """A hash of constant length. Stored instead of a random word, it does not reveal it."""
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()


def is_same(given: str, right: str) -> bool:
    """Whether the words are equal. How long this takes reveals nothing about the right one."""
    return has_digest(given, digest(right))


def has_digest(given: str, right: str) -> bool:
    """Whether ``given`` is the word with the digest ``right``. How long this takes reveals nothing."""
    return hmac.compare_digest(digest(given).encode(), right.encode("utf-8", "surrogatepass"))
