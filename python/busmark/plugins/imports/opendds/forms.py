"""Forms of OpenDDS Bench: the report of its test controller, and its report parser's summaries.

The report has every reader of every worker, with its properties. Readers are put together as the
tool's report parser does it, except for the deviation: the deviation of all samples has a part
between the readers too. A summary, JSON or text, has them as the tool has put them together; the
text has six decimals of a second.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import sqrt
from statistics import median
from typing import Any, Literal

from pydantic import Field

from busmark.plugins.imports.model import ImportedFile
from busmark.plugins.imports.opendds.figures import ONE_WAY, ROUND_TRIP, Block, Blocks
from busmark.plugins.imports.text import Document, SourceText, checked, line_of

COUNTS: dict[Literal["lost", "duplicated", "out_of_order"], str] = {
    "lost": "missing_data_count",
    "duplicated": "duplicate_data_count",
    "out_of_order": "out_of_order_data_count",
}
"""Columns of `cases`, and the property each comes from."""
LOST = "lost_sample_count"
"""Key for readers without sequence ranges."""


_HEADING = re.compile(r"^\s*(\S.*) Statistics:$")
_ANY_HEADING = re.compile(r"\S Statistics:\s*$", re.MULTILINE)
_FIGURE = re.compile(
    r"^\s+(?P<name>\S.*?)\s+(?P<what>count|min|max|mean|stdev|median|madev|overflow)\s+=\s+(?P<value>\S+)$"
)
_TAG = re.compile(r"^---=== Stats For Tag '")
_FIELDS = {
    "min": "minimum",
    "max": "maximum",
    "mean": "mean",
    "stdev": "std",
    "median": "median",
    "madev": "mad",
}


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


def read_report(source: SourceText, imported: ImportedFile) -> Blocks:
    """Return all readers together."""
    found = checked(source, Report, source.text)
    workers = [worker for node in found.node_reports for worker in node.worker_reports]
    readers = [
        {each.name: each.content for each in reader.properties}
        for worker in workers
        for participant in worker.process_report.participants
        for subscriber in participant.subscribers
        for reader in subscriber.datareaders
    ]
    blocks = Blocks(found.scenario_name)
    for name in (*ONE_WAY, *ROUND_TRIP):
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
    unmatched = sum(w.undermatched_readers + w.undermatched_writers for w in workers)
    if unmatched + (found.missing_reports or 0):
        imported.left_out.append(
            f"{source.name}: {unmatched} endpoints had too few matches, and "
            f"{found.missing_reports or 0} workers made no report: their samples are missing"
        )
    return blocks


def _number(source: SourceText, reader: dict[str, Any], key: str) -> float | None:
    value = reader.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        line = _line(source, f'"{key}"')
        raise source.malformed(line or 1, f"a number for {key}, found {value!r:.40}")
    return float(value)


def _block(source: SourceText, reader: dict[str, Any], name: str) -> Block:
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


class Statistics(Document):
    """Statistics of samples; a count of 0 without any."""

    sample_count: int
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    stdev: float | None = None
    median: float | None = None
    madev: float | None = None
    median_sample_count: int | None = None


class Summary(Document):
    """The whole file; tags are not read."""

    stats: dict[str, Statistics]
    tags: dict[str, object] = Field(default={})


def read_summary(source: SourceText, imported: ImportedFile) -> Blocks:
    """Return all readers, as the tool has put them together."""
    found = checked(source, Summary, source.text)
    blocks = Blocks()
    for name, s in found.stats.items():
        line = line_of(source.text, ("stats", name))
        block = Block(
            s.sample_count,
            s.min,
            s.max,
            s.mean,
            s.stdev,
            s.median,
            s.madev,
            s.median_sample_count,
            line,
        )
        if name in ONE_WAY or name in ROUND_TRIP:
            blocks.by_name[name] = block
        elif name != "throughput":
            imported.left_out.append(f"{source.name}: statistics of {name} are not read")
    if "throughput" in found.stats:
        imported.left_out.append(
            f"{source.name}: throughput is not read: it is a mean over readers, not their sum"
        )
    if found.tags:
        imported.left_out.append(
            f"{source.name}: statistics by tag ({len(found.tags)}) are not read"
        )
    return blocks


def read_text(source: SourceText, imported: ImportedFile) -> Blocks:
    """Return all readers, as the tool has put them together."""
    if source.cut:
        imported.left_out.append(source.cut)
    blocks = Blocks()
    block: Block | None = None
    tags = 0
    skipped: set[str] = set()
    for line in source.lines:
        if _TAG.match(line.text):
            tags += 1
        if tags:
            continue
        if heading := _HEADING.match(line.text):
            name = heading[1].strip().lower().replace(" ", "_")
            block = Block(0, line=line.number)
            if name in ONE_WAY or name in ROUND_TRIP:
                blocks.by_name[name] = block
            else:
                skipped.add(name)
        elif block is not None and "=" in line.text:
            found = _FIGURE.match(line.text)
            if not found:
                raise source.malformed(line, 'a figure, as "latency mean = 0.000123"')
            if found["what"] == "count":
                block.count = source.count(line, found["value"])
            elif found["what"] == "overflow":
                block.median_count = block.count - source.count(line, found["value"])
            else:
                value = source.number(line, found["value"])
                setattr(block, _FIELDS[found["what"]], value)
    for done in blocks.by_name.values():
        if done.median_count is None:
            done.median_count = done.count
    lines = [f"statistics of {name} are not read" for name in sorted(skipped)]
    lines += [f"statistics by tag ({tags}) are not read"] if tags else []
    imported.left_out += [f"{source.name}: {what}" for what in lines]
    return blocks


FORMS: dict[str, tuple[Callable[[str], bool], Callable[[SourceText, ImportedFile], Blocks]]] = {
    "report": (lambda text: '"node_reports"' in text and '"worker_reports"' in text, read_report),
    "summary json": (lambda text: '"stats"' in text and '"madev"' in text, read_summary),
    "summary text": (
        lambda text: "Discovery Errors:" in text and bool(_ANY_HEADING.search(text)),
        read_text,
    ),
}
"""Forms of results: how each is recognised, by names that no other has, and how it is read."""
