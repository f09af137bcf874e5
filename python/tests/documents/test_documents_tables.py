"""Tables in a document's own columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from busmark.compare.campaign import summarise
from busmark.model.text import percent_text
from synthetic_campaign import Builder

from busmark.documents import Repetition, repetition
from busmark.present.blocks.repetition import tables
from busmark.store import Result

SIZES = (50, 1000, 8000)


def repeated(folder: Path, document: str) -> Repetition:
    """Pings of three sizes whose latency is 20 µs and 5 ns for each byte."""
    build = Builder(folder)
    rng = np.random.default_rng(3)
    for size in SIZES:
        case = build.case(
            f"cyclonedds-{size}", adapter="cyclonedds", size=size,
            qos={"reliability": "best_effort"},
        )  # fmt: skip
        for number in range(4):
            build.pings(case, number, 2 * (20_000 + 5 * size + rng.gamma(2, 100, 600).round()))
    directory = build.finish(scenario={"name": "again", "document": document})
    found = repetition(summarise(Result(directory)))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def perftest(tmp_path_factory: pytest.TempPathFactory) -> Repetition:
    return repeated(tmp_path_factory.mktemp("perftest"), "perftest-2023")


@pytest.fixture(scope="module")
def opendds(tmp_path_factory: pytest.TempPathFactory) -> Repetition:
    return repeated(tmp_path_factory.mktemp("opendds"), "openddsbench-2010")


def test_perftest_has_its_columns_in_its_order(perftest: Repetition) -> None:
    titles = [table.title for table in perftest.tables]
    assert [title[:2] for title in titles] == ["2A", "2B", "4A", "4B"]
    publisher, subscriber, *_ = perftest.tables
    assert [column.split(",")[0] for column in publisher.columns] == [
        "Length", "Ave", "Std", "Min", "Max", "50 %", "90 %", "99 %", "99.99 %", "99.9999 %",
    ]  # fmt: skip
    assert [column.split(",")[0] for column in subscriber.columns] == [
        "Length", "Total samples", "Avg samples/s", "Avg Mbps", "Lost", "Lost",
    ]  # fmt: skip
    assert "RTT/2" in publisher.note and "not one-way" in publisher.note
    for table in perftest.tables:
        assert [row[0] for row in table.rows] == [str(size) for size in SIZES]
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_every_table_is_shown_with_its_cells(perftest: Repetition, opendds: Repetition) -> None:
    for found in (perftest, opendds):
        shown = [table for section in tables(found) for table in section.tables]
        for table, own in zip(shown, found.tables, strict=True):
            for place, column in enumerate(table.columns):
                assert column.title == own.columns[place]
                assert [cell.text for cell in column.cells] == [row[place] for row in own.rows]


def test_the_line_through_latencies_is_told_with_its_interval(opendds: Repetition) -> None:
    (table,) = opendds.tables
    assert "and 5.0" in table.note and "ns for each byte" in table.note
    assert "µs" in table.note and "[" in table.note


def test_every_size_has_jitter_and_the_bounds_of_a_hop(opendds: Repetition) -> None:
    (table,) = opendds.tables
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert all(" to " in row["σ of a hop, µs"] for row in rows)
    shares = [c.latency.jitter_share for c in opendds.campaign.cases if c.latency]
    assert {row["Median |jitter| / median"] for row in rows} == {
        percent_text(share.value if share else None) for share in shares
    }, "the share of jitter that charts and other tables have"
