"""Headings, intervals and statements say in every form what the tables have."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from seams import done
from synthetic_campaign import Builder, samples_around

from busmark.adapters.compliance import DISCLOSURES, handicaps
from busmark.compare.campaign import summarise
from busmark.estimate.capacity import capacity
from busmark.model.parameters import Parameters
from busmark.present import figures, texts
from busmark.present.blocks.report import whole
from busmark.present.charts.shapes import Axis, DrawnCurve, Picture, Plot, Point
from busmark.present.document import Cell, Column, Document, Row, Table
from busmark.present.sinks.tables import frame_of
from busmark.present.vega import specification
from busmark.store import Result

if TYPE_CHECKING:
    from conftest import Results

PACKAGE = Path(figures.__file__).parents[1]
MADE = ("comparison", "varied", "alike", "failed", "named", "everything", "odd")


def document(results: Results, name: str) -> Document:
    result = Result(results(name))
    return whole(summarise(result), None)


@pytest.mark.parametrize("name", MADE)
def test_each_column_has_a_heading_of_its_own_and_its_limits(results: Results, name: str) -> None:
    """A ratio is of its own group, however many groups a table has."""
    for section in document(results, name).sections:
        for table in section.tables:
            heads = figures.headings(table)
            assert len({*heads}) == len(heads), (section.title, heads)
            for column, head in zip(table.columns, heads, strict=True):
                assert head.startswith(column.group)
            limited = sum(any(cell.low is not None for cell in c.cells) for c in table.columns
                          if c.kind not in ("label", "text"))  # fmt: skip
            titles = frame_of(table).columns
            assert sum(" (lower)" in title for title in titles) == limited


def test_a_ratio_stands_under_the_figure_that_it_is_of() -> None:
    def column(title: str, group: str, kind: str = "figure") -> Column:
        return Column(title, [Cell(1.0)], kind, "ns" if kind == "figure" else "", group)  # type: ignore[arg-type]

    of_one = [column(t, "Median") for t in ("baseline", "candidate")]
    table = Table(
        [*of_one, column("×", "Median", "ratio"), column("Verdict", "Median", "text"),
         column("×", "p99", "ratio"),
         column("64 B", "RTT"), column("×", "RTT", "ratio"),
         column("1 KiB", "RTT"), column("×", "RTT", "ratio")],
        [Row()],
    )  # fmt: skip
    assert figures.headings(table) == [
        "Median, ns: baseline", "Median, ns: candidate", "Median: ×", "Median, ns: Verdict",
        "p99: ×", "RTT, ns: 64 B", "RTT: 64 B: ×", "RTT, ns: 1 KiB", "RTT: 1 KiB: ×",
    ]  # fmt: skip


def test_no_sentence_speaks_of_the_form_of_one_sink() -> None:
    """Limits of an interval stand in brackets in a terminal, and in columns in a workbook."""
    strings = [node.value for path in PACKAGE.glob("present/blocks/*.py")
               for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
               if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
    assert [text for text in (*texts.TEXTS.values(), *strings) if "n brackets" in text] == []


def test_a_share_is_written_by_the_functions_of_text() -> None:
    """Python's own per cent has no space, and the digits of its format whatever the value."""
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if "tests" not in path.relative_to(PACKAGE).parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None
        and ast.unparse(node.format_spec).rstrip("'\"").endswith("%")
    ]  # fmt: skip
    assert found == []


def test_no_row_of_a_logarithmic_axis_is_where_it_has_no_place() -> None:
    """The page keeps numbers as levels: of equal ratio, unless one of them is not above 0."""
    points = [Point(x, 1.0) for x in (-5.0, 0.0, 0.5, 7.0, 9000.0)]
    axis = Axis("time, µs", "log")
    from busmark.present.charts import look

    plot = Plot(axis, Axis("share"), [DrawnCurve("a", look.series("a", 0), points, marks=False)])
    spec = specification(Picture((), (), [plot], "a"), width=500)
    rows = [row for layer in spec["layer"] for row in layer.get("data", {}).get("values", ())]
    assert [row["x"] for row in rows if row.get("s") == "a" and "side" not in row] == [
        0.5,
        7.0,
        9000.0,
    ]


def test_what_is_lost_in_a_marked_round_alone_is_said_so(tmp_path: Path) -> None:
    build, rng = Builder(tmp_path / "result"), np.random.default_rng(1)
    case = build.case("udp", rate_hz=500.0, arrivals="constant", qos={"reliability": "best_effort"})
    other = build.case("tcp", adapter="tcp", rate_hz=500.0, arrivals="constant")
    for number in range(3):
        marked = number == 2
        build.pings(
            case, number, samples_around(40_000, 200, rng), lost=40 if marked else 0,
            status="marked" if marked else "ok",
            reason="reached 334/s of 500/s (criteria.min_rate)" if marked else None,
        )  # fmt: skip
        build.pings(other, number, samples_around(40_000, 200, rng))
    shown = " ".join(done("show", build.finish(), "--wide").split())
    assert "none lost in rounds that count" in shown


def test_what_all_rows_have_in_common_stands_above_them(tmp_path: Path) -> None:
    build, rng = Builder(tmp_path / "result"), np.random.default_rng(1)
    for name in ("udp", "tcp"):
        case = build.case(name, adapter=name, rate_hz=500.0, arrivals="constant", subscribers=3)
        build.pings(case, 0, samples_around(40_000, 200, rng))
    shown = " ".join(done("show", build.finish(), "--wide").split())
    above = shown.partition("All rows: ")[2].partition(". ")[0]
    for fact in ("rate 500 /s", "subscribers 3", "wait listener", "rounds of 2 s after 0.5 s"):
        assert fact in above, above


def test_the_answer_says_where_the_null_adapter_was_measured(tmp_path: Path) -> None:
    build, rng = Builder(tmp_path / "result"), np.random.default_rng(1)
    for name, adapter, placement in (("a", "udp", "different"), ("b", "null", "same")):
        case = build.case(name, adapter=adapter, placement=placement)
        build.pings(case, 0, samples_around(40_000, 200, rng))
    answer = done("show", build.finish(), "--wide").partition("Round-trip latency")[0]
    assert "Null adapter: measured on one CPU." in answer


def test_a_search_of_which_no_trial_passed_has_no_rate() -> None:
    rows = [
        {"round": n, "rate_hz": rate, "sent": 100, "expected": 100, "lost": 0, "senders": 1,
         "received": 100, "written_per_s": rate or 9e5, "mbit_per_s": 1.0, "p99_ns": None,
         "shortfall": "lost 3 %" if rate else None, "sustained_hz": 66.7,
         "bracket_low_hz": 66.7, "bracket_high_hz": 68.2, "confirmed": 0}
        for n, rate in enumerate((None, 3000.0, 66.7))
    ]  # fmt: skip
    params = Parameters(test="capacity", adapter="udp", size=64)
    searched = capacity({"capacity": {"confirm": 3}}, params, rows)
    assert searched and not any(figure for _, figure in searched[1]) and not searched[0].reached
    rows[2]["shortfall"] = None
    searched = capacity({"capacity": {"confirm": 3}}, params, rows)
    assert searched and 66.7 in [figure.value for _, figure in searched[1] if figure]


def test_a_percentile_that_the_baseline_lost_is_no_ratio_of_0(tmp_path: Path) -> None:
    for name, lost in (("baseline", 100), ("candidate", 0)):
        build, rng = Builder(tmp_path / name), np.random.default_rng(1)
        case = build.case("udp", qos={"reliability": "best_effort"})
        for number in range(5):
            build.pings(case, number, samples_around(40_000, 2000, rng), lost=lost)
        build.finish(cookie=f"{lost:016x}")
    sides = (tmp_path / "baseline", tmp_path / "candidate")
    done("compare", *sides, "--to", "csv", "--folder", tmp_path / "files")
    written = [path.read_text() for path in (tmp_path / "files").rglob("*.csv")]
    assert any("lost by the baseline" in text for text in written)


def test_a_handicap_is_named_once_and_with_its_figure() -> None:
    declared = {"disclosures": ["allocates", "grows_by_endpoint", "grows_by_sample"],
                "cost": "memory grows by some 14 KiB with each pair of endpoints"}  # fmt: skip
    assert handicaps(declared) == [DISCLOSURES["allocates"], DISCLOSURES["grows_by_sample"],
                                   declared["cost"]]  # fmt: skip
    assert handicaps({"cost": "none"}) == []
