"""Lets the error of a setting say where the setting comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from focus_companion.commands.shared.console import BadInput, is_for_users
from focus_companion.settings import Settings


@contextmanager
def errors_name(settings: Settings, setting: str) -> Iterator[None]:
    """Errors in the block begin with the place of the setting that they are about: of the one that their
    attribute ``setting`` names, else of ``setting``. Raises BadInput for errors whose text is for users.
    """
    try:
        yield
    except (ValueError, OSError) as error:
        if not is_for_users(error):
            raise
        place = settings.place(getattr(error, "setting", setting))
        raise BadInput(f"{place}: {error}") from error
