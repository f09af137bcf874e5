"""From a result directory to the analysed campaign, two cases in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import polars as pl

from busmark.analysis import dimensions as dim
from busmark.analysis import latency, resources, rounds, series, throughput
from busmark.analysis.answer import answers
from busmark.analysis.capacity import capacity, with_network_capacity
from busmark.analysis.figures import CONFIDENCE
from busmark.analysis.fits import size_fits
from busmark.analysis.floor import Floors
from busmark.analysis.grouping import differing_choices, groups, headline
from busmark.analysis.imported import completed
from busmark.analysis.interop import matrices
from busmark.analysis.legs import every_for
from busmark.analysis.model import Campaign, CaseSummary, Latency, Throughput
from busmark.analysis.naming import Named, labels, name_cases
from busmark.analysis.pools import Pools
from busmark.analysis.precision import precision
from busmark.analysis.repeated import repeated
from busmark.analysis.stated import stated
from busmark.analysis.type_cost import type_costs
from busmark.analysis.variation import Timed
from busmark.errors import UserError
from busmark.store import Case, Result

AT_ONCE = 2
"""Cases that are analysed at the same time: each needs the memory of its samples."""

T = TypeVar("T")
F = TypeVar("F", bound=pl.DataFrame | None)


SAMPLE_COLUMNS = (
    "role", "flags", "writer", "seq", "intended_ns", "sent_ns", "written_ns", "echo_delivered_ns",
    "echo_read_ns", "echo_sent_ns", "delivered_ns", "read_ns", "round_trip_ns",
)  # fmt: skip


@dataclass(slots=True)
class _Analysis:
    """What the steps of the analysis of one case share."""

    result: Result
    with_series: bool
    thinning: series.Thinning
    tools: dict[str, str] = field(default_factory=dict)
    """Of an imported result: by file, which tool wrote it."""
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
                self.problems.append(str(error))
        return used


def summarise(result: Result, *, with_series: bool = True) -> Campaign:
    """Analyse a result; without series the plots' points are left out.

    Damaged or missing files are listed in `Campaign.problems`, the rest is used.
    """
    manifest = result.manifest
    rows = rounds.rows_of(result.cases)
    params = {case.id: case_params(case, rows.get(case.id, [])) for case in manifest.cases}
    flats = {case: dim.flatten(p) for case, p in params.items()}
    unsupported = {case.id for case in manifest.cases if case.status == "unsupported"}
    named = name_cases(flats, manifest.adapters, unsupported)
    thinning = series.Thinning.of(
        cases=sum(c.status == "planned" for c in manifest.cases),
        rounds=sum(map(len, rows.values())),
    )

    source = manifest.source
    tools = {f.name: f.tool for f in source.files} if source else {}

    def analysed(case: Case) -> tuple[CaseSummary, list[str]]:
        analysis = _Analysis(result, with_series, thinning, tools)
        of_case = rows.get(case.id, [])
        summary = _summary(analysis, case, params[case.id], named[case.id], of_case)
        return summary, analysis.problems

    # Reading and sorting, most of the work, leave the interpreter to another case meanwhile.
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(analysed, manifest.cases))
    cases = [case for case, _ in found]
    problems = list(source.left_out) if source else []
    problems += [problem for _, told in found for problem in told]
    cases = with_network_capacity(_with_floors(cases, flats))
    cases, in_perftest = repeated(result, cases, manifest.scenario.get("document"))
    grouped = groups(cases)
    by_id = {case.id: case for case in cases}
    fits = size_fits(cases, manifest.seed)
    return Campaign(
        name=str(manifest.scenario.get("name") or "unnamed campaign"),
        question=manifest.scenario.get("question") or None,
        document=manifest.scenario.get("document") or None,
        answers=[*type_costs(cases, manifest.adapters), *answers(grouped, by_id, fits)],
        differing_choices=differing_choices(grouped, by_id),
        source=manifest.source,
        created_utc=manifest.created_utc,
        finished_utc=manifest.finished_utc,
        busmark_version=manifest.busmark_version,
        command=manifest.command,
        seed=manifest.seed,
        scenario_text=manifest.scenario_text,
        criterion=manifest.scenario.get("capacity") or {},
        confidence=CONFIDENCE,
        hosts=manifest.hosts,
        resumptions=manifest.resumptions,
        adapters=manifest.adapters,
        missing_adapters=manifest.missing_adapters,
        findings=manifest.findings,
        problems=problems,
        labels=labels([(c.label, c.adapter, c.is_floor) for c in cases]),
        groups=grouped,
        interop=matrices(cases, manifest.adapters),
        fits=fits,
        cases=cases,
        perftest=in_perftest,
    )


def case_params(case: Case, rows: list[rounds.Row]) -> dict[str, Any]:
    """Of the manifest, completed by what the rounds say of themselves."""
    known = ("test", "adapter", "placement", "size")
    first = rows[0] if rows else {}
    missing = {name: first[name] for name in known if first.get(name) is not None}
    return {**missing, **case.params}


def _one_clock(rows: list[rounds.Row]) -> dict[int, bool]:
    """By round, whether all participants had one clock: an older Busmark knew one machine only."""
    return {row["round"]: row["one_clock"] is not False for row in rows}


def _summary(
    analysis: _Analysis, case: Case, params: dict[str, Any], named: Named, rows: list[rounds.Row]
) -> CaseSummary:
    counts = rounds.counts(rows)
    status, reason = rounds.verdict(case.status, case.reason, counts, rows)
    good = [row for row in rounds.last_attempts(rows) if row["status"] == "ok"]
    test = str(params.get("test", "latency"))
    before = len(analysis.problems)
    measures: dict[str, Any] = {}
    if test == "capacity":
        in_order = sorted(good, key=lambda row: row["order"])
        scenario = analysis.result.manifest.scenario
        measures = {"capacity": capacity(scenario, params, in_order)}
    elif good:
        measure = _throughput if test == "throughput" else _latency
        measures = measure(analysis, case.id, params, good)
        measures |= _system(analysis, case.id, good, measures.get("series"))
        if analysis.tools:
            measures |= _stated(analysis, case.id, params, good, measures)
    unread = len(analysis.problems) - before
    if unread and status == "ok":
        status = "partial"
        reason = f"not everything could be used: {analysis.problems[before]}"
    return CaseSummary(
        id=case.id,
        test=test,
        adapter=str(params.get("adapter", "")),
        label=named.label,
        placement=dim.placement_of(params),
        size=params.get("size"),
        workload=named.workload,
        choices=named.choices,
        params=params,
        is_floor=named.is_floor,
        status=status,
        reason=reason,
        rounds=counts,
        precision=precision(analysis.result.manifest.scenario, params, good),
        attempts=[rounds.summary(row) for row in rows],
        **measures,
    )


def _latency(
    analysis: _Analysis, case: str, params: Mapping[str, Any], good: list[rounds.Row]
) -> dict[str, Any]:
    def use(number: int, samples: pl.DataFrame) -> latency.PingRound:
        known = one_clock[number]
        return latency.ping_round(number, samples, one_clock=known, legs_every=every)

    one_clock = _one_clock(good)
    every = every_for(sum(row["samples"] or 0 for row in good))
    numbers = [row["round"] for row in good]
    pings = analysis.tables(case, numbers, analysis.samples, use)
    open_loop = params.get("arrivals", "closed") != "closed"
    for ping in pings:
        analysis.leave_out(case, ping.number, "round trips", ping.back)
    pools = Pools.of([(ping.number, ping.back) for ping in pings])
    seed = analysis.result.manifest.seed
    summary: Latency = latency.latency(
        pings, pools, open_loop=open_loop, seed=seed, legs_every=every
    )
    drawn = latency.series(pings, pools, analysis.thinning) if analysis.with_series else None
    return {"latency": summary, "series": drawn}


def _throughput(
    analysis: _Analysis, case: str, params: Mapping[str, Any], good: list[rounds.Row]
) -> dict[str, Any]:
    def use(number: int, samples: pl.DataFrame) -> throughput.ProbeRound:
        return throughput.probe_round(number, samples, one_clock=one_clock[number])

    one_clock = _one_clock(good)
    numbers = [row["round"] for row in good]
    read = analysis.tables(case, numbers, analysis.samples, use)
    for probe in read:
        analysis.leave_out(case, probe.number, "one-way times", probe.one_way)
        analysis.leave_out(case, probe.number, "round trips", probe.round_trip)
    probes = throughput.Probes.of(read)
    summary: Throughput = throughput.throughput(good, probes, analysis.result.manifest.seed)
    if not analysis.with_series:
        return {"throughput": summary}
    rates = {row["round"]: row["mbit_per_s"] for row in good if row["mbit_per_s"] is not None}
    middle = series.middle_round(rates)
    shown = [middle] if middle is not None else []
    measured = {row["round"]: row["measured_s"] for row in good}

    def over_time(number: int, intervals: pl.DataFrame) -> series.RateSeries | None:
        return series.rate(number, intervals, measured[number])

    rate = analysis.tables(case, shown, analysis.result.intervals, over_time)
    drawn = throughput.series(good, probes, rate[0] if rate else None, analysis.thinning)
    return {"throughput": summary, "series": drawn}


def _stated(
    analysis: _Analysis, case: str, params: Mapping[str, Any], good: list[rounds.Row],
    measures: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """What the source of an imported result states, instead of what its samples do not tell."""
    try:
        summaries = analysis.result.summaries
    except UserError as error:
        analysis.problems.append(str(error))
        return measures
    own = summaries.filter(pl.col("case") == case)
    found = stated(own, [row["round"] for row in good], analysis.tools)
    return completed(measures, params, good, found)


def _system(
    analysis: _Analysis, case: str, good: list[rounds.Row], drawn: series.CaseSeries | None
) -> dict[str, Any]:
    """What participants cost the machine; over time in the round that is drawn already."""

    def use(number: int, system: pl.DataFrame | None) -> tuple[int, pl.DataFrame] | None:
        return None if system is None else (number, resources.by_participant(system))

    numbers = [row["round"] for row in good]
    read = analysis.tables(case, numbers, analysis.result.system, use)
    frames = dict(found for found in read if found)
    measured = {row["round"]: row["measured_s"] or 0.0 for row in good}
    figures, together = resources.resources(
        list(frames.values()), [measured[number] for number in frames]
    )
    found: dict[str, Any] = {"resources": figures, "cpus_used": together}
    shown = drawn and (drawn.timeline or drawn.rate)
    if drawn and shown and shown.round in frames:
        over_time = resources.series(shown.round, frames[shown.round], measured[shown.round])
        found["series"] = drawn.model_copy(update={"system": over_time})
    return found


def _with_floors(cases: list[CaseSummary], flats: Mapping[str, dim.Flat]) -> list[CaseSummary]:
    """Every case of a middleware gets the nearest measured case of the null adapter."""
    floors = Floors({c.id: flats[c.id] for c in cases if c.is_floor and headline(c) is not None})
    return [
        c if c.is_floor else c.model_copy(update={"floor": floors.nearest(flats[c.id])})
        for c in cases
    ]
