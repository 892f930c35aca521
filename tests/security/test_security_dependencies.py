"""CI installs exactly what was reviewed: version and hashes of every package are locked."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
NOT_LOCKED = {"atheris"}
"""Used only for fuzzing; no test needs it."""


def locked() -> dict[str, tuple[str, list[str]]]:
    """Version and hashes of every locked package, by name."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if wanted := re.match(r"([A-Za-z0-9._-]+)==([^ ;]+)", line):
            found[canonicalize_name(wanted[1])] = (
                wanted[2],
                re.findall(r"--hash=sha256:([0-9a-f]{64})", line),
            )
        else:
            assert not line.strip() or line.startswith("#"), f"no other source than the index: {line}"
    return found


def wanted() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    return [Requirement(text) for texts in (project["dependencies"], *extras) for text in texts]


def test_the_lock_satisfies_the_requirements_of_the_project() -> None:
    lock = locked()
    for requirement in wanted():
        name = canonicalize_name(requirement.name)
        if name in NOT_LOCKED:
            continue
        assert name in lock, f"{name} is not locked: run 'make lock' (it needs uv)"
        assert requirement.specifier.contains(lock[name][0]), f"{requirement}: run 'make lock' (it needs uv)"


def test_every_locked_package_has_its_hashes() -> None:
    lock = locked()
    assert len(lock) > 30
    assert [name for name, (_, hashes) in lock.items() if not hashes] == []


HOLES = '{"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}'
AUDITS = {
    "a hole": (HOLES + "]}]}", 1),
    "none": ('{"dependencies": [{"name": "a", "version": "1", "vulns": []}]}', 0),
    "not looked up": ('{"dependencies": [{"name": "a", "skip_reason": "x"}]}', 0),
    "no network": ("", 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", AUDITS)
def test_the_audit_fails_only_for_a_known_vulnerability(kind: str, tmp_path: Path) -> None:
    said, status = AUDITS[kind]
    tool = tmp_path / "pip-audit"
    tool.write_text(f"#!{sys.executable}\nprint({said!r})\n", encoding="utf-8")
    tool.chmod(0o755)
    done = subprocess.run(
        [sys.executable, ".ci/audit", str(tool)], capture_output=True, text=True, cwd=ROOT, timeout=240
    )
    assert done.returncode == status, done
    words = {"a hole": "X-1", "none": "No known holes in 1 of 1"}.get(kind, "cannot be reached")
    assert words in done.stdout
