"""The answer of a campaign: what its tables say, and what they leave out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from busmark.compare.campaign import Campaign
from busmark.compare.effects import Effect
from hypothesis import given
from hypothesis import strategies as st
from present_documents import column

from busmark.present import figures
from busmark.present.blocks.answer import answer, representative, version
from busmark.present.blocks.opening import caveats
from busmark.present.document import Cell, Table


def table(campaign: Campaign, key: str) -> Table | None:
    section = answer(campaign)
    return next((each for each in (section.tables if section else ()) if each.key == key), None)


def effects(campaign: Campaign, *changes: tuple[float, str]) -> Campaign:
    """The campaign with one effect for each of these ratios and verdicts."""
    first = campaign.effects[0]
    assert first.versus.ratio is not None
    made = []
    for value, verdict in changes:
        ratio = first.versus.ratio.model_copy(update={"value": value})
        versus = first.versus.model_copy(update={"ratio": ratio, "verdict": verdict})
        made.append(first.model_copy(update={"versus": versus}))
    return campaign.model_copy(update={"effects": made})


def test_every_figure_is_the_median_of_its_case(campaign: Campaign) -> None:
    ranking = table(campaign, "answer")
    assert ranking is not None
    shown = 0
    for each in ranking.columns:
        for cell in each.cells:
            if each.kind == "figure" and cell.case:
                headline = campaign.case(cell.case).headline
                assert headline is not None
                assert (cell.value, cell.low, cell.high) == (
                    headline.figure.value, headline.figure.low, headline.figure.high,
                )  # fmt: skip
                shown += 1
    assert shown > 20


def test_middleware_comes_first_and_each_column_has_one_reference(campaign: Campaign) -> None:
    ranking = table(campaign, "answer")
    assert ranking is not None
    roles = [row.role for row in ranking.rows]
    assert roles == sorted(roles, key=["", "baseline", "floor"].index)
    for each in ranking.columns:
        if each.kind == "ratio":
            verdicts = [cell.verdict for cell in each.cells]
            assert verdicts.count("reference") == 1
            assert ranking.rows[verdicts.index("reference")].role == ""


@pytest.mark.parametrize(
    ("changes", "least", "most", "undecided"),
    [
        ([(1.5, "slower"), (3.0, "slower"), (9.0, "undecided")], 1.5, 3.0, "(1 undecided)"),
        ([(9.0, "undecided")], None, None, "(1 undecided)"),
        ([(2.0, "slower")], 2.0, 2.0, ""),
    ],
)
def test_a_range_holds_no_ratio_that_is_undecided(
    campaign: Campaign, changes: Sequence[tuple[float, str]], least: float | None,
    most: float | None, undecided: str,
) -> None:  # fmt: skip
    costs = table(effects(campaign, *changes), "effects")
    assert costs is not None
    assert [column(costs, title)[0].value for title in ("Least ×", "Most ×")] == [least, most]
    assert column(costs, "Pairs")[0].more == undecided


def test_goodput_at_a_rate_says_nothing_of_a_cost(campaign: Campaign) -> None:
    first = effects(campaign, (1.0, "equivalent")).effects[0]
    stream = first.model_copy(update={"test": "throughput", "figure": "throughput"})

    def shown(effect: Effect) -> bool:
        return table(campaign.model_copy(update={"effects": [effect]}), "effects") is not None

    assert shown(stream)
    assert not shown(stream.model_copy(update={"rate_hz": 500.0}))


def test_the_workloads_that_are_shown_are_of_all_tests_and_of_the_ends() -> None:
    known = [(test, place, size, ()) for test in ("latency", "throughput")
             for place in ("same", "different") for size in (1, 2, 4, 8, 16)]  # fmt: skip
    shown = representative(known, 8)
    assert [w for w in known if w in shown] == shown and len(shown) == 8
    assert {w[:2] for w in shown} == {w[:2] for w in known}
    assert all(
        {w[2] for w in shown if w[:2] == group} == {1, 16} for group in {w[:2] for w in known}
    )


def test_a_finding_counts_the_cases_of_the_answer_and_no_floor(campaign: Campaign) -> None:
    floor = next(case.id for case in campaign.cases if case.is_floor)
    concerned = {"cases": ["udp-64-same", floor], "severity": "warning", "title": "It was loaded"}
    finding = campaign.findings[0].model_copy(update=concerned)
    section = caveats(campaign.model_copy(update={"findings": [finding]}))
    assert section is not None
    (found,) = (each for each in section.tables if each.key == "caveats")
    (cell,) = column(found, "Cases")
    assert cell.value == 1 and cell.text.startswith("1 of ")


def test_a_version_stands_once_behind_a_name(campaign: Campaign) -> None:
    declared = {
        "title": "Cyclone DDS 3", "cost": "it copies",
        "middleware_version": "Cyclone DDS 3.2.2, built without security",
    }  # fmt: skip
    assert version(declared) == "3.2.2" and version({}) == ""
    labels = [label.model_copy(update={"text": label.text.replace("Cyclone DDS", "Cyclone DDS 3")})
              for label in campaign.labels]  # fmt: skip
    cases = [case.model_copy(update={"label": case.label.replace("Cyclone DDS", "Cyclone DDS 3")})
             for case in campaign.cases]  # fmt: skip
    named = campaign.model_copy(update={
        "adapters": campaign.adapters | {"cyclonedds": declared}, "labels": labels, "cases": cases,
    })  # fmt: skip
    ranking = table(named, "answer")
    assert ranking is not None
    assert "Cyclone DDS 3.2.2" in [cell.value for cell in ranking.columns[0].cells]
    section = caveats(named)
    assert section is not None
    (found,) = (each for each in section.tables if each.key == "handicaps")
    assert declared["middleware_version"] in [cell.value for cell in column(found, "Version")]
    unknown = {"title": "Cyclone DDS 3", "cost": "it copies"}
    section = caveats(named.model_copy(update={"adapters": {"cyclonedds": unknown}}))
    assert section is not None
    (found,) = (each for each in section.tables if each.key == "handicaps")
    assert column(found, "Version")[0].value is None, "what is not known is absent"


@given(st.floats(1e-3, 1e3), st.floats(0.2, 1.0), st.floats(1.0, 5.0))
def test_a_ratio_lies_within_the_limits_that_are_printed(
    value: float, below: float, above: float
) -> None:
    cell = Cell(value, value * below, value * above)
    shown, limits = figures.ratio_text(cell), figures.interval_of_ratio(cell)
    assert shown.startswith("1/") == limits.startswith("1/")
    plain = limits.removeprefix("1/").strip("[]").replace("\N{NARROW NO-BREAK SPACE}", "")
    low, high = map(float, plain.split(", "))
    middle = float(shown.removeprefix("1/").replace("\N{NARROW NO-BREAK SPACE}", ""))
    assert low <= middle <= high


def test_a_limit_above_0_does_not_read_as_0() -> None:
    wide = Cell(1.26, 0.0187, 85.0, verdict="undecided")
    assert figures.interval_of_ratio(wide) == "[0.02, 85.0]"


def test_a_ratio_of_nothing_is_0_and_an_unknown_one_is_absent() -> None:
    assert figures.ratio_text(Cell(0.0, verdict="worse")) == "0"
    assert figures.ratio_text(Cell()) == ""
