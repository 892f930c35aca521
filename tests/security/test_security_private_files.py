"""Files with secrets are readable only by their owner from the moment they are created."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from focus_companion import private_files
from focus_companion.commands.shared.pin import print_links, print_phone, print_pin
from focus_companion.seats import table_client
from focus_companion.session.seat_kinds import FAR
from focus_companion.web.far import FarSeats
from focus_companion.web.phone.certificate import certificate

PACKAGE = Path(__file__).parents[2] / "focus_companion"


@pytest.fixture(autouse=True)
def permissive(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A umask that takes no permissions away, and no means to take them away later."""

    def refused(*_: object, **__: object) -> None:
        pytest.fail("permissions are set only after the file was created")

    for name in ("chmod", "fchmod", "lchmod"):
        monkeypatch.setattr(os, name, refused, raising=False)
    monkeypatch.setattr(Path, "chmod", refused)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    before = os.umask(0)
    yield
    os.umask(before)


def pin(folder: Path, closing: ExitStack) -> None:
    print_pin("246810", 8000, folder, closing)


def links(folder: Path, closing: ExitStack) -> None:
    print_links({"green": "word"}, "http://127.0.0.1:8000/", 8000, folder, closing)


def phone(folder: Path, closing: ExitStack) -> None:
    print_phone("https://127.0.0.1:8443/#word", 8000, folder, closing)


def far_seat(folder: Path, _: ExitStack) -> None:
    seats, kinds = FarSeats(folder), {"green": FAR}
    seats.enter(seats.links(kinds)["green"] or "", kinds)


def seat_elsewhere(folder: Path, _: ExitStack) -> None:
    table_client.TableClient("http://127.0.0.1:8000", folder)._write()


def key(folder: Path, _: ExitStack) -> None:
    certificate(folder, ["127.0.0.1"])


@pytest.mark.parametrize("write", [pin, links, phone, far_seat, seat_elsewhere, key])
def test_secrets_are_private_from_the_first_moment(
    write: Callable[[Path, ExitStack], None], tmp_path: Path
) -> None:
    with ExitStack() as closing:
        write(tmp_path, closing)
        (file,) = tmp_path.iterdir()
        assert file.stat().st_mode & 0o777 == 0o600


def test_what_others_have_put_there_is_not_written_to(tmp_path: Path) -> None:
    """A file that others may read already, or a link, must not receive the secret."""
    open_to_all = tmp_path / "secrets.json.new"
    open_to_all.touch(0o666)
    held = open_to_all.open(encoding="utf-8")
    private_files.replace(tmp_path / "secrets.json", b"secret")
    with held:
        assert held.read() == ""
    assert (tmp_path / "secrets.json").read_bytes() == b"secret"
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        private_files.create(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_a_failed_replacement_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    private_files.replace(tmp_path / "secrets.json", b"old")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        private_files.replace(tmp_path / "secrets.json", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["secrets.json"]
    assert (tmp_path / "secrets.json").read_bytes() == b"old"


def test_new_files_are_created_in_one_place() -> None:
    """Other modules open only what may exist already: the log, the journal and its lock."""
    creating = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(r"\bO_(EXCL|TRUNC)\b", path.read_text(encoding="utf-8"))
    }
    assert creating == {"private_files.py"}
