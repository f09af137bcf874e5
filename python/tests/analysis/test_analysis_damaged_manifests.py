"""Manifests that do not fit their rounds, or hold what is no text: read, told, and drawn."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from busmark.compare.campaign import summarise
from printed import show
from rich.console import Console
from synthetic_campaign import Builder, samples_around

from busmark.present import pages
from busmark.store import Result


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    build = Builder(tmp_path / "r")
    rng = np.random.default_rng(1)
    for adapter in ("udp", "tcp"):
        case = build.case(f"0-{adapter}", adapter=adapter)
        build.pings(case, 0, samples_around(12_000, 30, rng))
    return build.finish()


def changed(directory: Path, **params: Any) -> Path:
    """With other parameters of the first case."""
    path = directory / "manifest.json"
    document = json.loads(path.read_text())
    document["cases"][0]["params"] |= params
    path.write_text(json.dumps(document))
    return directory


@pytest.mark.parametrize("params", [{"test": "capacity"}, {"qos": "1e999"}, {"qos": "[1]"}])
def test_parameters_that_do_not_fit_are_drawn_all_the_same(
    directory: Path, params: dict[str, Any]
) -> None:
    campaign = summarise(Result(changed(directory, **params)))
    show(campaign, Console(file=io.StringIO(), width=120))
    assert pages.render(campaign).encode()
    assert [case.adapter for case in campaign.cases][-1] == "tcp"


def test_a_name_that_is_no_text_is_told_in_text(directory: Path) -> None:
    found = summarise(Result(changed(directory, **{"a\ud800b": 1})))
    told = [problem for problem in found.problems if "0-udp" in problem]
    assert len(told) == 1
    assert "a\\ud800b: a name that is no text" in told[0]
    assert pages.render(found).encode()
