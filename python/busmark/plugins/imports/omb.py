"""OpenMessaging Benchmark: the JSON that it writes for a workload.

Source for the format: `TestResult.java`, `WorkloadGenerator.java` and `WorkerStats.java` of
openmessaging/benchmark. Latencies are milliseconds, publish delays microseconds.
"""

from __future__ import annotations

from typing import Any

import polars as pl
from pydantic import Field

from busmark.plugins.imports.model import (
    Flaw,
    ImportedFile,
    Quantity,
    ReportedFigure,
    Run,
    RunParameters,
    Statistic,
    Values,
    intervals_of,
    size_flaw,
    sizes_of,
)
from busmark.plugins.imports.text import Document, SourceText, checked, line_of, nanoseconds, parsed

PERIOD_S = 10.0
"""Period of a value in the lists: the time it sleeps between two readings."""

PERCENTS = {
    "50pct": 50.0,
    "75pct": 75.0,
    "95pct": 95.0,
    "99pct": 99.0,
    "999pct": 99.9,
    "9999pct": 99.99,
}

KINDS: dict[str, tuple[Quantity, str]] = {
    "EndToEndLatency": ("one_way", "ms"),
    "PublishLatency": ("publish", "ms"),
    "PublishDelayLatency": ("publish_delay", "us"),
}
"""Quantity and unit by the names in a file."""

CLOCKS = Flaw(
    "omb-clocks",
    "warning",
    "End-to-end latency is a difference of wall clocks in milliseconds",
    "The producer stamps a message with its clock's milliseconds, the consumer subtracts that from "
    "its own. Between hosts the difference of their clocks is in it; nothing bounds it.",
    "Run producer and consumer on one host, or compare only latencies far above the clocks' "
    "difference.",
)
POSITIVE = Flaw(
    "omb-positive-only",
    "warning",
    "Latencies below a millisecond are left out",
    "Only end-to-end latencies above 0 ms are recorded. Fast samples are missing, and every figure "
    "is too high where latencies are about a millisecond.",
    "Do not compare latencies of some milliseconds.",
)
START = Flaw(
    "omb-start",
    "note",
    "End-to-end latency does not count from the intended time",
    "It begins when the client stamps the message. What a message waited before is in the publish "
    "delay, which is imported beside it.",
    "Read the publish delay too: a high one means that the rate was not kept.",
)
PRODUCER_RATE = Flaw(
    "omb-backlog",
    "warning",
    "Messages were left behind",
    "The backlog at the end is what was sent and not received. The search for a rate compares "
    "rates without the number of subscriptions, so it may hide a backlog.",
    "Take a rate at which the backlog stays at 0.",
)
CAPPED = Flaw(
    "omb-capped",
    "note",
    "Publish latencies end at 60 s",
    "Longer ones are recorded as 60 s.",
    "A maximum of 60 s is a lower limit.",
)
SIZE = size_flaw("omb", "the message's payload")

FLAWS = (CLOCKS, POSITIVE, START, PRODUCER_RATE, CAPPED, SIZE)


class TestResult(Document):
    """The fields of a result that are read; the aggregated figures are taken by their names."""

    __test__ = False

    workload: str
    driver: str
    message_size: int | None = Field(default=None, alias="messageSize")
    topics: int | None = None
    partitions: int | None = None
    producers: int | None = Field(default=None, alias="producersPerTopic")
    consumers: int | None = Field(default=None, alias="consumersPerTopic")
    publish_rate: list[float] = Field(default=[], alias="publishRate")
    consume_rate: list[float] = Field(default=[], alias="consumeRate")
    backlog: list[int] = Field(default=[])


def recognise(text: str) -> bool:
    """Return whether it has names that no other has."""
    return '"publishRate"' in text and '"endToEndLatency' in text


def read(source: SourceText) -> ImportedFile:
    """Return one run."""
    result = checked(source, TestResult, source.text)
    everything = parsed(source, source.text)
    adapter = result.driver.strip().lower().replace(" ", "_") or "unknown"
    imported = ImportedFile("OpenMessaging Benchmark", "json", titles={adapter: result.driver})
    run = Run(RunParameters(test="throughput"))
    run.params.adapter = adapter
    if result.message_size is not None:
        run.params.size = result.message_size
    if result.topics is not None:
        run.params.topics = result.topics
    if result.producers is not None:
        run.params.publishers = result.producers
    if result.consumers is not None:
        run.params.subscribers = result.consumers
    run.params.settings = {"workload": result.workload, "partitions": result.partitions}
    run.values = _rates(result)
    run.intervals = _intervals(result)
    for name, (quantity, unit) in KINDS.items():
        run.reported += _aggregated(source, everything, name, quantity, unit)
        if not any(s.quantity == quantity for s in run.reported):
            imported.left_out.append(f"{source.name}: aggregated{name} has no sample")
    imported.runs.append(run)
    _observe(imported, run, result)
    return imported


def _rates(result: TestResult) -> Values:
    """Return means over the periods."""
    values: Values = {}
    if result.publish_rate:
        values["written_per_s"] = sum(result.publish_rate) / len(result.publish_rate)
    if result.consume_rate:
        per_s = sum(result.consume_rate) / len(result.consume_rate)
        values |= {"samples_per_s": per_s, "measured_s": PERIOD_S * len(result.consume_rate)}
        if result.message_size is not None:
            values["mbit_per_s"] = per_s * result.message_size * 8 / 1e6
    return values


def _intervals(result: TestResult) -> pl.DataFrame | None:
    rates, size = result.consume_rate, result.message_size
    if not rates or size is None:
        return None
    counts = [round(rate * PERIOD_S) for rate in rates]
    starts = (number * PERIOD_S for number in range(len(counts)))
    return intervals_of(starts, [PERIOD_S] * len(counts), counts, size)


def _aggregated(
    source: SourceText, everything: dict[str, Any], name: str, quantity: Quantity, unit: str
) -> list[ReportedFigure]:
    """Return figures of the whole run; none where nothing was recorded, which is written as
    zeros."""

    def time(key: str, value: Any) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            line = line_of(source.text, (key,))
            raise source.malformed(line, f"a number under {key}, found {value!r:.40}")
        return nanoseconds(value, unit)

    prefix = f"aggregated{name}"
    found: dict[tuple[Statistic, float | None], float | None] = {
        ("mean", None): time(f"{prefix}Avg", everything.get(f"{prefix}Avg")),
        ("max", None): time(f"{prefix}Max", everything.get(f"{prefix}Max")),
    }
    for ending, percent in PERCENTS.items():
        key = f"{prefix}{ending}"
        found["percentile", percent] = time(key, everything.get(key))
    quantiles = everything.get(f"{prefix}Quantiles")
    for percent_text, value in quantiles.items() if isinstance(quantiles, dict) else ():
        try:
            at = float(percent_text)
        except ValueError:
            line = line_of(source.text, (f"{prefix}Quantiles", percent_text))
            raise source.malformed(line, f"a percentage, found {percent_text!r}") from None
        if 0 <= at < 100:
            found.setdefault(("percentile", at), time(f"{prefix}Quantiles", value))
    if not any(found.values()):
        return []
    line = line_of(source.text, (f"{prefix}Avg",))
    return [
        ReportedFigure(quantity, statistic, value, percent, line=line)
        for (statistic, percent), value in found.items()
        if value is not None
    ]


def _observe(imported: ImportedFile, run: Run, result: TestResult) -> None:
    one_way = [s.value_ns for s in run.reported if s.quantity == "one_way"]
    if one_way:
        imported.observe(CLOCKS, "end-to-end latencies", [run])
        imported.observe(START, "end-to-end latencies", [run])
        if min(one_way) < 10e6:
            imported.observe(POSITIVE, f"a figure of {min(one_way) / 1e6:g} ms", [run])
    if any(s.quantity == "publish" and s.value_ns >= 59e9 for s in run.reported):
        imported.observe(CAPPED, "a publish latency of 60 s", [run])
    if result.backlog and result.backlog[-1]:
        imported.observe(PRODUCER_RATE, f"{result.backlog[-1]} messages at the end", [run])
    if result.message_size is not None:
        imported.observe(SIZE, sizes_of([run]), [run])
