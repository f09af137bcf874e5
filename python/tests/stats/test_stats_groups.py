"""Differences between groups, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from busmark.stats import difference


@given(st.integers(0, 10_000))
def test_the_p_value_is_scipys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = [rng.normal(shift, 1.0, 8) for shift in (0.0, 0.5, 3.0)]
    found = difference([*groups, [9.0]])
    assert found is not None
    assert found.p_value == pytest.approx(scipy_stats.kruskal(*groups).pvalue)
    medians = [float(np.median(group)) for group in groups]
    assert found.spread == pytest.approx(max(medians) - min(medians))
    assert medians[found.highest] == max(medians) and medians[found.lowest] == min(medians)


@pytest.mark.parametrize("groups", [[], [[1.0] * 9], [[1.0] * 9, [2.0] * 4], [[1.0] * 9] * 2])
def test_too_little_to_compare_gives_none(groups: list[list[float]]) -> None:
    assert difference(groups) is None
