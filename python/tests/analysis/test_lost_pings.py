"""Figures of a case that lost pings: percentiles are of what was sent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from busmark.compare.campaign import Campaign, summarise
from busmark.model.figure import TAILS
from printed import notes, rows, tables_of
from synthetic_campaign import Builder

from busmark.store import Result


def campaign(directory: Path, lost: int, count: int = 2000) -> Campaign:
    """Rounds of `count` pings of 1, 2, 3 … µs each way, of which `lost` never come back."""
    build = Builder(directory)
    case = build.case("udp")
    for number in range(3):
        build.pings(case, number, np.arange(1.0, count + 1) * 2000, lost=lost)
    return summarise(Result(build.finish()))


def test_a_lost_ping_is_later_than_any(tmp_path: Path) -> None:
    case = campaign(tmp_path, 400).cases[0]
    found = case.rtt_2
    assert found is not None
    # Every second of the last 800 is lost; the 1,000 quickest are there.
    assert found.median.value == pytest.approx(1_000_500.0)
    assert found.count == 3 * 1600 and found.lost_share == pytest.approx(0.2)
    assert found.p99 is None and found.p999 is None
    assert [key for key in TAILS if case.hides(key, found.quantity)] == ["p99", "p999"]
    ladder = {rung.percent: rung for rung in found.percentiles}
    assert ladder[75.0].value_ns is not None and not ladder[75.0].lost
    assert all(ladder[p].lost and ladder[p].value_ns is None for p in (90.0, 95.0, 99.0, 99.9))


def test_the_table_reads_lost_and_not_a_number(tmp_path: Path) -> None:
    (table,) = tables_of(campaign(tmp_path, 500))
    cells = dict(zip((c.title for c in table.columns), rows(table)[0], strict=True))
    assert cells["p99 RTT/2"] == "lost: 25 %"
    assert cells["Median RTT/2"] != "lost: 25 %"
    assert "later than any" in notes(table)


def test_a_median_among_the_lost_is_none(tmp_path: Path) -> None:
    found = campaign(tmp_path, 50, count=100)
    assert found.cases[0].rtt_2 is None
    cells = dict(
        zip(
            (c.title for c in tables_of(found)[0].columns),
            rows(tables_of(found)[0])[0],
            strict=True,
        )
    )
    assert cells["Median RTT/2"] == "lost: 50 %"
    series = found.cases[0].series
    assert series is not None and series.medians is None


def test_without_losses_nothing_is_said_of_them(tmp_path: Path) -> None:
    found = campaign(tmp_path, 0)
    (case,) = found.cases
    assert case.rtt_2 is not None
    assert not any(case.hides(key, case.rtt_2.quantity) for key in TAILS)
    assert "later than any" not in notes(tables_of(found)[0])
