"""The text summary of the report parser. It has six decimals of a second."""

from __future__ import annotations

import re

from busmark.importers.model import Imported
from busmark.importers.opendds.blocks import ONE_WAY, PER_HOP, Block, Blocks
from busmark.importers.text import SourceText

_HEADING = re.compile(r"^\s*(\S.*) Statistics:$")
_FIGURE = re.compile(
    r"^\s+(?P<name>\S.*?)\s+(?P<what>count|min|max|mean|stdev|median|madev|overflow)\s+=\s+(?P<value>\S+)$"
)
_ERRORS = re.compile(r"^Total Errors:\s*(\d+)")
_TAG = re.compile(r"^---=== Stats For Tag '")
_FIELDS = {"min": "minimum", "max": "maximum", "mean": "mean", "stdev": "std",
           "median": "median", "madev": "mad"}  # fmt: skip


def recognise(text: str) -> bool:
    """By its headings."""
    return "Discovery Errors:" in text and bool(
        re.search(r"\S Statistics:\s*$", text, re.MULTILINE)
    )


def read(source: SourceText, imported: Imported) -> Blocks:
    """All readers, as the tool has put them together."""
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
        if errors := _ERRORS.match(line.text):
            blocks.errors = source.count(line, errors[1])
        elif heading := _HEADING.match(line.text):
            name = heading[1].strip().lower().replace(" ", "_")
            block = Block(0, line=line.number)
            if name in ONE_WAY or name in PER_HOP:
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
    told = [f"statistics of {name} are not read" for name in sorted(skipped)]
    told += [f"statistics by tag ({tags}) are not read"] if tags else []
    imported.left_out += [f"{source.name}: {what}" for what in told]
    return blocks
