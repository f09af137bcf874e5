"""`--to github` and `--to bencher`: what other tools of CI read, by their own rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from synthetic_campaign import Builder, samples_around

import busmark
from busmark.cli.main import busmark as command
from busmark.model.quantities import OF_CASES, QUANTITIES

BENCHER: dict[str, Any] = {
    "type": "object",
    "patternProperties": {".+": {
        "type": "object",
        "patternProperties": {".+": {
            "type": "object",
            "properties": {
                key: {"type": "number"} for key in ("value", "lower_value", "upper_value")
            },
            "required": ["value"],
        }},
    }},
}  # fmt: skip
"""The published schema of the format: https://bencher.dev/bmf.json."""

GITHUB = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1}, "unit": {"type": "string", "minLength": 1},
            "value": {"type": "number"}, "range": {"type": "string"}, "extra": {"type": "string"},
        },
        "required": ["name", "unit", "value"],
        "additionalProperties": False,
    },
}  # fmt: skip
"""What the action takes of a custom benchmark."""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pings, some of them lost; a stream; and a case without a value."""
    build = Builder(tmp_path_factory.mktemp("ci") / "result")
    rng = np.random.default_rng(7)
    pings, stream = (
        build.case("000-latency-udp-64B"), build.case("001-throughput-udp", test="throughput")
    )  # fmt: skip
    build.case("002-latency-tcp-64B", "unsupported", "no such transport", adapter="tcp")
    build.case("003-latency-tcp-1MiB", adapter="tcp")
    for number in range(3):
        build.pings(pings, number, samples_around(20_000.0, 2000, rng), lost=number)
        build.stream(stream, number, 100_000.0 + number, 64)
    return build.finish()


@pytest.fixture(scope="module")
def files(result: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the command writes, by file."""
    folder = tmp_path_factory.mktemp("files")
    ended = CliRunner().invoke(
        command, ["report", str(result), "--to", "github,bencher", "--out", str(folder)]
    )
    assert ended.exit_code == 0, ended.output
    return {path.name: json.loads(path.read_text("utf-8")) for path in folder.iterdir()}


def test_files_are_as_the_tools_want_them(files: dict[str, Any]) -> None:
    assert sorted(files) == ["bencher.json", "github-bigger.json", "github-smaller.json"]
    jsonschema.validate(files["bencher.json"], BENCHER)
    for name in ("github-bigger.json", "github-smaller.json"):
        jsonschema.validate(files[name], GITHUB)
    slugs = [slug for measures in files["bencher.json"].values() for slug in measures]
    assert all(len(slug) <= 64 and slug == slug.lower() for slug in slugs)


def test_a_figure_is_in_the_file_of_its_direction(files: dict[str, Any]) -> None:
    smaller = [each["name"] for each in files["github-smaller.json"]]
    bigger = [each["name"] for each in files["github-bigger.json"]]
    assert "latency-udp-64B: p99(half_round_trip)" in smaller
    assert {"latency-udp-64B: loss", "throughput-udp: loss"} <= set(smaller)
    assert bigger == ["throughput-udp: goodput"]
    assert len({*smaller, *bigger}) == len(smaller) + len(bigger)


def test_values_and_limits_are_those_of_the_table(result: Path, files: dict[str, Any]) -> None:
    (row,) = busmark.open(result).estimates.filter(
        pl.col("case") == "000-latency-udp-64B", pl.col("quantity") == "half_round_trip",
        pl.col("statistic") == "median", pl.col("scope") == "case", pl.col("over") == "rounds",
    ).to_dicts()  # fmt: skip
    measures = files["bencher.json"]["latency-udp-64B"]
    limits = {"value": row["value"], "lower_value": row["low"], "upper_value": row["high"]}
    assert measures["median-half-round-trip-ns"] == limits
    assert measures["loss-share"]["value"] == pytest.approx(3 / 6000, rel=0.01)
    (entry,) = (each for each in files["github-smaller.json"]
                if each["name"] == "latency-udp-64B: median(half_round_trip)")  # fmt: skip
    assert (entry["value"], entry["unit"]) == (row["value"], "ns")
    assert entry["range"].startswith("95% interval ")
    assert entry["extra"] == f"rounds: 3\nsamples: {row['count']}"


def test_a_case_without_a_value_is_absent(files: dict[str, Any]) -> None:
    assert set(files["bencher.json"]) == {"latency-udp-64B", "throughput-udp"}
    assert not [e for name in files if "github" in name for e in files[name] if "tcp" in e["name"]]


def test_cases_that_differ_by_their_number_only_keep_it(tmp_path: Path) -> None:
    build = Builder(tmp_path / "result")
    rng = np.random.default_rng(7)
    for name in ("000-latency-udp", "001-latency-udp"):
        case = build.case(name)
        for number in range(3):
            build.pings(case, number, samples_around(20_000.0, 200, rng))
    directory = str(build.finish())
    arguments = ["report", directory, "--to", "bencher", "--out", str(tmp_path)]
    assert CliRunner().invoke(command, arguments).exit_code == 0
    assert set(json.loads((tmp_path / "bencher.json").read_text())) == {
        "000-latency-udp", "001-latency-udp",
    }  # fmt: skip


def test_what_is_compared_as_faster_is_better_where_there_is_more() -> None:
    for one in OF_CASES:
        compared = getattr(one, "compared", None)
        if compared:
            known = QUANTITIES.get(one.quantity or one.key)
            assert (compared.more == "faster") == (known is not None and known.more_is_better)
