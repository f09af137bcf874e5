"""`--to xlsx`: opened by openpyxl, every sheet looked at, every link followed."""

from __future__ import annotations

import re
from pathlib import Path

import openpyxl
import pytest
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from busmark.analysis import Campaign
from busmark.analysis.across.pairs import pairs
from busmark.report.workbook import MOST_PAIRS, write_workbook
from busmark.report.workbook.book import BACK_ROW
from busmark.store.manifest import Resumption

FIRST_TEST = "1 Unix socket latency one CPU"


@pytest.fixture(scope="module")
def book(campaign: Campaign, tmp_path_factory: pytest.TempPathFactory) -> Workbook:
    path = tmp_path_factory.mktemp("workbook") / "report.xlsx"
    write_workbook(campaign, path)
    return openpyxl.load_workbook(path)


def links(page: Worksheet) -> dict[str, str]:
    """Cells that lead to a sheet, and its name."""
    found = {}
    for row in page.iter_rows():
        for cell in row:
            if cell.hyperlink:
                assert cell.hyperlink.target is None, "only links within the workbook"
                name, _, place = str(cell.hyperlink.location).rpartition("!")
                assert place == "A1"
                found[cell.coordinate] = name.strip("'")
    return found


def rows_of(page: Worksheet) -> list[dict[str, object]]:
    """The table under the frozen headings, by heading; groups stand before their columns."""
    head = int(re.sub(r"\D", "", str(page.freeze_panes))) - 1
    groups, group = [], ""
    for cell in page[head - 1]:
        group = str(cell.value) if cell.value is not None else group
        groups.append(group if cell.value is not None or _merged(page, cell.coordinate) else "")
    names = [f"{g}: {c.value}" if g else str(c.value)
             for g, c in zip(groups, page[head], strict=True)]  # fmt: skip
    return [
        dict(zip(names, (cell.value for cell in row), strict=True))
        for row in page.iter_rows(min_row=head + 1)
        if row[0].value is not None
    ]


def _merged(page: Worksheet, place: str) -> bool:
    return any(place in area for area in page.merged_cells.ranges)


def test_contents_lead_to_every_sheet_and_every_sheet_back(book: Workbook) -> None:
    assert book.sheetnames[0] == "Contents"
    assert sorted(links(book["Contents"]).values()) == sorted(book.sheetnames[1:])
    for name in book.sheetnames[1:]:
        assert links(book[name])[f"A{BACK_ROW + 1}"] == "Contents"
        assert set(links(book[name]).values()) <= set(book.sheetnames)


def test_contents_tell_the_question_and_a_sheet_has_the_answer(
    book: Workbook, campaign: Campaign
) -> None:
    told = [cell.value for cell in book["Contents"]["A"] if cell.value]
    assert told[:2] == [campaign.name, campaign.question]
    case = campaign.case("udp-64-same")
    assert case.rtt_2 is not None
    values = [cell.value for row in book["Answer"].iter_rows() for cell in row]
    assert any(
        isinstance(value, float) and value == pytest.approx(case.rtt_2.median.value / 1e3)
        for value in values
    )


def test_the_summary_has_every_case_with_its_figures(book: Workbook, campaign: Campaign) -> None:
    rows = rows_of(book["Summary"])
    assert [row["Case"] for row in rows] == [case.id for case in campaign.cases]
    for row, case in zip(rows, campaign.cases, strict=True):
        median = case.rtt_2.median if case.rtt_2 else None
        for name, field in (("estimate", "value"), ("lower", "low"), ("upper", "high")):
            shown = row[f"Median RTT/2: {name}"]
            wanted = getattr(median, field) if median else None
            assert shown == (None if wanted is None else pytest.approx(wanted / 1e3))
        goodput = case.goodput.value if case.goodput else None
        assert row["Goodput: estimate"] == (goodput and pytest.approx(goodput))
        assert row["Status"] == case.status.replace("_", " ") and row["Size"] == case.size


def test_publisher_and_subscriber_are_told_as_perftest_does(
    book: Workbook, campaign: Campaign
) -> None:
    tests = pairs(campaign)
    pair = next(p for p in tests if p.test == "throughput" and p.label == "UDP socket")
    name = next(n for n in book.sheetnames if n.startswith(f"{pair.number} "))
    rows = rows_of(book[name])
    heads = [head.partition(": ")[2].rpartition(": ")[2] for head in rows[0]]
    assert heads[1:10] == ["Average", "Std", "Min", "Max", "50 %", "90 %", "99 %", "99.99 %",
                           "99.9999 %"]  # fmt: skip
    assert heads[11:] == ["Total samples", "Average samples/s", "Average Mbit/s", "Lost samples",
                          "Lost"]  # fmt: skip
    case = campaign.case("udp-1024-flood")
    values = list(rows[0].values())
    assert case.throughput is not None and case.throughput.probe_one_way is not None
    probe = case.throughput.probe_one_way
    assert values[:5] == [
        1024, *(pytest.approx(v / 1e3) for v in (probe.mean.value, probe.std_ns or 0, probe.min_ns,
                                                 probe.max_ns))
    ]  # fmt: skip
    assert values[9] is None, "too few samples for 99.9999 %"
    loss = case.throughput.loss_share
    assert loss is not None
    assert values[11] == case.throughput.received and values[14] == case.throughput.lost
    assert values[15] == pytest.approx(loss.value)


def test_charts_read_cells_of_their_own_sheet(book: Workbook) -> None:
    charted = {name: page._charts for name, page in zip(book.sheetnames, book, strict=True)}  # type: ignore[attr-defined]
    few = {"Latency on one CPU": 4, "Throughput on different CPUs": 2, FIRST_TEST: 1}
    for name, least in few.items():
        assert len(charted[name]) >= least, name
    for name, charts in charted.items():
        for chart in charts:
            for series in chart.series:
                values = series.val or series.yVal
                assert values.numRef.f.startswith(f"'{name}'!"), values.numRef.f
                assert series.tx.strRef is not None, "names are cells: no text becomes a formula"
    bars = [s.errBars for c in charted["Latency on one CPU"] for s in c.series if s.errBars]
    assert bars and all("'Latency on one CPU'!" in bar.plus.numRef.f for bar in bars)


def test_numbers_have_units_and_text_is_text(book: Workbook) -> None:
    formats = {cell.number_format for row in book["Summary"].iter_rows() for cell in row
               if isinstance(cell.value, int | float)}  # fmt: skip
    for unit in ("µs", "Mbit/s", " B", "/s"):
        assert any(unit in shown for shown in formats), unit
    kinds = {cell.data_type for page in book for row in page.iter_rows() for cell in row}
    assert kinds <= {"s", "n"}, "no formula anywhere"


def test_headings_stay_and_filter_and_paper_is_turned(book: Workbook) -> None:
    for page in book:
        assert page.page_setup.orientation == "landscape"
        assert page.sheet_properties.pageSetUpPr.fitToPage and page.page_setup.fitToHeight == 0
        assert "&P" in str(page.oddFooter.right.text)
    for name in ("Summary", "Percentiles", "Rounds", "Findings", FIRST_TEST):
        page = book[name]
        assert page.freeze_panes and page.auto_filter.ref and page.print_title_rows
        head = int(re.sub(r"\D", "", str(page.freeze_panes))) - 1
        assert page.auto_filter.ref.startswith(f"A{head}:")


def test_the_same_campaign_gives_the_same_bytes(campaign: Campaign, tmp_path: Path) -> None:
    for name in ("a.xlsx", "b.xlsx"):
        write_workbook(campaign, tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    assert openpyxl.load_workbook(tmp_path / "a.xlsx").properties.created.year == 2025


def test_what_is_not_in_it_is_told(campaign: Campaign, tmp_path: Path) -> None:
    copies = [
        case.model_copy(update={"id": f"{case.id}-{n}", "label": f"{case.label} {n}",
                                "floor": None})
        for n in range(MOST_PAIRS + 1)
        for case in campaign.cases
        if case.adapter == "uds" and case.placement == "same" and (case.size or 0) < 2000
    ]  # fmt: skip
    by_label = campaign.labels[0]
    many = campaign.model_copy(
        update={
            "cases": copies,
            "groups": [campaign.groups[0].model_copy(
                update={"cases": [case.id for case in copies], "floors": []})],
            "labels": [by_label.model_copy(update={"text": case.label}) for case in copies],
            "problems": ["samples/x.parquet: truncated"],
            "standings": [], "effects": [], "fits": [],
        }
    )  # fmt: skip
    write_workbook(many, tmp_path / "x.xlsx")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert len(book.sheetnames) < MOST_PAIRS + 25
    told = "\n".join(str(cell.value) for cell in book["Contents"]["A"])
    assert f"Tests {MOST_PAIRS + 1} to {len(pairs(many))} have no sheet of their own" in told
    assert "samples/x.parquet: truncated" in told
    assert "The sheet Latency on one CPU has 40 of 61 columns" in told
    assert book["Latency on one CPU"].max_column < 60
    assert len(rows_of(book["Summary"])) == len(copies)


def test_every_machine_is_told_also_nodes_that_changed_later(
    campaign: Campaign, tmp_path: Path
) -> None:
    later = Resumption(
        utc="2026-03-01T00:00:00+00:00", first_order=3, host={"hostname": "desk"},
        nodes={"n1": {"hostname": "board"}},
    )  # fmt: skip
    path = tmp_path / "x.xlsx"
    write_workbook(campaign.model_copy(update={"resumptions": [later]}), path)
    page = openpyxl.load_workbook(path)["Machine"]
    cells = [str(cell) for row in page.iter_rows(values_only=True) for cell in row if cell]
    assert [cell for cell in cells if cell.startswith("Node: ")] == [
        *(f"Node: {name or 'this machine'}" for name in campaign.hosts),
        f"Node: this machine, from {later.utc}", f"Node: n1, from {later.utc}",
    ]  # fmt: skip
    assert {"desk", "board"} <= set(cells)


def test_findings_are_on_a_sheet_once_each_and_marked_on_the_rows(
    campaign: Campaign, tmp_path: Path
) -> None:
    first = campaign.findings[0].model_copy(update={"cases": ["udp-64-same", "tcp-64-same"]})
    second = first.model_copy(update={"severity": "note", "cases": ["uds-64-same"], "remedy": "b"})
    path = tmp_path / "flagged.xlsx"
    write_workbook(campaign.model_copy(update={"findings": [first, second]}), path)
    made = openpyxl.load_workbook(path)
    (row,) = rows_of(made["Findings"])
    assert (row["Severity"], row["Mark"], row["What"]) == ("warning", "!a", first.title)
    assert str(row["Where"]).startswith("in 3 of ") and "a warning in 2" in str(row["Where"])
    assert row["Remedy"] == f"{first.remedy}\nb"
    marks = {each["Case"]: each["Findings"] for each in rows_of(made["Summary"])}
    assert marks["udp-64-same"] == "!a" and marks["uds-64-same"] == "a"
    assert marks["cyclonedds-64-same"] is None
