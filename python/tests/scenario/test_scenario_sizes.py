"""Distributions of sample sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from busmark.errors import UserError
from busmark.model.sizes import DISTINCT, ORDER, file_size, parse_sizes
from busmark.scenario import Scenario


@given(low=st.integers(0, 10_000), length=st.integers(0, 10_000))
def test_a_uniform_distribution_has_its_bounds_and_mean(low: int, length: int) -> None:
    values = parse_sizes(f"uniform({low}, {low + length})").values(1)
    assert len(values) == DISTINCT
    assert low <= min(values) and max(values) <= low + length
    assert abs(np.mean(values) - (low + length / 2)) <= 1


def test_a_lognormal_distribution_has_the_quantiles_of_scipy() -> None:
    values = parse_sizes("lognormal(512, 0.5)").values(1)
    shares = (np.arange(DISTINCT) + 0.5) / DISTINCT
    expected = reference.lognorm(s=0.5, scale=512).ppf(shares)
    assert np.allclose(values, expected, atol=0.51)


def test_a_choice_has_each_of_its_values_as_often_as_it_is_named() -> None:
    values = parse_sizes("choice(64, 64, 64, 1024)").values(1)
    assert values.count(64) == DISTINCT * 3 // 4 and values.count(1024) == DISTINCT // 4


@given(st.sampled_from([1, 2, 4, 16]), st.integers(0, 2**32))
def test_a_sequence_has_every_size_equally_often_in_whole_elements(element: int, seed: int) -> None:
    sizes = parse_sizes("uniform(0, 5000)")
    sequence = sizes.sequence(element, seed)
    assert len(sequence) == ORDER
    assert all(size % element == 0 for size in sequence)
    assert sorted(sequence) == sorted(sizes.values(element) * (ORDER // DISTINCT))
    assert sequence == sizes.sequence(element, seed)


@pytest.mark.parametrize(
    "text",
    ["64B", "uniform(1)", "uniform(9, 1)", "uniform(1, x)", "lognormal(0, 1)", "zipf(1, 2)",
     "uniform(-1, 5)", "choice()", "lognormal(1, 99)"],
)  # fmt: skip
def test_what_is_no_distribution_is_refused_in_its_own_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"uniform|list of numbers|out of range"):
        parse_sizes(text)


def test_a_size_of_a_file_needs_the_file() -> None:
    with pytest.raises(ValueError, match="body_file"):
        Scenario.model_validate({"name": "x", "matrix": {"adapter": "tcp", "size": "file"}})


@pytest.mark.parametrize("path", ["a\x00b", "\ud800"])
def test_a_file_of_which_no_path_can_be_is_told(path: str) -> None:
    with pytest.raises(UserError) as caught:
        file_size(path)
    assert caught.value.where == "measure.body_file"
