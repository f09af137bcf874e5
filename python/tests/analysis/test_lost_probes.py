"""Probes of a stream that were lost: later than any, where records say which they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from busmark.compare.campaign import Campaign, summarise
from busmark.model.figure import TAILS
from busmark.results import Results
from printed import notes, rows, tables_of
from synthetic_campaign import Builder

from busmark.present.charts import panels
from busmark.store import Result


def stream(directory: Path, lost: int, unanswered: int = 0, **params: object) -> Path:
    """Rounds of 2000 probes of 1, 2, 3 … µs one way, of which the slowest are lost."""
    build = Builder(directory)
    values = {name: params[name] for name in ("filter_below", "instances") if name in params}
    case = build.case("udp", test="throughput", **params)
    for number in range(3):
        build.probes(case, number, np.arange(1.0, 2001) * 1000, lost, unanswered, **values)
    return build.finish()


def campaign(directory: Path, lost: int, unanswered: int = 0, **params: object) -> Campaign:
    return summarise(Result(stream(directory, lost, unanswered, **params)))


def cells(found: Campaign) -> dict[str, str]:
    (table,) = tables_of(found)
    return dict(zip((c.title for c in table.columns), rows(table)[0], strict=True))


def test_a_lost_probe_is_later_than_any(tmp_path: Path) -> None:
    found = campaign(tmp_path, 400).cases[0].throughput
    assert found and found.probe_one_way
    probes = found.probe_one_way
    assert (found.probes_sent, found.probes_lost) == (6000, 1200)
    assert probes.median.value == pytest.approx(1_000_500.0)
    (one_way, _) = found.by_round
    assert probes.p99 is None
    assert [key for key in TAILS if one_way.hides(key)] == ["p99", "p999"]
    assert probes.lost_share == pytest.approx(0.2) and probes.count == 4800
    lost = {rung.percent: rung.lost for rung in probes.percentiles}
    assert (lost[75.0], lost[90.0]) == (False, True)


def test_what_is_never_answered_is_lost_to_the_round_trip_alone(tmp_path: Path) -> None:
    found = campaign(tmp_path, 100, unanswered=300).cases[0].throughput
    assert found and found.probe_one_way and found.probe_round_trip
    assert found.probe_one_way.lost_share == pytest.approx(0.05)
    assert found.probe_round_trip.lost_share == pytest.approx(0.2)


def test_tables_and_curves_say_so(tmp_path: Path) -> None:
    found = campaign(tmp_path, 400)
    assert cells(found)["p99 one-way"] == "lost: 20 %"
    assert "lost sample counts as later than any" in notes(tables_of(found)[0])
    assert "arrived" in panels.back_text(found.cases)
    series = found.cases[0].series
    assert series and series.curve and series.curve.percent[-1] == pytest.approx(80.0, abs=0.05)


def test_a_median_among_the_lost_is_none(tmp_path: Path) -> None:
    found = campaign(tmp_path, 1000)
    assert found.cases[0].throughput and found.cases[0].throughput.probe_one_way is None
    assert cells(found)["Median one-way"] == "lost: 50 %"


def test_frames_have_them(tmp_path: Path) -> None:
    found = Results(Result(stream(tmp_path, 400)))
    row = found.cases.row(0, named=True)
    assert (row["probes_sent"], row["probes_lost"]) == (6000, 1200)
    assert found.latencies("udp", lost=True)["latency_ns"].null_count() == 1200
    (ladder,) = found.estimates.filter(
        quantity="one_way", statistic="p99", over="samples", scope="case"
    ).to_dicts()
    assert ladder["value"] is None and "lost" in ladder["reason"]


def test_what_the_readers_filter_leaves_out_is_not_lost(tmp_path: Path) -> None:
    # Sequence numbers are even: of instances 0 to 3 the filter admits those below 2, so 0.
    found = campaign(tmp_path, 0, unanswered=1000, filter_below=2, instances=4)
    stream = found.cases[0].throughput
    assert stream and (stream.probes_sent, stream.probes_lost) == (3000, 0)


def test_a_source_without_a_record_of_its_probes_says_that_it_is_not_known(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("udp", test="throughput")
    for number in range(3):
        build.stream(case, number, 10_000, 64, lost=500)
    found = summarise(Result(build.finish()))
    stream = found.cases[0].throughput
    assert stream and stream.probe_one_way and stream.probe_one_way.p99
    assert stream.probes_lost is None and stream.probe_one_way.lost_share is None
    assert "not known whether probes were among them" in notes(tables_of(found)[0])
    assert "not known" in panels.back_text(found.cases)
