"""Every document in every form: by sinks that know documents alone."""

from __future__ import annotations

import ast
import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
import openpyxl
import pytest
from click.testing import CliRunner

from busmark.cli import documents as cli
from busmark.cli.main import busmark
from busmark.errors import UserError
from busmark.present import formats
from busmark.present.charts import look
from busmark.present.charts.shapes import Axis, Bar, Bars, DrawnCurve, Picture, Plot, Point
from busmark.present.document import (
    Cell,
    Chart,
    Column,
    Document,
    Metric,
    Row,
    Section,
    Suite,
    Table,
    Test,
    Text,
)
from busmark.present.sinks import notebook
from busmark.present.sinks.tables import frame_of

SINKS = Path(notebook.__file__).parent

IMPORTED = Path(__file__).parents[2] / "busmark" / "plugins" / "imports" / "tests" / "files"

ORACLES = Path(__file__).parents[1] / "oracles" / "results"

OF_THE_PAGE = {"page", "html", "panels", "pdf"}


@pytest.fixture
def document() -> Document:
    """Return a document that knows nothing of latency."""
    label = look.series("apples", 0)
    columns = [
        Column("Fruit", [Cell("apples"), Cell("=pears")], "label"),
        Column("Weight", [Cell(1500.0, 1400.0, 1600.0), Cell(note="none came")], "figure", "ns"),
        Column("Verdict", [Cell(1.5, 1.2, 1.8, verdict="worse"), Cell()], "ratio"),
    ]
    x, y = Axis("day"), Axis("weight, kg", from_zero=True)
    points = [Point(1, 2.0, 1.5, 2.5), Point(2, 3.0)]
    keys = (("Garden", "north"),)
    shapes = [
        Picture(keys, (), [Plot(x, y, [DrawnCurve("apples", label, points)])], "a curve"),
        Bars((("Garden", "south"),), (), y, [Bar(label, 2.0, 1.0, 3.0)], "bars"),
    ]
    sections = [
        Section("Harvest", [Table(columns, [Row(), Row()], key="harvest"),
                            Text("line", {"line": "It rained."})]),
        Section("Drawn", [Chart("harvest", "Weight of fruit, kg", shapes, "How much.")]),
    ]  # fmt: skip
    return Document(
        "Fruit <b>", ["of a garden"], sections, kind="harvest report",
        suites=[Suite("heavy", [
            Test("garden", "apples", 1.0, True, False, "missed", "too light"),
        ])],
        metrics=[Metric("apples", "weight", "kg", 2.0, 1.0, 3.0, 0.95, more_is_better=True)],
    )  # fmt: skip


@pytest.mark.parametrize("name", formats.FORMATS)
def test_every_form_writes_any_document(
    document: Document, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "execute", lambda *_: None)
    form = formats.FORMATS[name]
    if form.programs and not any(map(shutil.which, form.programs)):
        pytest.skip("no browser")
    written = formats.write(formats.Views(lambda: document), [form], tmp_path)[name]
    assert written and all(path.stat().st_size for path in written)
    assert {path for path in tmp_path.rglob("*") if path.suffix == ".tmp"} == set()


def test_files_are_named_by_the_kind_of_the_document(document: Document, tmp_path: Path) -> None:
    asked = formats.chosen("html,markdown,xlsx,csv")
    written = formats.write(formats.Views(lambda: document), asked, tmp_path)
    names = {path.relative_to(tmp_path).as_posix() for each in written.values() for path in each}
    assert names == {"harvest-report.html", "harvest-report.md", "harvest-report.xlsx",
                     "csv/harvest.csv"}  # fmt: skip
    sheet = openpyxl.load_workbook(tmp_path / "harvest-report.xlsx")["Harvest"]
    assert "Weight, µs (lower)" in [cell.value for row in sheet.iter_rows() for cell in row]


class Counted:
    """A document that counts how often it is made, and listens to what is drawn of it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.made = 0
        self.begun: list[list[str]] = []
        self.pictures: list[int] = []

    def __call__(self) -> Document:
        self.made += 1
        return self._document

    def begins(self, names: Sequence[str]) -> None:
        self.begun.append(list(names))

    def drawn(self, count: int) -> None:
        self.pictures.append(count)

    def ends(self, names: Sequence[str], files: int) -> None:
        pass


def test_documents_and_pictures_are_made_once_whatever_the_number_of_forms(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "execute", lambda *_: None)
    whole, charts = Counted(document), Counted(document)
    views = formats.Views(whole, {"charts": charts})
    asked = formats.chosen("html,png,svg,pdf,gnuplot,xlsx,notebook,csv,parquet,json,markdown")
    formats.write_files(views, {"html": tmp_path / "x.html", "markdown": tmp_path / "x.md"})
    formats.write(views, asked, tmp_path, charts)
    assert (whole.made, charts.made) == (1, 1)
    # Two charts, each drawn once for its three forms.
    assert ["png", "svg", "pdf"] in charts.begun and charts.pictures == [1, 2]


def test_a_table_is_a_frame_with_limits_and_verdicts(document: Document) -> None:
    (table,) = document.sections[0].tables
    assert frame_of(table).to_dict(as_series=False) == {
        "Fruit": ["apples", "=pears"], "Weight, µs": [1.5, None],
        "Weight, µs (lower)": [1.4, None], "Weight, µs (upper)": [1.6, None],
        "Verdict": [1.5, None], "Verdict (lower)": [1.2, None], "Verdict (upper)": [1.8, None],
        "Verdict (verdict)": ["worse", None],
    }  # fmt: skip


def test_units_of_cells_are_in_the_head_or_beside_them() -> None:
    sizes = [Cell(64, text="64 B", unit="B"), Cell(1024, text="1 KiB", unit="B")]
    mixed = [Cell(2.0, 1.0, 3.0, text="2 [1, 3] ns", unit="ns"), Cell(5, text="5 of 9", unit="")]
    columns = [Column("Size", sizes, "count"), Column("Value", mixed, "number")]
    assert frame_of(Table(columns, [Row(), Row()])).to_dict(as_series=False) == {
        "Size, B": [64, 1024], "Value": [2.0, 5.0], "Value (lower)": [1.0, None],
        "Value (upper)": [3.0, None], "Value (unit)": ["ns", None],
        "Value (remark)": [None, "5 of 9"],
    }  # fmt: skip


def test_the_cells_of_a_chart_draw_it(document: Document) -> None:
    cells = [cell.text for cell in notebook.sources(document)]
    assert cells[0].startswith("# Fruit \\<b\\>")
    drawn = [cell for cell in cells if cell.startswith("Drawing(")]
    assert len(drawn) == 2
    from busmark.present.display import Drawing

    made: Any = eval(drawn[0], {"Drawing": Drawing})
    assert "Weight of fruit, kg" in repr(made) and json.dumps(made.specification)


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_scripts_plot_any_document(document: Document, tmp_path: Path) -> None:
    import subprocess

    formats.write(formats.Views(lambda: document), formats.chosen("gnuplot"), tmp_path)
    done = subprocess.run(["gnuplot", "plot-all.gpi"], cwd=tmp_path / "gnuplot",
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stderr == ""
    names = sorted(path.name for path in (tmp_path / "gnuplot" / "images").iterdir())
    assert names == ["harvest.north.png", "harvest.south.png"]


def test_a_document_without_a_chart_is_refused_where_charts_are_wanted(tmp_path: Path) -> None:
    empty = formats.Views(lambda: Document("x", [], [], kind="capture"))
    with pytest.raises(UserError, match=r"no chart in this document \(capture\)") as refused:
        formats.write(empty, formats.chosen("svg", "capture"), tmp_path)
    assert refused.value.where == "--to svg"


def test_a_report_as_one_pdf_needs_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match="without a browser: none of chromium") as refused:
        formats.chosen("html,report-pdf")
    assert "apt install chromium" in refused.value.remedy


def test_forms_of_ci_are_of_results_and_comparisons() -> None:
    assert {form.name for form in formats.of_kind("report")} == {*formats.FORMATS}
    others = {form.name for form in formats.of_kind("history")}
    assert {*formats.FORMATS} - others == {"csv-samples", "junit", "github", "bencher"}
    with pytest.raises(UserError, match="no form of history 'junit'"):
        formats.chosen("junit", "history")


@pytest.mark.parametrize("path", sorted(SINKS.glob("*.py")), ids=lambda path: path.stem)
def test_a_sink_knows_no_other_sink_and_no_campaign(path: Path) -> None:
    own = OF_THE_PAGE if path.stem in OF_THE_PAGE else {path.stem.partition("_")[0]}
    if path.stem in ("notebook", "kernel"):
        own = {"notebook", "kernel"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            name = node.module.removeprefix("busmark.present.sinks.")
            if name != node.module:
                assert name.partition("_")[0] in own, name
            campaign = ("busmark.compare.campaign", "busmark.results", "busmark.present.blocks")
            assert path.stem in OF_THE_PAGE or not node.module.startswith(campaign), node.module


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["doctor", "--to", "xlxs"], "no form of machine 'xlxs'"),
        (["adapters", "--to", "junit"], "no form of adapters 'junit'"),
        (["doctor", "--folder", "x"], "is the folder of --to"),
        (["doctor", "--html", "no/such/folder/x.html"], "cannot be written"),
        (["compare", "a", "b", "--to", "junit"], "there is no criterion to write"),
    ],
)
def test_what_cannot_be_written_is_found_before_anything_is_read(
    words: list[str], message: str
) -> None:
    ended = CliRunner().invoke(busmark, words)
    assert isinstance(ended.exception, UserError) and message in str(ended.exception)


class Terminal:
    """Standard streams of a terminal with ten lines."""

    def __init__(self, patch: pytest.MonkeyPatch, **environment: str) -> None:
        self.paged: list[str] = []
        self.printed: list[str] = []
        patch.setattr(cli.sys.stdin, "isatty", lambda: True, raising=False)  # type: ignore[attr-defined]
        patch.setattr(cli.sys.stdout, "isatty", lambda: True, raising=False)  # type: ignore[attr-defined]
        patch.setattr(cli.shutil, "get_terminal_size", lambda *_: os.terminal_size((80, 10)))  # type: ignore[attr-defined]
        patch.setattr(cli.click, "echo_via_pager", lambda text, **_: self.paged.append(text))
        patch.setattr(cli.click, "echo", lambda text, **_: self.printed.append(text))
        for name, value in {"TERM": "xterm", "PAGER": "less", **environment}.items():
            patch.setenv(name, value)


def lines(count: int) -> Callable[[Any], None]:
    return lambda console: (
        [console.print(f"line {n}", highlight=False) for n in range(count)] and None
    )


def test_a_pager_shows_what_is_longer_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(monkeypatch)
    cli.paged(lines(30))
    assert "line 29" in terminal.paged[0] and not terminal.printed
    cli.paged(lines(5))
    assert len(terminal.paged) == 1 and "line 4" in terminal.printed[0]


@pytest.mark.parametrize("environment", [{"PAGER": ""}, {"TERM": "dumb"}])
def test_no_pager_where_there_is_none(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    terminal = Terminal(monkeypatch, **environment)
    cli.paged(lines(30))
    assert not terminal.paged


def test_a_notebook_of_another_document_is_valid(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "execute", lambda *_: None)
    (path,) = notebook.write(document, tmp_path)
    nbformat.validate(nbformat.read(path, as_version=4))


LISTENING = """
import os
own = {os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
       if os.path.lexists(f"/proc/self/fd/{n}")}
rows = [line.split() for kind in ("tcp", "tcp6", "udp", "udp6")
        for line in open(f"/proc/self/net/{kind}").readlines()[1:]]
print("ports:", [row[1] for row in rows if f"socket:[{row[9]}]" in own])
"""


def cells(*codes: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in codes])


def test_the_kernel_opens_no_port_and_ends(tmp_path: Path) -> None:
    made = cells(LISTENING, "import os; print(os.getpid())")
    notebook.execute(made, tmp_path)
    listed, number = (cell.outputs[0].text for cell in made.cells)
    assert listed == "ports: []\n"
    assert not Path(f"/proc/{int(number)}").exists()


@pytest.mark.parametrize(
    ("code", "reason"),
    [("a = 1\nb / 0", "NameError"), ("import os; os._exit(3)", "the kernel ended")],
)
def test_a_notebook_of_which_a_cell_fails_is_not_written(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, reason: str
) -> None:
    monkeypatch.setattr(notebook, "notebook", lambda _: cells("pass", code))
    with pytest.raises(UserError, match=f"cell 2 failed: {reason}"):
        notebook.write(document, tmp_path)
    assert list(tmp_path.iterdir()) == []
