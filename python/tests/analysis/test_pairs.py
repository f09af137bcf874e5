"""Pairs of a writer and a reader: the percentile that ranks them, their median, the slowest."""

import polars as pl
import pytest

from busmark.estimate import pairs
from busmark.model.stream import Pairs, pairs_of


def ranked(count: int, lost: int = 0) -> Pairs:
    """Pair one writer with two readers: latencies are 1, 2, 3… ns at the first, ten times as long
    at the second, of whose samples the last `lost` never came."""
    own = [*range(1, count + 1)]
    late: list[int | None] = [10 * value for value in own]
    late[count - lost :] = [None] * lost
    timed = pl.DataFrame(
        {"writer": 1, "reader": reader, "latency_ns": values}
        for reader, values in ((2, own), (3, late))
    ).explode("latency_ns")
    flow = {"flow": "f", "writer": 1, "participant": "a", "expected": count, "timed": count}
    flows = pl.DataFrame(
        [
            flow | {"reader": 2, "reader_participant": "b", "lost": 0},
            flow | {"reader": 3, "reader_participant": "c", "lost": lost},
        ]
    )
    found = pairs_of([*pairs([timed], [flows], 1)], None, ())
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("count", "percent", "slowest"),
    [(1000, 99.0, 9900.0), (1050, 99.0, 10400.0), (104, 90.0, 940.0), (30, 50.0, 155.0)],
)
def test_a_pair_is_ranked_by_the_sample_at_its_percentile(
    count: int, percent: float, slowest: float
) -> None:
    found = ranked(count)
    assert (found.percent, found.slowest.reader) == (percent, "c")
    assert found.slowest.ranked_ns == slowest
    assert found.median_ns == (slowest + slowest / 10) / 2
    assert found.slowest.median_ns == 10 * (count + 1) / 2
    assert found.most_lost is None


def test_what_a_pair_lost_is_later_than_any_of_its_samples() -> None:
    found = ranked(1000, lost=11)
    assert found.slowest.ranked_ns is None and found.slowest.median_ns == 5005.0
    assert found.median_ns is None, "half of the two have it among the lost"
    assert found.most_lost == found.slowest
    assert (found.slowest.expected, found.slowest.lost) == (1000, 11)
    assert ranked(1000, lost=10).slowest.ranked_ns == 9900.0
