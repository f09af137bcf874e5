"""Imports of the files beside these tests, and what comes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from seams import shown

from busmark.plugins.imports.model import ImportedFile
from busmark.plugins.imports.read import import_results
from busmark.plugins.imports.registry import importer
from busmark.plugins.imports.text import SourceText
from busmark.store import Result

FILES = Path(__file__).parent / "files"

FORMATS = {
    "ddsperf_ping.txt": "ddsperf",
    "ddsperf_sub.txt": "ddsperf",
    "fastdds_raw.csv": "fastdds",
    "fastdds_table.txt": "fastdds",
    "fastdds_throughput.csv": "fastdds",
    "omb.json": "omb",
    "opendds_report.json": "opendds",
    "opendds_summary.json": "opendds",
    "opendds_summary.txt": "opendds",
    "performance_test.csv": "performance_test",
    "performance_test.json": "performance_test",
    "perftest_cpp.json": "perftest",
    "perftest_java.json": "perftest",
    "perftest_latency.csv": "perftest",
    "perftest_latency_file.csv": "perftest",
    "perftest_legacy.txt": "perftest",
    "perftest_no_titles.csv": "perftest",
    "perftest_old_legacy.txt": "perftest",
    "perftest_throughput.csv": "perftest",
    "perftest_throughput.json": "perftest",
    "sockperf_log.csv": "sockperf",
    "sockperf_ping_pong.txt": "sockperf",
    "sockperf_throughput.txt": "sockperf",
    "sockperf_under_load.txt": "sockperf",
}
"""File and its format."""

TOOLS = sorted(set(FORMATS.values()))


def files_of(tool: str) -> list[str]:
    """Return the names of all files of one tool."""
    return [name for name, form in sorted(FORMATS.items()) if form == tool]


def text_of(name: str) -> str:
    return (FILES / name).read_text(encoding="utf-8")


def read(name: str, text: str | None = None) -> ImportedFile:
    """Read a file, or changed text of it, by its importer."""
    source = SourceText(name, (text_of(name) if text is None else text).encode())
    return importer(FORMATS[name]).read(source)


def result_of(folder: Path, *names: str, added: tuple[str, ...] = ()) -> Result:
    """Import these files; return the result."""
    return import_results([FILES / name for name in names], folder / "result", added=added)


def campaign_of(folder: Path, *names: str, added: tuple[str, ...] = ()) -> Any:
    """Import and analyse these files."""
    return shown(result_of(folder, *names, added=added).directory)


def reported(
    result: Result,
    case: str,
    quantity: str,
    statistic: str,
    percent: float | None = None,
    number: int = 0,
) -> float | None:
    """Return a value of a whole run, as stored; None: none is."""
    rows = result.summaries.filter(
        (pl.col("case") == case)
        & (pl.col("round") == number)
        & (pl.col("quantity") == quantity)
        & (pl.col("statistic") == statistic)
        & pl.col("start_s").is_null()
        & (pl.col("percent").is_null() if percent is None else pl.col("percent") == percent)
    )
    assert rows.height <= 1
    return rows["value_ns"][0] if rows.height else None
