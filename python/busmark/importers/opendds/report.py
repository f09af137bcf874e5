"""The report of the test controller: every reader of every worker, with its properties.

Readers are put together as the tool's report parser does it, except for the deviation: the
deviation of all samples has a part between the readers too.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from statistics import median
from typing import Any

from pydantic import Field

from busmark.importers import documents
from busmark.importers.documents import Document
from busmark.importers.model import Imported
from busmark.importers.opendds.blocks import ONE_WAY, PER_HOP, Block, Blocks
from busmark.importers.text import SourceText

COUNTS = {
    "lost": "missing_data_count",
    "duplicated": "duplicate_data_count",
    "out_of_order": "out_of_order_data_count",
}
"""Columns of `cases`, and the property each comes from."""
LOST = "lost_sample_count"
"""Key for readers without sequence ranges."""


class Property(Document):
    """A name and one value; a discriminator says which of its keys has it."""

    name: str
    value: dict[str, Any]

    @property
    def content(self) -> Any:
        """The value."""
        return next((v for k, v in self.value.items() if k != "$discriminator"), None)


class Endpoint(Document):
    """A reader; writers have no statistics."""

    properties: list[Property] = Field(default=[])


class Subscriber(Document):
    """Subscriber of a participant."""

    datareaders: list[Endpoint] = Field(default=[])


class Participant(Document):
    """Participant of a worker."""

    subscribers: list[Subscriber] = Field(default=[])


class Process(Document):
    """Process of a worker."""

    participants: list[Participant] = Field(default=[])


class Worker(Document):
    """Worker of a node."""

    undermatched_readers: int = 0
    undermatched_writers: int = 0
    process_report: Process = Process()


class Node(Document):
    """Node of the test."""

    worker_reports: list[Worker] = Field(default=[])


class Report(Document):
    """The whole file."""

    scenario_name: str | None = None
    node_reports: list[Node]
    missing_reports: int | None = None


def recognise(text: str) -> bool:
    """By names that no other has."""
    return '"node_reports"' in text and '"worker_reports"' in text


def read(source: SourceText, imported: Imported) -> Blocks:
    """All readers together."""
    found = documents.checked(source, Report, source.text)
    readers = [{p.name: p.content for p in reader.properties} for reader in _readers(found)]
    blocks = Blocks(found.scenario_name, readers=len(readers))
    for name in (*ONE_WAY, *PER_HOP):
        blocks.by_name[name] = _together(source, readers, name)
    for column, key in COUNTS.items():
        known = [n for r in readers if (n := _number(source, r, key)) is not None]
        if not known and column == "lost":
            known = [n for r in readers if (n := _number(source, r, LOST)) is not None]
        if known:
            blocks.counts[column] = round(sum(known))
    rates = [_block(source, reader, "throughput") for reader in readers]
    means = [rate.mean for rate in rates if rate.count and rate.mean is not None]
    blocks.bytes_per_s = sum(means) if means else None
    workers = [w for node in found.node_reports for w in node.worker_reports]
    unmatched = sum(w.undermatched_readers + w.undermatched_writers for w in workers)
    blocks.errors = unmatched + (found.missing_reports or 0)
    if blocks.errors:
        imported.left_out.append(
            f"{source.name}: {unmatched} endpoints had too few matches, and "
            f"{found.missing_reports or 0} workers made no report: their samples are missing"
        )
    return blocks


def _readers(report: Report) -> Iterator[Endpoint]:
    for node in report.node_reports:
        for worker in node.worker_reports:
            for participant in worker.process_report.participants:
                for subscriber in participant.subscribers:
                    yield from subscriber.datareaders


def _number(source: SourceText, reader: dict[str, Any], key: str) -> float | None:
    value = reader.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        position = source.text.find(f'"{key}"')
        line = source.text.count("\n", 0, max(0, position)) + 1
        raise source.malformed(line, f"a number for {key}, found {value!r:.40}")
    return float(value)


def _block(source: SourceText, reader: dict[str, Any], name: str) -> Block:
    """Block of one reader."""

    def value(ending: str) -> float | None:
        return _number(source, reader, f"{name}_{ending}")

    count = round(value("sample_count") or 0)
    squares = value("var_x_sample_count")
    kept = value("median_sample_count")
    return Block(
        count=count,
        minimum=value("min"),
        maximum=value("max"),
        mean=value("mean"),
        std=sqrt(max(0.0, squares) / count) if count and squares is not None else None,
        median=value("median"),
        mad=value("median_absolute_deviation"),
        median_count=None if kept is None else round(kept),
    )


def _together(source: SourceText, readers: list[dict[str, Any]], name: str) -> Block:
    pairs = [(reader, _block(source, reader, name)) for reader in readers]
    pairs = [(reader, block) for reader, block in pairs if block.count and block.mean is not None]
    if not pairs:
        return Block(0)
    blocks = [block for _, block in pairs]
    count = sum(block.count for block in blocks)
    mean = sum(block.count * (block.mean or 0.0) for block in blocks) / count
    known = all(block.std is not None for block in blocks)
    squares = sum(b.count * ((b.std or 0.0) ** 2 + ((b.mean or 0.0) - mean) ** 2) for b in blocks)
    made = Block(
        count=count,
        minimum=min((b.minimum for b in blocks if b.minimum is not None), default=None),
        maximum=max((b.maximum for b in blocks if b.maximum is not None), default=None),
        mean=mean,
        std=sqrt(squares / count) if known else None,
        line=_line(source, f'"{name}_mean"'),
    )
    buffers = [reader.get(f"{name}_median_buffer") for reader, _ in pairs]
    values = [v for b in buffers if isinstance(b, list) for v in b if isinstance(v, int | float)]
    if values and all(isinstance(b, list) for b in buffers):
        made.median = median(values)
        made.mad = median(abs(v - made.median) for v in values)
        made.median_count = len(values)
    elif len(blocks) == 1:
        made.median, made.mad = blocks[0].median, blocks[0].mad
        made.median_count = blocks[0].median_count
    return made


def _line(source: SourceText, key: str) -> int | None:
    position = source.text.find(key)
    return None if position < 0 else source.text.count("\n", 0, position) + 1
