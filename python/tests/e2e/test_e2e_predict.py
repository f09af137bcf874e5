"""Models of a real result: a sweep of sizes over three adapters, and one of rates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from e2e_harness import PACKAGE_FOLDER, Lab, need_adapters, scenario

SIZES = [64, 1024, 8192, 32768]
RATES = [500, 1000, 2000, 4000]

SCHEMA = PACKAGE_FOLDER.parent / "schemas" / "prediction.schema.json"


@pytest.fixture(scope="module")
def swept(shared_lab: Lab) -> Lab:
    """A folder with the result `swept`."""
    need_adapters("null", "tcp", "udp")
    shared_lab.scenario(
        scenario(
            f'adapter = ["null", "tcp", "udp"]\nsize = {SIZES}',
            measure="duration_s = 0.2\nwarmup_s = 0.02\nmax_samples = 5000\nprobe_every = 2",
            rounds="min = 7",
            also=f'[[also]]\nadapter = "udp"\ntest = "throughput"\nsize = 1024\nrate_hz = {RATES}',
        )
    )
    ended = shared_lab.busmark("run", "scenario.toml", "--out", "swept")
    assert ended.code == 0, ended.text
    return shared_lab


def predicted(lab: Lab, *options: str) -> dict[str, Any]:
    """The document of models. On a busy machine rounds may differ so much that a sweep of sizes has
    no usable model; what it says of them is in `left_out`."""
    ended = lab.quickly("predict", "swept", "--json", *options)
    document: dict[str, Any] = json.loads(ended.out)
    unanswered = "--size" in options and not document["sizes"]
    assert ended.code == (1 if unanswered else 0), ended.text
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    return document


def test_every_sweep_has_its_model(swept: Lab) -> None:
    document = predicted(swept)
    modelled = [model["sweep"]["adapter"] for model in document["sizes"]]
    unusable = [left for left in document["left_out"] if left["unusable"]]
    assert len(modelled) + len(unusable) >= 3
    assert all(left["reason"] for left in unusable)
    for model in document["sizes"]:
        assert [point["size"] for point in model["points"]] == SIZES
        assert {point["rounds"] for point in model["points"]} == {7}
        assert model["overhead"]["low"] <= model["overhead"]["value"] <= model["overhead"]["high"]
    (rate,) = document["rates"]
    assert [point["rate_hz"] for point in rate["points"]] == RATES
    assert [point["loss_held_out"] is None for point in rate["points"]] == [
        True,
        False,
        False,
        True,
    ]
    assert rate["loss_knee"]["low"] in RATES


def test_what_was_asked_for_has_a_figure_with_its_interval(swept: Lab) -> None:
    document = predicted(swept, "--size", "3000", "--rate", "1500")
    for model in document["sizes"]:
        (at,) = model["predictions"]
        assert at["at"] == 3000 and at["state"] == "within"
        assert at["latency"]["low"] <= at["latency"]["value"] <= at["latency"]["high"]
    (at,) = document["rates"][0]["predictions"]
    assert at["loss"]["low"] <= at["loss"]["value"] <= at["loss"]["high"]


def test_beyond_the_evidence_only_when_told_to(swept: Lab) -> None:
    refused = swept.quickly("predict", "swept", "--size", "100000")
    given = swept.quickly("predict", "swept", "--size", "100000", "--extrapolate")
    if not predicted(swept)["sizes"]:
        assert refused.code == given.code == 1
        assert "no usable model" in refused.out and "no usable model" in given.out
        return
    assert refused.code == 2
    assert "not measured: sizes are 64 B to 32 KiB" in refused.out
    assert given.code == 0
    assert "extrapolated: from 64 B to 32 KiB" in given.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["swept", "--size", "-1"], "-1 is not in the range"),
        (["swept", "--size", "big"], "'big' is not a valid integer"),
        (["swept", "--rate", "0"], "0.0 is not in the range"),
        (["swept", "--rate", "nan"], "nan is not a number"),
        (["swept", "--rate", "inf"], "inf is not in the range"),
        (["elsewhere"], "no such result directory"),
    ],
)
def test_what_cannot_be_is_refused(swept: Lab, options: list[str], message: str) -> None:
    ended = swept.quickly("predict", *options)
    assert ended.code == 2
    assert message in ended.err


def test_a_result_without_a_sweep_is_told_what_to_run(lab: Lab) -> None:
    need_adapters("null")
    lab.scenario(scenario('adapter = "null"', rounds="min = 1"))
    assert lab.busmark("run", "scenario.toml", "--out", "one").code == 0
    for options, wanted in (
        ([], "size = [64, 1024, 8192, 32768], or [matrix] with rate_hz ="),
        (["--size", "3000"], "Run a scenario that has [matrix] with size ="),
        (["--rate", "3000"], "Run a scenario that has [matrix] with rate_hz ="),
    ):
        ended = lab.quickly("predict", "one", *options)
        assert ended.code == 2
        assert wanted in ended.err
        assert Path("one").name in ended.err
