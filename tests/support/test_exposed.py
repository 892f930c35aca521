"""Secrets in a settings file that others may read are reported, with the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from focus_companion.support.exposed import check_settings, exposed_notice

CASES = [
    ('mqtt-password = "sesam"', 0o644, ["mqtt_password"]),
    ('pin = "246810"\nport = 1', 0o640, ["pin"]),
    ('camera = "rtsp://ann:geheim@cam/1"\npin = "246810"', 0o604, ["camera", "pin"]),
    ('mqtt_password = "sesam"', 0o600, []),
    ('camera = "rtsp://cam/1"\nport = 8000', 0o644, []),
    ("no TOML at all", 0o644, []),
]


@pytest.mark.parametrize(("text", "mode", "names"), CASES)
def test_secrets_readable_by_others_are_reported(
    tmp_path: Path, text: str, mode: int, names: list[str]
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    config.chmod(mode)
    environ = {"FOCUS_COMPANION_CONFIG": str(config)}
    notice = exposed_notice(environ)
    (check,) = check_settings(environ)
    assert (check.state, bool(notice)) == (("warn", True) if names else ("ok", False))
    for name in names:
        assert name in notice and name in check.text
    assert not names or (f"chmod 600 {config}" in notice and check.remedy == f"chmod 600 {config}")
    assert not any(secret in notice + check.text for secret in ("sesam", "246810", "geheim"))


def test_no_settings_file_is_no_fault(tmp_path: Path) -> None:
    assert exposed_notice({"FOCUS_COMPANION_CONFIG": str(tmp_path / "none.toml")}) == ""
