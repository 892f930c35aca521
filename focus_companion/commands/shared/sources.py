"""Resolves GAME on the command line: a record file, a game of the journal, or ``last``."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from focus_companion.commands.shared.console import BadInput, print_notice
from focus_companion.formats.match import Match
from focus_companion.formats.reading import MAX_RECORD_BYTES, read_record


def data_folder(given: str | None) -> Path:
    """The folder of the journal: ``--data``, else that of the settings, else the user's own (XDG).

    Raises SettingsError for a settings file that cannot be read.
    """
    from focus_companion.settings import load as load_settings

    return load_settings({"data": given}).data


def journal_folder(given: str | None) -> Path:
    """The folder of the journal to read games from: as :func:`data_folder`, but the demo's if the user has
    played no game; then this is printed.

    Raises SettingsError for a settings file that cannot be read.
    """
    from focus_companion.storage.folders import folder_to_read

    data = data_folder(given)
    folder = folder_to_read(data)
    if folder != data:
        print_notice(f"{data} holds no game of your own yet; these are the demo's")
    return folder


def is_journal_game(game: str, data: str | None) -> bool:
    """Whether GAME means a game in the journal. Without ``--data``, a file of that name takes precedence."""
    named = game == "last" or (game.isascii() and game.isdigit() and len(game) < 16)
    return named and (data is not None or not Path(game).exists())


def load(game: str, data: str | None, *, match: bool = False) -> Match:
    """The game or match that GAME names; ``-`` is standard input.

    ``match``: load the whole match to which the journal's game belongs.

    Raises:
        BadInput: there is no such file or game.
        FormatError: the file cannot be read.
    """
    if is_journal_game(game, data):
        found = _from_journal(game, journal_folder(data), match=match)
    elif match:
        raise BadInput(f"--match is for games of the journal; the file {game} holds what it holds")
    else:
        found = read_record(read_bytes(game), game)
    warn(found, game)
    return found


def refuse_source(output: str | None, source: str | Path, option: str) -> None:
    """Raise BadInput if ``output``, named by ``option``, is the file that is read."""
    with suppress(OSError, ValueError):
        if output is not None and Path(output).is_file() and Path(output).samefile(source):
            raise BadInput(f"{option}: {output} is the file that is read; give another name")


def warn(match: Match, place: str) -> None:
    """Warn about a record with an old turn order, which is read although no game may begin with it today."""
    for number, record in enumerate(match.games):
        if fault := record.rules.order_fault:
            inner = "" if match.single else f": games[{number}]"
            print_notice(
                f"{place}{inner}: warning: {fault}; it is read as it was played, "
                "but no new game can begin like that"
            )


def read_bytes(game: str) -> bytes:
    """The content of a record file, up to one byte more than is allowed. Raises BadInput, OSError."""
    if game == "-":
        return sys.stdin.buffer.read(MAX_RECORD_BYTES + 1)
    path = Path(game)
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_RECORD_BYTES + 1)
    except (FileNotFoundError, ValueError):  # a name with a null byte raises ValueError
        raise BadInput(
            f"GAME: no file {game!r}; give a record file, the number of a game of the journal, or last"
        ) from None


def _from_journal(game: str, folder: Path, *, match: bool) -> Match:
    from focus_companion.session.dates import local_date
    from focus_companion.storage.journal import Journal
    from focus_companion.storage.matches import match_of

    with Journal(folder) as journal:
        games = journal.games()
        if not games:
            raise BadInput(f"{folder}: the journal holds no game; play one, or give its folder with --data")
        number = games[0].id if game == "last" else int(game)
        try:
            if (deleted := journal.summary(number).deleted) is not None:
                raise BadInput(
                    f"{folder}: game {number} was deleted on {local_date(deleted)}; restore it at the end of "
                    "the page's list of games"
                )
            if not match:
                return Match((journal.record(number),), single=True)
            found = match_of(journal, number)
            if found is None:
                raise BadInput(f"{folder}: game {number} belongs to no match; leave --match out")
            length, ids = found
            return Match(tuple(journal.record(each) for each in ids), length=length)
        except LookupError:
            there = _range([summary.id for summary in games])
            raise BadInput(
                f"{folder}: the journal has no game {number}; it has {there}, or say last"
            ) from None


def _range(ids: list[int]) -> str:
    return str(ids[0]) if len(ids) == 1 else f"{min(ids)} to {max(ids)}"
