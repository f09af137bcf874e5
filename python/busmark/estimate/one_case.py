"""One case of a result, analysed: all that does not need the other cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import polars as pl

from busmark.errors import UserError
from busmark.estimate import curves as series
from busmark.estimate import latency, machines, resources, rounds, throughput
from busmark.estimate.capacity import capacity
from busmark.estimate.case import CaseSummary
from busmark.estimate.discovery import discovery, meeting
from busmark.estimate.flows import kinds, own_flows, several, totals, ways
from busmark.estimate.latency import Latency, every_for
from busmark.estimate.levels import levels
from busmark.estimate.nodes import Tables, node_costs
from busmark.estimate.phases import SAMPLE_COLUMNS as OF_PHASES
from busmark.estimate.phases import Phase, RoundTables, phases
from busmark.estimate.resources import background
from busmark.estimate.rounds import RoundSummary, precision
from busmark.estimate.route import SAMPLE_COLUMNS as OF_ROUTES
from busmark.estimate.route import Route, Wire, routes, wire
from busmark.estimate.samples import Pools, Timed
from busmark.estimate.stated import completed, stated
from busmark.estimate.stream import Batches, Pairs, batches, pairs
from busmark.estimate.throughput import Throughput
from busmark.model import naming as dim
from busmark.model.naming import Named
from busmark.model.parameters import Parameters
from busmark.store import Case, Result


def case_params(case: Case, rows: list[rounds.Row]) -> Parameters:
    """Parameters from the manifest, completed by what the rounds say."""
    known = ("test", "adapter", "placement", "size")
    first = rows[0] if rows else {}
    absent = [name for name in known if name not in case.params.model_fields_set]
    return case.params.changed(
        **{name: first[name] for name in absent if first.get(name) is not None}
    )


T = TypeVar("T")

F = TypeVar("F", bound=pl.DataFrame | None)

SAMPLE_COLUMNS = (
    "role", "flags", "writer", "reader", "seq", "intended_ns", "sent_ns", "written_ns",
    "echo_delivered_ns", "echo_read_ns", "echo_sent_ns", "echo_written_ns", "delivered_ns",
    "read_ns", "round_trip_ns",
)  # fmt: skip


@dataclass(slots=True)
class CaseAnalysis:
    """What the steps of the analysis of one case share; `problems` are of that case."""

    result: Result
    with_series: bool
    thinning: series.Thinning
    tools: dict[str, str] = field(default_factory=dict)
    """For an imported result: which tool wrote each file."""
    problems: list[str] = field(default_factory=list)

    def samples(self, case: str, number: int) -> pl.DataFrame:
        """The columns that figures are made of: reading all takes twice as long."""
        return self.result.samples(case, number, SAMPLE_COLUMNS)

    def leave_out(self, case: str, number: int, what: str, found: Timed) -> None:
        """Tell of samples that were read before they were sent."""
        if found.negative:
            total = found.negative + found.latency.size
            self.problems.append(
                f"case {case}, round {number}: {found.negative} of {total} {what} are negative "
                "and left out"
            )

    def tables(
        self,
        case: str,
        numbers: list[int],
        load: Callable[[str, int], F],
        use: Callable[[int, F], T],
    ) -> list[T]:
        """`use` on the table of each round; one that cannot be read becomes a problem."""
        used = []
        for number in numbers:
            try:
                used.append(use(number, load(case, number)))
            except UserError as error:
                # A file that is read twice is reported once.
                if str(error) not in self.problems:
                    self.problems.append(str(error))
        return used

    def whole(
        self,
        case: str,
        numbers: list[int],
        load: Callable[[str, int], pl.DataFrame | None],
    ) -> list[pl.DataFrame]:
        """The tables of these rounds, of those that have one."""
        read = self.tables(case, numbers, load, lambda _, table: table)
        return [table for table in read if table is not None]


class Task(NamedTuple):
    """A case, and what the result knows of it."""

    case: Case
    params: Parameters
    named: Named
    rows: list[rounds.Row]


def analysed(common: CaseAnalysis, task: Task) -> tuple[CaseSummary, list[str]]:
    """The case, and what of it could not be used."""
    analysis = replace(common, problems=[])
    return _summary(analysis, *task), analysis.problems


def _one_clock(rows: list[rounds.Row]) -> dict[int, bool]:
    """By round, whether all participants had one clock: an older Busmark knew one machine only."""
    return {row["round"]: row["one_clock"] is not False for row in rows}


def _summary(
    analysis: CaseAnalysis, case: Case, params: Parameters, named: Named, rows: list[rounds.Row]
) -> CaseSummary:
    counts = rounds.counts(rows)
    status, reason = rounds.verdict(case.status, case.reason, counts, rows)
    good = [row for row in rounds.last_attempts(rows) if row["status"] == "ok"]
    test = str(params.test)
    before = len(analysis.problems)
    measures: dict[str, Any] = {}
    if test == "capacity":
        # A row of another test, of a damaged manifest, does not have what a trial has.
        trials = [row for row in good if row["test"] == "capacity"]
        in_order = sorted(trials, key=lambda row: row["order"])
        scenario = analysis.result.manifest.scenario
        measures = {"capacity": capacity(scenario, params, in_order)}
    elif test == "discovery":
        measures = {"discovery": discovery(params, good)} if good else {}
        measures |= _system(analysis, case.id, params, good, None)
    elif good:
        measure = _throughput if test == "throughput" else _latency
        measures = measure(analysis, case.id, params, good)
        measures |= _system(analysis, case.id, params, good, measures.get("series"))
        measures |= _flows(analysis, case.id, params, good)
        measures["routes"] = _routes(analysis, case.id, good)
        measures["phases"] = _phases(analysis, case.id, params, good)
        if analysis.tools:
            measures |= _stated(analysis, case.id, params, good, measures)
    cpus = measures.pop("cpus_by_round", {})
    unread = len(analysis.problems) - before
    if unread and status == "ok":
        status = "partial"
        reason = f"not everything could be used: {analysis.problems[before]}"
    return CaseSummary(
        id=case.id,
        test=test,
        adapter=str(params.adapter),
        label=named.label,
        label_title=named.title,
        label_parts=named.parts,
        placement=dim.kept(dim.placement_of(params), rounds.last_attempts(rows)),
        size=params.size,
        workload=named.workload,
        choices=named.choices,
        params=params,
        is_floor=named.is_floor,
        status=status,
        reason=reason,
        rounds=counts,
        precision=precision(analysis.result.manifest.scenario, params, good),
        answer=analysis.result.manifest.scenario.get("answer") or "goodput",
        attempts=[_attempt(row, cpus) for row in rows],
        loads=background(params, good or rounds.last_attempts(rows)),
        beside_expected=_sum(good, "stream_expected"),
        beside_lost=_sum(good, "stream_lost"),
        captured=_sum(good, "captured"),
        capture_dropped=_sum(good, "capture_dropped"),
        wire=_wire(analysis, case.id, params, good),
        os=machines.fact_of(analysis.result.manifest, params, good, "os"),
        **measures,
    )


def _attempt(row: rounds.Row, cpus: Mapping[int, float | None]) -> RoundSummary:
    """With what is known of its round, where it is the attempt that counts."""
    found = rounds.summary(row)
    if found.status != "ok":
        return found
    return found.model_copy(update={"cpus": cpus.get(found.round)})


def _wire(
    analysis: CaseAnalysis, case: str, params: Parameters, good: list[rounds.Row]
) -> Wire | None:
    """What passed the wire, where it was captured."""
    numbers = [row["round"] for row in good if row.get("wire_samples") is not None]
    if not numbers:
        return None
    return wire(params, good, analysis.whole(case, numbers, analysis.result.wire))


def _sum(rows: list[rounds.Row], column: str) -> int | None:
    """Sum of the known values of a column; None if there are none."""
    found = [value for row in rows if (value := row.get(column)) is not None]
    return sum(found) if found else None


def _latency(
    analysis: CaseAnalysis, case: str, params: Parameters, good: list[rounds.Row]
) -> dict[str, Any]:
    def use(number: int, samples: pl.DataFrame) -> latency.PingRound:
        known = one_clock[number]
        return latency.ping_round(number, samples, one_clock=known, legs_every=every)

    one_clock = _one_clock(good)
    every = every_for(sum(row["samples"] or 0 for row in good))
    numbers = [row["round"] for row in good]
    pings = analysis.tables(case, numbers, analysis.samples, use)
    open_loop = params.arrivals != "closed"
    for ping in pings:
        analysis.leave_out(case, ping.number, "round trips", ping.back)
    pools = Pools.of([(ping.number, ping.back) for ping in pings])
    summary: Latency = latency.latency(pings, pools, open_loop=open_loop, legs_every=every)
    drawn = latency.series(pings, pools, analysis.thinning) if analysis.with_series else None
    return {"latency": summary, "series": drawn}


def _throughput(
    analysis: CaseAnalysis, case: str, params: Parameters, good: list[rounds.Row]
) -> dict[str, Any]:
    def use(number: int, samples: pl.DataFrame) -> throughput.ProbeRound:
        return throughput.probe_round(
            number, samples, one_clock=one_clock[number], row=row_of[number]
        )

    one_clock = _one_clock(good)
    row_of = {row["round"]: row for row in good}
    numbers = [row["round"] for row in good]
    read = analysis.tables(case, numbers, analysis.samples, use)
    for probe in read:
        analysis.leave_out(case, probe.number, "one-way times", probe.one_way)
        analysis.leave_out(case, probe.number, "round trips", probe.round_trip)
    probes = throughput.Probes.of(read)
    summary: Throughput = throughput.throughput(
        good, probes, _batches(analysis, case, params, good), _pairs(analysis, case, good, read)
    )
    found: dict[str, Any] = {"throughput": summary}
    if not analysis.with_series:
        return found
    rates = {row["round"]: row["mbit_per_s"] for row in good if row["mbit_per_s"] is not None}
    middle = series.middle_round(rates)
    shown = [middle] if middle is not None else []
    measured = {row["round"]: row["measured_s"] for row in good}

    beside = [flow.name for flow in params.flows]

    def over_time(number: int, intervals: pl.DataFrame) -> series.RateSeries | None:
        if beside:
            intervals = intervals.filter(~pl.col("flow").is_in(beside))
        return series.rate(number, intervals, measured[number])

    rate = analysis.tables(case, shown, analysis.result.intervals, over_time)
    drawn = throughput.series(good, probes, rate[0] if rate else None, analysis.thinning)
    return found | {"series": drawn}


def _pairs(
    analysis: CaseAnalysis, case: str, good: list[rounds.Row], read: list[throughput.ProbeRound]
) -> Pairs | None:
    timed = {probe.number: probe.pairs for probe in read if probe.pairs is not None}
    if not timed:
        return None
    flows = analysis.whole(case, [*timed], analysis.result.flows)
    return pairs([*timed.values()], flows, _recorded_every(good))


def _recorded_every(good: list[rounds.Row]) -> int:
    """One in this many samples of streams at a rate is recorded, in the round with the fewest."""
    return max((row.get("recorded_every") or 1 for row in good), default=1)


def _flows(
    analysis: CaseAnalysis, case: str, params: Parameters, good: list[rounds.Row]
) -> dict[str, Any]:
    """Who wrote and read how much, and what the scenario's own flows came through with."""
    if not several(params):
        return {}
    numbers, known = [row["round"] for row in good], _one_clock(good)
    flows = analysis.whole(case, numbers, analysis.result.flows)
    participants = analysis.whole(case, numbers, analysis.result.participants)
    found: dict[str, Any] = {
        "ways": ways(flows, participants, kinds(params)),
        "totals": totals(flows, participants, kinds(params)),
    }
    if params.test == "throughput" and isinstance(params.size, int):
        found["meeting"] = meeting(analysis.whole(case, numbers, analysis.result.matches))
        found["levels"] = levels(flows, participants, params.size, list(kinds(params)))
    if params.flows:
        read = partial(analysis.result.samples_beside, columns=SAMPLE_COLUMNS)
        beside = analysis.tables(case, numbers, read, lambda number, own: (number, own))
        each = [(number, own, known[number]) for number, own in beside]
        found["own_flows"] = own_flows(params, flows, each, _recorded_every(good))
    return found


def _routes(analysis: CaseAnalysis, case: str, good: list[rounds.Row]) -> list[Route]:
    """By the packets of the counted rounds on one clock: of several clocks neither the order of
    hops nor a time between them is known."""
    known = _one_clock(good)
    captured = [row["round"] for row in good if row.get("captured") is not None]
    found = []
    for number in (number for number in captured if known[number]):
        for hops in analysis.whole(case, [number], analysis.result.hops):
            found.append((number, hops, analysis.result.samples(case, number, OF_ROUTES)))
    return routes(found)


def _phases(
    analysis: CaseAnalysis, case: str, params: Parameters, good: list[rounds.Row]
) -> list[Phase]:
    if not params.timeline:
        return []

    def load(case: str, number: int) -> RoundTables:
        own, beside = analysis.result.samples, analysis.result.samples_beside
        return RoundTables(
            samples=pl.concat([own(case, number, OF_PHASES), beside(case, number, OF_PHASES)]),
            intervals=analysis.result.intervals(case, number),
            changes=analysis.result.changes(case, number),
        )

    found = []
    for row in good:
        try:
            found.append(load(case, row["round"]))
        except UserError as error:
            analysis.problems.append(str(error))
    return phases(found)


def _batches(
    analysis: CaseAnalysis, case: str, params: Parameters, good: list[rounds.Row]
) -> Batches | None:
    numbers = [row["round"] for row in good] if params.batch else []
    return batches(params, good, analysis.whole(case, numbers, analysis.result.batches))


def _stated(
    analysis: CaseAnalysis, case: str, params: Parameters, good: list[rounds.Row],
    measures: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """What the source of an imported result states, for what its samples do not contain."""
    try:
        summaries = analysis.result.summaries
    except UserError as error:
        analysis.problems.append(str(error))
        return measures
    own = summaries.filter(pl.col("case") == case)
    found = stated(own, [row["round"] for row in good], analysis.tools)
    return completed(measures, params, good, found, own)


def _system(
    analysis: CaseAnalysis, case: str, params: Parameters, good: list[rounds.Row],
    drawn: series.CaseSeries | None,
) -> dict[str, Any]:  # fmt: skip
    """What participants cost the machine; over time in the round that is drawn already."""

    def use(number: int, system: pl.DataFrame | None) -> tuple[int, pl.DataFrame] | None:
        return None if system is None else (number, system)

    numbers = [row["round"] for row in good]
    read = analysis.tables(case, numbers, analysis.result.system, use)
    known = dict(found for found in read if found)
    frames = dict(zip(known, resources.each_by_participant(list(known.values())), strict=True))
    measured = {row["round"]: row["measured_s"] or 0.0 for row in good}
    used = resources.resources(list(frames.values()), [measured[number] for number in frames])
    found: dict[str, Any] = {"resources": used.participants, "cpus_used": used.together}
    found["counters"] = resources.counters([*known.values()], [measured[n] for n in known])
    found["cpus_by_round"] = dict(zip(frames, used.by_round, strict=False))
    if several(params) and params.network:
        each = [
            Tables(known[number], frames[number], *beside, measured[number])
            for number in known
            if (beside := _beside(analysis, case, number))
        ]
        found["nodes"] = node_costs(each)
    shown = drawn and (drawn.timeline or drawn.rate)
    if drawn and shown and shown.round in frames:
        over_time = resources.series(shown.round, frames[shown.round], measured[shown.round])
        found["series"] = drawn.model_copy(update={"system": over_time})
    return found


def _beside(
    analysis: CaseAnalysis, case: str, number: int
) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """The tables `participants` and `flows` of a round that has them."""
    participants = analysis.whole(case, [number], analysis.result.participants)
    flows = analysis.whole(case, [number], analysis.result.flows)
    return (participants[0], flows[0]) if participants and flows else None
