"""A type of the user's, from its IDL to the sentence that says what it costs."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest
from e2e_harness import Ended, Lab, end

PAGE = Path(__file__).parents[2] / "busmark" / "plugins" / "own_types" / "docs" / "your-own-type.md"

BUILD_WATCHDOG_S = 900.0
"""For the first build of an adapter, with all that it consists of."""


def shown(language: str) -> str:
    """Return the block of the page in this language: what a user copies."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


needs_package = pytest.mark.skipif(
    importlib.util.find_spec("cyclonedds") is None,
    reason=f"needs: {sys.executable} -m pip install cyclonedds",
)


def build(lab: Lab, *more: str, idl: str = "") -> Ended:
    (lab.folder / "sensors.idl").write_text(idl or shown("idl"), encoding="utf-8")
    (lab.folder / "cloud.json").write_text(shown("json"), encoding="utf-8")
    words = ["type", "build", "sensors.idl", "--type", "sensors::PointCloud"]
    words += ["--value", "cloud.json"]
    return end(lab.start(*words, "--out", "types/cloud", *more), watchdog_s=BUILD_WATCHDOG_S)


@needs_package
def test_a_type_is_compiled_measured_and_its_cost_reported(lab: Lab) -> None:
    ended = build(lab, "--adapter", "dustdds", "--adapter", "rustdds")
    assert ended.code == 0, ended.text
    assert re.search(r"sensors::PointCloud: \d+ bytes of CDR in types/cloud/value.cdr", ended.out)
    assert "rustdds: none: unsupported:" in ended.out
    assert "Now type: busmark run types/cloud/scenario.toml" in ended.out
    settings = (
        "measure.duration_s=0.2", "measure.verify=true", "rounds.min=2", "rounds.max=2",
        "criteria.min_samples=1", "criteria.match_timeout_s=60",
    )  # fmt: skip
    quick = [word for setting in settings for word in ("--set", setting)]
    run = lab.busmark("run", "types/cloud/scenario.toml", *quick, "--out", "result")
    assert run.code == 0, run.text
    shown = lab.busmark("show", "result", "--json")
    campaign = json.loads(shown.out)
    assert {case["status"] for case in campaign["cases"]} == {"ok"}
    corrupted = [a["corrupted"] for case in campaign["cases"] for a in case["attempts"]]
    assert set(corrupted) == {0}
    assert any("sensors::PointCloud" in answer["lead"] for answer in campaign["answers"])


@needs_package
def test_a_type_that_a_vendor_cannot_compile_is_reported_with_its_place(lab: Lab) -> None:
    ended = build(lab, "--adapter", "dustdds", idl=f"#pragma once\n{shown('idl')}")
    assert ended.code == 2, ended.text
    text = "dustdds: none: dust_dds_gen cannot compile the IDL: --> 1:1 = expected file"
    assert text in " ".join(ended.out.split()), ended.text
