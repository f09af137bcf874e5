"""All cases on one sheet, and what lies behind them: percentiles and rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from busmark.analysis.dimensions import placement_text
from busmark.analysis.figures import Best, Distribution
from busmark.analysis.model import Campaign, CaseSummary, RoundSummary
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book
from busmark.report.workbook.table import Column, Value, estimate, micros
from busmark.stats import LADDER

PROBES = "One-way latency in the stream"
LATENCY = "Latency, RTT/2"
ARRIVED = "Account of samples"

Case = CaseSummary
Round = tuple[CaseSummary, RoundSummary]


@dataclass(frozen=True, slots=True)
class Latencies:
    """One distribution of a case."""

    case: CaseSummary
    quantity: str
    found: Distribution


def summary(book: Book, campaign: Campaign, sheet_of: dict[str, str]) -> None:
    """Every case, whatever became of it."""
    sheet = book.sheet(
        "Summary", "All cases", "every case with its estimates, or the reason why it has none",
        note="An estimate is the mean over rounds, with its 95 % interval. An empty cell: not "
        "measured, or too few samples. Grey: the null adapter, what Busmark itself costs.",
    )  # fmt: skip
    _, left = table.write(
        sheet, FIRST_ROW, _columns(campaign), campaign.cases, frozen=1,
        is_floor=lambda case: case.is_floor, link=lambda case: sheet_of.get(case.id),
    )  # fmt: skip
    _tell(sheet.parts, left, "cases")


def _tell(parts: list[str], left: int, what: str) -> None:
    if left:
        parts.append(f"{left:,} {what} have no room on a sheet; `busmark report --to csv` has them")


def _columns(campaign: Campaign) -> list[Column[Case]]:
    return [
        Column("Middleware", "text", lambda c: c.label, width=30, keep=True),
        Column("Test", "text", lambda c: c.test, width=11, keep=True),
        Column("Placement", "text", lambda c: placement_text(c.placement), width=18),
        Column("Size", "bytes", lambda c: c.size),
        *_told(campaign, "workload"),
        *_told(campaign, "choices"),
        Column("Status", "text", lambda c: c.status.replace("_", " "), width=12, keep=True),
        Column("Rounds", "count", lambda c: c.rounds.ok, width=8, keep=True),
        *estimate("Median RTT/2", "us", lambda c: c.rtt_2.median if c.rtt_2 else None, 1e3),
        *estimate("Mean RTT/2", "us", lambda c: c.rtt_2.mean if c.rtt_2 else None, 1e3),
        *estimate("p99 RTT/2", "us", lambda c: c.rtt_2.p99 if c.rtt_2 else None, 1e3),
        *(_spread(title, field) for title, field in SPREAD),
        *estimate("Median jitter (RFC 3393)", "us", lambda c: _jitter(c, "jitter", "median"), 1e3),
        Column("Jitter of latency", "share", lambda c: _jitter(c, "jitter_share", "value")),
        *estimate("Goodput", "mbit", lambda c: c.goodput),
        *estimate("Samples/s", "rate", lambda c: c.throughput and c.throughput.samples_per_s),
        *(_counted(title, name) for title, name in COUNTED),
        Column("Lost, share", "share", _loss, ARRIVED),
        *estimate(f"{PROBES}: median", "us", lambda c: _probe(c, "median"), 1e3),
        *estimate(f"{PROBES}: p99", "us", lambda c: _probe(c, "p99"), 1e3),
        Column("CPUs busy", "plain", lambda c: c.cpus_used.value if c.cpus_used else None),
        Column("Case", "text", lambda c: c.id, width=30, keep=True),
        Column("Reason", "wrapped", lambda c: c.reason),
    ]


SPREAD = (("MAD", "mad_ns"), ("Std", "std_ns"), ("Min", "min_ns"), ("Max", "max_ns"))
COUNTED = (
    ("Sent", "sent"), ("Received", "received"), ("Lost", "lost"), ("Duplicated", "duplicated"),
    ("Out of order", "out_of_order"), ("Corrupted", "corrupted"),
)  # fmt: skip


def _told(campaign: Campaign, attribute: str) -> list[Column[Case]]:
    """A column for each parameter that varies."""
    names = dict.fromkeys(name for case in campaign.cases for name in getattr(case, attribute))

    def value(name: str) -> Callable[[Case], Value]:
        return lambda case: getattr(case, attribute).get(name)

    return [Column(name.capitalize(), "text", value(name)) for name in names]


def _spread(title: str, field: str) -> Column[Case]:
    return Column(
        title, "us", lambda c: micros(getattr(c.rtt_2, field)) if c.rtt_2 else None, LATENCY
    )


def _counted(title: str, name: str) -> Column[Case]:
    def value(case: Case) -> Value:
        return getattr(case.latency or case.throughput, name, None)

    return Column(title, "count", value, ARRIVED)


def _loss(case: Case) -> Value:
    if case.throughput and case.throughput.loss_share:
        return case.throughput.loss_share.value
    latency = case.latency
    if latency is None or latency.lost is None or not latency.sent:
        return None
    return latency.lost / latency.sent


def _jitter(case: Case, name: str, field: str) -> Any:
    found = getattr(case.latency or case.throughput, name, None)
    return getattr(found, field) if found else None


def _probe(case: Case, field: str) -> Any:
    found = case.throughput.probe_one_way if case.throughput else None
    return getattr(found, field) if found else None


def percentiles(book: Book, campaign: Campaign) -> None:
    """The ladder of every distribution."""
    rows = [
        Latencies(case, quantity, found)
        for case in campaign.cases
        for quantity, found in _distributions(case)
        if found
    ]
    if not rows:
        return
    sheet = book.sheet(
        "Percentiles", "Percentiles",
        "50 to 99.9999 % of all samples of a case, where there are enough of them",
        note="Of the samples of all rounds together. Empty: fewer than 10 samples lie beyond.",
    )  # fmt: skip
    rungs: list[Column[Latencies]] = [
        Column(f"{percent:g} %", "us", _rung(percent), keep=True) for percent in LADDER
    ]
    columns: list[Column[Latencies]] = [
        Column("Middleware", "text", lambda r: r.case.label, width=30),
        Column("Test", "text", lambda r: r.case.test, width=11),
        Column("Placement", "text", lambda r: placement_text(r.case.placement), width=18),
        Column("Size", "bytes", lambda r: r.case.size),
        Column("Quantity", "text", lambda r: r.quantity, width=20),
        Column("Samples", "count", lambda r: r.found.count),
        *rungs,
        Column("Max", "us", lambda r: micros(r.found.max_ns)),
        Column("Case", "text", lambda r: r.case.id, width=30),
    ]
    _, left = table.write(
        sheet, FIRST_ROW, columns, rows, frozen=1, is_floor=lambda r: r.case.is_floor
    )
    _tell(sheet.parts, left, "rows of percentiles")


def _distributions(case: Case) -> Sequence[tuple[str, Distribution | None]]:
    stream = case.throughput
    return (
        ("RTT/2", case.rtt_2),
        ("one-way in stream", stream.probe_one_way if stream else None),
        ("round trip in stream", stream.probe_round_trip if stream else None),
    )


def _rung(percent: float) -> Callable[[Latencies], Value]:
    return lambda row: micros(
        next((r.value_ns for r in row.found.percentiles if r.percent == percent), None)
    )


def best(book: Book, campaign: Campaign) -> None:
    """Figures of the best 100, 99.9, 99 and 90 % of all samples."""
    rows = [
        (Latencies(case, quantity, found), part)
        for case in campaign.cases
        for quantity, found in _distributions(case)
        if found
        for part in found.best
    ]
    if not rows:
        return
    sheet = book.sheet(
        "Best samples", "Best samples", "count, minimum, average, maximum and deviation of the "
        "best 100, 99.9, 99 and 90 % of all samples",
        note="What a few slow samples make of average and deviation. Of all rounds together.",
    )  # fmt: skip
    columns: list[Column[tuple[Latencies, Best]]] = [
        Column("Middleware", "text", lambda r: r[0].case.label, width=30),
        Column("Test", "text", lambda r: r[0].case.test, width=11),
        Column("Placement", "text", lambda r: placement_text(r[0].case.placement), width=18),
        Column("Size", "bytes", lambda r: r[0].case.size),
        Column("Quantity", "text", lambda r: r[0].quantity, width=20),
        Column("Best", "text", lambda r: f"{r[1].percent:g} %", width=9),
        Column("Count", "count", lambda r: r[1].count),
        Column("Min", "us", lambda r: micros(r[1].min_ns)),
        Column("Average", "us", lambda r: micros(r[1].mean_ns)),
        Column("Max", "us", lambda r: micros(r[1].max_ns)),
        Column("Deviation", "us", lambda r: micros(r[1].std_ns)),
        Column("Case", "text", lambda r: r[0].case.id, width=30),
    ]
    _, left = table.write(
        sheet, FIRST_ROW, columns, rows, frozen=1, is_floor=lambda r: r[0].case.is_floor
    )
    _tell(sheet.parts, left, "rows of best samples")


def rounds(book: Book, campaign: Campaign) -> None:
    """Every round, with what became of it."""
    rows: list[Round] = [(case, attempt) for case in campaign.cases for attempt in case.attempts]
    if not rows:
        return
    sheet = book.sheet(
        "Rounds", "Rounds", "every round of every case, also those that do not count",
        note="Each round is run in fresh processes. Only rounds that are ok enter an estimate.",
    )  # fmt: skip
    columns: list[Column[Round]] = [
        Column("Middleware", "text", lambda r: r[0].label, width=30),
        Column("Test", "text", lambda r: r[0].test, width=11),
        Column("Placement", "text", lambda r: placement_text(r[0].placement), width=18),
        Column("Size", "bytes", lambda r: r[0].size),
        Column("Round", "count", lambda r: r[1].round, width=8),
        Column("Status", "text", lambda r: r[1].status, width=10),
        Column("Began (UTC)", "text", lambda r: r[1].started_utc, width=21),
        Column("Measured", "s", lambda r: r[1].measured_s),
        Column("Latency samples", "count", lambda r: r[1].samples),
        Column("Received", "count", lambda r: r[1].received),
        Column("Lost", "count", lambda r: r[1].lost),
        Column("Median", "us", lambda r: micros(r[1].median_ns)),
        Column("p99", "us", lambda r: micros(r[1].p99_ns)),
        Column("Samples/s", "rate", lambda r: r[1].samples_per_s),
        Column("Goodput", "mbit", lambda r: r[1].mbit_per_s),
        Column("Discovery", "s", lambda r: r[1].discovery_s),
        Column("Busiest CPU", "share", lambda r: r[1].cpu_busy),
        Column("Case", "text", lambda r: r[0].id, width=30),
        Column("Reason", "wrapped", lambda r: r[1].reason),
    ]
    _, left = table.write(
        sheet, FIRST_ROW, columns, rows, frozen=1, is_floor=lambda r: r[0].is_floor
    )
    _tell(sheet.parts, left, "rounds")
