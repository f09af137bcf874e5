"""The workbook of the pack `perftest-2023`: tests 1A/1B to 4A/4B of each middleware."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest
from synthetic_campaign import Builder, samples_around

from busmark.analysis import Campaign, summarise
from busmark.report.workbook import write_workbook
from busmark.store import Result


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Two middlewares, three sizes, both modes, four rounds: two for each campaign."""
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
                _echo(folder, flood, number)
    scenario = {"name": "Perftest again", "document": "perftest-2023"}
    return summarise(Result(build.finish(scenario=scenario)))


def _echo(folder: Path, case: str, number: int) -> None:
    """Adds the echoes of the stream's probes, as the transmitter records them."""
    path = folder / "samples" / f"{case}.r{number:03d}.parquet"
    receiver = pl.read_parquet(path)
    echoed = receiver.with_columns(
        pl.lit("transmitter").alias("role"), pl.col("sent_ns").alias("intended_ns"),
        (2 * pl.col("read_ns") - pl.col("sent_ns")).alias("read_ns"),
    )  # fmt: skip
    pl.concat([receiver, echoed]).write_parquet(path)


def test_tests_have_the_numbers_of_the_document(repeated: Campaign, tmp_path: Path) -> None:
    write_workbook(repeated, tmp_path / "x.xlsx")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    names = [name for name in book.sheetnames if name[0].isdigit()]
    numbered = [
        f"{number} {label}" for number in (1, 2, 3, 4) for label in ("Cyclone DDS", "Fast DDS")
    ]
    assert [name[: len(start)] for name, start in zip(names, numbered, strict=True)] == numbered
    assert len({name[2:] for name in names}) == 8, "they differ by more than the number"
    page = book[next(name for name in names if name.startswith("3 Fast DDS"))]
    cells = {str(cell.value): cell for row in page.iter_rows(max_row=7) for cell in row}
    assert any(text.startswith("3A  Publisher: latency (RTT/2)") for text in cells)
    assert any(text.startswith("3B  Subscriber") for text in cells)
    test = next(t for t in repeated.perftest if t.number == 3 and t.label == "Fast DDS")
    head = cells["Total samples"]
    shown = [page.cell(head.row + n, head.column).value for n in (1, 2, 3)]
    assert shown == [row.samples for row in test.subscriber]
    average = cells["Average"]
    values = [page.cell(average.row + n, average.column).value for n in (1, 2, 3)]
    assert values == [pytest.approx(row.ave_ns / 1e3) for row in test.publisher]
    assert "campaign 2 (2 rounds)" in str(page["A3"].value)
