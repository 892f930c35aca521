"""Shows the PIN and the links of far seats to the host alone: on the terminal, else in a file that only this
user can read.

Output without a terminal goes to the system's log or a file, where others may read it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from focus_companion import private_files
from focus_companion.commands.shared.serving import say


def print_pin(pin: str, port: int, data: Path, closing: ExitStack) -> None:
    """Print the PIN, or the file that holds it while the program runs.

    Raises:
        OSError: there is no terminal, and no file can be written either.
    """
    if sys.stdout.isatty():
        say(f"PIN for acting from other machines: {pin}")
        return
    file = private_folder(data) / f"focus-companion-{port}.pin"
    _keep(file, f"{pin}\n", closing)
    say(f"PIN for acting from other machines: see {file}")


def print_links(
    words: Mapping[str, str | None], address: str, port: int, data: Path, closing: ExitStack
) -> None:
    """Print the links of the free far seats (words by colour), or the file that holds them.

    Raises:
        OSError: there is no terminal, and no file can be written either.
    """
    lines = [
        f"{colour.capitalize()}, for one browser far away: {address}seat#{word}"
        for colour, word in words.items()
        if word is not None
    ]
    for colour, word in words.items():
        if word is None:
            say(f"{colour.capitalize()} is played from far away, from the browser that has the seat")
    if not lines or sys.stdout.isatty():
        for line in lines:
            say(line)
        return
    file = private_folder(data) / f"focus-companion-{port}.links"
    _keep(file, "".join(f"{line}\n" for line in lines), closing)
    say(f"Links of the far seats: see {file}, or the page")


def print_phone(link: str, port: int, data: Path, closing: ExitStack) -> None:
    """Print the address at which a phone becomes the camera, or the file that holds it.

    Raises:
        OSError: there is no terminal, and no file can be written either.
    """
    if sys.stdout.isatty():
        from focus_companion.web.lan import qr_text

        say(f"Open this with the phone (its browser warns of the certificate; go on): {link}")
        say(qr_text(link))
        return
    file = private_folder(data) / f"focus-companion-{port}.phone"
    _keep(file, f"{link}\n", closing)
    say(f"The phone's address: see {file}, or the QR code on the page")


def _keep(file: Path, text: str, closing: ExitStack) -> None:
    """Write a file that only this user can read, and that exists only while the program runs."""
    # Never write into a file that somebody else has put there.
    file.unlink(missing_ok=True)
    with os.fdopen(private_files.create(file), "w") as out:
        out.write(text)
    closing.callback(_remove, file)


def private_folder(data: Path, environ: Mapping[str, str] | None = None) -> Path:
    """The user's runtime folder, else that of the journal."""
    given = (os.environ if environ is None else environ).get("XDG_RUNTIME_DIR", "")
    runtime = Path(given)
    return runtime if given and runtime.is_absolute() and os.access(runtime, os.W_OK) else data


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink()
