"""Nobody is faster by losing what is slow."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from compare_results import Builder, campaign, compared
from seams import run

from busmark.compare import Comparison


def change(comparison: Comparison, name: str) -> Any:
    return next(c for c in comparison.pairs[0].changes if c.name == name)


def without_the_slowest(directory: Path, share: float, *, factor: float = 1.0) -> None:
    """Make the slowest pings of every round lost, and the others `factor` times as long."""
    lost: dict[tuple[str, int], int] = {}
    for file in sorted((directory / "samples").glob("*.parquet")):
        frame = pl.read_parquet(file)
        took = (pl.col("read_ns") - pl.col("intended_ns")).cast(pl.Float64)
        limit = frame.select(took.quantile(1 - share)).item()
        read = pl.when(took <= limit).then(pl.col("intended_ns") + (took * factor).cast(pl.Int64))
        frame = frame.with_columns(read.alias("read_ns"))
        frame.write_parquet(file)
        lost[frame["case"][0], frame["round"][0]] = frame["read_ns"].null_count()
    rows = pl.read_parquet(directory / "cases.parquet").to_dicts()
    for row in rows:
        row["lost"] = lost[row["case"], row["round"]]
        row["samples"] = row["sent"] - row["lost"]
    schema = pl.read_parquet_schema(directory / "cases.parquet")
    pl.DataFrame(rows, schema=schema).write_parquet(directory / "cases.parquet")


def udp(directory: Path, seed: int, **options: object) -> Path:
    return campaign(directory, seed=seed, cases=[{"adapter": "udp"}], **options)  # type: ignore[arg-type]


def test_a_candidate_that_loses_its_slowest_pings_is_not_faster(tmp_path: Path) -> None:
    udp(tmp_path / "base", 1)
    udp(tmp_path / "lossy", 2)
    without_the_slowest(tmp_path / "lossy", 0.3)
    comparison = compared(
        tmp_path / "base", tmp_path / "lossy",
        fail_if=["p99.latency > 1.05", "mean.latency > 1.05", "median.latency > 1.05"],
    )  # fmt: skip
    assert not any(c.verdict == "faster" for c in comparison.pairs[0].changes)
    tail = change(comparison, "p99.latency")
    assert tail.candidate is None and tail.lost == ["candidate"]
    assert tail.verdict == "loses more" and "lost: 30 %" in (tail.reason or "")
    # The median of what was sent is what it was: the lost are later than it in any case.
    median = change(comparison, "median.latency")
    assert median.change is not None and abs(median.change.value - 1) < 0.02
    assert [judged.outcome for judged in comparison.criteria] == ["failed"] * 3
    assert comparison.failed and comparison.pairs[0].verdict == "loses more"


def test_a_candidate_that_is_quick_and_loses_42_per_cent_is_not_faster(tmp_path: Path) -> None:
    udp(tmp_path / "base", 1)
    udp(tmp_path / "lossy", 2)
    without_the_slowest(tmp_path / "lossy", 0.42, factor=0.1)
    comparison = compared(tmp_path / "base", tmp_path / "lossy", fail_if=["median.latency > 1.05"])
    assert comparison.summary[0].better == 0
    assert comparison.failed


def test_a_stream_that_loses_its_slowest_probes_is_not_faster(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for name, lost in (("base", 0), ("lossy", 600)):
        build = Builder(tmp_path / name)
        case = build.case("udp", test="throughput")
        for number in range(5):
            build.probes(case, number, np.sort(rng.lognormal(11.0, 0.4, 2000)), lost)
        build.finish(cookie=f"{lost:016x}")
    comparison = compared(tmp_path / "base", tmp_path / "lossy", fail_if=["p99.latency > 1.05"])
    assert not any(c.verdict == "faster" for c in comparison.pairs[0].changes)
    tail = change(comparison, "p99.latency")
    assert tail.candidate is None and "lost: 30 %" in (tail.reason or "")
    assert comparison.failed


def test_one_that_loses_less_is_not_slower_by_its_mean(tmp_path: Path) -> None:
    udp(tmp_path / "lossy", 1)
    without_the_slowest(tmp_path / "lossy", 0.3)
    udp(tmp_path / "whole", 2)
    comparison = compared(tmp_path / "lossy", tmp_path / "whole")
    assert change(comparison, "mean.latency").verdict == "undecided"
    assert change(comparison, "p99.latency").verdict == "loses less"


def test_losses_that_are_alike_forbid_nothing(tmp_path: Path) -> None:
    for name, seed, factor in (("base", 1, 1.0), ("slow", 2, 1.2)):
        udp(tmp_path / name, seed, factor=factor, rounds=12)
        without_the_slowest(tmp_path / name, 0.005)
    comparison = compared(tmp_path / "base", tmp_path / "slow")
    assert change(comparison, "median.latency").verdict == "slower"
    assert change(comparison, "p99.latency").verdict == "slower"


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write results of one middleware: whole, with losses, of one round, and of few samples."""
    folder = tmp_path_factory.mktemp("sides")
    udp(folder / "whole", 1)
    udp(folder / "lossy", 3)
    without_the_slowest(folder / "lossy", 0.3)
    udp(folder / "one", 4, rounds=1)
    udp(folder / "few", 5, samples=200)
    return folder


@pytest.mark.parametrize(
    ("baseline", "candidate", "criterion", "outcome", "reason", "fails"),
    [
        ("lossy", "whole", "p99.latency > 1.05", "passed", "loses less", False),
        ("lossy", "whole", "p99.latency > 1ms", "passed", "within the limit", False),
        ("whole", "lossy", "p99.latency > 1ms", "failed", "beyond the limit", True),
        ("whole", "one", "median.latency > 1.05", "undecided", "one round", False),
        ("whole", "one", "p99.latency > 12us", "undecided", "one round", True),
        ("whole", "few", "p99.latency > 1.05", "undecided", "interval includes the limit", False),
        ("whole", "few", "p99.latency > 1ms", "passed", "within the limit", False),
    ],
)
def test_a_criterion_says_why_it_decides_nothing(
    sides: Path, baseline: str, candidate: str, criterion: str, outcome: str, reason: str,
    fails: bool,
) -> None:  # fmt: skip
    comparison = compared(sides / baseline, sides / candidate, fail_if=[criterion])
    (found,) = comparison.criteria
    assert (found.outcome, found.reason, found.fails) == (outcome, reason, fails)
    assert comparison.failed is fails


BURSTS = (121, 5, 17, 50, 17, 24, 10, 12)
"""Samples that each round lost, of 1,500: one round has most of them."""


@pytest.mark.parametrize(("of", "verdict"), [("baseline", "less"), ("candidate", "more")])
def test_the_answer_is_the_loss_where_the_sides_differ_in_it(
    tmp_path: Path, of: str, verdict: str
) -> None:
    rng = np.random.default_rng(3)
    build = Builder(tmp_path / "fix")
    for side, size in product(("baseline", "candidate"), (64, 1024)):
        case = build.case(f"udp-{size}-{side}", test="throughput", side=side, size=size)
        for number, burst in enumerate(BURSTS):
            lost = burst if (side, size) == (of, 1024) else 0
            build.probes(case, number, rng.lognormal(11.0, 0.4, 1500), lost)
    build.finish()
    where = [str(tmp_path / "fix"), "--by", "side", "--baseline", "side=baseline"]
    limits = ["--fail-if", "p99.latency > 1.2", "--fail-if", "goodput.throughput < 0.9"]
    found = json.loads(run("compare", *where, *limits, "--undecided", "fail", "--json").out)
    counts = found["summary"][0]
    assert [each["name"] for each in counts["figures"]] == ["loss", "goodput.throughput"]
    (loss,) = (each for each in counts["figures"] if each["name"] == "loss")
    assert (loss["better"], loss["worse"]) == ((1, 0) if verdict == "less" else (0, 1))
    assert counts["loss_tests"] == 1 and counts["headline_tests"] == 2
    outcomes = [
        (each["outcome"], each["fails"]) for each in found["criteria"] if "1024" in each["case"]
    ]
    # Who loses less passes a limit on a percentile that the baseline lost; who loses more has a
    # share of samples beyond it that is not shown to be above 1 %.
    tail = ("passed", False) if verdict == "less" else ("undecided", True)
    assert outcomes == [tail, ("passed", False)]
    shown = run("compare", *where).out
    answer = shown.partition("\nAnswer\n")[2].partition("\n\n")[0]
    rows = answer.splitlines()
    assert rows[2].startswith("Loss") and f"loses {verdict}" in rows[2]
    assert shown.count("among the lost samples") == 1
