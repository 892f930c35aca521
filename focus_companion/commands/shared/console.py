"""How a command ends and reports an error: one line on standard error, a fixed exit status.

Exit status: 0 success; 1 a negative result (an illegal record, a board not found); 2 wrong usage or
unreadable input. Ctrl-C gives 130, as shells expect; a closed pipe (``… | head``) is not an error.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import shell_complete

from focus_companion.formats.errors import printable

log = logging.getLogger(__name__)

PROGRAM = "focus-companion"
_MAX_LINE_LENGTH = 1000
"""Characters; text that an error line quotes from a file may have any length."""
_BYTE = re.compile("[\udc80-\udcff]")
_QUOTED_BYTE = re.compile(r"\\udc([89a-f][0-9a-f])")
COMPLETION_VARIABLE = "_FOCUS_COMPANION_COMPLETE"
"""Set by the shell to request completions."""
TRACEBACK_VARIABLE = "FOCUS_COMPANION_TRACEBACK"
"""Set this environment variable to see the traceback of an error."""


class CommandError(Exception):
    """Ends the command with one line for the user and an exit status."""

    status = 2


class NegativeResult(CommandError):
    """A negative result: exit status 1."""

    status = 1


class BadInput(CommandError):
    """Wrong usage, or input that cannot be read: exit status 2. Say what, where, and what to do."""


def print_notice(line: str) -> None:
    """Print ``line`` as one line on standard error, whatever characters it contains."""
    clean = printable(_bytes_shown(line[:_MAX_LINE_LENGTH]))
    # Standard error may be closed or a broken pipe; then nobody is left to read it.
    with suppress(OSError, ValueError):
        print(f"{PROGRAM}: {clean}", file=sys.stderr, flush=True)


def _bytes_shown(text: str) -> str:
    """``text`` with bytes of file names that are not UTF-8 as shells write them, such as ``\\xff``. In the
    text, a surrogate stands for each, quoted or not.
    """
    text = _QUOTED_BYTE.sub(r"\\x\1", text)
    return _BYTE.sub(lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", text)


def run(command: click.Command, args: Sequence[str] | None = None) -> int:
    """Run a command line to its end. Returns the exit status, after reporting any error."""
    try:
        _open_closed_streams()
        _tolerant_output()
        if instruction := os.environ.get(COMPLETION_VARIABLE):
            return shell_complete(command, {}, PROGRAM, COMPLETION_VARIABLE, instruction)
        # Not command.main, which treats a closed pipe as a failure.
        with command.make_context(PROGRAM, list(sys.argv[1:] if args is None else args)) as context:
            command.invoke(context)
        sys.stdout.flush()
        return 0
    except click.exceptions.Exit as ended:
        sys.stdout.flush()
        return ended.exit_code
    except (KeyboardInterrupt, click.exceptions.Abort):
        return 130
    except BrokenPipeError:
        _silence_output()
        return 0
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            traceback.print_exc()
        log.info("ended by an error", exc_info=True)
        line, status = explain(error)
        print_notice(line)
        return status


def explain(error: Exception) -> tuple[str, int]:
    """The message and exit status for an error that ended a command."""
    if isinstance(error, CommandError):
        return str(error), error.status
    if isinstance(error, click.UsageError):
        where = f"; see '{error.ctx.command_path} --help'" if error.ctx else ""
        # Click breaks lines between the choices of a missing option.
        return f"{' '.join(error.format_message().split()).rstrip('.')}{where}", 2
    if isinstance(error, click.ClickException):
        return error.format_message(), 2
    if is_for_users(error):
        return str(error), 2
    if isinstance(error, OSError):
        return _os_error(error), 2
    kind = type(error).__name__
    report = f"internal error, please report it ({kind}: {error})"
    return f"{report}; {TRACEBACK_VARIABLE}=1 shows the traceback", 2


def is_for_users(error: Exception) -> bool:
    """Whether the error's text was written for users: those of our own subclasses are."""
    return isinstance(error, ValueError | OSError) and type(error).__module__.startswith("focus_companion.")


def _os_error(error: OSError) -> str:
    if error.strerror is None:  # raised by us with a sentence of its own
        return str(error)
    name = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    remedy = {
        FileNotFoundError: "check the name",
        PermissionError: "check the permissions of the file and its folder",
        IsADirectoryError: "give a file",
        NotADirectoryError: "check the path",
    }.get(type(error), "check the disk and the path")
    return f"{name}{error.strerror}; {remedy}"


def _open_closed_streams() -> None:
    """Open the null device for each standard stream that was closed before the start, as by ``>&-`` or a
    supervisor. Otherwise the next file that is opened, such as the journal, would take the stream's number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _tolerant_output() -> None:
    """Make a terminal that cannot show a letter of a player's name print '?' instead of failing."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _silence_output() -> None:
    """Redirect standard output to the null device, so that the interpreter's last flush does not fail."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
