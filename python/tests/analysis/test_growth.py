"""How discovery grows with the endpoints that are there: laws that were planted, and none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from seams import shown
from synthetic_campaign import Builder

FIGURES = ("creation", "peer_match", "first_sample")
EXISTING = (100, 200, 400, 800, 1600)

Law = Callable[[float], float]
"""Time in ns, by the number of endpoints that are there."""


def campaign(
    folder: Path, laws: dict[str, Law], existing: tuple[int, ...] = EXISTING, *,
    noise: float = 0.03, rounds: int = 5, seed: int = 1,
) -> Any:  # fmt: skip
    """Write discoveries by these laws, one for each adapter. A round is slow or fast as a whole,
    and each value in it varies by `noise` besides."""
    builder, rng = Builder(folder), np.random.default_rng(seed)
    for adapter, law in laws.items():
        moods = rng.lognormal(0.0, 0.1, rounds)
        for number in existing:
            name = f"{adapter}-{number}existing"
            builder.case(name, test="discovery", adapter=adapter, new="writer", creates="entity",
                         existing=number, size=40, rate_hz=1000.0)  # fmt: skip
            for round_, mood in enumerate(moods):
                times = law(number) * mood * rng.lognormal(0.0, noise, len(FIGURES))
                found = dict(zip((f"{figure}_ns" for figure in FIGURES), times, strict=True))
                builder.row(name, round_, repetitions=30, undiscovered=0, **found)
    return shown(builder.finish())


def exponents(found: Any) -> dict[str, Any]:
    """Return the growth of each figure in a campaign of one adapter."""
    return {growth.figure: growth for growth in found.growths}


@pytest.mark.parametrize("exponent", [-0.3, 0.0, 0.25, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("existing", [EXISTING, (0, 100, 200, 400)])
def test_the_exponent_that_was_planted_is_within_its_interval(
    tmp_path: Path, exponent: float, existing: tuple[int, ...]
) -> None:
    found = exponents(campaign(
        tmp_path, {"fastdds": lambda n: 1e6 * (max(n, 1) / 100) ** exponent}, existing
    ))  # fmt: skip
    assert {*found} == {*FIGURES}
    for growth in found.values():
        law = growth.exponent
        assert law and law.low is not None and law.high is not None
        assert law.low <= exponent <= law.high and law.high - law.low < 1.0
        assert growth.existing == [n for n in existing if n]


def test_the_interval_covers_the_exponent_of_most_campaigns(tmp_path: Path) -> None:
    held = []
    for seed in range(40):
        laws: dict[str, Law] = {"fastdds": lambda n: 3e5 * n**0.5}
        found = campaign(tmp_path / str(seed), laws, rounds=3, noise=0.1, seed=seed)
        for growth in found.growths:
            law = growth.exponent
            assert law and law.low is not None and law.high is not None
            held.append(law.low <= 0.5 <= law.high)
    assert np.mean(held) >= 0.95


@pytest.mark.parametrize(
    "law",
    [
        lambda n: 1e6 if n < 500 else 2e7,
        lambda n: 1e6 * (8.0 if n == 400 else 1.0),
        lambda n: 1e6 + 10.0 * n**2.5,
        lambda n: 1e6 * (3.0 if n in (100, 1600) else 1.0),
    ],
    ids=["a step", "one number that is slow", "constant at first, steep later", "a hollow"],
)
def test_what_follows_no_power_law_has_no_exponent(tmp_path: Path, law: Law) -> None:
    found = campaign(tmp_path, {"fastdds": law})
    assert {growth.figure for growth in found.growths} == {*FIGURES}
    for growth in found.growths:
        assert growth.exponent is None
        assert growth.farthest_factor is not None
        assert growth.farthest_factor > 1.25 or growth.farthest_factor < 0.8
        assert growth.farthest in EXISTING


def test_one_slow_round_of_five_hides_no_law(tmp_path: Path) -> None:
    builder = Builder(tmp_path)
    for number in EXISTING:
        name = f"{number}existing"
        builder.case(name, test="discovery", adapter="fastdds", new="writer", creates="entity",
                     existing=number, size=40)  # fmt: skip
        for round_ in range(5):
            time = 1e4 * number * (20.0 if round_ == 3 and number != 400 else 1.0)
            builder.row(name, round_, repetitions=30, undiscovered=0, first_sample_ns=time)
    (growth,) = shown(builder.finish()).growths
    assert growth.exponent and growth.exponent.value == pytest.approx(1.0)


def test_two_numbers_make_no_law(tmp_path: Path) -> None:
    found = campaign(tmp_path, {"fastdds": lambda n: 1e6 * max(n, 1)}, (0, 100, 200))
    assert found.growths == []
