"""A workbook: opened by openpyxl, every sheet looked at, every link followed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import openpyxl
import polars as pl
import pytest
from form_files import files
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet
from synthetic_campaign import Builder, samples_around

from busmark.compare.campaign import Campaign, summarise
from busmark.present.blocks.campaign import document
from busmark.present.document import Cell, Column, Document, Row, Section, Table
from busmark.present.sinks import workbook as sink
from busmark.present.sinks.workbook import LONGEST_TEXT, SheetNames, clean, workbook
from busmark.results import Results
from busmark.store import Result
from busmark.store.manifest import Resumption

Golden = Callable[[str, str], None]

FIRST_TEST = "Test 1 Unix socket"


def opened(result: Result, campaign: Campaign, folder: Path) -> Workbook:
    (path,) = files("xlsx", result, campaign, folder)
    return openpyxl.load_workbook(path)


@pytest.fixture(scope="module")
def book(result: Result, campaign: Campaign, tmp_path_factory: pytest.TempPathFactory) -> Workbook:
    return opened(result, campaign, tmp_path_factory.mktemp("workbook"))


def written(table: Table, folder: Path, title: str = "Sheet") -> Worksheet:
    path = folder / "x.xlsx"
    workbook(Document("x", [], [Section(title, [table])]), path)
    return openpyxl.load_workbook(path).worksheets[1]


def head_of(page: Worksheet) -> int:
    return int(str(page.freeze_panes).lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) - 1


def rows_of(page: Worksheet) -> list[dict[str, object]]:
    """The table under the headings that stay, by heading."""
    head = [cell.value for cell in page[head_of(page)]]
    found = page.iter_rows(min_row=head_of(page) + 1, values_only=True)
    rows = takewhile(any, found)
    return [dict(zip(map(str, head), row, strict=True)) for row in rows]


def test_the_workbook_is_as_it_was_reviewed(book: Workbook, golden: Golden) -> None:
    """Names of sheets, and what they begin with."""
    lines = []
    for page in (page for page in book if page.title.startswith(FIRST_TEST) or (
            not page.title.startswith("Test "))):  # fmt: skip
        lines += ["", f"## {page.title}"]
        for row in page.iter_rows(min_row=3, max_row=7, values_only=True):
            cells = ["" if v is None else f"{v:.4g}" if isinstance(v, float) else str(v)
                     for v in row]  # fmt: skip
            lines.append(" | ".join(cell[:60] for cell in cells[:24]).rstrip(" |"))
    golden("comparison-workbook.txt", "\n".join(lines) + "\n")


def test_contents_lead_to_every_sheet_and_every_sheet_back(book: Workbook) -> None:
    def links(page: Worksheet) -> list[str]:
        cells = [cell for row in page.iter_rows() for cell in row if cell.hyperlink]
        assert all(cell.hyperlink.target is None for cell in cells), "only within the workbook"
        return [str(cell.hyperlink.location).rpartition("!")[0].strip("'") for cell in cells]

    assert book.sheetnames[0] == "Contents"
    assert links(book["Contents"]) == book.sheetnames[1:]
    for name in book.sheetnames[1:]:
        assert links(book[name]) == ["Contents"]
        assert book[name].max_row > sink.FIRST_ROW + 1, "no sheet is empty"


def test_every_case_has_its_figures_and_limits(book: Workbook, campaign: Campaign) -> None:
    rows = rows_of(book["Cases"])
    assert [row["case"] for row in rows] == [case.id for case in campaign.cases]
    for row, case in zip(rows, campaign.cases, strict=True):
        median = case.rtt_2.median if case.rtt_2 else None
        for ending, field in (("", "value"), (" (lower)", "low"), (" (upper)", "high")):
            wanted = getattr(median, field) if median else None
            shown = row[f"half round trip median, µs{ending}"]
            assert shown == (None if wanted is None else pytest.approx(wanted / 1e3))
        goodput = case.goodput.value if case.goodput else None
        assert row["goodput, Mbit/s"] == (goodput and pytest.approx(goodput))
        assert row["status"] == case.status and row["size, B"] == case.size


def test_rounds_have_each_latency_in_its_own_column(
    book: Workbook, campaign: Campaign, result: Result
) -> None:
    rows = rows_of(book["Rounds"])
    assert len(rows) == sum(len(case.attempts) for case in campaign.cases)
    found = Results(result, campaign).estimates
    for quantity in ("half round trip", "round trip"):
        own = found.filter(
            pl.col("scope") == "round", pl.col("quantity") == quantity.replace(" ", "_"),
            pl.col("statistic") == "median",
        )  # fmt: skip
        wanted = {(row["case"], row["round"]): row["value"] for row in own.iter_rows(named=True)}
        shown = {(row["case"], row["round"]): value for row in rows
                 if (value := row.get(f"{quantity} median, µs")) is not None}  # fmt: skip
        assert shown == {key: pytest.approx(value / 1e3) for key, value in wanted.items()}


def test_the_configuration_is_of_what_ran(book: Workbook, campaign: Campaign) -> None:
    rows = rows_of(book["Benchmark configuration"])
    assert all(row["Values"] != "\N{EM DASH}" for row in rows)
    assert {row["Adapter"] for row in rows_of(book["Software"])} == {
        case.adapter for case in campaign.cases if case.rounds.ok
    }


def test_machines_are_those_of_all_nodes_also_of_a_resumption(
    result: Result, campaign: Campaign, tmp_path: Path
) -> None:
    later = Resumption(
        utc="2026-03-01T00:00:00+00:00", first_order=3, host={"hostname": "desk"},
        nodes={"n1": {"hostname": "board"}},
    )  # fmt: skip
    resumed = campaign.model_copy(update={"resumptions": [later]})
    first, *_ = rows_of(opened(result, resumed, tmp_path)["Machine"])
    _, *shown = first
    assert shown == [*(name or "this machine" for name in campaign.hosts),
                     f"this machine, from {later.utc}", f"n1, from {later.utc}"]  # fmt: skip
    assert {"desk", "board"} <= set(first.values())


def test_charts_read_cells_of_their_own_sheet(book: Workbook) -> None:
    charts = {page.title: page._charts for page in book}  # type: ignore[attr-defined]
    for name, least in (("Latency against size", 2), ("Goodput", 1), (FIRST_TEST, 1)):
        assert len(charts[name]) >= least, name
    for name, own in charts.items():
        for series in (one for chart in own for one in chart.series):
            values = series.val or series.yVal
            assert values.numRef.f.partition("!")[0].strip("'") == name
            assert series.tx.strRef is not None, "names are cells: no text becomes a formula"
    bars = [
        s.errBars for chart in charts["Latency against size"] for s in chart.series if s.errBars
    ]
    assert bars and all("'Latency against size'!" in bar.plus.numRef.f for bar in bars)


def test_cells_are_numbers_and_texts_and_no_formulas(book: Workbook) -> None:
    cells = [cell for page in book for row in page.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    own = "".join(str(cell.value) for cell in book["Cases"][head_of(book["Cases"])])
    for unit in (", µs", ", Mbit/s", ", B", ", per s", ", %"):
        assert unit in own
    comments = [cell.comment.text for cell in book["Cases"][head_of(book["Cases"])] if cell.comment]
    assert any("median of round trips of pings, halved" in text for text in comments)


def test_headings_stay_and_filter_and_paper_is_turned(book: Workbook) -> None:
    for page in book:
        assert page.page_setup.orientation == "landscape"
        assert page.sheet_properties.pageSetUpPr.fitToPage and page.page_setup.fitToHeight == 0
        assert "&P" in str(page.oddFooter.right.text)
    for name in ("Cases", "Distributions", "Rounds", "Findings", FIRST_TEST):
        page = book[name]
        assert page.print_title_rows and page.auto_filter.ref.startswith(f"A{head_of(page)}:")


def test_the_same_campaign_gives_the_same_bytes(
    result: Result, campaign: Campaign, tmp_path: Path
) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        path.mkdir()
        files("xlsx", result, campaign, path)
    assert (paths[0] / "report.xlsx").read_bytes() == (paths[1] / "report.xlsx").read_bytes()


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The pack `perftest-2023`: two middlewares, three sizes, both modes, four rounds, which are
    two of each of its campaigns."""
    folder = tmp_path_factory.mktemp("perftest")
    build, rng = Builder(folder), np.random.default_rng(5)
    for adapter in ("cyclonedds", "fastdds"):
        for size in (32, 1024, 32768):
            case = build.case(f"{adapter}-{size}", adapter=adapter, transport="udp", size=size)
            flood = build.case(f"{adapter}-{size}-flood", adapter=adapter, transport="udp",
                               test="throughput", size=size)  # fmt: skip
            for number in range(4):
                build.pings(case, number, samples_around(10_000 + size, 400, rng))
                build.stream(flood, number, 50_000, size, lost=number)
    return Result(build.finish(scenario={"name": "Again", "document": "perftest-2023"}))


def test_tests_have_the_numbers_and_the_columns_of_the_document(
    repeated: Result, tmp_path: Path
) -> None:
    campaign = summarise(repeated)
    book = opened(repeated, campaign, tmp_path)
    names = [name for name in book.sheetnames if name.startswith("Test ")][1:]
    assert names == [f"Test {number} {label}" for number in (1, 2, 3, 4)
                     for label in ("Cyclone DDS", "Fast DDS")]  # fmt: skip
    rows = rows_of(book["Test 4 Fast DDS"])
    assert [head.rpartition(": ")[2] for head in rows[0]] == [
        "Size, B", "Average", "Std", "Min", "Max", "50 %", "90 %", "99 %", "99.99 %", "99.9999 %",
        "Count", "Total samples", "Average samples/s", "Average, Mbit/s", "Lost samples", "Lost, %",
    ]  # fmt: skip
    known = {(test.number, test.label): test for test in campaign.perftest}
    average = [row["4A latency, RTT/2, µs: Average"] for row in rows]
    assert average == [pytest.approx(r.ave_ns / 1e3) for r in known[4, "Fast DDS"].publisher]
    rows = rows_of(book["Test 3 Fast DDS"])
    wanted = known[3, "Fast DDS"].subscriber
    assert [row["3B throughput: Total samples"] for row in rows] == [row.samples for row in wanted]
    assert str(book["Test 4 Fast DDS"]["A3"].value).endswith("campaign 2 (2 rounds)")


def test_values_that_are_absent_are_empty_and_reasons_are_texts(tmp_path: Path) -> None:
    cells = [Cell(1000.0), Cell(float("nan")), Cell(float("inf"), text="lost: 3 %"), Cell()]
    table = Table([Column("n", cells, "figure", "ns")], [Row() for _ in cells])
    page = written(table, tmp_path)
    assert [page.cell(row, 1).value for row in range(5, 10)] == [
        "n, µs", 1, None, "lost: 3 %", None
    ]  # fmt: skip


def test_limits_verdicts_and_remarks_have_columns(tmp_path: Path) -> None:
    table = Table(
        [
            Column("Case", [Cell("a"), Cell("b")], "label"),
            Column("Loss", [Cell(0.5, 0.25, 0.75), Cell(0.1, more="of a few")], "figure", "1"),
            Column("×", [Cell(1.0, verdict="reference"), Cell(2.0, verdict="worse")], "ratio"),
            Column("n", [Cell(5, text="5 of 6", marks=("!a",)), Cell(6)], "count"),
        ],
        [Row(group="x"), Row(group="y")],
    )
    shown = written(table, tmp_path).iter_rows(min_row=5, max_row=7, values_only=True)
    head, *rows = map(list, shown)
    assert head == ["Group", "Case", "Loss, %", "Loss, % (lower)", "Loss, % (upper)",
                    "Loss, % (remark)", "×", "× (verdict)", "n", "n (remark)", "See"]  # fmt: skip
    assert rows == [["x", "a", 50, 25, 75, None, 1, "1 reference", 5, "5 of 6", "!a"],
                    ["y", "b", 10, None, None, "of a few", 2, "worse", 6, None, None]]  # fmt: skip


@given(st.lists(st.text(max_size=60), max_size=30))
def test_names_of_sheets_are_such_as_excel_takes(wanted: list[str]) -> None:
    names = SheetNames()
    found = [names.give(text) for text in wanted]
    for name in found:
        assert 1 <= len(name.encode("utf-16-le")) // 2 <= 31
        assert not set(name) & set("[]:*?/\\'") and name == name.strip()
        assert name.casefold() != "history"
    assert len({name.casefold() for name in found}) == len(found)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Jitter relative to latency, against size", "Jitter relative to latency"),
        ("Test 14: limit of Busmark (null adapter)", "Test 14 limit of Busmark"),
        ("Median RTT/2", "Median RTT\N{DIVISION SLASH}2"),
    ],
)
def test_a_name_is_cut_between_words(title: str, name: str) -> None:
    names = SheetNames()
    assert names.give(title) == name
    assert names.give(title) == f"{name} (2)"


def test_a_title_that_is_too_long_leaves_the_name_to_the_key(tmp_path: Path) -> None:
    table = Table([Column("n", [Cell(1)])], [Row()], key="latency-different")
    page = written(table, tmp_path, "Round-trip latency on different CPUs")
    assert page.title == "Latency different"
    assert page["A1"].value == "Round-trip latency on different CPUs"


@given(st.text(st.characters(), max_size=50))
def test_text_is_such_as_xml_takes(text: str) -> None:
    shown = clean(text)
    shown.encode("utf-8")
    assert not any(ord(c) < 32 and c not in "\t\n\r" for c in shown)


def test_text_that_is_too_long_is_cut_and_says_so() -> None:
    shown = clean("\N{GRINNING FACE}" * LONGEST_TEXT)
    assert len(shown.encode("utf-16-le")) // 2 <= LONGEST_TEXT and shown.endswith("(cut)")


def test_a_result_without_rounds_has_a_workbook(tmp_path: Path) -> None:
    build = Builder(tmp_path / "r")
    build.case("a", "unsupported", "no")
    result = Result(build.finish())
    book = opened(result, summarise(result), tmp_path)
    assert book.sheetnames[:2] == ["Contents", "Not measured"] and "Cases" in book.sheetnames
    workbook(Document("x", [], [Section("Empty", [Table([], [])])]), tmp_path / "empty.xlsx")


def test_text_of_any_kind_reaches_the_sheets_as_text(hostile: Campaign, tmp_path: Path) -> None:
    odd = '=HYPERLINK("http://example.org","x")\x01\ud800 & <b>'
    campaign = hostile.model_copy(
        update={
            "name": odd,
            "question": odd,
            "scenario_text": f"{odd}\n+1+1\n-1\n@SUM(1)\nhttp://example.org",
            "cases": [case.model_copy(update={"reason": odd, "label": odd, "placement": odd})
                      for case in hostile.cases],
            "created_utc": "no date",
        }
    )  # fmt: skip
    workbook(document(campaign), tmp_path / "x.xlsx")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    for cell in (cell for page in book for row in page.iter_rows() for cell in row):
        assert cell.data_type in "sn", cell.coordinate
        assert cell.hyperlink is None or cell.hyperlink.target is None
    assert str(book["Contents"]["A1"].value).startswith('=HYPERLINK("http')


@pytest.mark.parametrize(("name", "printed"), [("5G & more", "5G && more"), ("&A&&", "&&A&&&&")])
def test_the_title_stands_in_the_footer_unchanged(tmp_path: Path, name: str, printed: str) -> None:
    workbook(Document(name, [], []), tmp_path / "x.xlsx")
    with ZipFile(tmp_path / "x.xlsx") as parts:
        page = ElementTree.fromstring(parts.read("xl/worksheets/sheet1.xml"))
    # "&8" is the size in points; a digit after it would belong to it.
    assert (page.findtext(".//{*}oddFooter") or "").startswith(f"&L&8 {printed}&C")


def test_what_is_left_out_is_counted(
    result: Result, campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("busmark.present.blocks.frames.MOST_ROWS", 4)
    monkeypatch.setattr(sink, "MOST_SHAPES", 1)
    book = opened(result, campaign, tmp_path)
    listed = {row[0]: row[2:] for row in book["Contents"].iter_rows(max_col=4, values_only=True)}
    assert listed["Rounds"][0] == "4" and listed["Medians, round by round"][1].startswith("1 of ")
    assert "The first 4 rows" in "\n".join(str(cell.value) for cell in book["Rounds"]["A"])
