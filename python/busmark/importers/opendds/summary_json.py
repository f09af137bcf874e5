"""The JSON summary of the report parser."""

from __future__ import annotations

from pydantic import Field

from busmark.importers import documents
from busmark.importers.documents import Document
from busmark.importers.model import Imported
from busmark.importers.opendds.blocks import ONE_WAY, PER_HOP, Block, Blocks
from busmark.importers.text import SourceText


class Statistics(Document):
    """Without samples it has its count only."""

    sample_count: int
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    stdev: float | None = None
    median: float | None = None
    madev: float | None = None
    median_sample_count: int | None = None


class Errors(Document):
    """Errors of all workers."""

    total: int = 0


class Summary(Document):
    """The whole file; tags are not read."""

    errors: Errors = Errors()
    stats: dict[str, Statistics]
    tags: dict[str, object] = Field(default={})


def recognise(text: str) -> bool:
    """By names that no other has."""
    return '"stats"' in text and '"madev"' in text


def read(source: SourceText, imported: Imported) -> Blocks:
    """All readers, as the tool has put them together."""
    found = documents.checked(source, Summary, source.text)
    blocks = Blocks(errors=found.errors.total)
    for name, s in found.stats.items():
        line = documents.line_of(source.text, ("stats", name))
        block = Block(
            s.sample_count, s.min, s.max, s.mean, s.stdev, s.median, s.madev,
            s.median_sample_count, line,
        )  # fmt: skip
        if name in ONE_WAY or name in PER_HOP:
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
