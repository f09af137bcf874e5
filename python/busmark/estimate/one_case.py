"""One case of a result, analysed: all that does not need the other cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import polars as pl

from busmark.errors import UserError
from busmark.estimate import curves, latency, machines, resources, rounds, throughput
from busmark.estimate.actions import actions
from busmark.estimate.capacity import capacity
from busmark.estimate.discovery import discovery, meeting
from busmark.estimate.distribution import jitter_share
from busmark.estimate.flows import kinds, own_flows, several, totals, ways
from busmark.estimate.latency import every_for
from busmark.estimate.levels import levels
from busmark.estimate.nodes import Tables, node_costs
from busmark.estimate.phases import SAMPLE_COLUMNS as OF_PHASES
from busmark.estimate.phases import RoundTables, phases
from busmark.estimate.reported import arrivals, completed, reported
from busmark.estimate.requests import requests
from busmark.estimate.resources import background
from busmark.estimate.rounds import precision
from busmark.estimate.samples import Pools, Timed
from busmark.estimate.stream import batches, pairs, single_batches
from busmark.model import naming as dim
from busmark.model.case import CaseSummary, Curve
from busmark.model.distribution import POOL
from busmark.model.entry import SEARCHES
from busmark.model.figure import Quantity
from busmark.model.figures import Estimated, Figures, Found, estimated, with_rounds
from busmark.model.latency import Reported
from busmark.model.naming import NamedCase
from busmark.model.parameters import Parameters
from busmark.model.quantities import CPUS_USED, OF_CASES, counters
from busmark.model.quantities.host import UDP_SOCKET_DROPS
from busmark.model.quantities.latency import JITTER_SHARE
from busmark.model.rounds import RoundSummary
from busmark.plugin import case_parts, of_parts
from busmark.store import Case, Result


def case_params(case: Case, rows: list[rounds.Row]) -> Parameters:
    """Return the manifest's parameters, completed by the first round."""
    known = ("test", "adapter", "placement", "size")
    first = rows[0] if rows else {}
    absent = [name for name in known if name not in case.params.model_fields_set]
    return case.params.changed(
        **{name: first[name] for name in absent if first.get(name) is not None}
    )


T = TypeVar("T")

F = TypeVar("F", bound=pl.DataFrame | None)

WITHOUT_EXCHANGES = ("throughput", *SEARCHES, "discovery", "action")
"""Tests whose samples are no exchanges of their own."""

SAMPLE_COLUMNS = (
    "role",
    "flags",
    "writer",
    "reader",
    "seq",
    "intended_ns",
    "sent_ns",
    "written_ns",
    "echo_delivered_ns",
    "echo_read_ns",
    "echo_sent_ns",
    "echo_written_ns",
    "delivered_ns",
    "read_ns",
    "round_trip_ns",
)


@dataclass(frozen=True, slots=True)
class CaseAnalysis:
    """The result and the options that the analyses of all its cases share."""

    result: Result
    with_series: bool = False
    thinning: curves.Thinning = field(default_factory=curves.Thinning)


class CaseTask(NamedTuple):
    """A case, and what the result knows of it."""

    case: Case
    params: Parameters
    named: NamedCase
    rows: list[rounds.Row]


def tasks_of(
    result: Result, *, with_series: bool = True, rounds_planned: int = 0
) -> tuple[CaseAnalysis, list[CaseTask]]:
    """Return what there is to analyse of a result; `rounds_planned`: rounds that it will have."""
    manifest, rows = result.manifest, rounds.rows_of(result.cases)
    params = {case.id: case_params(case, rows.get(case.id, [])) for case in manifest.cases}
    flats = {case: dim.flatten(each) for case, each in params.items()}
    unsupported = {case.id for case in manifest.cases if case.status == "unsupported"}
    named = dim.name_cases(flats, manifest.adapters, unsupported)
    thinning = curves.Thinning.for_campaign(
        cases=sum(case.status == "planned" for case in manifest.cases),
        rounds=max(rounds_planned, sum(map(len, rows.values()))),
    )
    tasks = [CaseTask(c, params[c.id], named[c.id], rows.get(c.id, [])) for c in manifest.cases]
    return CaseAnalysis(result, with_series, thinning), tasks


class CaseFigures(NamedTuple):
    """What was found of a case."""

    figures: Figures
    series: Sequence[Curve] = ()
    parts: Mapping[str, Any] = {}
    """What plug-ins make of it, by plug-in."""
    problems: Sequence[str] = ()
    """What could not be used."""


def analysed(common: CaseAnalysis, task: CaseTask) -> CaseFigures:
    """Return what the tables of a case give."""
    return Analysis(common, *task).figures_found()


def record(common: CaseAnalysis, task: CaseTask, found: CaseFigures) -> CaseSummary:
    """Return the record of a case: what the manifest and the table of rounds say of it, and its
    figures. No other table is read."""
    case, params, named, rows = task
    result, manifest = common.result, common.result.manifest
    last = rounds.last_attempts(rows)
    good = [row for row in last if row["status"] == "ok"]
    counts = rounds.counts(rows)
    status, reason = rounds.verdict(case.status, case.reason, counts, rows)
    if found.problems and status == "ok":
        status, reason = "partial", f"not everything could be used: {found.problems[0]}"
    rows_of_cpu = (row for row in found.figures if row.quantity == "cpu" and row.scope == "round")
    cpus = {row.round: row.value for row in rows_of_cpu}
    searched = capacity(manifest.scenario, params, rounds.trials(good))
    has_exchanges = bool(good) and params.test not in WITHOUT_EXCHANGES
    return CaseSummary(
        id=case.id,
        test=str(params.test),
        adapter=str(params.adapter),
        label=named.label,
        label_title=named.title,
        label_parts=named.parts,
        placement=dim.kept(dim.placement_of(params), last),
        size=params.size,
        workload=named.workload,
        choices=named.choices,
        params=params,
        is_floor=named.is_floor,
        status=status,
        reason=reason,
        rounds=counts,
        precision=precision(manifest.scenario, params, good),
        answer=manifest.scenario.get("answer") or "goodput",
        attempts=[_attempt(row, cpus) for row in rows],
        arrivals=arrivals(params, imported=manifest.source is not None) if has_exchanges else None,
        capacity=searched[0] if searched and params.test in SEARCHES else None,
        background_expected=rounds.total(good, "stream_expected"),
        background_lost=rounds.total(good, "stream_lost"),
        reported=_stated(result, case.id, params, good),
        figures=found.figures,
        series=found.series,
        os=machines.fact_of(manifest, params, good, "os"),
        problems=[*found.problems],
        plugins={**found.parts},
    )


def _stated(
    result: Result, case: str, params: Parameters, good: Sequence[rounds.Row]
) -> list[Reported]:
    """Return what the source of an imported result states of a case."""
    source = result.manifest.source
    if source is None or not good or params.test in (*SEARCHES, "discovery", "action"):
        return []
    with suppress(UserError):
        own = result.summaries.filter(pl.col("case") == case)
        tools = {file.name: file.tool for file in source.files}
        return reported(own, [row["round"] for row in good], tools)
    return []


def inside(text: str, directory: Path) -> str:
    """Return a message with the names of files as they are in the result: the analysis is stored
    there, and moves with it."""
    return text.replace(str(directory / "-").removesuffix("-"), "")


class Analysis:
    """A case while it is analysed: its rounds that count, and their tables."""

    def __init__(
        self,
        common: CaseAnalysis,
        case: Case,
        params: Parameters,
        named: NamedCase,
        rows: list[rounds.Row],
    ) -> None:
        self.result, self.common = common.result, common
        self.case, self.params, self.named, self.rows = case, params, named, rows
        self.last = rounds.last_attempts(rows)
        self.good = [row for row in self.last if row["status"] == "ok"]
        self.numbers: list[int] = [row["round"] for row in self.good]
        # An older Busmark knew one machine only.
        self.one_clock = {row["round"]: row["one_clock"] is not False for row in self.good}
        self.measured_s = {row["round"]: row["measured_s"] for row in self.good}
        self.latencies: list[Estimated] = []
        """Rows of latencies: the first of the table."""
        self.figures: list[Estimated] = []
        """All other rows."""
        self.series: list[Curve] = []
        self.cpus: dict[int, float | None] = {}
        """CPUs that participants kept busy, by round."""
        self.problems: list[str] = []

    def figures_found(self) -> CaseFigures:
        """Return the figures of the case, its curves, and what plug-ins make of it."""
        self._add([(UDP_SOCKET_DROPS, rounds.total(self.good, "udp_socket_drops"))])
        self.figures += background(self.params, self.good or self.last)
        self._measure()
        rows = self.latencies + self.figures
        case = self._record(CaseFigures(Figures(rows)))
        parts = case_parts(self.result.manifest.scenario, self, case)
        case = case.model_copy(update={"plugins": parts})
        computed = [*estimated((one, one.pick(case)) for one in OF_CASES if one.pick)]
        of_plugins = of_parts(parts, lambda part: part.rows)
        known = {(row.quantity, row.statistic) for row in self.latencies if row.round is not None}
        counted = [
            attempt.model_copy(update={"cpus": self.cpus.get(attempt.round)})
            for attempt in case.attempts
            if attempt.status == "ok"
        ]
        of_rounds = (row for attempt in counted for row in rounds.figures(attempt, known))
        counts = {attempt.round: attempt.samples for attempt in counted}
        timed = (
            row if row.round is None else replace(row, count=counts.get(row.round))
            for row in self.latencies
        )
        rows = [*chain(timed, computed, self.figures, of_plugins, of_rounds)]
        figures = Figures(with_rounds(rows, len(self.good)))
        return CaseFigures(figures, self.series, parts, self.problems)

    def _record(self, found: CaseFigures) -> CaseSummary:
        task = CaseTask(self.case, self.params, self.named, self.rows)
        return record(self.common, task, found)

    def _measure(self) -> None:
        """Collect figures and curves."""
        test = str(self.params.test)
        if test in SEARCHES:
            searched = capacity(
                self.result.manifest.scenario, self.params, rounds.trials(self.good)
            )
            self._add(searched[1] if searched else ())
        elif test == "discovery":
            self._add(discovery(self.good))
            self._system()
        elif test == "action":
            self._add(actions(self.good, self.params))
            self._system()
        elif self.good:
            self._throughput() if test == "throughput" else self._latency()
            self._system()
            self._flows()
            self._phases()
            if self.result.manifest.source:
                self._reported(has_pings=test not in ("throughput", "service"))

    def _tables(
        self,
        load: Callable[[str, int], F],
        use: Callable[[int, F], T],
        numbers: Iterable[int] | None = None,
    ) -> list[T]:
        """Return `use` of the table of each round; one that cannot be read becomes a problem."""
        used = []
        for number in self.numbers if numbers is None else numbers:
            try:
                used.append(use(number, load(self.case.id, number)))
            except UserError as error:
                self._report(error)
        return used

    def whole(
        self, load: Callable[[str, int], pl.DataFrame | None], numbers: Iterable[int] | None = None
    ) -> list[pl.DataFrame]:
        """Return the tables of these rounds, of those that have one."""
        read = self._tables(load, lambda _, table: table, numbers)
        return [table for table in read if table is not None]

    def _samples(self, case: str, number: int) -> pl.DataFrame:
        """Return the columns that figures are made of: reading all takes twice as long."""
        return self.result.samples(case, number, SAMPLE_COLUMNS)

    def _report(self, error: UserError) -> None:
        """Add a problem, a file that is read twice once."""
        text = inside(error.line, self.result.directory)
        if text not in self.problems:
            self.problems.append(text)

    def _leave_out(self, number: int, what: str, found: Timed) -> None:
        """Report samples that were read before they were sent."""
        if found.negative:
            total = found.negative + found.latency.size
            self.problems.append(
                f"case {self.case.id}, round {number}: {found.negative} of {total} {what} are "
                "negative and left out"
            )

    @property
    def _recorded_every(self) -> int:
        """The greatest n of which one in n samples of streams at a rate is recorded in a round."""
        return max((row.get("recorded_every") or 1 for row in self.good), default=1)

    def _latency(self) -> None:
        every = every_for(sum(row["samples"] or 0 for row in self.good))
        of_service = self.params.test == "service"

        def use(number: int, samples: pl.DataFrame) -> latency.PingRound:
            one_clock = self.one_clock[number]
            # The parts of a response time have medians of their own.
            parts = None if of_service else every
            return latency.ping_round(number, samples, one_clock=one_clock, segments_every=parts)

        pings = self._tables(self._samples, use)
        for ping in pings:
            self._leave_out(ping.number, "round trips", ping.back)
        pools = Pools.from_rounds(
            [(p.number, p.back) for p in pings], phased=bool(self.params.timeline)
        )
        quantity: Quantity = "response_time" if of_service else "half_round_trip"
        self.latencies += latency.latency(pings, pools, quantity, segments_every=every)
        if any(row.over == POOL for row in self.latencies):
            self._add([(JITTER_SHARE, jitter_share(pools.latency, pools.jitter))])
        if self.result.manifest.source:
            # Each round's own counts are known, also where an imported result has no samples.
            sent, lost = (throughput.total(self.good, name) for name in ("sent", "lost"))
        else:
            sent = sum(ping.sent for ping in pings)
            lost = sum(int(ping.lost_start.size) for ping in pings)
        self._add(latency.counts(sent, lost))
        if of_service:
            self._add(requests(self.good, self.params))
        if self.common.with_series:
            self.series += latency.series(pings, pools, quantity, self.common.thinning)

    def _throughput(self) -> None:
        row_of = dict(zip(self.numbers, self.good, strict=True))

        def use(number: int, samples: pl.DataFrame) -> throughput.ProbeRound:
            one_clock = self.one_clock[number]
            return throughput.probe_round(number, samples, one_clock=one_clock, row=row_of[number])

        read = self._tables(self._samples, use)
        for probe in read:
            self._leave_out(probe.number, "one-way times", probe.one_way)
            self._leave_out(probe.number, "round trips", probe.round_trip)
        probes = throughput.Probes.from_rounds(read, phased=bool(self.params.timeline))
        self.latencies += throughput.latencies(probes)
        self.latencies += self._pairs(read)
        of_batches = self.whole(self.result.batches, self.numbers if self.params.batch else [])
        self.figures += batches(self.params, self.good, of_batches)
        self.figures += single_batches(of_batches)
        self._add(throughput.figures(self.good, probes))
        if not self.common.with_series:
            return
        known = ((row["round"], row["mbit_per_s"]) for row in self.good)
        middle = curves.middle_round({number: rate for number, rate in known if rate is not None})
        shown = [middle] if middle is not None else []
        background = [flow.name for flow in self.params.flows]

        def over_time(number: int, intervals: pl.DataFrame) -> list[Curve]:
            if background:
                intervals = intervals.filter(~pl.col("flow").is_in(background))
            return [*curves.rate(number, intervals, self.measured_s[number])]

        self.series += throughput.series(self.good, probes, self.common.thinning)
        for rate in self._tables(self.result.intervals, over_time, shown):
            self.series += rate

    def _pairs(self, read: list[throughput.ProbeRound]) -> Iterator[Estimated]:
        timed = {probe.number: probe.pairs for probe in read if probe.pairs is not None}
        if timed:
            flows = self.whole(self.result.flows, timed)
            yield from pairs([*timed.values()], flows, self._recorded_every)

    def _add(self, found: Found) -> None:
        """Add figures of the whole case."""
        self.figures += estimated(found)

    def _flows(self) -> None:
        """Add who wrote and read how much, and what became of the scenario's own flows."""
        params = self.params
        if not several(params):
            return
        flows, participants = self.whole(self.result.flows), self.whole(self.result.participants)
        self.figures += ways(flows, participants, kinds(params))
        self.figures += totals(flows, participants, kinds(params))
        if params.test == "throughput" and isinstance(params.size, int):
            if met := meeting(self.whole(self.result.matches)):
                self._add(met.figures)
                self.series.append(met.curve)
            self.figures += levels(flows, participants, params.size, list(kinds(params)))
        if params.flows:
            read = partial(self.result.samples_background, columns=SAMPLE_COLUMNS)
            each = self._tables(read, lambda number, own: (number, own, self.one_clock[number]))
            self.figures += own_flows(params, flows, each, self._recorded_every)

    def _phases(self) -> None:
        if not self.params.timeline:
            return
        found = []
        for number in self.numbers:
            where = (self.case.id, number)
            try:
                both = (self.result.samples, self.result.samples_background)
                found.append(
                    RoundTables(
                        samples=pl.concat([read(*where, OF_PHASES) for read in both]),
                        intervals=self.result.intervals(*where),
                        changes=self.result.changes(*where),
                        one_clock=self.one_clock[number],
                    )
                )
            except UserError as error:
                self._report(error)
        self.figures += phases(found)

    def _reported(self, *, has_pings: bool) -> None:
        """Add what the source of an imported result states, for what its samples do not contain."""
        try:
            summaries = self.result.summaries
        except UserError as error:
            self._report(error)
            return
        own = summaries.filter(pl.col("case") == self.case.id)
        found = _stated(self.result, self.case.id, self.params, self.good)
        made = completed(self.latencies, self.series, self.good, found, own, has_pings=has_pings)
        self.latencies, self.series = made.rows, made.series

    def _system(self) -> None:
        """Add what participants cost the machine; over time in the round that is drawn already."""
        read = self._tables(self.result.system, lambda number, system: (number, system))
        known = {number: system for number, system in read if system is not None}
        measured = {number: self.measured_s[number] or 0.0 for number in known}
        frames = dict(zip(known, resources.each_by_participant([*known.values()]), strict=True))
        used = resources.resources([*frames.values()], [*measured.values()])
        self.cpus = dict(zip(frames, used.by_round, strict=False))
        counted = resources.counters([*known.values()], [*measured.values()])
        self._add([(CPUS_USED, used.together)])
        self._add((one, counted.get(one.column)) for one in counters.COUNTERS)
        self.figures += used.participants
        if several(self.params) and self.params.network:
            each = []
            for number in known:
                participants = self.whole(self.result.participants, [number])
                flows = self.whole(self.result.flows, [number])
                if participants and flows:
                    each.append(
                        Tables(
                            known[number],
                            frames[number],
                            participants[0],
                            flows[0],
                            measured[number],
                        )
                    )
            self.figures += node_costs(each)
        drawn = (curve.round for curve in self.series if curve.kind in ("detail", "timeline"))
        shown = next(drawn, None)
        if shown in frames:
            self.series += resources.series(shown, frames[shown], measured[shown])


def _attempt(row: rounds.Row, cpus: Mapping[int | None, float | None]) -> RoundSummary:
    """Return its summary, with what is known of its round where it is the attempt that counts."""
    found = rounds.summary(row)
    if found.status != "ok":
        return found
    return found.model_copy(update={"cpus": cpus.get(found.round)})
