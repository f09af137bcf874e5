"""All cases on one sheet, and what lies behind them: percentiles and rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.case.background import UNITS
from busmark.analysis.figures import Best, Distribution, Figure
from busmark.analysis.model import Campaign, CaseSummary, RoundSummary
from busmark.findings.kinds import Flags, by_case, kinds, marks
from busmark.model.entry import Described, Estimate, Number, Pooled, Statistic
from busmark.model.quantities import OF_CASES
from busmark.model.quantities.latency import JITTER, PINGS, PROBE_TRIPS, PROBES
from busmark.model.statistics import POOLED, REPORTED
from busmark.present.blocks.cases import label_title
from busmark.report import same_in_all
from busmark.report.workbook import table
from busmark.report.workbook.book import FIRST_ROW, Book
from busmark.report.workbook.table import MICRO, Column, Value, estimate, micros
from busmark.stats import LADDER

ONE_WAY = "One-way latency in the stream"
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
        note="An estimate is of a typical round (the median over rounds; of loss the mean), with "
        "its 95 % interval. An empty cell: not measured, or too few samples. Grey: the null "
        "adapter, what Busmark itself costs. Letters under Findings: the sheet Findings. "
        + same_in_all.above(campaign.cases, [], ""),
    )  # fmt: skip
    _, left = table.write(
        sheet, FIRST_ROW, _columns(campaign), campaign.cases, frozen=1,
        is_floor=lambda case: case.is_floor, link=lambda case: sheet_of.get(case.id),
    )  # fmt: skip
    _tell(sheet.parts, left, "cases")


def _tell(parts: list[str], left: int, what: str) -> None:
    if left:
        parts.append(f"{left:,} {what} have no room on a sheet; `busmark report --to csv` has them")


def _marks(found: Mapping[str, Flags], case: Case) -> str | None:
    return marks(found[case.id].flags) if case.id in found else None


def _columns(campaign: Campaign) -> list[Column[Case]]:
    found = by_case(kinds(campaign.findings))
    return [
        Column(label_title(campaign.cases), "text", lambda c: c.label, width=30, keep=True),
        Column("Test", "text", lambda c: c.test, width=11, keep=True),
        Column("Placement", "text", lambda c: placement_text(c.placement), width=18),
        Column("Size", "bytes", lambda c: c.size),
        *_told(campaign, "workload"),
        *_told(campaign, "choices"),
        Column("Status", "text", lambda c: c.status.replace("_", " "), width=12, keep=True),
        Column("Rounds", "count", lambda c: c.rounds.ok, width=8, keep=True),
        Column("Findings", "text", lambda c: _marks(found, c), width=11),
        *_statistics(PINGS, lambda one: one.in_summary, "{title} RTT/2{of_a_round}"),
        *(_spread(one) for one in POOLED),
        *_statistics(JITTER, lambda one: one.key == "median", "{title} jitter (RFC 3393)"),
        *_of_cases("rates"),
        *_of_cases("account"),
        *_statistics(PROBES, lambda one: one.in_stream_summary, f"{ONE_WAY}: {{name}}"),
        *_of_cases("counts"),
        *(column for kind in _load_kinds(campaign) for column in _load(kind)),
        *_of_cases("last"),
        Column("Case", "text", lambda c: c.id, width=30, keep=True),
        Column("Reason", "wrapped", lambda c: c.reason),
    ]


Part = Literal["rates", "account", "counts", "last"]
"""Parts of the sheet, in their order."""


def _part(one: Estimate | Number) -> Part:
    if any(heading.last for heading in one.tables.values()):
        return "last"
    if isinstance(one, Number) and one.account:
        return "account"
    return "rates" if one.unit else "counts"


def _of_cases(part: Part) -> list[Column[Case]]:
    """Figures that are not of latencies."""
    columns: list[Column[Case]] = []
    for one in OF_CASES:
        if not one.summary or _part(one) != part:
            continue
        kind, factor = table.UNITS[one.unit]
        if isinstance(one, Number):
            group = ARRIVED if one.account else ""
            columns.append(Column(one.summary, kind, one.pick, group))
        elif one.pick:
            # A mean of counts has places behind the point.
            parts = estimate(one.summary, "plain" if not one.unit else kind, one.pick, factor)
            value = replace(parts[0], title=one.summary, group="")
            columns += parts if one.summary_interval else [value]
    return columns


def _statistics(
    of: Described, shown: Callable[[Statistic], bool], title: str
) -> list[Column[Case]]:
    """Figures of latencies of a typical round."""

    def pick(one: Statistic) -> Callable[[Case], Figure | None]:
        return lambda case: one.figure(of.pick(case))

    return [
        column
        for one in REPORTED
        if shown(one)
        for column in estimate(
            title.format(title=one.title, name=one.name, of_a_round=one.of_a_round),
            "us", pick(one), MICRO,
        )
    ]  # fmt: skip


def _told(campaign: Campaign, attribute: str) -> list[Column[Case]]:
    """A column for each parameter that varies."""
    names = dict.fromkeys(name for case in campaign.cases for name in getattr(case, attribute))

    def value(name: str) -> Callable[[Case], Value]:
        return lambda case: getattr(case, attribute).get(name)

    return [Column(name.capitalize(), "text", value(name)) for name in names]


def _spread(one: Pooled) -> Column[Case]:
    def value(case: Case) -> Value:
        return micros(case.rtt_2.time_ns(one.key)) if case.rtt_2 else None

    return Column(one.title, "us", value, LATENCY)


def _load_kinds(campaign: Campaign) -> list[str]:
    """Kinds of background load that ran beside some case."""
    found = {load.kind for case in campaign.cases for load in case.loads}
    return [kind for kind in UNITS if kind in found]


def _load(kind: str) -> list[Column[Case]]:
    """What was asked for and what was there, in the units of reports."""

    def value(case: Case, what: str, factor: float) -> Value:
        found = (getattr(load, what) for load in case.loads if load.kind == kind)
        level = next(found, None)
        return None if level is None else level * factor

    factor, unit = UNITS[kind]
    title = f"Load {kind},{unit}"
    return [
        Column(f"{title}: asked for", "plain", lambda c: value(c, "asked", factor), width=20),
        Column(f"{title}: achieved", "plain", lambda c: value(c, "achieved", factor), width=20),
        Column(f"Load {kind}: share of what was asked", "share", lambda c: value(c, "share", 1.0)),
    ]


def _square(value_ns2: float | None) -> float | None:
    return None if value_ns2 is None else value_ns2 / MICRO**2


def percentiles(book: Book, campaign: Campaign) -> None:
    """The ladder of every distribution."""
    rows = [
        Latencies(case, quantity, found)
        for case in campaign.cases
        for quantity, found in _distributions(case)
    ]
    if not rows:
        return
    sheet = book.sheet(
        "Percentiles", "Percentiles, all rounds pooled",
        "50 to 99.9999 % of all samples of a case, where there are enough of them",
        note="Percentiles of the samples of all rounds together; lost ones are later than any. "
             "Empty: fewer than 10 samples lie beyond, or the percentile falls among the lost.",
    )  # fmt: skip
    rungs: list[Column[Latencies]] = [
        Column(f"{percent:g} %", "us", _rung(percent), keep=True) for percent in LADDER
    ]
    columns: list[Column[Latencies]] = [
        Column(label_title(campaign.cases), "text", lambda r: r.case.label, width=30),
        Column("Test", "text", lambda r: r.case.test, width=11),
        Column("Placement", "text", lambda r: placement_text(r.case.placement), width=18),
        Column("Size", "bytes", lambda r: r.case.size),
        Column("Quantity", "text", lambda r: r.quantity, width=20),
        Column("Samples", "count", lambda r: r.found.count),
        Column("Lost, share", "share", lambda r: r.found.lost_share),
        *rungs,
        Column("Max", "us", lambda r: micros(r.found.max_ns)),
        Column("Case", "text", lambda r: r.case.id, width=30),
    ]
    _, left = table.write(
        sheet, FIRST_ROW, columns, rows, frozen=1, is_floor=lambda r: r.case.is_floor
    )
    _tell(sheet.parts, left, "rows of percentiles")


def _distributions(case: Case) -> list[tuple[str, Distribution]]:
    """Latencies of the case, and what they are called."""
    every = (PINGS, PROBES, PROBE_TRIPS)
    return [(of.name, found) for of in every if (found := of.pick(case))]


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
        for part in found.best
    ]
    if not rows:
        return
    sheet = book.sheet(
        "Best samples", "Best samples", "count, minimum, average, maximum and deviation of the "
        "best 100, 99.9, 99 and 90 % of all samples",
        note="The effect of a few slow samples on average and deviation. All rounds together.",
    )  # fmt: skip
    columns: list[Column[tuple[Latencies, Best]]] = [
        Column(label_title(campaign.cases), "text", lambda r: r[0].case.label, width=30),
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


TIMES_OF = {"half_round_trip": "RTT/2", "round_trip": "round trips"}
"""Latencies of rounds, in words."""


def _times_of(attempt: RoundSummary) -> str | None:
    """Return what the times of a round are of, in words."""
    return TIMES_OF.get(attempt.times.quantity) if attempt.times else None


def _time(row: Round, field: str) -> float | None:
    """Return a time of a round."""
    return getattr(row[1].times, field) if row[1].times else None


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
        Column(label_title(campaign.cases), "text", lambda r: r[0].label, width=30),
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
        Column("Times of", "text", lambda r: _times_of(r[1]), width=12),
        Column("Median", "us", lambda r: micros(_time(r, "median_ns"))),
        Column("p99", "us", lambda r: micros(_time(r, "p99_ns"))),
        Column("Min", "us", lambda r: micros(_time(r, "min_ns"))),
        Column("Average", "us", lambda r: micros(_time(r, "mean_ns"))),
        Column("Max", "us", lambda r: micros(_time(r, "max_ns"))),
        Column("Variance, µs²", "plain", lambda r: _square(_time(r, "variance_ns2"))),
        Column("Theoretical, samples/s", "rate", lambda r: r[1].theoretical_per_s),
        Column("Written, samples/s", "rate", lambda r: r[1].written_per_s),
        Column("Read, samples/s", "rate", lambda r: r[1].samples_per_s),
        Column("Goodput", "mbit", lambda r: r[1].mbit_per_s),
        Column("Batches", "count", lambda r: r[1].batches),
        Column("Not acknowledged", "count", lambda r: r[1].batches_unacknowledged),
        Column("Time of a batch", "us", lambda r: micros(r[1].batch_ns)),
        Column("Discovery", "s", lambda r: r[1].discovery_s),
        Column("Discovery, resolution", "s", lambda r: r[1].discovery_resolution_s, width=20),
        *(_achieved(kind) for kind in _load_kinds(campaign)),
        Column("Busiest CPU", "share", lambda r: r[1].cpu_busy),
        Column("Case", "text", lambda r: r[0].id, width=30),
        Column("Reason", "wrapped", lambda r: r[1].reason),
    ]
    _, left = table.write(
        sheet, FIRST_ROW, columns, rows, frozen=1, is_floor=lambda r: r[0].is_floor
    )
    _tell(sheet.parts, left, "rounds")


def _achieved(kind: str) -> Column[Round]:
    factor, unit = UNITS[kind]

    def value(row: Round) -> Value:
        level = row[1].loads.get(kind)
        return None if level is None else level * factor

    return Column(f"Load {kind},{unit}: achieved", "plain", value, width=20)
