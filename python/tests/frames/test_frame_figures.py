"""A figure is got by its quantity, its statistic and the part that it is of."""

from __future__ import annotations

from busmark.model.quantities import GOODPUT, HALF_ROUND_TRIP, LOST, ONE_WAY
from busmark.model.statistics import MAXIMUM, MEDIAN, P99, P9999
from busmark.results import Results


def test_a_figure_is_its_row_of_the_table(results: Results) -> None:
    figures = results.figures("udp-1024-same")
    own = results.estimates.filter(case="udp-1024-same", quantity="half_round_trip", scope="case")
    for statistic, name, over in ((MEDIAN, "median", "rounds"), (P99, "p99", "rounds"),
                                  (MAXIMUM, "max", "samples")):  # fmt: skip
        row = own.filter(statistic=name, over=over).row(0, named=True)
        found = figures.get(HALF_ROUND_TRIP, statistic)
        assert (found.value, found.low, found.high) == (row["value"], row["low"], row["high"])
        assert (found.unit, found.count, found.rounds) == ("ns", row["count"], row["rounds"])


def test_a_figure_of_one_round_is_got_by_its_number(results: Results) -> None:
    figures = results.figures("udp-1024-same")
    each = [figures.get(HALF_ROUND_TRIP, MEDIAN, round=number).value for number in (0, 1, 2)]
    whole = figures.get(HALF_ROUND_TRIP, MEDIAN).value
    assert None not in each and sorted(v for v in each if v)[1] == whole


def test_a_figure_that_is_not_there_says_why(results: Results) -> None:
    figures = results.figures("udp-1024-same")
    few = results.figures("udp-1024-same").get(HALF_ROUND_TRIP, P9999)
    assert few.value is None and few.reason and "lost" in few.reason
    assert figures.get(GOODPUT).value is None
    assert figures.get(ONE_WAY, P99, flow="imu").reason == "its flow imu has no p99 of one_way"


def test_counts_and_kinds_of_rows(results: Results) -> None:
    flood = results.figures("udp-1024-flood")
    assert flood.get(LOST).value == 4500
    assert flood.where(scope="round")["scope"].unique().to_list() == ["round"]
    assert flood.where().equals(
        results.estimates.filter(case="udp-1024-flood").select(flood.where().columns)
    )
    assert len(flood) == results.estimates.filter(case="udp-1024-flood").height
