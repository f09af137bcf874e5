"""Imported results beside others: `busmark compare` and `busmark.open`."""

from __future__ import annotations

from pathlib import Path

import pytest
from import_harness import FILES, text_of

import busmark
from busmark.compare import compare
from busmark.compare.model import Comparison
from busmark.compare.sides import select
from busmark.plugins.imports.read import import_results


def runs(folder: Path, name: str, medians_us: tuple[float, ...]) -> Path:
    """A result of several runs of sockperf with these medians of RTT/2."""
    paths = []
    for number, us in enumerate(medians_us):
        path = folder / f"{name}{number}.txt"
        text = text_of("sockperf_ping_pong.txt")
        path.write_text(text.replace("50.000 =    6.244", f"50.000 = {us:8.3f}"), "utf-8")
        paths.append(path)
    import_results(paths, folder / name)
    return folder / name


def compared(*folders: Path) -> Comparison:
    return compare(select([str(folder) for folder in folders], [], None))


def test_runs_of_two_imports_have_a_ratio_with_an_interval(tmp_path: Path) -> None:
    before = runs(tmp_path, "before", (10.0, 10.1, 9.9, 10.05))
    after = runs(tmp_path, "after", (20.0, 20.2, 19.8, 20.1))
    (pair,) = compared(before, after).pairs
    change = pair.changes[0]
    assert change.name == "median.latency"
    assert change.change is not None
    assert change.change.value == pytest.approx(2.0, rel=1e-3)
    assert change.change.low is not None and change.change.low > 1.9
    assert change.verdict == "slower"


def test_one_run_has_a_ratio_and_no_verdict(tmp_path: Path) -> None:
    several = runs(tmp_path, "several", (10.0, 10.1, 9.9))
    one = runs(tmp_path, "one", (15.0,))
    found = compared(several, one)
    change = found.pairs[0].changes[0]
    assert change.change is not None
    assert change.change.value == pytest.approx(1.5, rel=1e-3)
    assert change.change.low is None
    assert change.verdict == "undecided"
    assert "1 round on one side" in (change.reason or "")
    assert any("measured by sockperf 3.7" in warning for warning in found.warnings)


def test_what_a_source_does_not_state_does_not_keep_cases_apart(tmp_path: Path) -> None:
    table = import_results([FILES / "fastdds_table.txt"], tmp_path / "table")
    raw = import_results([FILES / "fastdds_raw.csv"], tmp_path / "raw", added=("qos.depth=1",))
    found = compared(table.directory, raw.directory)
    assert len(found.pairs) == 2
    for pair in found.pairs:
        change = pair.changes[0].change
        assert change is not None
        assert change.value == pytest.approx(1.0, rel=1e-3)


def test_open_gives_frames_of_an_imported_result(tmp_path: Path) -> None:
    names = ("perftest_latency.csv", "perftest_throughput.csv")
    import_results([FILES / name for name in names], tmp_path / "result")
    results = busmark.open(tmp_path / "result")
    assert set(results.cases["label"]) == {"RTI Connext (RTI Perftest)"}
    assert set(results.cases["test"]) == {"latency", "throughput"}
    assert results.estimates.filter(results.estimates["low"].is_not_null()).is_empty()
    assert results.rounds.height == 4
    assert results.samples().collect().is_empty()
