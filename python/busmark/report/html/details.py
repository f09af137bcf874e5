"""What is told of one case when its entry is opened."""

from __future__ import annotations

from dataclasses import dataclass, field

from busmark.analysis import text
from busmark.analysis.dimensions import flatten, placement_text, title, value_text
from busmark.analysis.model import Capacity, CaseSummary, Latency, Throughput
from busmark.analysis.stated import Stated
from busmark.report.html.blocks import Block, Rows, plain, shown
from busmark.report.html.distributions import jitter_blocks, latency_blocks
from busmark.report.html.legs import leg_blocks
from busmark.report.imported import QUANTITIES as QUANTITY_NAMES
from busmark.report.imported import stated_headline, stated_rows
from busmark.store.columns import READER

MIB = 2**20


@dataclass(slots=True)
class Details:
    """One case: its parameters, and its tables."""

    params: Rows
    blocks: list[Block] = field(default_factory=list)


def case_details(case: CaseSummary) -> Details:
    """Everything the campaign knows of a case, as text."""
    flat = flatten(case.params)
    params: Rows = [(title(name), value_text(name, value)) for name, value in flat.items()]
    blocks: list[Block] = []
    if case.latency:
        blocks += _latency(case.latency)
    if case.throughput:
        blocks += _throughput(case.throughput)
    if case.capacity:
        blocks.append(_trials(case.capacity))
    blocks += [_stated(one) for one in case.stated]
    if case.resources:
        blocks.append(_resources(case))
    if case.attempts:
        blocks.append(_rounds(case))
    if any(r.offset_ns is not None for r in case.attempts):
        blocks.append(_clocks(case))
    return Details(params, blocks)


def heading(case: CaseSummary) -> str:
    """What the case is, in a line."""
    parts = [case.label, text.size_text(case.size), placement_text(case.placement)]
    further = [f"{name} {value}" for name, value in case.workload.items() if value != text.ABSENT]
    return " · ".join([case.test, *parts, *further])


def summary(case: CaseSummary) -> str:
    """What came out, in a few words."""
    if case.rtt_2:
        return f"median RTT/2 {text.figure_text(case.rtt_2.median)}"
    if case.goodput:
        return f"goodput {text.figure_text(case.goodput, text.MBIT)}"
    return stated_headline(case) or case.status.replace("_", " ")


def _latency(latency: Latency) -> list[Block]:
    blocks = []
    if latency.half_round_trip and latency.round_trip:
        both = [latency.half_round_trip, latency.round_trip]
        blocks += latency_blocks("Latency", both)
    blocks += jitter_blocks(latency.jitter, latency.jitter_share)
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
                f"Times between the hosts may be off by {plain(max(bounds))} either way: so far "
                "their clocks are known, from the exchanges of the round. What is below that is "
                "no number."
            )
        note += " A negative time: the later stamp was taken first."
        heads = ("part", "from … to", "median", "95 % interval")
        blocks.append(Block("One-way times and legs", heads, ways, note))
    blocks += leg_blocks(latency.leg_tables)
    share = None
    if latency.lost is not None:
        share = latency.lost / latency.sent if latency.sent else None if latency.lost else 0.0
    counted = (text.count(latency.sent), text.count(latency.lost), text.percent_text(share))
    blocks.append(Block("Pings", ("sent", "lost", "share"), [counted]))
    return blocks


def _throughput(throughput: Throughput) -> list[Block]:
    rates: Rows = [
        ("goodput", *shown(throughput.mbit_per_s, text.MBIT)),
        ("samples read", *shown(throughput.samples_per_s, text.RATE)),
        ("samples written", *shown(throughput.written_per_s, text.RATE)),
    ]
    loss = throughput.loss_share
    if loss:
        limits = text.ABSENT
        if loss.low is not None and loss.high is not None:
            limits = f"[{text.percent_text(loss.low)}, {text.percent_text(loss.high)}]"
        rates.append(("loss", text.percent_text(loss.value), limits))
    names = ("sent", "received", "lost", "duplicated", "out_of_order", "foreign", "corrupted")
    counts: Rows = [tuple(text.count(getattr(throughput, name)) for name in names)]
    heads = tuple(name.replace("_", " ") for name in names)
    note = f"Sums over the counted rounds; {text.ABSENT} under corrupted: bodies were not verified."
    blocks = [
        Block("Rates", ("figure", "mean of rounds", "95 % interval"), rates),
        Block("Samples", heads, counts, note),
    ]
    probes = [p for p in (throughput.probe_one_way, throughput.probe_round_trip) if p]
    for probe in probes:
        blocks += latency_blocks("Latency under load", [probe])
    return blocks + jitter_blocks(throughput.jitter, throughput.jitter_share)


def _stated(one: Stated) -> Block:
    """As the source of an imported result has it."""
    heads = ("figure", "value", "95 % interval", "whole run between", "samples")
    note = "Of whole runs."
    if one.parts:
        note = (
            f"Of {text.plural(one.parts, 'part')} of runs: percentiles are their means, weighted "
            "by samples, and those of the whole run are between the limits beside them."
        )
    note += f" {text.ABSENT} under samples: {one.tool} does not tell."
    rows = stated_rows(one)
    title = f"As {one.tool} states it: {QUANTITY_NAMES.get(one.quantity, one.quantity)}"
    return Block(title, heads, rows, note)


def _trials(capacity: Capacity) -> Block:
    rows: Rows = []
    for trial in capacity.trials:
        rate = "full speed" if trial.rate_hz is None else f"{trial.rate_hz:,.0f} /s"
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
    """Of each participant, within the measured time."""
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


def _rounds(case: CaseSummary) -> Block:
    """Every attempt, also those that are not counted."""
    latency = case.test == "latency"
    result = "median RTT/2" if latency else "goodput, Mbit/s"
    rows: Rows = []
    for r in case.attempts:
        value = plain(r.median_ns) if latency else text.number(r.mbit_per_s)
        number = f"{r.round}" + (f", attempt {r.attempt + 1}" if r.attempt else "")
        status = f"{r.status}: {r.reason}" if r.reason else r.status
        busy = text.percent_text(r.cpu_busy)
        lengths = (_seconds(r.warmup_s), _seconds(r.measured_s))
        rows.append((number, status, value, text.count(r.lost), *lengths, busy, r.ended or "—"))
    heads = ("round", "status", result, "lost", "warm-up", "measured", "busiest CPU", "ended by")
    return Block("Rounds", heads, rows, "Only rounds with status ok enter the figures above.")


def _clocks(case: CaseSummary) -> Block:
    """Of rounds between two hosts with clocks of their own."""
    rows: Rows = [
        (str(r.round), plain(r.offset_ns), f"± {plain(r.offset_bound_ns)}",
         text.ABSENT if r.drift_ppm is None else f"{r.drift_ppm:+.3g} ppm")
        for r in case.attempts if r.offset_ns is not None
    ]  # fmt: skip
    note = (
        "Clock of the subscribers' host minus that of the publishers', in the middle of the round: "
        "all that its round trips allow. Clocks count from when their machine was started. "
        "A drift is told where the round trips determine it to less than 50 ppm either way."
    )
    return Block("Clocks", ("round", "offset", "may be off by", "drift"), rows, note)


def _seconds(value: float | None) -> str:
    return text.ABSENT if value is None else f"{text.number(value)} s"
