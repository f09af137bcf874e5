"""The first screen: middleware by workload, one chart, at most three sentences."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from synthetic_campaign import Builder, comparison

from busmark.analysis import Campaign, summarise
from busmark.analysis.words.text import number
from busmark.report.html.front import FLOOR, MOST_COLUMNS, MOST_ROWS, Front, front, representative
from busmark.report.html.front_chart import front_chart
from busmark.report.html.front_costs import front_costs
from busmark.report.html.page import MOST_ANSWERS, render
from busmark.report.tables import tables
from busmark.store import Result


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return summarise(Result(comparison(tmp_path_factory.mktemp("front"), samples=2000)))


@pytest.fixture(scope="module")
def shown(campaign: Campaign) -> Front:
    found = front(campaign)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def page(campaign: Campaign) -> str:
    return render(campaign)


def test_a_cell_has_the_figures_of_its_case(campaign: Campaign, shown: Front) -> None:
    seen = 0
    for row in shown.rows:
        for column, cell in zip(shown.columns, row.cells, strict=True):
            if cell is None or row.role == "floor":
                continue
            case = campaign.case(cell.case)
            test, placement, size, _ = column.workload
            assert (case.label, case.test, case.placement, case.size) == (
                row.label, test, placement, size,
            )  # fmt: skip
            figure = case.rtt_2.median if case.rtt_2 else case.goodput
            assert figure is not None
            unit = {"ns": 1, "µs": 1e3, "ms": 1e6, "Mbit/s": 1}[column.unit]
            value = float(cell.value.replace("\N{NARROW NO-BREAK SPACE}", ""))
            assert value == pytest.approx(figure.value / unit, rel=6e-3)
            seen += 1
    assert seen > 20


def test_middleware_comes_first_and_references_below(shown: Front) -> None:
    roles = [row.role for row in shown.rows]
    assert roles == sorted(roles, key=("middleware", "baseline", "floor").index)
    assert {row.label for row in shown.rows if row.role == "baseline"} == {
        "Unix socket", "UDP socket", "TCP socket",
    }  # fmt: skip
    assert [row.label for row in shown.rows if row.role == "floor"] == [FLOOR]
    assert all(cell is None or not cell.standing for row in shown.rows
               if row.role != "middleware" for cell in row.cells)  # fmt: skip


def test_every_cell_but_the_best_is_a_multiple_of_the_best(
    campaign: Campaign, shown: Front
) -> None:
    by_size = {s.size: s for s in campaign.standings if s.test == "latency"}
    assert by_size
    for place, column in enumerate(shown.columns):
        of = [row.cells[place] for row in shown.rows if row.role != "floor"]
        best = [cell for cell in of if cell and cell.standing == "best"]
        assert len(best) == 1 and best[0].relation in ("fastest", "highest"), column
        others = [cell for cell in of if cell and cell is not best[0]]
        assert others and all(re.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\] ×", c.relation)
                              for c in others)  # fmt: skip


def test_what_was_lost_is_the_share_that_the_tables_show(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    case = build.case("throughput", test="throughput", size=1024)
    # The mean of the shares of both rounds is 25 %, the share of all their samples 8.3 %.
    build.stream(case, 0, 100.0, 1024, lost=200)
    build.stream(case, 1, 1000.0, 1024)
    campaign = summarise(Result(build.finish()))
    found = front(campaign)
    assert found is not None
    (cell,) = found.rows[0].cells
    assert cell is not None
    (table,) = tables(campaign)
    assert cell.second == "lost 8.3 %"
    assert any("8.3 %" in part.extra for column in table.columns for part in column.cells)


def test_what_does_not_fit_is_counted(campaign: Campaign, shown: Front, page: str) -> None:
    assert len(shown.columns) == MOST_COLUMNS
    total = len({(c.test, c.placement, c.size) for c in campaign.cases
                 if not c.is_floor and (c.rtt_2 or c.goodput)})  # fmt: skip
    assert shown.more_columns == total - MOST_COLUMNS > 0
    assert f"{shown.more_columns} more workloads" in page


def test_the_columns_that_are_shown_are_of_all_tests_and_of_the_ends() -> None:
    known = [("latency", "same", size, ()) for size in (1, 2, 3, 4, 5)]
    known += [("throughput", "same", size, ()) for size in (1, 2, 3, 4, 5)]
    shown = representative(known, 4)  # type: ignore[arg-type]
    assert [(test, size) for test, _, size, _ in shown] == [
        ("latency", 1), ("latency", 5), ("throughput", 1), ("throughput", 5),
    ]  # fmt: skip


def test_many_middlewares_are_folded(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for index in range(MOST_ROWS + 3):
        case = build.case(f"c{index}", adapter=f"vendor{index:02}")
        for number_ in range(2):
            build.pings(case, number_, np.full(50, 10_000.0 + 1000 * index + 7 * number_))
    campaign = summarise(Result(build.finish()))
    found = front(campaign)
    assert found is not None and (len(found.rows), found.more_rows) == (MOST_ROWS, 3)
    assert [row.label for row in found.rows] == [f"vendor{n:02}" for n in range(MOST_ROWS)]
    assert "3 more middleware" in render(campaign)


def test_badges_lead_to_their_findings(campaign: Campaign, shown: Front, page: str) -> None:
    badges = [cell.badge for row in shown.rows for cell in row.cells if cell and cell.badge]
    concerned = [cell.case for row in shown.rows for cell in row.cells if cell and cell.badge]
    assert badges and concerned == ["udp-65536-flood"]
    assert all(f'id="{badge.anchor}"' in page for badge in badges)


def test_three_sentences_at_most_are_not_folded(campaign: Campaign, page: str) -> None:
    answer = page[page.index('class="answer"') : page.index('id="overview"')]
    open_, _, folded = answer.partition("<details>")
    assert open_.count("<li>") == MOST_ANSWERS
    assert '<a href="#rely">1 warning</a>' in open_ and 'id="rely"' in page
    assert folded.count("<li>") == len(campaign.answers) - MOST_ANSWERS


def test_the_chart_has_all_middleware_and_neither_winner_nor_axis_for_the_floor(
    campaign: Campaign, shown: Front
) -> None:
    chart = front_chart(campaign, shown)
    assert chart is not None
    assert FLOOR not in chart.labels and chart.floor.endswith(" ns")
    assert {label for label, _ in chart.baselines} == {"Unix socket", "UDP socket", "TCP socket"}
    for strip in chart.strips:
        assert {line.label for line in strip.lines} == {label for label, _ in chart.baselines}
        places = [point.at for point in strip.points] + [line.at for line in strip.lines]
        assert all(0 <= place <= 100 for place in places)
    first = chart.strips[0]
    cases = {c.label: c for c in campaign.cases
             if c.rtt_2 and c.size == 64 and c.placement == "same"}  # fmt: skip
    order = sorted(first.points, key=lambda point: point.at)
    medians = [cases[p.label].rtt_2.median.value for p in order]  # type: ignore[union-attr]
    assert medians == sorted(medians)


def test_nothing_measured_has_no_first_screen(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    build.case("udp-64")
    campaign = summarise(Result(build.finish()))
    assert front(campaign) is None
    assert 'id="overview"' not in render(campaign)


def test_what_a_scenario_asks_has_a_table_of_ratios(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rng = np.random.default_rng(1)
    for size in (64, 1024):
        for reliability, factor in (("best_effort", 1.0), ("reliable", 1.3)):
            case = build.case(f"{reliability}-{size}", adapter="cyclonedds", size=size,
                              qos={"reliability": reliability})  # fmt: skip
            for round_ in range(5):
                build.pings(case, round_, np.full(60, 20_000 * factor * rng.normal(1, 0.004)))
    campaign = summarise(Result(build.finish()))
    (costs,) = front_costs(campaign)
    assert costs.title == "Reliable over best effort: ratio of median RTT/2, on one CPU"
    assert costs.columns == ["64 B", "1 KiB"]
    ((label, cells),) = costs.rows
    assert label == "Cyclone DDS"
    for cell in cells:
        assert cell is not None and cell.shown and cell.ratio.startswith(number(1.3)[:3])
    assert costs.title in render(campaign)
