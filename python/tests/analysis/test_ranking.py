"""Who is best in campaigns whose answer is known; no sentence says more than the rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seams import done, shown
from synthetic_campaign import Builder

Medians = Mapping[str, Sequence[float]]
"""By adapter, µs of RTT/2 by round."""

MIDDLEWARE = ("cyclonedds", "fastdds", "zenoh")
SAMPLES = 60


def campaign(
    directory: Path, workloads: Mapping[int, Medians], findings: Sequence[dict[str, Any]] = (),
    **params: Any,
) -> Any:  # fmt: skip
    """Write each adapter's rounds at each size; the samples of a round differ by a few ns only."""
    build = Builder(directory)
    for size, medians in workloads.items():
        for adapter, rounds in medians.items():
            case = build.case(
                f"{adapter}-{size}", adapter=adapter, transport=adapter, size=size, **params
            )
            for number, median in enumerate(rounds):
                build.pings(case, number, 2000.0 * median + np.arange(SAMPLES) - SAMPLES // 2)
    build.findings += findings
    return shown(build.finish())


def around(median: float, spread: float, rounds: int = 6, seed: int = 1) -> list[float]:
    return [median * f for f in np.random.default_rng(seed).normal(1, spread, rounds)]


def others(found: Any) -> list[Any]:
    return [p for p in found.places if p.role == "compared" and p.case != found.leader]


def ranking(directory: Path, medians: Medians, **params: Any) -> Any:
    (found,) = campaign(directory, {64: medians}, **params).rankings
    return found


def test_the_fastest_is_shown_to_be_faster_than_all_others(tmp_path: Path) -> None:
    medians = {
        "cyclonedds": around(10, 0.01, seed=1), "fastdds": around(12, 0.01, seed=2),
        "zenoh": around(16, 0.01, seed=3),
    }  # fmt: skip
    found = ranking(tmp_path, medians)
    assert (found.outcome, found.best) == ("best", ["cyclonedds-64"])
    assert [p.case for p in others(found)] == ["fastdds-64", "zenoh-64"]
    for place, factor in zip(others(found), (1.2, 1.6), strict=True):
        versus = place.to_leader
        assert versus is not None and versus.ratio is not None and versus.verdict == "slower"
        assert versus.ratio.value == pytest.approx(factor, rel=0.03)
        assert versus.ratio.low is not None and versus.ratio.low > 1


def test_a_shift_common_to_a_round_hides_nothing(tmp_path: Path) -> None:
    drift = np.array([1.0, 1.4, 0.8, 1.9, 1.2, 0.7])
    noise = np.random.default_rng(1).normal(1, 0.002, (2, 6))
    medians = {"cyclonedds": 10 * drift * noise[0], "fastdds": 10.5 * drift * noise[1]}
    found = ranking(tmp_path, medians)  # type: ignore[arg-type]
    assert found.outcome == "best", "intervals of the medians overlap; ratios of rounds do not"


def test_a_baseline_is_a_reference_and_never_the_best(tmp_path: Path) -> None:
    medians = {
        "tcp": around(6, 0.01, seed=1), "udp": around(5, 0.01, seed=2),
        "cyclonedds": around(10, 0.01, seed=3), "fastdds": around(12, 0.01, seed=4),
    }  # fmt: skip
    found = ranking(tmp_path, medians)
    assert found.best == ["cyclonedds-64"] and found.reference == "udp-64"
    assert {p.case for p in found.places if p.role == "baseline"} == {"tcp-64", "udp-64"}
    udp = next(place for place in found.places if place.case == "udp-64")
    assert udp is not None and udp.to_leader is not None and udp.to_leader.ratio is not None
    assert udp.to_leader.ratio.value == pytest.approx(0.5, rel=0.03)


def test_the_floor_is_in_no_ranking(tmp_path: Path) -> None:
    found = ranking(tmp_path, {"null": around(0.1, 0.01), "cyclonedds": around(10, 0.01)})
    assert [place.case for place in found.places] == ["cyclonedds-64"]
    assert found.outcome == "alone"


def test_one_that_a_noisy_leader_leaves_undecided_but_another_beats_is_not_among_the_first(
    tmp_path: Path,
) -> None:
    medians = {
        "cyclonedds": [5.0, 24.0, 7.0, 14.0, 5.0, 30.0, 6.0, 20.0],
        "fastdds": around(11, 0.003, 8, seed=1),
        "zenoh": around(12, 0.003, 8, seed=2),
    }
    found = ranking(tmp_path, medians)
    assert found.outcome == "undecided"
    assert "zenoh-64" not in found.best and "fastdds-64" in found.best


def test_an_uncompared_one_that_is_lower_leaves_nobody_the_best(tmp_path: Path) -> None:
    medians = {
        "cyclonedds": around(10, 0.01), "fastdds": around(12, 0.01), "zenoh": [4.0],
    }  # fmt: skip
    found = ranking(tmp_path, medians)
    assert found.outcome == "open" and found.open is not None
    assert found.open.startswith("Zenoh, 4.0")
    higher = {**medians, "zenoh": [40.0]}
    assert ranking(tmp_path / "higher", higher).outcome == "best"


@pytest.mark.parametrize("cases", [["cyclonedds-64"], []])
def test_an_error_among_the_findings_makes_nobody_the_best(
    tmp_path: Path, cases: list[str]
) -> None:
    finding = {
        "id": "corrupted", "severity": "error", "title": "Samples arrived with another content",
        "cause": "", "evidence": "", "remedy": "", "cases": cases,
    }  # fmt: skip
    medians = {"cyclonedds": around(10, 0.01), "fastdds": around(12, 0.01, seed=2)}
    found = campaign(tmp_path, {64: medians}, [finding])
    assert found.rankings[0].outcome == "open"


def test_what_reliability_costs(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for adapter, factor in (("cyclonedds", 1.12), ("fastdds", 1.5)):
        for reliability, times in (("best_effort", 1.0), ("reliable", factor)):
            case = build.case(
                f"{adapter}-{reliability}", adapter=adapter, transport=adapter, size=1024,
                qos={"reliability": reliability},
            )  # fmt: skip
            for number, median in enumerate(around(20 * times, 0.005, seed=len(build.cases))):
                build.pings(case, number, np.full(SAMPLES, 2000 * median))
    scenario = {"name": "What QoS costs", "question": ""}
    found = shown(build.finish(scenario=scenario))
    assert [e.label for e in found.effects] == ["Cyclone DDS", "Fast DDS"]
    for effect, factor in zip(found.effects, (1.12, 1.5), strict=True):
        ratio = effect.versus.ratio
        assert (effect.value, effect.reference) == ("reliable", "best effort")
        assert ratio is not None and ratio.value == pytest.approx(factor, rel=0.02)
        assert ratio.low is not None and ratio.low > 1


def test_a_cost_is_of_cases_that_are_equal_in_all_else(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for depth, history in ((1, "keep_last"), (None, "keep_all")):
        qos = {"reliability": "reliable", "history": history} | ({"depth": depth} if depth else {})
        case = build.case(history, adapter="cyclonedds", qos=qos)
        for number, median in enumerate(around(20, 0.005)):
            build.pings(case, number, np.full(SAMPLES, 2000 * median))
    found = shown(build.finish())
    assert [(e.parameter, e.value, e.reference) for e in found.effects] == [
        ("qos.history", "keep all", "keep last")
    ]


# Properties: whatever the rounds are, no verdict is refuted by the numbers beside it.

STEADY = st.builds(
    lambda median, noise: [median * factor for factor in noise],
    st.floats(1.0, 50.0), st.lists(st.floats(0.98, 1.02), min_size=1, max_size=6),
)  # fmt: skip
ROUNDS = st.one_of(STEADY, st.lists(st.floats(1.0, 50.0), min_size=1, max_size=6))
CAMPAIGNS = st.dictionaries(
    st.sampled_from([64, 1024]),
    st.dictionaries(st.sampled_from([*MIDDLEWARE, "udp", "tcp"]), ROUNDS, min_size=1, max_size=4),
    min_size=1,
)


@settings(max_examples=15)
@given(CAMPAIGNS)
def test_no_verdict_is_refuted_by_the_numbers(
    workloads: dict[int, dict[str, list[float]]],
) -> None:
    with TemporaryDirectory() as folder:
        found = campaign(Path(folder), workloads)
    values = {c.id: c.rtt_2.median.value for c in found.cases if c.rtt_2}
    for one in found.rankings:
        _check(one, found, values)


def _check(one: Any, found: Any, values: Mapping[str, float]) -> None:
    measured = {c.id: c for c in found.cases}
    compared = [p.case for p in one.places if p.role == "compared"]
    if one.leader is not None:
        assert values[one.leader] == min(values[case] for case in compared)
        assert all(measured[case].rounds.ok > 1 for case in compared)
    if one.outcome == "best":
        assert one.best == [one.leader] and others(one)
        for place in others(one):
            versus = place.to_leader
            assert versus is not None and versus.ratio is not None and versus.verdict == "slower"
            assert versus.ratio.low is not None and versus.ratio.low > 1
            assert versus.p_adjusted is not None and versus.p_adjusted <= 0.05
        alone = [p.case for p in one.places if p.role == "not compared"]
        assert all(values[case] >= values[one.leader or ""] for case in alone)


def test_a_tie_is_shown_to_be_one(tmp_path: Path) -> None:
    """Two that are equivalent tie; two of which nothing is known are undecided."""
    alike = {"cyclonedds": around(10, 0.001, 8, seed=1), "fastdds": around(10, 0.001, 8, seed=2)}
    assert ranking(tmp_path / "alike", alike).outcome == "tie"
    wild = {"cyclonedds": [1.0, 900.0], "fastdds": [900.0, 1.0]}
    assert ranking(tmp_path / "wild", wild).outcome == "undecided"


def test_a_matrix_has_the_discovery_of_the_rounds_that_count(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("pair", adapter="udp", peer="tcp")
    for number, (status, seconds) in enumerate((("ok", 0.01), ("ok", 0.02), ("marked", 0.9))):
        build.pings(case, number, np.arange(1.0, 101.0) * 2000, status=status, discovery_s=seconds)
    ((cell,),) = (matrix.cells for matrix in shown(build.finish()).interop)
    assert cell.discovery_s == pytest.approx(0.015)


def test_the_best_of_each_size_is_in_the_answer_however_many_there_are(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for depth in range(1, 15):
        qos = {"reliability": "reliable", "history": "keep_last", "depth": depth}
        size = 64 if depth < 14 else 4096
        case = build.case(f"depth-{depth}", adapter="cyclonedds", qos=qos, size=size)
        for number in range(2):
            build.pings(case, number, np.full(40, 1000.0 * depth))
    text = done("show", build.finish(), "--wide")
    answer, _, _ = text.partition("What each choice costs")
    assert "12 of 14 rows" in answer and "4 KiB" in answer
    assert "keep last 14" in answer and "keep last 12" not in answer
