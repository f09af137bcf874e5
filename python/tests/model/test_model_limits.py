"""Limits: every figure of the tables, in both spellings, by every door, and back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.compare import Criterion
from busmark.errors import UserError
from busmark.model.limits import UNITS
from busmark.model.quantities import QUANTITIES
from busmark.scenario import Requirement
from busmark.scenario.requirement import RequireSection

FIGURES = [(row, statistic) for row in QUANTITIES.values() for statistic in row.statistics]
PERCENTILES = [
    (row, f"p{n}") for row in QUANTITIES.values() if row.of_samples for n in (1, 98, 99.95)
]

figures = st.sampled_from(FIGURES + PERCENTILES)
numbers = st.floats(1e-3, 99.0).map(lambda value: float(f"{value:.6g}"))
operators = st.sampled_from(["<=", "<", "≤", ">=", ">", "≥"])


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    """Draw one limit in both spellings."""
    row, statistic = draw(figures)
    unit = draw(st.sampled_from([name for name in UNITS[row.unit].names if name] or [""]))
    rest = f"{draw(operators)} {draw(numbers)}{unit}"
    return f"{statistic}({row.name}) {rest}", f"{statistic}.{row.name}{rest}"


def same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-11)


@given(texts())
def test_a_requirement_is_one_in_both_spellings_and_as_it_is_printed(both: tuple[str, str]) -> None:
    first, second = (Requirement.parse(text) for text in both)
    printed = Requirement.parse(str(first))
    in_file = RequireSection(that=both[1]).requirement()
    for other in (second, printed, in_file):
        assert (other.subject, other.at_most) == (first.subject, first.at_most)
        assert same(other.limit, first.limit) and str(other) == str(first)


@pytest.mark.parametrize(
    ("where", "conditions"),
    [
        ("", {}),
        (" where size=64", {"size": "64"}),
        (" where adapter = udp, qos.reliability=reliable,",
         {"adapter": "udp", "qos.reliability": "reliable"}),
        (" where size=64, size = 64", {"size": "64"}),
    ],
)  # fmt: skip
def test_every_door_takes_conditions(where: str, conditions: dict[str, str]) -> None:
    text = f"p99(latency) <= 2ms{where}"
    assert Requirement.parse(text).where == conditions
    assert RequireSection(that=text).requirement().where == conditions
    criterion = Criterion.parse(text)
    assert criterion.where == conditions
    assert Criterion.parse(str(criterion)).where == conditions


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ("where", "a condition is missing"),
        ("where ,", "a condition is missing"),
        ("where size", "'size' should be a parameter and its value"),
        ("where size=", "'size=' should be a parameter and its value"),
        ("where =64", "'=64' should be a parameter and its value"),
        ("where size=64, size=128", "size is 64, and 128"),
    ],
)
def test_every_door_refuses_conditions_that_are_none(where: str, what: str) -> None:
    for door in (Requirement, Criterion):
        with pytest.raises(UserError, match=what) as refused:
            door.parse(f"p99(latency) <= 2ms {where}")
        assert refused.value.where.endswith("column 26")
        assert refused.value.remedy


@given(texts(), st.sampled_from(["", "x"]))
def test_a_criterion_is_one_in_both_spellings_and_as_it_is_printed(
    both: tuple[str, str], ratio: str
) -> None:
    figure = Criterion.parse(both[0])
    first, second = figure, Criterion.parse(both[1])
    if ratio and not figure.subject.is_share_of_samples:
        first, second = (
            Criterion.parse(f"{name} > 1.05x") for name in (figure.figure, figure.figure)
        )
    for other in (second, Criterion.parse(str(first))):
        assert (other.subject, other.above, other.absolute) == (
            first.subject, first.above, first.absolute,
        )  # fmt: skip
        assert same(other.limit, first.limit)


@pytest.mark.parametrize(
    "text", ["late <= 1%", "too_late <= 0", "later(2ms) <= 1%", "late(50%, 1ms) <= 0.5 %"]
)
def test_late_samples_are_limited_by_every_door(text: str) -> None:
    required = Requirement.parse(text)
    assert Requirement.parse(str(required)).subject == required.subject
    criterion = Criterion.parse(text.replace("<=", ">"))
    assert criterion.subject == required.subject and criterion.limit == required.limit
    assert not criterion.absolute, "a share of samples is compared as a difference"


@pytest.mark.parametrize("row", QUANTITIES.values(), ids=lambda row: row.name)
def test_a_quantity_has_a_test_and_what_people_call_it_leads_to_it(row: object) -> None:
    assert row.tests and row.unit in UNITS  # type: ignore[attr-defined]
    for word in row.also:  # type: ignore[attr-defined]
        with pytest.raises(UserError, match="no quantity") as refused:
            Requirement.parse(f"{word} <= 1%")
        named = refused.value.remedy.split()
        assert row.name in refused.value.remedy and len(named) < 10  # type: ignore[attr-defined]
