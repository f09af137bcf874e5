"""Documents in the terminal: what they show, and that they fit."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import present_documents
import pytest
from busmark.compare.campaign import Campaign, summarise
from kept_results import NAMES

from busmark.present.blocks.campaign import document
from busmark.present.document import Cell, Column, Row, Table
from busmark.present.sinks.terminal import show_table
from busmark.present.width import RoomyConsole
from busmark.store import Result

Golden = Callable[[str, str], None]


def printed(campaign: Campaign, width: int | None, *, wide: bool = False) -> str:
    return present_documents.printed(document(campaign), width, wide=wide)


def lines_of(table: Table, width: int) -> list[str]:
    out = io.StringIO()
    show_table(table, RoomyConsole(file=out, width=width, force_terminal=True, color_system=None))
    return out.getvalue().splitlines()


def tables(campaign: Campaign) -> list[Table]:
    return [table for section in document(campaign).sections for table in section.tables]


def test_a_comparison_is_as_reviewed(campaign: Campaign, golden: Golden) -> None:
    golden("comparison-80.txt", printed(campaign, 80))
    golden("comparison-pipe.txt", printed(campaign, None))


def test_campaigns_of_other_kinds_are_as_reviewed(
    varied: Campaign, alike: Campaign, hostile: Campaign, golden: Golden
) -> None:
    golden("varied-80.txt", printed(varied, 80))
    golden("alike-80.txt", printed(alike, 80))
    golden("hostile-80.txt", printed(hostile, 80))


@pytest.mark.parametrize("name", NAMES)
def test_results_of_older_versions_are_as_reviewed(kept: Path, name: str, golden: Golden) -> None:
    golden(f"kept-{name}-80.txt", printed(summarise(Result(kept / name / "result")), 80))


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(
    campaign: Campaign, varied: Campaign, hostile: Campaign, width: int
) -> None:
    for each in (campaign, varied, hostile):
        assert max(map(len, printed(each, width).splitlines())) <= width


def test_a_terminal_of_20_columns_shows_every_figure(campaign: Campaign) -> None:
    words = set(printed(campaign, 20).split())
    for table in tables(campaign)[:1]:
        for column in table.columns:
            assert all(str(cell.value) in " ".join(words) for cell in column.cells
                       if isinstance(cell.value, str) and " " not in cell.value)  # fmt: skip


@pytest.mark.parametrize("width", [80, 120, 200])
def test_every_column_is_shown_or_named(varied: Campaign, width: int) -> None:
    first = next(table for table in tables(varied) if table.key.startswith("latency"))
    text = " ".join(" ".join(lines_of(first, width)).split())
    hidden = text.partition("Hidden: ")[2].partition(". Widen")[0].split(", ")
    for column in first.columns:
        assert (column.title in hidden) != (column.title in text.partition("Hidden: ")[0])
    assert not {"Lost", "Transport", "Reliability", "Median RTT/2"} & set(hidden)


def test_a_pipe_gets_everything_and_so_does_who_asks_for_it(varied: Campaign) -> None:
    for text in (printed(varied, None), printed(varied, 80, wide=True)):
        assert "Hidden" not in text and "120 (1.3 %)" in text
        prose = [line for line in text.splitlines() if line.startswith("Median and")]
        assert prose and max(map(len, prose)) <= 80, "sentences are wrapped all the same"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_wide_table_is_printed_in_bands_with_no_number_broken(width: int) -> None:
    names = ["cyclonedds", "fastdds", "opendds", "rustdds", "dustdds", "zerodds", "rti"]
    columns = [Column("writer", [Cell(name) for name in names], "label")]
    columns += [Column(name, [Cell(text="12.3")] * len(names), "number") for name in names]
    lines = lines_of(Table(columns, [Row() for _ in names]), width)
    assert max(map(len, lines)) <= width
    heads = [line.split()[1:] for line in lines if line.startswith("writer")]
    assert [name for head in heads for name in head] == names
    assert sum(line.count("12.3") for line in lines) == len(names) ** 2


def test_value_and_interval_have_the_same_digits_and_a_ratio_never_reads_as_one() -> None:
    column = Column("x", [Cell(12_345.6, 12_300.0, 12_400.0), Cell(1e6), Cell()], "figure", "ns")
    ratio = Column("×", [Cell(1.0004), Cell(0.5), Cell(1.0, verdict="reference")], "ratio")
    text = "\n".join(lines_of(Table([column, ratio], [Row(), Row(), Row("floor")]), 80))
    assert "12.3 [12.3, 12.4]" in text or "12.35 [12.30, 12.40]" in text
    assert "1.0004" in text and "1/2.0" in text and "—" in text
