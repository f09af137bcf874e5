"""Every form of a report: read back by other programs, whole, and safe whatever a result holds."""

from __future__ import annotations

import csv
import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import openpyxl
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seams import done, run
from synthetic_campaign import Builder, samples_around

import busmark

if TYPE_CHECKING:
    from conftest import Results

TABLES = ("cases", "estimates", "rounds", "findings")
FORMS = "html,svg,xlsx,csv,parquet,json,csv-samples,markdown,junit,github,bencher,gnuplot"


@pytest.fixture(scope="module")
def written(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write all forms that need no kernel, of a comparison with everything in it."""
    folder = tmp_path_factory.mktemp("forms")
    done("report", results("varied"), "--to", FORMS, "--out", folder)
    return folder


@pytest.mark.parametrize("name", ["odd", "hostile", "import/files/perftest_latency.csv"])
def test_every_form_is_written_of_every_result(results: Results, tmp_path: Path, name: str) -> None:
    done("report", results(name), "--to", FORMS, "--out", tmp_path)
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert openpyxl.load_workbook(tmp_path / "report.xlsx").worksheets


@pytest.mark.parametrize("table", TABLES)
def test_tables_are_read_back_as_they_were(results: Results, written: Path, table: str) -> None:
    frame: pl.DataFrame = getattr(busmark.open(results("varied")), table)
    assert pl.read_parquet(written / "parquet" / f"{table}.parquet").equals(frame)
    text = (written / "json" / f"{table}.json").read_text(encoding="utf-8")
    assert json.loads(text) == json.loads(frame.write_json())
    data = (written / "csv" / f"{table}.csv").read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") >= frame.height + 1
    header, *rows = list(csv.reader(data.decode("utf-8").splitlines(), strict=True))
    assert header == frame.columns and len(rows) == frame.height
    for row, wanted in zip(rows, frame.iter_rows(named=True), strict=True):
        for text, (name, value) in zip(row, wanted.items(), strict=True):
            if isinstance(value, float):
                time = "_ns" in name or wanted.get("unit") == "ns"
                near = {"abs": 0.5, "rel": 5e-4} if time else {"rel": 1e-8}
                assert float(text) == pytest.approx(value, **near)
            elif value is None:
                assert text == ""


def test_samples_are_written_case_by_case(results: Results, written: Path) -> None:
    opened = busmark.open(results("varied"))
    for case in opened.cases["case"]:
        back = pl.read_csv(next(written.rglob(f"samples-{case}.csv")))
        wanted = opened.samples(case).collect()
        assert back.columns == wanted.columns
        assert back["read_ns"].to_list() == wanted["read_ns"].to_list()


@settings(max_examples=12)
@given(st.one_of(
    st.sampled_from(("=1+1", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "-")),
    st.text(alphabet="=+-@\t 15.eE'a", min_size=1),
))  # fmt: skip
def test_no_text_begins_a_formula(tmp_path_factory: pytest.TempPathFactory, odd: str) -> None:
    folder = tmp_path_factory.mktemp("formulas")
    build = Builder(folder / "r")
    build.case("x", "unsupported", odd)
    done("report", build.finish(), "--to", "csv,xlsx", "--out", folder)
    with (folder / "csv" / "cases.csv").open(newline="", encoding="utf-8") as file:
        (text,) = [row["reason"] for row in csv.DictReader(file, strict=True)]
    assert text in (odd, f"'{odd}")
    assert text == f"'{odd}" or text[0] not in "=+-@\t\r" or re.fullmatch(r"[-+][\d.eE+-]+", text)
    for page in openpyxl.load_workbook(folder / "report.xlsx"):
        assert not [c for row in page.iter_rows() for c in row if c.data_type == "f"]


def test_the_same_result_gives_the_same_files(
    results: Results, written: Path, tmp_path: Path
) -> None:
    # Sheets are drawn twice below.
    done("report", results("varied"), "--to", FORMS.replace("svg,", ""), "--out", tmp_path)
    names = sorted(p.relative_to(written) for p in written.rglob("*")
                   if p.is_file() and "svg" not in p.relative_to(written).parts)  # fmt: skip
    assert names == sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file())
    assert [n for n in names if (written / n).read_bytes() != (tmp_path / n).read_bytes()] == []


def test_the_page_is_whole_and_loads_nothing(written: Path) -> None:
    page = (written / "report.html").read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy and "default-src 'none'" in html.unescape(policy[1])
    text = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"<(img|link)\b|\ssrc=|url\(", text)
    identifiers = re.findall(r'\sid="([^"]+)"', text)
    assert len(identifiers) == len(set(identifiers))
    # Details of cases are unpacked by the page's script.
    targets = {target for target in re.findall(r'href="#([^"]+)"', text)
               if not target.startswith("case-")}  # fmt: skip
    assert targets <= set(identifiers)
    for tag in ("section", "details", "table", "tr", "td", "th", "figure"):
        assert len(re.findall(rf"<{tag}\b", text)) == text.count(f"</{tag}>"), tag
    assert all("scope=" in head for head in re.findall(r"<th\b[^>]*>", text))


@pytest.mark.parametrize("form", ["html", "markdown", "svg", "gnuplot", "xlsx"])
def test_markup_in_a_result_stays_text(tmp_path: Path, form: str) -> None:
    odd = "</script><script>window.hit=1</script><img src=http://example.org/x> [a](b) `x` $q$ %d"
    build = Builder(tmp_path / "r")
    for number in range(2):
        case = build.case(str(number), adapter="udp", transport=odd if number else "udp")
        build.pings(case, 0, samples_around(20_000, 50, np.random.default_rng(1)))
    build.finish(scenario={"name": odd, "question": odd}, command=odd, scenario_text=odd)
    done("report", tmp_path / "r", "--to", form, "--out", tmp_path)
    for path in (p for p in tmp_path.rglob("*") if p.suffix in (".html", ".md", ".svg")):
        text = path.read_text(encoding="utf-8")
        assert "<img" not in text.replace("\\<img", "") and "<script>window" not in text.replace(
            "\\<script>", ""
        )
        if path.suffix == ".svg":
            ElementTree.fromstring(text)


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="apt-get install gnuplot-nox")
@pytest.mark.parametrize("name", ["everything", "odd", "import/files/sockperf_log.csv"])
def test_gnuplot_has_nothing_to_say_of_its_scripts(
    results: Results, tmp_path: Path, name: str
) -> None:
    done("report", results(name), "--to", "gnuplot", "--out", tmp_path)
    (script,) = tmp_path.rglob("plot-all.gpi")
    ran = subprocess.run(["gnuplot", script.name], cwd=script.parent, capture_output=True,
                         text=True, check=True)  # fmt: skip
    assert ran.stderr == ""


def test_links_of_the_workbook_lead_somewhere_and_back(written: Path) -> None:
    book = openpyxl.load_workbook(written / "report.xlsx")
    contents = book.worksheets[0]
    named = {link.location.rpartition("!")[0].strip("'")
             for row in contents.iter_rows() for cell in row if (link := cell.hyperlink)
    }  # fmt: skip
    assert named == set(book.sheetnames[1:])
    with ZipFile(written / "report.xlsx") as archive:
        drawn = [name for name in archive.namelist() if name.startswith("xl/charts/chart")]
        texts = [archive.read(name).decode() for name in drawn]
    assert drawn and all(re.search(r"<[ac:]*f>'?[^<]+'?!\$", text) for text in texts)


def test_the_contents_of_the_workbook_count_the_charts_of_each_sheet(written: Path) -> None:
    contents = openpyxl.load_workbook(written / "report.xlsx").worksheets[0]
    rows = [[cell.value for cell in row] for row in contents.iter_rows()]
    begin = next(n for n, row in enumerate(rows) if row[0] == "Sheet")
    stated = [int(str(row[3]).split()[0]) if row[3] else 0 for row in rows[begin + 1 :] if row[0]]
    drawn = []
    with ZipFile(written / "report.xlsx") as archive:
        names = set(archive.namelist())
        for place in range(2, len(stated) + 2):
            links = f"xl/worksheets/_rels/sheet{place}.xml.rels"
            text = archive.read(links).decode() if links in names else ""
            drawings = re.findall(r"drawings/(drawing[0-9]+\.xml)", text)
            drawn.append(
                sum(archive.read(f"xl/drawings/{each}").decode().count("<c:chart ")
                    for each in drawings)
            )  # fmt: skip
    assert stated == drawn and sum(drawn) > 1


@pytest.mark.usefixtures("installed")
def test_the_report_as_one_pdf_has_its_tables_and_all_its_charts(tmp_path: Path) -> None:
    build = Builder(tmp_path / "result")
    case = build.case("udp")
    for number in range(2):
        build.pings(case, number, samples_around(20_000, 300, np.random.default_rng(number)))
    done("report", build.finish(), "--to", "html,report-pdf", "--out", tmp_path)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
    if not shutil.which("pdftotext"):
        pytest.skip("no pdftotext")
    ran = subprocess.run(["pdftotext", tmp_path / "report.pdf", "-"], capture_output=True,
                         text=True, check=True)  # fmt: skip
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    titles = re.findall(r'<figure class="chart"><h3[^>]*>([^<]*?) *<', page)
    words = " ".join(ran.stdout.split())
    assert titles and all(html.unescape(title) in words for title in titles)
    # Once in the heading, once as the script has drawn it.
    assert words.count("percent of samples sent that are faster") == 2


def test_figures_for_tools_of_ci_are_those_of_the_table(results: Results, written: Path) -> None:
    cases = {row["case"]: row for row in busmark.open(results("varied")).cases.to_dicts()}
    smaller: list[dict[str, Any]] = json.loads(
        next(p for p in written.rglob("*.json") if "smaller" in p.name).read_text()
    )
    values = {entry["value"] for entry in smaller}
    medians = [row["half_round_trip_median_ns"] for row in cases.values()]
    assert all(any(v == pytest.approx(m, rel=1e-3) for v in values) for m in medians)
    bencher = json.loads(
        next(p for p in written.rglob("*.json") if "bencher" in p.name).read_text()
    )
    assert len(bencher) == len(cases)


def test_what_an_earlier_report_made_is_replaced_and_nothing_else(
    results: Results, tmp_path: Path
) -> None:
    for name in ("odd", "import/files/perftest_latency.csv"):
        done("report", results(name), "--to", "svg", "--out", tmp_path)
        (tmp_path / "svg" / "mine.svg").write_text("mine")
    alone = tmp_path / "alone"
    done("report", results(name), "--to", "svg", "--out", alone)
    both = [{p.name for p in (folder / "svg").iterdir()} for folder in (tmp_path, alone)]
    assert both[0] - both[1] == {"mine.svg"} and both[1] <= both[0]
    for name in both[1]:
        assert (tmp_path / "svg" / name).read_bytes() == (alone / "svg" / name).read_bytes()


def test_a_link_in_the_place_of_a_report_is_not_followed(tmp_path: Path) -> None:
    build = Builder(tmp_path / "r")
    build.pings(build.case("a"), 0, np.full(20, 8000.0))
    directory = build.finish()
    outside = tmp_path / "outside"
    outside.mkdir()
    (directory / "report").symlink_to(outside)
    run("report", directory, "--to", "csv")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "text"),
    [(["--to", "docx"], "docx"), (["--to", "html,docx"], "docx"), (["--to", ""], "form")],
)
def test_a_form_that_does_not_exist_is_refused_and_nothing_is_written(
    results: Results, tmp_path: Path, words: list[str], text: str
) -> None:
    ended = run("report", results("varied"), "--out", tmp_path / "out", *words)
    assert ended.code == 2 and text in ended.text
    assert not (tmp_path / "out").exists()


def test_bytes_on_the_wire_have_no_findings_on_latencies(tmp_path: Path) -> None:
    build = Builder(tmp_path / "result")
    case = build.case("udp")
    wire = {"wire_samples": 400, "wire_packets": 800, "wire_bytes": 68_000}
    for number in range(2):
        build.pings(case, number, np.arange(1.0, 201.0) * 2000, **wire)
    words = dict.fromkeys(("title", "cause", "remedy"), "words")
    build.findings.append(
        {"id": "tail", "severity": "note", "evidence": "udp: words", "cases": [case],
         "concerns": ["tail"], **words}
    )  # fmt: skip
    done("report", build.finish(), "--out", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    (charts,) = re.findall(r"Charts of these cases: (.*?)</p>", page)
    assert "Bytes on the wire per sample" in page and "Bytes on the wire" not in charts


def test_the_null_adapter_has_a_figure_at_its_own_size_only(tmp_path: Path) -> None:
    """And unsupported cases of one reason are one line."""
    build = Builder(tmp_path / "r")
    planned = [("udp", 64), ("tcp", 64), ("udp", 4096), ("tcp", 4096), ("null", 64)]
    for place, (adapter, size) in enumerate(planned):
        case = build.case(f"{place:03d}-latency-{adapter}-{size}B", adapter=adapter,
                          transport=adapter, size=size)  # fmt: skip
        for number in range(3):
            build.pings(case, number, samples_around(20_000, 50, np.random.default_rng(number)))
    for place in range(5, 41):
        build.case(f"{place:03d}-latency-tcp-{place}B", "unsupported", "no such thing",
                   adapter="tcp", transport=f"t{place}", size=place)  # fmt: skip
    text = done("show", build.finish(), columns=300)
    answer = text[: text.index("Not measured")]
    null = next(line for line in answer.splitlines() if "Busmark itself (null)" in line)
    assert null.count("[") == 1, null
    assert "36 cases (005 to 040)" in text and text.count("no such thing") == 1
