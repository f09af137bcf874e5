"""What was lost is later than any sample: percentiles, curves and boxes are of what was sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from seams import Estimates, done, shown
from synthetic_campaign import Builder


def pinged(directory: Path, lost: int, count: int = 2000) -> Path:
    """Write rounds of pings of 1, 2, 3 … µs each way; every second of the last ones is lost."""
    build = Builder(directory)
    case = build.case("udp")
    for number in range(3):
        build.pings(case, number, np.arange(1.0, count + 1) * 2000, lost=lost)
    return build.finish()


def probed(directory: Path, lost: int, unanswered: int = 0, **params: Any) -> Path:
    """Write rounds of 2000 probes of 1, 2, 3 … µs one way, of which the slowest are lost."""
    build = Builder(directory)
    values = {name: params[name] for name in ("filter_below", "instances") if name in params}
    case = build.case("udp", test="throughput", **params)
    for number in range(3):
        build.probes(case, number, np.arange(1.0, 2001) * 1000, lost, unanswered, **values)
    return build.finish()


@pytest.mark.parametrize("make", [pinged, probed])
def test_a_lost_sample_is_later_than_any(tmp_path: Path, make: Any) -> None:
    result = make(tmp_path, 400)
    found = Estimates(result)
    quantity = "half_round_trip" if make is pinged else "one_way"
    assert found.value(quantity, "median") == pytest.approx(1_000_500.0)
    assert found.value("loss", "value") == pytest.approx(0.2)
    for over in ("rounds", "samples"):
        row = found.row(quantity, "p99", over=over)
        assert row["value"] is None and "lost" in row["reason"]
    ladder = {p: found.value(quantity, p, over="samples") for p in ("p75", "p90", "p95")}
    assert ladder["p75"] is not None and ladder["p90"] is None and ladder["p95"] is None
    table = done("show", result)
    assert "lost: 20 %" in table and "later than any" in " ".join(table.split())


@pytest.mark.parametrize("lost", [0, 400])
def test_curves_and_boxes_end_at_the_share_that_came_back(tmp_path: Path, lost: int) -> None:
    found = Estimates(pinged(tmp_path, lost))
    share = 1 - lost / 2000
    of = {"case": "udp", "quantity": "half_round_trip"}
    for kind in ("quantiles", "smoothed_ecdf"):
        curve = found.series(kind=kind, **of)
        greatest = max(curve["x"] if kind == "quantiles" else curve["y"])  # type: ignore[type-var]
        assert greatest == pytest.approx(share * (100 if kind == "quantiles" else 1), abs=0.02)
    jitter = found.series("half_round_trip_ipdv", "quantiles")
    assert max(jitter["x"]) == 100.0  # type: ignore[type-var]
    box = found.series(kind="box", **of).filter(round=0)
    assert box.filter(x=50)["y"].item() == pytest.approx(1_000_500.0)
    assert (box.filter(x=95)["y"].is_null().all() or box.filter(x=95).is_empty()) == bool(lost)


def test_a_share_that_one_round_alone_lost_is_that_of_the_round(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp")
    for number in range(4):
        build.pings(case, number, np.arange(1.0, 2001) * 2000, lost=40 if number == 2 else 0)
    result = build.finish()
    reason = Estimates(result).row("half_round_trip", "p99")["reason"]
    assert reason == "lost in a round: 2.0 %; the p99 falls among the lost"
    assert "lost in a round: 2.0 %" in done("show", result)


def test_a_median_among_the_lost_is_none(tmp_path: Path) -> None:
    for number, result in enumerate(
        (pinged(tmp_path / "a", 50, 100), probed(tmp_path / "b", 1000))
    ):
        (case,) = shown(result).cases
        latency = case.one_way if number else case.rtt_2
        assert latency is None
        # A share of a median that nobody knows is not known either.
        assert not Estimates(result).rows("jitter_share", "median")
        assert "lost: 50 %" in done("show", result)


def test_without_losses_nothing_is_said_of_them(tmp_path: Path) -> None:
    assert "later than any" not in done("show", pinged(tmp_path, 0))


def test_what_is_never_answered_is_lost_to_the_round_trip_alone(tmp_path: Path) -> None:
    (case,) = shown(probed(tmp_path, 100, unanswered=300)).cases
    assert case.one_way.loss == pytest.approx(0.05)
    assert case.round_trip.loss == pytest.approx(0.2)


def test_what_the_readers_filter_leaves_out_is_not_lost(tmp_path: Path) -> None:
    # Sequence numbers are even: of instances 0 to 3 the filter admits those below 2, so 0.
    found = Estimates(probed(tmp_path, 0, unanswered=1000, filter_below=2, instances=4))
    assert (found.value("probes_sent", "count"), found.value("probes_lost", "count")) == (3000, 0)


def test_where_nobody_recorded_what_became_of_probes_it_is_not_known(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp", test="throughput")
    for number in range(3):
        build.stream(case, number, 10_000, 64, lost=500)
    (found,) = shown(build.finish()).cases
    assert not Estimates(tmp_path).rows("probes_lost", "count")
    assert found.one_way.figure("p99")
    assert found.one_way.loss is None
    words = " ".join(done("show", tmp_path).split())
    assert "probes may be among the lost" in words


@pytest.mark.parametrize(
    ("rows", "total", "share"),
    [
        ([{"received": 900, "lost": 100, "expected": 1000, "sent": None}] * 3, 2700, 0.1),
        ([{}] * 3, None, None),
        ([{"sent": 1000}, {"sent": 1000, "received": 900, "lost": 100, "expected": 1000}], None,
         0.1),
    ],
)  # fmt: skip
def test_a_count_that_a_source_does_not_state_is_absent_and_not_0(
    tmp_path: Path, rows: list[dict[str, Any]], total: int | None, share: float | None
) -> None:
    build = Builder(tmp_path)
    case = build.case("udp", test="throughput")
    for number, row in enumerate(rows):
        build.stream(case, number, 1e4, 64)
        build.rows[-1] |= dict.fromkeys(("sent", "received", "lost", "expected")) | row
    found = Estimates(build.finish())
    received, loss = found.rows("received", "count", scope="case"), found.rows("loss", "mean")
    assert [row["value"] for row in received] == ([] if total is None else [total])
    assert [row["value"] for row in loss if row["scope"] == "case"] == (
        [] if share is None else [pytest.approx(share)]
    )
