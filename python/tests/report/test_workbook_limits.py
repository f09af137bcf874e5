"""What a spreadsheet takes: names of sheets, text, rows; and a second program that opens it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.analysis import Campaign
from busmark.report.workbook import table, write_workbook
from busmark.report.workbook.book import Book
from busmark.report.workbook.names import LONGEST_TEXT, SheetNames, clean, told_apart
from busmark.report.workbook.table import Column


@given(st.lists(st.text(max_size=60), max_size=30))
def test_names_of_sheets_are_such_as_excel_takes(wanted: list[str]) -> None:
    names = SheetNames()
    given_names = [names.give(text) for text in wanted]
    for name in given_names:
        assert 1 <= len(name.encode("utf-16-le")) // 2 <= 31
        assert not set(name) & set("[]:*?/\\'") and name == name.strip()
        assert name.casefold() != "history"
    assert len({name.casefold() for name in given_names}) == len(given_names)


PARTS = st.tuples(
    st.sampled_from(["Unix-domain sockets", "Eclipse Cyclone DDS", "eProsima Fast DDS",
                     "Eclipse Cyclone DDS · best effort", "Eclipse Cyclone DDS · reliable",
                     "eProsima Fast DDS → Eclipse Cyclone DDS · keep last 1",
                     "eProsima Fast DDS → Eclipse Cyclone DDS · keep last 10"]),
    st.sampled_from(["latency", "throughput"]),
    st.sampled_from(["", "one CPU", "different CPUs", "CPUs 0+1"]),
    st.sampled_from(["", "rate 1 000 /s", "rate 10 000 /s, payload struct"]),
)  # fmt: skip


@given(st.lists(PARTS, max_size=20))
def test_no_two_names_of_things_differ_by_a_number_only(things: list[tuple[str, ...]]) -> None:
    names = told_apart(things, 28)
    assert len({name.casefold() for name in names}) == len(things)
    assert all(len(name) <= 28 for name in names)


def test_what_things_have_in_common_is_not_in_their_names() -> None:
    things = [("Unix socket", "latency", "one CPU"), ("Unix socket", "latency", "different CPUs")]
    assert told_apart(things, 28) == ["Unix socket one CPU", "Unix socket different CPUs"]
    assert told_apart(things[:1] * 2, 28) == ["Unix socket", "Unix socket a"]


@given(st.text(st.characters(), max_size=50))
def test_text_is_such_as_xml_takes(text: str) -> None:
    shown = clean(text)
    shown.encode("utf-8")
    assert not any(ord(c) < 32 and c not in "\t\n\r" for c in shown)


def test_text_that_is_too_long_is_cut_and_says_so() -> None:
    shown = clean("\N{GRINNING FACE}" * LONGEST_TEXT)
    assert len(shown.encode("utf-16-le")) // 2 <= LONGEST_TEXT and shown.endswith("(cut)")


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
    path = tmp_path / "x.xlsx"
    write_workbook(campaign, path)
    book = openpyxl.load_workbook(path)
    for page in book:
        for row in page.iter_rows():
            for cell in row:
                assert cell.data_type in "sn", cell.coordinate
                assert cell.hyperlink is None or cell.hyperlink.target is None
    assert str(book["Contents"]["A1"].value).startswith('=HYPERLINK("http')


@pytest.mark.parametrize(("name", "printed"), [("5G & more", "5G && more"), ("&A&&", "&&A&&&&")])
def test_a_campaigns_name_stands_in_the_footer_as_it_is(
    campaign: Campaign, tmp_path: Path, name: str, printed: str
) -> None:
    path = tmp_path / "x.xlsx"
    write_workbook(campaign.model_copy(update={"name": name}), path)
    with ZipFile(path) as parts:
        page = ElementTree.fromstring(parts.read("xl/worksheets/sheet1.xml"))
    footer = page.findtext(".//{*}oddFooter") or ""
    # "&8" is the size in points; a digit after it would belong to it.
    assert footer.startswith(f"&L&8 {printed}&C")


def test_rows_beyond_the_limit_are_left_out_and_counted(campaign: Campaign, tmp_path: Path) -> None:
    book = Book(tmp_path / "x.xlsx", campaign)
    sheet = book.sheet("a", "a", "a")
    columns: list[Column[int]] = [Column("n", "count", lambda n: n)]
    _, left = table.write(sheet, 4, columns, list(range(100)), most=25)
    book.close()
    page = openpyxl.load_workbook(tmp_path / "x.xlsx")["a"]
    assert page.max_row == 25 and left == 80


def test_values_that_are_no_numbers_are_empty(campaign: Campaign, tmp_path: Path) -> None:
    book = Book(tmp_path / "x.xlsx", campaign)
    sheet = book.sheet("a", "a", "a")
    columns: list[Column[float]] = [Column("n", "us", lambda n: n, keep=True)]
    table.write(sheet, 0, columns, [1.0, float("nan"), float("inf")])
    book.close()
    page = openpyxl.load_workbook(tmp_path / "x.xlsx")["a"]
    assert [page.cell(row, 1).value for row in (2, 3, 4)] == [1, None, None]


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_opens_it_and_finds_the_same_values(campaign: Campaign, tmp_path: Path) -> None:
    path = tmp_path / "report.xlsx"
    write_workbook(campaign, path)
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    done = subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", "ods", "--outdir", str(tmp_path),
         str(path)],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (tmp_path / "report.ods").exists(), done.stderr
    again = subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML",
         "--outdir", str(tmp_path / "back"), str(tmp_path / "report.ods")],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    ours, theirs = (openpyxl.load_workbook(p) for p in (path, tmp_path / "back" / "report.xlsx"))
    assert ours.sheetnames == theirs.sheetnames, again.stderr
    for name in ("Summary", "Percentiles", "1 Unix socket latency one CPU"):
        for row in ours[name].iter_rows():
            for cell in row:
                other = theirs[name][cell.coordinate].value
                if isinstance(cell.value, float):
                    assert other == pytest.approx(cell.value), (name, cell.coordinate)
                else:
                    assert (other or None) == (cell.value or None) or other == cell.value
