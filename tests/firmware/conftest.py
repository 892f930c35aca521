from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from chip_harness import FIRMWARE, Chip, build_firmware, build_harness


def _missing() -> str:
    tools = [tool for tool in ("avr-gcc", "gcc", "make") if shutil.which(tool) is None]
    headers = [] if Path("/usr/include/simavr/sim_avr.h").exists() else ["libsimavr-dev"]
    libc = [] if Path("/usr/lib/avr/include/avr/io.h").exists() else ["avr-libc"]
    return ", ".join(tools + headers + libc)


@pytest.fixture(scope="session")
def chip(tmp_path_factory: pytest.TempPathFactory) -> Chip:
    """The firmware of this checkout on a simulated chip."""
    if missing := _missing():
        text = f"no simulated chip: {missing} missing (apt install gcc-avr avr-libc libsimavr-dev gcc make)"
        if os.environ.get("CI"):
            pytest.fail(text)
        pytest.skip(text)
    build = tmp_path_factory.mktemp("chip")
    return Chip(build_harness(build), build_firmware(FIRMWARE, build / "firmware"))
