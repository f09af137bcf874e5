"""What the details of one case show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from busmark.analysis.across.dimensions import flatten, placement_text, title, value_text
from busmark.analysis.case.background import level_text
from busmark.analysis.case.flows import several
from busmark.analysis.figures import Distribution
from busmark.analysis.model import (
    BackgroundLoad,
    Capacity,
    CaseSummary,
    Latency,
    Throughput,
)
from busmark.analysis.read.stated import Stated
from busmark.analysis.words import text
from busmark.model.entry import Estimate, Number
from busmark.model.quantities import NUMBERS, OF_CASES
from busmark.report.html.batches import batch_blocks
from busmark.report.html.blocks import Block, Rows, folded, plain, shown, shown_in
from busmark.report.html.counters import counter_block
from busmark.report.html.discoveries import discovery_block
from busmark.report.html.distributions import jitter_blocks, latency_blocks
from busmark.report.html.legs import leg_blocks
from busmark.report.html.levels import level_blocks
from busmark.report.html.meeting import meeting_block
from busmark.report.html.own_flows import own_flow_blocks, pairs_block, totals_block
from busmark.report.html.phases import phase_block
from busmark.report.html.ways import unrecorded_block, way_block
from busmark.report.html.wire import wire_blocks
from busmark.report.imported import QUANTITIES as QUANTITY_NAMES
from busmark.report.imported import stated_headline, stated_rows
from busmark.store.columns import READER

MIB = 2**20

SHAPE = "Percentiles and distribution"
JITTER = "Jitter"
LEGS = "One-way times and legs"
BATCHES = "Batches one by one"
FLOWS = "Participants and flows"
ROUNDS = "Rounds"
RESOURCES = "Resources"
"""Folds of the page, with what is read less often than the figures of the case."""


@dataclass(slots=True)
class Details:
    """One case: its parameters, and its tables."""

    params: Rows
    blocks: list[Block] = field(default_factory=list)


def case_details(case: CaseSummary) -> Details:
    """Everything the campaign knows of a case, as text."""
    flat = flatten(case.params)
    params: Rows = [(title(name), value_text(name, value)) for name, value in flat.items()]
    # For this machine alone it is said once, with the machine.
    if case.os and case.params.network == "nodes":
        params.append(("operating system", case.os))
    blocks: list[Block] = []
    if case.latency:
        blocks += _latency(case.latency)
    if case.throughput:
        blocks += _throughput(case, case.throughput)
    if case.capacity:
        blocks.append(_trials(case.capacity))
    if case.discovery:
        blocks.append(discovery_block(case.discovery))
    if case.loads:
        blocks.append(_loads(case.loads))
    if case.own_flows:
        blocks += own_flow_blocks(case.own_flows)
    if case.params.applications:
        blocks += level_blocks(case)
    if case.wire:
        blocks += wire_blocks(case.wire)
    if case.phases:
        blocks.append(phase_block(case.phases))
    blocks += folded(FLOWS, _between(case))
    blocks += [_stated(one) for one in case.stated]
    if case.resources:
        blocks += folded(RESOURCES, [_resources(case)])
    if case.counters:
        blocks += folded(RESOURCES, [counter_block(case)])
    blocks += folded(ROUNDS, _by_round(case))
    return Details(params, blocks)


def _between(case: CaseSummary) -> Iterator[Block]:
    """What participants wrote and read."""
    if not case.params.applications:
        yield from level_blocks(case)
    if case.meeting:
        yield meeting_block(case.meeting)
    if case.totals:
        yield totals_block(case.totals)
    if case.ways:
        yield way_block(case.ways)
    elif several(case.params) and (case.latency or case.throughput):
        yield unrecorded_block()


def _by_round(case: CaseSummary) -> Iterator[Block]:
    """Every round as a row."""
    if case.attempts:
        yield _rounds(case)
    if any(r.times and r.times.mean_ns is not None for r in case.attempts):
        yield _moments(case)
    if any(r.offset_ns is not None for r in case.attempts):
        yield _clocks(case)


def heading(case: CaseSummary) -> str:
    """What the case is, in a line."""
    parts = [case.label, text.size_text(case.size), placement_text(case.placement)]
    further = [f"{name} {value}" for name, value in case.workload.items() if value != text.ABSENT]
    return " · ".join([case.test, *parts, *further])


def summary(case: CaseSummary) -> str:
    """What came out, in a few words."""
    if case.rtt_2:
        return f"median RTT/2 {text.figure_text(case.rtt_2.median)}"
    if case.first_sample:
        return f"first sample after {text.figure_text(case.first_sample)}"
    if case.goodput:
        return f"goodput {text.figure_text(case.goodput, text.MBIT)}"
    return stated_headline(case) or case.status.replace("_", " ")


def _latency(latency: Latency) -> list[Block]:
    blocks = []
    if latency.half_round_trip and latency.round_trip:
        both = [latency.half_round_trip, latency.round_trip]
        blocks += _distribution("Latency", both)
    blocks += folded(JITTER, jitter_blocks(latency.jitter, latency.jitter_share))
    blocks += folded(LEGS, _legs(latency))
    share = None
    if latency.lost is not None:
        share = latency.lost / latency.sent if latency.sent else None if latency.lost else 0.0
    counted = (text.count(latency.sent), text.count(latency.lost), text.percent_text(share))
    blocks.append(Block("Pings", ("sent", "lost", "share"), [counted]))
    return blocks


def _distribution(name: str, kinds: Sequence[Distribution]) -> list[Block]:
    """Figures of a distribution, and folded all that is known of it besides."""
    figures, *others = latency_blocks(name, kinds)
    return [figures, *folded(SHAPE, others)]


def _legs(latency: Latency) -> Iterator[Block]:
    """Medians of the ways and of the legs, and the best samples of each leg."""
    ways: Rows = []
    legs = [latency.one_way_there, latency.one_way_back, *latency.legs]
    bounds = {leg.bound_ns for leg in legs if leg and leg.bound_ns}
    for leg in legs:
        if leg:
            bounded = (f"below {plain(leg.bound_ns)}", text.ABSENT)
            ways.append((leg.name, leg.meaning, *(bounded if leg.bounded else shown(leg.median))))
    if ways:
        note = "One clock on one host."
        if bounds:
            note = (
                f"Times between the hosts may be off by {plain(max(bounds))} either way: the "
                "exchanges of the round determine their clocks to that. Smaller values are not "
                "reported."
            )
        note += " A negative time: the later stamp was taken first."
        heads = ("part", "from … to", "median", "95 % interval")
        yield Block("One-way times and legs", heads, ways, note)
    yield from leg_blocks(latency.leg_tables)


def _rate(one: Estimate | Number, case: CaseSummary) -> tuple[str, ...] | None:
    """A row about a figure that has a unit; what a table always has has a row always."""
    if isinstance(one, Number):
        value = one.pick(case) if one.unit else None
        if value is None:
            return None
        return one.details, text.amount(value, one.unit), text.ABSENT
    figure = one.pick(case) if one.pick else None
    kept = any(heading.when == "always" for heading in one.tables.values())
    return (one.details, *shown_in(figure, one.unit)) if figure or kept else None


def _throughput(case: CaseSummary, throughput: Throughput) -> list[Block]:
    rates: Rows = [row for one in OF_CASES if one.details and (row := _rate(one, case))]
    counted = [one for one in NUMBERS if one.details and not one.unit]
    counts: Rows = [tuple(text.amount(one.pick(case)) for one in counted)]
    heads = tuple(one.details for one in counted)
    note = (
        "Sums over the counted rounds; corrupted: of all bodies with `verify`, else of one in a "
        f"thousand, {text.ABSENT} where none was seen."
    )
    blocks = [
        Block("Rates", ("figure", "typical round", "95 % interval"), rates),
        Block("Samples", heads, counts, note),
    ]
    if throughput.batches:
        batches, *single = batch_blocks(throughput.batches, throughput)
        blocks += [batches, *folded(BATCHES, single)]
    probes = [p for p in (throughput.probe_one_way, throughput.probe_round_trip) if p]
    for probe in probes:
        blocks += _distribution("Latency under load", [probe])
    if throughput.pairs:
        blocks.append(pairs_block(throughput.pairs))
    return blocks + folded(JITTER, jitter_blocks(throughput.jitter, throughput.jitter_share))


def _stated(one: Stated) -> Block:
    """As the source of an imported result has it."""
    heads = ("figure", "value", "95 % interval", "whole run between", "samples")
    note = "Values of whole runs."
    if one.parts:
        note = (
            f"Values of {text.plural(one.parts, 'part')} of runs: percentiles are their means, "
            "weighted by samples; the whole run's lie between the limits beside them."
        )
    note += f" {text.ABSENT} under samples: {one.tool} does not say."
    rows = stated_rows(one)
    title = f"As {one.tool} states it: {QUANTITY_NAMES.get(one.quantity, one.quantity)}"
    return Block(title, heads, rows, note)


def _loads(loads: list[BackgroundLoad]) -> Block:
    rows: Rows = []
    for load in loads:
        asked = "no limit" if load.unlimited else level_text(load.kind, load.asked)
        levels = (level_text(load.kind, level) for level in (load.achieved, load.least))
        share = text.ABSENT if load.share is None else text.percent_text(load.share)
        rows.append((load.kind, asked, *levels, share, text.count(load.rounds)))
    heads = ("load", "asked for", "achieved, mean", "achieved, least of a round",
             "share of what was asked", "rounds")  # fmt: skip
    note = "What ran beside the measurement while it was measured."
    return Block("Background load", heads, rows, note)


def _trials(capacity: Capacity) -> Block:
    rows: Rows = []
    for trial in capacity.trials:
        rate = "full speed" if trial.rate_hz is None else f"{text.number(trial.rate_hz)} /s"
        loss = text.percent_text(trial.loss_share) if trial.loss_share is not None else text.ABSENT
        measured = (text.number(trial.mbit_per_s), loss, plain(trial.p99_ns))
        ended = trial.shortfall or ("—" if trial.rate_hz is None else "met")
        rows.append(
            (str(trial.round), rate, text.number(trial.offered_mbit_per_s), *measured, ended)
        )
    heads = ("trial", "rate of each writer", "offered, Mbit/s", "goodput, Mbit/s", "loss",
             "p99 of the round trip", "criterion")  # fmt: skip
    return Block("Trials", heads, rows, "In order; the search went by what came before each.")


def _resources(case: CaseSummary) -> Block:
    """Resources of each participant, within the measured time."""
    rows: Rows = []
    for own in case.resources:
        cpus = (text.figure_text(part, text.CPUS) for part in (own.cpu_user, own.cpu_system))
        switches = text.figure_text(own.switches_per_s, text.RATE)
        ram = text.ABSENT if own.rss_bytes is None else f"{text.number(own.rss_bytes / MIB)} MiB"
        faults = text.count(own.major_faults)
        name = f"{own.participant} (node {own.node})" if own.node else own.participant
        rows.append((name, *cpus, switches, ram, faults))
    heads = ("participant", "CPUs, user", "CPUs, kernel", "context switches", "most RAM",
             "major faults")  # fmt: skip
    note = f"In brackets: 95 % interval. {READER} reads all this; it is not measured."
    return Block("Resources", heads, rows, note)


_RESULTS = {"latency": "median RTT/2", "discovery": "first sample"}
"""What the list of rounds shows of each, by test; else goodput."""


def _rounds(case: CaseSummary) -> Block:
    """Every attempt, also those that are not counted."""
    result = _RESULTS.get(case.test, "goodput, Mbit/s")
    rows: Rows = []
    for r in case.attempts:
        median = r.times.median_ns if r.times else None
        value = {"latency": plain(median), "discovery": plain(r.first_sample_ns)}.get(
            case.test, text.number(r.mbit_per_s)
        )
        number = f"{r.round}" + (f", attempt {r.attempt + 1}" if r.attempt else "")
        status = f"{r.status}: {r.reason}" if r.reason else r.status
        busy = text.percent_text(r.cpu_busy)
        lengths = (_seconds(r.warmup_s), _seconds(r.measured_s))
        rows.append((number, status, value, text.count(r.lost), *lengths, busy, r.ended or "—"))
    heads = ("round", "status", result, "lost", "warm-up", "measured", "busiest CPU", "ended by")
    note = "Only rounds with status ok enter the figures above."
    if any(r.chosen_s for r in case.attempts):
        note += (
            " How long each measures was chosen by the run, from what those before it had shown."
        )
    return Block("Rounds", heads, rows, note)


def _moments(case: CaseSummary) -> Block:
    """For each round, its extremes, its average and how it varied."""
    what = "RTT/2 of pings" if case.test == "latency" else "round trips of probes"
    rows: Rows = [
        (f"{r.round}" + (f", attempt {r.attempt + 1}" if r.attempt else ""), text.count(r.samples),
         plain(t.min_ns), plain(t.mean_ns), plain(t.max_ns), plain(t.median_ns), plain(t.p99_ns),
         _square(t.variance_ns2))
        for r in case.attempts if (t := r.times) and t.mean_ns is not None
    ]  # fmt: skip
    heads = ("round", "samples", "minimum", "average", "maximum", "median", "99 %",
             "variance, µs²")  # fmt: skip
    return Block("Latency of each round", heads, rows, f"Of {what} that came back.")


def _square(value_ns2: float | None) -> str:
    return text.number(None if value_ns2 is None else value_ns2 / 1e6)


def _clocks(case: CaseSummary) -> Block:
    """Clocks of rounds between two hosts with separate clocks."""
    rows: Rows = [
        (str(r.round), plain(r.offset_ns), f"± {plain(r.offset_bound_ns)}",
         text.ABSENT if r.drift_ppm is None else f"{r.drift_ppm:+.3g} ppm")
        for r in case.attempts if r.offset_ns is not None
    ]  # fmt: skip
    note = (
        "Clock of the subscribers' host minus the publishers' clock, in the middle of the round: "
        "the range that its round trips allow. Clocks count from the start of their machine. A "
        "drift is reported where the round trips determine it to less than 50 ppm either way."
    )
    return Block("Clocks", ("round", "offset", "may be off by", "drift"), rows, note)


def _seconds(value: float | None) -> str:
    return text.ABSENT if value is None else f"{text.number(value)} s"
