"""What was lost in curves, shapes and boxes: they are of what was sent, and end where it begins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from busmark.compare.campaign import summarise
from busmark.estimate.curves import CaseSeries
from synthetic_campaign import Builder

from busmark.present.charts import panels
from busmark.store import Result


def pinged(directory: Path, lost: int, count: int = 2000) -> Result:
    """Rounds of pings of 1, 2, 3 … µs each way; of the last ones every second is lost."""
    build = Builder(directory)
    case = build.case("udp")
    for number in range(3):
        build.pings(case, number, np.arange(1.0, count + 1) * 2000, lost=lost)
    return Result(build.finish())


def series(result: Result) -> CaseSeries:
    found = summarise(result).cases[0].series
    assert found is not None
    return found


def test_curves_end_at_the_share_that_came_back(tmp_path: Path) -> None:
    found = series(pinged(tmp_path, 400))
    assert found.curve and found.shape
    assert found.curve.percent[-1] == pytest.approx(80.0, abs=0.05)
    assert found.shape.quantiles.percent[-1] == pytest.approx(80.0)
    assert max(found.shape.smoothed_cdf.share) == pytest.approx(0.8, abs=0.01)
    assert (found.curve.lost, found.shape.lost, found.shape.count) == (1200, 1200, 4800)


def test_a_quantile_is_of_what_was_sent(tmp_path: Path) -> None:
    found = series(pinged(tmp_path, 400))
    assert found.shape
    whole = series(pinged(tmp_path / "whole", 0))
    assert whole.shape
    # Below the first that was lost, the 60th percentile, nothing has moved.
    at = [5.0, 25.0, 50.0]
    curves = [each.shape.quantiles for each in (found, whole) if each.shape]
    values = [np.interp(at, curve.percent, curve.value_ns) for curve in curves]
    assert values[0] == pytest.approx(values[1], rel=0.02)


def test_a_box_ends_where_the_lost_begin(tmp_path: Path) -> None:
    for box in series(pinged(tmp_path, 400)).boxes:
        assert (box.count, box.lost, box.p95_ns) == (1600, 400, None)
        assert box.median_ns == pytest.approx(1_000_500.0)
        assert box.p75_ns is not None and box.p75_ns > 1_500_000.0
        assert box.drawn("p95_ns") == box.max_ns


def test_lost_pings_of_a_timeline_are_spread_over_the_round(tmp_path: Path) -> None:
    found = series(pinged(tmp_path, 999)).timeline
    assert found and found.lost == 999 and len(found.lost_t_s) == 500
    assert found.lost_t_s[-1] == pytest.approx(found.detail_t_s[-1], rel=0.01)


def test_a_caption_says_how_much_came_back(tmp_path: Path) -> None:
    campaign = summarise(pinged(tmp_path, 400))
    assert panels.back_text(
        campaign.cases
    ) == f" {campaign.cases[0].label}: 4 800 of 6 000 came back.".replace(
        " 800", "\N{NARROW NO-BREAK SPACE}800"
    ).replace(" 000", "\N{NARROW NO-BREAK SPACE}000")
    assert panels.back_text(summarise(pinged(tmp_path / "whole", 0)).cases) == ""


def test_pairs_across_a_lost_sample_are_no_lost_jitter(tmp_path: Path) -> None:
    found = series(pinged(tmp_path, 400))
    assert found.jitter and found.jitter.quantiles.percent[-1] == 100.0
    assert {box.lost for box in found.jitter_boxes} == {0}
