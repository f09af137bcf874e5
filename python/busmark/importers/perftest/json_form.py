"""Perftest's JSON: as Java and C# write it, and as C++ does, whose document has neither begin nor
end.

C++ writes `"length": …` up to the closing brace for every size, with `,{` before all but the first,
and never the wrapper around them (`print_initial_output` and `print_final_output` are not virtual,
and are called on the base class). Several runs in one file follow each other without a comma. So
the file is read element by element, from every `"length"` that has a summary.
"""

from __future__ import annotations

import json
import re

from pydantic import AliasChoices, Field

from busmark.errors import UserError
from busmark.importers import documents
from busmark.importers.documents import Document
from busmark.importers.model import Imported, Run
from busmark.importers.numbers import nanoseconds
from busmark.importers.perftest.report import (
    PERCENTS,
    counted,
    latency_run,
    percent_of_cpus,
    throughput_run,
)
from busmark.importers.text import SourceText

_ELEMENT = re.compile(r'"length"\s*:\s*\d+\s*,\s*"(?:intervals|summary)"')

Number = float | None


class Summary(Document):
    """Summary of latency or throughput: the printers spell the keys of the two differently."""

    ave: Number = Field(default=None, alias="latency_ave")
    std: Number = Field(default=None, alias="latency_std")
    min: Number = Field(default=None, alias="latency_min")
    max: Number = Field(default=None, alias="latency_max")
    p50: Number = Field(default=None, alias="latency_50")
    p90: Number = Field(default=None, alias="latency_90")
    p99: Number = Field(default=None, alias="latency_99")
    p9999: Number = Field(default=None, alias="latency_99.99")
    p999999: Number = Field(default=None, alias="latency_99.9999")
    packets: int | None = None
    per_s: Number = Field(default=None, alias="packets/sAve")
    mbit: Number = Field(default=None, alias="mbpsAve")
    lost: int | None = None
    serialize: Number = None
    deserialize: Number = None
    cpu: Number = Field(default=None, validation_alias=AliasChoices("cpu", "CPU"))


class Interval(Document):
    """One latency, with the mean so far; intervals of throughput have neither."""

    latency: Number = None
    latency_ave: Number = None


class Element(Document):
    """One size."""

    length: int
    intervals: list[Interval] = Field(default=[])
    summary: Summary


def recognise(text: str) -> bool:
    """By keys of the summaries."""
    return '"length"' in text and ('"latency_ave"' in text or '"packets/s' in text)


def read(source: SourceText, imported: Imported) -> None:
    """All elements, in order."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    intervals = 0
    begins = [found.start() for found in _ELEMENT.finditer(source.text)]
    line, before = 1, 0
    # Up to the next one: a damaged element would be read to the end of the file, each anew.
    for begin, end in zip(begins, [*begins[1:], len(source.text)], strict=True):
        line, before = line + source.text.count("\n", before, begin), begin
        text = "{" + source.text[begin:end]
        try:
            _, length = decoder.raw_decode(text)
            element = documents.checked(source, Element, text[:length], line)
        except json.JSONDecodeError as error:
            told = f"line {line - 1 + error.lineno}: this size is not read: {error.msg.lower()}"
            imported.left_out.append(f"{source.name}, {told}")
            continue
        except RecursionError:
            told = f"line {line}: this size is not read: nested too deep"
            imported.left_out.append(f"{source.name}, {told}")
            continue
        except UserError as error:
            imported.left_out.append(f"{error.where}: this size is not read: {error.message}")
            continue
        intervals += len(element.intervals)
        imported.runs.append(_run(element, line))
    if not imported.runs:
        if imported.left_out:
            where, _, what = imported.left_out[0].partition(": ")
            raise UserError(what, where=where, remedy="The file may be cut off.")
        raise source.nothing('a size with its summary, as "length": 64, "summary": {…}')
    if intervals:
        told = f"intervals ({intervals}) are not read: they repeat single samples and running means"
        imported.left_out.append(f"{source.name}: {told}")


def _run(element: Element, line: int) -> Run:
    summary = element.summary
    if summary.packets is not None:
        run = throughput_run(
            element.length, summary.packets, summary.per_s, summary.mbit, summary.lost, line
        )
        percent_of_cpus(run, summary.cpu)
        return run
    names = ("Ave", "Std", "Min", "Max", *(f"{p:.10g}%" for p in PERCENTS))
    values = (
        summary.ave, summary.std, summary.min, summary.max,
        summary.p50, summary.p90, summary.p99, summary.p9999, summary.p999999,
    )  # fmt: skip
    times = {n: nanoseconds(v, "us") for n, v in zip(names, values, strict=True)}
    times |= {
        "Serialization": nanoseconds(summary.serialize, "us"),
        "Deserialization": nanoseconds(summary.deserialize, "us"),
    }
    first = element.intervals[0] if element.intervals else Interval()
    count = None
    if first.latency is not None and first.latency_ave is not None:
        count = counted(len(element.intervals), first.latency, first.latency_ave)
    run = latency_run(element.length, times, line, count)
    percent_of_cpus(run, summary.cpu)
    return run
