"""A node that answers with more files than it was asked for."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from busmark.host import profile
from busmark.nodes import Address, Node

pytestmark = pytest.mark.usefixtures("small_worker")

CPUS = "/sys/devices/system/cpu"
NAMES = {
    "climbs": "/../climbed",
    "climbs from a name asked for": "/proc/stat/../../../climbed",
    "climbs in place of a pattern": f"{CPUS}/cpu0/../../../../../../climbed/../cpufreq/boost",
    "no slash": "../climbed2",
    "too long": "/" + "a" * 300,
    "too long for a pattern": f"{CPUS}/cpu{'0' * 300}/cpufreq/scaling_governor",
    "too deep": "/a" * 3000,
    "no name at all": f"{CPUS}/cpu\\0000/cpufreq/scaling_governor",
    "a file in place of a folder": "/proc",
    "a folder in place of a file": "/proc/cpuinfo/x",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_files_that_nobody_asked_for_are_not_written(
    name: str, tool: Any, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(scratch / "tmp"))
    prefix = tool("grep", f"printf '{name}:text\\n'; exec {shutil.which('grep')} \"$@\"")
    node = Node("lab1", prefix, wanted=Address(address="127.0.0.1"))
    node.ready()
    text, here = node.facts.profile, profile()
    for key in ("cpu_model", "hostname", "boot_id"):
        assert text[key] == here[key]  # type: ignore[literal-required]
    assert node.counters().cpus
    assert not list(scratch.rglob("climbed*"))
    node.close()
