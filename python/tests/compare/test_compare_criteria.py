"""`--fail-if`: what is understood, what is refused and where, and what fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from compare_results import campaign, compared
from hypothesis import given
from hypothesis import strategies as st

from busmark.compare import Criterion
from busmark.errors import UserError


@pytest.mark.parametrize(
    ("text", "figure", "above", "limit"),
    [
        ("p99.latency > 1.05", "p99(latency)", True, 1.05),
        ("p99.9.round_trip>=1.1", "p99.9(round_trip)", True, 1.1),
        (" goodput.throughput < .97 ", "median(goodput)", False, 0.97),
        ("samples_per_s.throughput <= 1e0", "median(read_rate)", False, 1.0),
        ("loss > 0.1%", "loss", True, 0.001),
        ("loss > 100ppm", "loss", True, 0.0001),
        ("loss < -1 %", "loss", False, -0.01),
        ("discovery > 2", "median(discovery)", True, 2.0),
        ("latency > 1.1 ×", "median(latency)", True, 1.1),
        ("p98(one_way) > 1.1x", "p98(one_way)", True, 1.1),
        ("cpu > 1.1", "median(cpu)", True, 1.1),
        ("later(2ms) > 1%", "later(2 ms)", True, 0.01),
    ],
)
def test_a_criterion_is_read(text: str, figure: str, above: bool, limit: float) -> None:
    read = Criterion.parse(text)
    assert (read.figure, read.above, read.limit) == (figure, above, limit)


@pytest.mark.parametrize(
    ("text", "column", "what", "remedy"),
    [
        ("", 1, "a figure is missing", "median(latency)"),
        ("> 1", 1, "a figure is missing", "median(latency)"),
        ("median.latency", 15, "an operator is missing", "<="),
        ("median.latency 1.05", 15, "an operator is missing", "<="),
        ("median.latency = 1.05", 16, "no operator '='", ">="),
        ("median.latency >> 1.05", 16, "no operator '>>'", ">="),
        ("median.latency >", 17, "a number is missing", "1.05"),
        ("median.latency > much", 18, "'much' is not a number", "1.05"),
        ("median.latency > 5%", 18, "a ratio is not a percentage", "1.05x for 5 % more"),
        ("median.latency > nan", 18, "nan is no ratio", "above 0"),
        ("median.latency > 0", 18, "0 is no ratio", "above 0"),
        ("loss > 200%", 8, "no difference of shares", "between -100 % and 100 %"),
        ("loss > 1.5x", 8, "compared as a difference", "0.1%"),
        ("loss > 0.001", 8, "0.001 has no unit: 0.1 %, or 0.001 %?", "Write 0.1% or 0.001%"),
        ("jitter_share > 0.1", 16, "0.1 has no unit", "0.1x for a ratio"),
        ("p99.latncy > 1", 5, "no quantity 'latncy'", "Did you mean latency"),
        ("p99(rtt) > 1", 5, "no quantity 'rtt'", "Did you mean round_trip"),
        ("mediam.latency > 1", 1, "no statistic 'mediam'", "median"),
        ("p99(goodput) > 1", 1, "goodput has no p99", "median"),
        ("p99.9 > 1", 1, "p99.9 of what?", "p99.9(half_round_trip)"),
        ("throughput < 1", 1, "no quantity 'throughput'", "goodput"),
        ("gooput < 1", 1, "no quantity 'gooput'", "goodput"),
    ],
)
def test_a_mistake_is_reported_with_its_place(
    text: str, column: int, what: str, remedy: str
) -> None:
    with pytest.raises(UserError) as refused:
        Criterion.parse(text)
    assert what in refused.value.message
    assert refused.value.where.endswith(f"column {column}")
    assert remedy in refused.value.remedy


def test_a_criterion_is_for_the_cases_that_its_conditions_choose(place: Path) -> None:
    sides = (place / "base", place / "slow")
    every, udp, none_of_them = (
        compared(*sides, fail_if=[f"median.latency > 1.02{where}"]).criteria
        for where in ("", " where adapter=udp", " where size=64, qos.reliability=reliable")
    )
    assert len(every) == 2 and none_of_them == [
        one.model_copy(update={"criterion": none_of_them[0].criterion}) for one in every
    ]
    assert [one.case for one in udp] == ["udp-64-same"]
    assert udp[0].criterion.endswith("where adapter=udp")
    assert udp[0].p_adjusted and every[0].p_adjusted and udp[0].p_adjusted < every[0].p_adjusted


def test_a_case_that_is_gone_fails_only_criteria_that_are_for_it(
    place: Path, tmp_path: Path
) -> None:
    campaign(tmp_path / "less", seed=4, cases=[{"adapter": "udp"}])
    gate = [f"median.latency > 1.5 where adapter={name}" for name in ("udp", "cyclonedds")]
    found = compared(place / "base", tmp_path / "less", fail_if=gate)
    assert [one.outcome for one in found.criteria] == ["passed", "not measured"]


@pytest.mark.parametrize(
    ("where", "what", "remedy"),
    [
        ("adapter=tcp", "for no case: none has adapter = tcp", "adapter is"),
        ("siz=64", "no case has a parameter 'siz'", "Did you mean size"),
    ],
)
def test_conditions_that_no_case_meets_are_refused(
    place: Path, where: str, what: str, remedy: str
) -> None:
    with pytest.raises(UserError, match=what) as refused:
        compared(place / "base", place / "slow", fail_if=[f"loss > 1% where {where}"])
    assert remedy in refused.value.remedy and refused.value.where.startswith("--fail-if")


@given(st.text(max_size=40))
def test_whatever_else_is_written_is_refused_or_read(text: str) -> None:
    try:
        assert Criterion.parse(text).figure
    except UserError as refused:
        assert refused.remedy and "column" in refused.where


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("median.latency > 1.02", {"failed"}),
        ("median.latency > 1.2", {"passed"}),
        ("median.latency > 1.05", {"undecided"}),
        ("median.round_trip > 1.02", {"failed"}),
        ("median.latency < 1.2", {"failed"}),
        ("median.latency < 1.02", {"passed"}),
        ("p99.9.latency > 1.02", {"undecided"}),
        # What comparisons have for a criterion alone.
        ("half_round_trip > 1.02x", {"failed"}),
        ("round_trip > 10.2us", {"failed"}),
        ("p98(half_round_trip) > 5x", {"passed"}),
        ("p98(latency) > 1us", {"failed"}),
        ("later(5.1us) > 1%", {"failed"}),
        ("later(1s) > 1%", {"passed"}),
        ("jitter_share > 50x", {"passed"}),
        ("samples > 1.02x", {"passed"}),
        ("samples > 1k", {"failed"}),
    ],
)
def test_a_criterion_fails_where_the_interval_proves_it(
    place: Path, text: str, outcomes: set[str]
) -> None:
    comparison = compared(place / "base", place / "slow", fail_if=[text])
    assert {judged.outcome for judged in comparison.criteria} == outcomes
    assert comparison.failed == (outcomes == {"failed"})
    strict = compared(place / "base", place / "slow", fail_if=[text], undecided="fail")
    assert strict.failed == (outcomes != {"passed"})


def test_what_one_criterion_asks_for_changes_nothing_else(place: Path) -> None:
    sides = (place / "base", place / "slow")
    plain, asked = (compared(*sides, fail_if=texts) for texts in ([], ["p98(latency) > 1.02"]))
    assert plain.pairs == asked.pairs and plain.summary == asked.summary
    assert all(one.value is not None and one.limit is not None for one in asked.criteria)


def test_unchanged_campaigns_pass_a_gate(place: Path) -> None:
    gate = ["median.latency > 1.03", "p99.latency > 1.5", "loss > 1%"]
    comparison = compared(place / "base", place / "again", fail_if=gate)
    assert not comparison.failed
    assert len(comparison.criteria) == 6


def test_a_criterion_that_can_never_fail_is_refused(place: Path) -> None:
    with pytest.raises(UserError, match="could never fail") as refused:
        compared(place / "base", place / "slow", fail_if=["goodput.throughput < 1"])
    assert "median.latency" in refused.value.remedy
