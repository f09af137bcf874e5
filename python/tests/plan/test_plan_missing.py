"""What this machine lacks for a campaign is in its plan, before anything runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from seams import run

CAPTURED = 'name = "x"\ncapture = true\n[matrix]\nadapter = "udp"\n'


@pytest.mark.parametrize(("there", "named"), [(False, True), (True, False)])
def test_a_plan_names_the_tools_that_are_missing_with_the_command_that_installs_them(
    tmp_path: Path, there: bool, named: bool
) -> None:
    scenario = tmp_path / "x.toml"
    scenario.write_text(CAPTURED, encoding="utf-8")
    # A tool that compiles every filter.
    tool = tmp_path / "dumpcap"
    if there:
        tool.write_text("#!/bin/sh\necho '(000) ret'\n", encoding="utf-8")
        tool.chmod(0o755)
    ended = run("plan", scenario, "--json", PATH=str(tmp_path))
    assert ended.code == 0, ended.text
    lacking = json.loads(ended.out)["missing"]
    assert bool(lacking) == named, lacking
    assert all("dumpcap" in text and "apt-get install wireshark-common" in text for text in lacking)
    shown = run("plan", scenario, PATH=str(tmp_path)).out
    assert ("Missing here" in shown) == named
