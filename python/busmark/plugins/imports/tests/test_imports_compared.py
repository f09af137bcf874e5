"""Results of other tools: what their source states is compared, run by run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from compare_results import Builder, campaign, compared
from scipy import stats
from seams import done, reviewed

from busmark.compare import Comparison
from busmark.plugins.imports.read import import_results
from busmark.store import Result

IMPORTS = Path(__file__).parent
TEXT = (IMPORTS / "files" / "sockperf_ping_pong.txt").read_text()
"""A run of sockperf; it keeps no samples."""

WAVES = (0.996, 1.0, 1.005)


def imported(folder: Path, factor: float) -> Path:
    """Import three runs, with the times of `TEXT` times `factor`, more or less."""
    files = []
    folder.mkdir()
    for number, wave in enumerate(WAVES):
        text = re.sub(
            r"(observation = +|percentile [\d.]+ = +|avg-latency=|Latency is )([\d.]+)",
            lambda found: f"{found[1]}{float(found[2]) * factor * wave:.3f}",  # noqa: B023
            TEXT,
        )
        files.append(folder / f"run{number}.txt")
        files[-1].write_text(text)
    import_results(files, folder / "result")
    return folder / "result"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    place = tmp_path_factory.mktemp("imported")
    return compared(imported(place / "a", 1.0), imported(place / "b", 1.2))


def test_runs_are_compared_by_what_is_stated(comparison: Comparison) -> None:
    (pair,) = comparison.pairs
    headline = pair.headline
    assert headline is not None and headline.change is not None
    assert headline.latency == "half_round_trip"
    assert (pair.verdict, pair.paired, pair.baseline_rounds) == ("slower", False, 3)
    logs = [[w * f for w in WAVES] for f in (1.2, 1.0)]
    wanted = stats.ttest_ind(np.log(logs[0]), np.log(logs[1]), equal_var=False)
    interval = wanted.confidence_interval(0.95)
    assert headline.change.value == pytest.approx(1.2, rel=1e-3)
    assert headline.change.low == pytest.approx(np.exp(interval.low), rel=1e-3)
    assert headline.change.high == pytest.approx(np.exp(interval.high), rel=1e-3)


def test_two_imports_are_not_taken_for_one_campaign(comparison: Comparison) -> None:
    assert "not interleaved" in [each.kind for each in comparison.warnings]


def test_a_result_of_ones_own_beside_an_imported_one(tmp_path: Path) -> None:
    theirs = imported(tmp_path / "a", 1.0)
    campaign(tmp_path / "own", seed=3, cases=[{"adapter": "udp"}])
    comparison = compared(f"{theirs}#udp-latency", f"{tmp_path}/own#udp-64-same", force=True)
    headline = comparison.pairs[0].headline
    assert headline is not None and headline.verdict == "faster"
    assert "placement" in comparison.pairs[0].differs


def test_what_a_source_does_not_state_is_reported_with_the_pair(tmp_path: Path) -> None:
    theirs, own = imported(tmp_path / "a", 1.0), tmp_path / "own"
    (case,) = Result(theirs).manifest.cases
    known = {name: getattr(case.params, name) for name in ("adapter", "test", "size")}
    campaign(own, seed=3, cases=[{"link_loss": "5%", **known}])
    (pair,) = compared(theirs, own).pairs
    assert pair.differs["placement"] == ("unstated", "same")
    assert pair.differs["link_loss"] == (None, "5%")


def test_both_sides_stand_in_the_columns_of_performance_test(tmp_path: Path) -> None:
    """Theirs as their log has it, ours as it was planted."""
    halves = [
        IMPORTS / "published" / f"performance_test-run1-{side}.csv" for side in ("sub", "pub")
    ]
    import_results(halves, tmp_path / "theirs")
    build = Builder(tmp_path / "own")
    case = build.case(
        "own", test="throughput", adapter="cyclonedds", size=1024, rate_hz=30.0, placement="free"
    )
    planted = np.array([200_000.0, 300_000.0, 400_000.0, 500_000.0] * 10)
    for number in range(3):
        build.probes(case, number, planted, lost=0)
    (theirs,) = Result(tmp_path / "theirs").manifest.cases
    sides = (f"{tmp_path / 'theirs'}#{theirs.id}", f"{build.finish()}#{case}")
    file = tmp_path / "compared.md"
    done("compare", *sides, "--force", "--markdown", file)
    shown = (
        file.read_text(encoding="utf-8")
        .partition("### In the columns")[2]
        .partition("<details>")[0]
    )
    shown = shown.replace("\\_", "_").replace(f"{tmp_path}/", "")
    reviewed(Path(__file__).parent / "golden" / "columns.md", f"### In the columns{shown}")
    found = compared(*sides, force=True)
    first, second = found.theirs
    assert first.tool.startswith("performance_test") and second.tool == "Busmark"
    assert [*first.columns] == [*second.columns]
    values = {name: value for name, value in first.columns.items() if value is not None}
    assert (values["received"], values["sent"], values["lost"]) == (435, 437, 0)
    assert values["latency_min (ms)"] == pytest.approx(0.1557, abs=1e-4)
    assert values["latency_mean (ms)"] == pytest.approx(0.4635, abs=1e-4)
    assert first.columns["cpu_usage (%)"] is None
    own = {name: value for name, value in second.columns.items() if value is not None}
    assert (own["received"], own["sent"], own["lost"]) == (240, 240, 0)
    assert own["latency_min (ms)"] == pytest.approx(0.2)
    assert own["latency_max (ms)"] == pytest.approx(0.5)
    assert own["latency_mean (ms)"] == pytest.approx(planted.mean() / 1e6)
    assert own["latency_variance (ms²)"] == pytest.approx(planted.var(ddof=1) / 1e12, rel=0.05)
