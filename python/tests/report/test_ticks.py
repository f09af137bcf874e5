"""Ticks of axes: enough of them, between the ends, at numbers that people know."""

from __future__ import annotations

import numpy as np
import pytest

from busmark.present.charts import ticks
from busmark.present.charts.panels import near


def test_a_logarithmic_axis_has_two_ticks_at_least_whatever_its_ends() -> None:
    rng = np.random.default_rng(7)
    for _ in range(3000):
        low = 10 ** rng.uniform(-6, 9)
        high = low * 10 ** (rng.uniform(0, 1) ** 3 * 12)
        ends = ticks.log_ends([low, high])
        assert ends
        found = ticks.log_ticks(*ends)
        assert 2 <= len(found) <= ticks.MOST, (low, high, found)
        assert all(ends[0] <= at <= ends[1] for at, _ in found)
        assert len({told for _, told in found}) == len(found), found


def test_ticks_of_medians_between_two_ticks_of_a_decade() -> None:
    assert [told for _, told in ticks.log_ticks(15.1, 18.8)] == ["16", "17", "18"]
    assert [told for _, told in ticks.log_ticks(4.0, 37.0)] == ["5", "7", "10", "15", "20", "30"]


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ([64, 1024, 16384], ["64 B", "1 KiB", "16 KiB"]),
        ([0, 64, 1024], ["0 B", "64 B", "1 KiB"]),
        ([32, 320, 3200, 32000], ["64 B", "256 B", "1 KiB", "4 KiB", "16 KiB"]),
        ([2**p for p in range(5, 17)], ["64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB"]),
        ([1000], ["1\u202f000 B"]),
        ([100, 120], ["100 B", "120 B"]),
    ],
)
def test_sizes_have_ticks_at_powers_of_two(sizes: list[int], told: list[str]) -> None:
    assert [text for _, text in ticks.size_ticks(sizes)] == told


def test_sizes_on_a_linear_axis_have_ticks_at_multiples_of_a_power_of_two() -> None:
    told = [text for _, text in ticks.linear_size_ticks(16384)]
    assert told == ["0 B", "4 KiB", "8 KiB", "12 KiB", "16 KiB"]
    assert [text for _, text in ticks.linear_size_ticks(65507)][-1] == "48 KiB"


def test_a_floor_is_near_where_an_axis_hardly_grows_by_it() -> None:
    assert near([4.0, 6.0], [10.0, 30.0])
    assert not near([0.2, 0.3], [10.0, 30.0]), "two decades would be empty"
    assert not near([90_000.0], [2_000.0]), "nor above"
    assert near([50.0], [1e6, 40.0]), "a long tail does not make it far"
