"""The details of a case: each kind of figure as a section of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from busmark.estimate.resources import is_unlimited, level_text, share_of_load
from busmark.model import text
from busmark.model.case import CaseSummary
from busmark.model.distribution import Distribution
from busmark.model.entry import SERVICES, EstimatedQuantity, Number, PartQuantity
from busmark.model.figure import Figure
from busmark.model.figures import Part
from busmark.model.latency import Reported, ReportedFigure, Segment
from busmark.model.quantities import discovery as times
from busmark.model.quantities import parts as of
from busmark.model.quantities.counters import COUNTERS
from busmark.model.quantities.latency import JITTER_SHARE, SAMPLES
from busmark.model.quantities.stream import (
    BATCH_TIME,
    BATCHES,
    LOSS,
    LOSS_OF_ALL,
    LOST,
    SAMPLES_ACKNOWLEDGED,
    SENT,
    UNACKNOWLEDGED,
)
from busmark.model.resources import READER
from busmark.model.rounds import RoundSummary
from busmark.model.statistics import MAXIMUM, MINIMUM, POOLED, REPORTED
from busmark.model.stream import Batch, Trial
from busmark.model.traffic import Phase
from busmark.plugin import of_parts
from busmark.present.blocks import flows
from busmark.present.blocks.imported import STATISTICS, is_reported
from busmark.present.blocks.rows import (
    Field,
    Property,
    Value,
    cell_of,
    further_rows,
    listing,
    notes,
    of_part,
    of_second,
    properties,
    sections,
)
from busmark.present.document import ABSENT, Cell, Row, Section, Table
from busmark.present.figures import quantity_name
from busmark.present.layout import OF_STREAM, columns

MOST_BATCHES = 100
"""Single batches that are shown."""

TYPICAL, POOL = "Typical round", "All rounds together"
"""Headings above figures of a round, with an interval over rounds, and of all samples."""

COUNTERS_TITLE = "Counters of the system"
COUNTERS_NOTE = (
    "In the rounds that count, between the first and the last reading within the measured time. "
    "Other programs on the machine and in the participants' networks count as well; interfaces "
    "include loopback."
)


def details(case: CaseSummary) -> Iterator[Section]:
    """Yield what the campaign knows of a case; what is read less often is folded."""
    if case.has_pings:
        yield from _latency(case)
    if case.has_requests:
        yield from _service(case)
    if case.has_stream:
        yield from _throughput(case)
    if case.capacity:
        fields = REQUEST_TRIAL if case.test in SERVICES else TRIAL
        yield Section("Trials", [listing(case.capacity.trials, fields)])
    yield from sections("Discovery", [_discovery(case)])
    if case.test == "action" and case.rounds.ok:
        yield Section("Goals", [_goals(case)])
    yield from sections("Background load", [_loads(case)])
    if case.own_flows:
        yield from sections("Background flows", flows.own_flows(case))
    applications = bool(case.params.applications)
    if applications:
        yield from _levels(case, folded=False)
    yield from of_parts(case.plugins, lambda part: part.sections)
    yield from sections("Phases", [_phases(case)])
    if not applications:
        yield from _levels(case, folded=True)
    yield from _participants(case)
    for one in case.reported:
        yield _reported(one)
    yield from sections(
        "Resources", [listing(_users(case), RESOURCE, note=RESOURCES_NOTE)], folded=True
    )
    yield from sections(
        COUNTERS_TITLE,
        [
            properties(
                ((one.title, one.unit, [case.whole.counted(one)]) for one in COUNTERS),
                first="Counter",
                heads=["Count"],
                note=COUNTERS_NOTE,
            )
        ],
        folded=True,
    )
    yield from sections("Rounds", _rounds(case), folded=True)


def _latency(case: CaseSummary) -> Iterator[Section]:
    kinds = [one for one in (case.rtt_2, case.round_trip) if one]
    pings: list[Property] = [
        ("pings sent", "", [SENT.value(case)]),
        ("pings lost", "", [LOST.value(case)]),
        ("share of pings lost", "1", [LOSS_OF_ALL.value(case)]),
    ]
    if len(kinds) == 2:
        yield from distribution("Latency", kinds)
    yield Section("Pings", [properties(pings, heads=["Rounds that count"])])
    yield from jitter(case)
    yield from sections("One-way times and segments", _segments(case), folded=True)


def _service(case: CaseSummary) -> Iterator[Section]:
    requests: list[Property] = [
        ("requests sent", "", [SENT.value(case)]),
        ("share of requests unanswered", "1", [LOSS_OF_ALL.value(case)]),
        *(
            (text.lower_first(heading.text), one.unit, [_of_case(one, case)])
            for one, heading in columns("service", behind=False)
            if one is not SAMPLES
        ),
    ]
    if case.response_time:
        yield from distribution("Response time", [case.response_time])
    yield Section("Requests", [properties(requests, heads=["Rounds that count"])])
    yield from jitter(case)
    yield from sections("Parts of the response time", _segments(case))


def distribution(title: str, kinds: Sequence[Distribution]) -> Iterator[Section]:
    """Yield all about quantities of the same samples, side by side."""
    bound = max(kind.bound_ns for kind in kinds)
    yield Section(title, [figures(kinds), *notes(_off(bound))])
    best = kinds[0].best
    yield from sections(
        f"Percentiles and distribution: {text.lower_first(title)}",
        [ladder(kinds), listing(best, BEST, f"Best samples: {_name(kinds[0])}"), _character(kinds)],
        folded=True,
    )


def _off(bound_ns: float) -> str:
    """Return by how much times of two clocks may be off; empty for one clock."""
    note = (
        f"Times by two clocks may be off by {text.time_text(bound_ns)} either way; intervals hold "
        "it. A shorter time has no value but its upper limit."
    )
    return note if bound_ns else ""


def _name(kind: Distribution) -> str:
    return text.upper_first(quantity_name(kind.quantity))


def figures(kinds: Sequence[Distribution], share: Figure | None = None) -> Table:
    """Return statistics of quantities of the same samples; `share`: of jitter over latency."""
    rows: list[Property] = [
        (one.name + one.of_a_round, "ns", [one.figure(each) for each in kinds]) for one in REPORTED
    ]
    rows.append(("median jitter over median latency", "1", [share, *[None] * (len(kinds) - 1)]))
    typical = len(rows)
    rows += [(one.name, "ns", [each.time_ns(one.key) for each in kinds]) for one in POOLED]
    for name, key in (
        ("skewness", "skewness"),
        ("excess kurtosis", "kurtosis"),
        ("samples", "count"),
    ):
        rows.append((name, "", [getattr(each, key) for each in kinds]))
    rows.append(("rounds", "", [each.median.rounds for each in kinds]))
    groups = [TYPICAL] * typical + [POOL] * (len(rows) - typical)
    return properties(rows, heads=list(map(_name, kinds)), groups=groups)


def ladder(kinds: Sequence[Distribution]) -> Table:
    """Return percentiles of all rounds together, with intervals where rounds and samples support
    them."""
    names = [f"{rung.percent:.10g}" for rung in kinds[0].percentiles]
    rows: list[Property] = []
    for place, name in enumerate(names):
        rungs = [each.percentiles[place] for each in kinds]
        cells = [
            Cell(float("inf"), text=f"lost: {text.percent_text(of.loss)}")
            if rung.lost
            else ABSENT
            if rung.value_ns is None
            else Cell(rung.value_ns, rung.low_ns, rung.high_ns)
            for rung, of in zip(rungs, kinds, strict=True)
        ]
        rows.append((name, "ns", cells))
    reported = all(map(is_reported, kinds))
    note = (
        "As the source states them"
        if reported
        else ("All samples of all rounds together, so values differ from the typical round above")
    )
    note += f"; {text.ABSENT}: too few samples to support it."
    if any(rung.lost for each in kinds for rung in each.percentiles):
        note += " A lost sample counts as later than any."
    title = "Percentiles" if reported else "Percentiles, all rounds pooled"
    heads = list(map(_name, kinds))
    return properties(rows, title, first="Percentile", heads=heads, note=note)


BEST = (
    Field("The best", lambda part: f"{part.percent:g} %"),
    Field("Samples", "count"),
    Field("Minimum", "min_ns", "ns"),
    Field("Mean", "mean_ns", "ns"),
    Field("Maximum", "max_ns", "ns"),
    Field("Standard deviation", "std_ns", "ns"),
)


def _character(kinds: Sequence[Distribution]) -> Table:
    """Return what shows whether the figures may be trusted."""
    whole = kinds[0]
    rows: list[Property] = []
    if whole.effective_count is not None:
        rows.append(("effective sample size", "", [round(whole.effective_count)]))
    if whole.modes is not None:
        rows.append(("modes: separate peaks of the density", "", [whole.modes]))
        for number, mode in enumerate(whole.largest_modes, 1):
            ends = f"{text.time_text(mode.low_ns)} to {text.time_text(mode.high_ns)}"
            share = f"({text.percent_text(mode.share)} of samples, from {ends})"
            rows.append((f"mode {number}", "ns", [Cell(mode.at_ns, more=share)]))
    if drift := whole.drift:
        rows.append(("last third over first, less 1", "1", [drift.change]))
        if drift.tested:
            trending = f"{drift.trending} of {drift.tested}"
            rows.append(("rounds that trend", "", [Cell(drift.trending, text=trending)]))
    hop = next((each.hop_std for each in kinds if each.hop_std), None)
    if hop:
        limits = [("hops independent", hop[1]), ("hops alike", hop[0])]
        rows += [(f"σ of one hop, {name}", "ns", [value]) for name, value in limits]
    return properties(rows, "Character", first="Property", heads=["Value"])


def jitter(case: CaseSummary) -> Iterator[Section]:
    """Yield the variation from a sample to the next."""
    kinds = [one for name in ("jitter", "ipdv") if (one := case.distribution(name))]
    if not kinds:
        return
    note = (
        "IPDV: the change of the latency from a sample to the next (RFC 3393), negative where the "
        "next was faster. Jitter: its magnitude."
    )
    yield Section(
        "Jitter",
        [figures(kinds, JITTER_SHARE.figure(case)), ladder(kinds), *notes(note)],
        folded=True,
    )


def _segments(case: CaseSummary) -> Iterator[Table]:
    """Yield medians of the ways and of the segments, and the best samples of each segment."""
    segments = case.segments
    bounds = {segment.bound_ns for segment in segments if segment.bound_ns}
    fields = (
        Field("Part", lambda segment: segment.name),
        Field("From … to", lambda segment: segment.meaning),
        Field("Median", _median, "ns"),
    )
    yield listing(segments, fields, note=_off(max(bounds, default=0.0)))
    parts = [(segment, part) for segment in case.segment_tables for part in segment.best]
    if parts:
        own, every, note = [of_second(one) for one in BEST], parts[0][0].every, SEGMENTS_NOTE
        if every > 1:
            note += f" One in {every} pings is included; `--to csv-samples` has every ping."
        yield listing(
            parts,
            own,
            "Segments, best 100/99.9/99/90 %",
            note=note,
            row=lambda each: Row(group=f"{each[0].name}: {each[0].meaning.partition(':')[0]}"),
        )


def _median(segment: Segment) -> Cell:
    if segment.unknown:
        most_ns = segment.median.value
        return Cell(most_ns, text=f"below {text.time_text(most_ns)}")
    return cell_of(segment.median)


SEGMENTS_NOTE = (
    "T1: just before write. T2: write has returned. T3: the middleware announced the sample. T4: "
    "the sample is in the reader's hands. Each segment is sorted by itself, so the segments of one "
    "share do not add up to a trip. A pong that is written at once has a turn-round of 0. Left out "
    "are segments of two clocks and those without both stamps: a reader that polls has no T3, and "
    "T1→T2 of the pong needs `measure.echo_source = true`."
)


def _of_case(one: EstimatedQuantity | Number, case: CaseSummary) -> Value:
    return one.figure(case) if isinstance(one, EstimatedQuantity) else one.value(case)


def _throughput(case: CaseSummary) -> Iterator[Section]:
    named: list[Property] = [
        (name, one.unit, [_of_case(one, case)]) for one, name in OF_STREAM.items()
    ]
    rates, counts = ([each for each in named if bool(each[1]) == has] for has in (True, False))
    note = (
        "Sums over the rounds that count; corrupted: all bodies are checked with `verify`, else "
        "one in a thousand."
    )
    yield Section("Rates", [properties(rates)])
    yield from sections(
        "Samples", [properties(counts, first="Samples", heads=["Count"], note=note)]
    )
    if BATCHES.value(case) is not None:
        yield from batch_sections(case)
    if case.one_way:
        yield from distribution("One-way latency under load", [case.one_way])
    if case.round_trip:
        yield from distribution("Round trip under load", [case.round_trip])
    if pairs := case.pairs:
        yield Section("Pairs of writer and reader", [flows.pairs_table(pairs)])
    yield from jitter(case)


def batch_sections(case: CaseSummary) -> Iterator[Section]:
    """Yield the batches of a stream, all together and the first of them one by one."""
    each = case.params.batch_ack == "each"
    acknowledged = SAMPLES_ACKNOWLEDGED.value(case) if each else None
    count = case.whole.counted(BATCHES) or 0
    shortest, longest = (case.figures.get(BATCH_TIME, one).value for one in (MINIMUM, MAXIMUM))
    note = (
        "Time from a batch's start to its end at the reader. A batch is acknowledged when every "
        "reader has reported its end."
    )
    yield Section("Batches", [properties([
        ("samples of a batch", "", [case.params.batch]), ("batches written", "", [count]),
        ("batches not acknowledged", "", [UNACKNOWLEDGED.value(case)]),
        ("samples acknowledged", "", [acknowledged]),
        ("lost, mean of rounds", "1", [LOSS.figure(case)]),
        ("time of a batch, mean of rounds", "ns", [BATCH_TIME.figure(case)]),
        ("shortest", "ns", [shortest]), ("longest", "ns", [longest]),
    ], heads=["Value"], note=note)])  # fmt: skip
    single = case.batches[:MOST_BATCHES]
    every = count * len({batch.reader for batch in case.batches})
    more = every - len(single)
    left = [further_rows(more, "the folder `batches` of the result")] if more else []
    yield from sections("Each batch", [listing(single, BATCH, note=left)], folded=True)


def _lost(batch: Batch) -> float | None:
    return (batch.expected - batch.received) / batch.expected if batch.expected else None


BATCH = (
    Field("Round", lambda batch: str(batch.round)),
    Field("Writer", "writer"),
    Field("Reader", "reader"),
    Field("Batch", "number"),
    Field("Expected", "expected"),
    Field("Received", "received"),
    Field("Lost", _lost, "1"),
    Field("Time", "duration_ns", "ns"),
    Field("Rate", "samples_per_s", "1/s"),
    Field("Acknowledged", "acknowledged"),
)

NUMBER = Field("Trial", lambda trial: str(trial.round))
CRITERION = Field("Criterion", lambda trial: trial.shortfall or (trial.rate_hz and "met"))

TRIAL = (
    NUMBER,
    Field("Rate of each writer", lambda trial: _rate_of(trial, "full speed"), "1/s"),
    Field("Offered", "offered_mbit_per_s", "Mbit/s"),
    Field("Goodput", "mbit_per_s", "Mbit/s"),
    Field("Loss", "loss", "1"),
    Field("p99 of the round trip", "p99_ns", "ns"),
    CRITERION,
)

REQUEST_TRIAL = (
    NUMBER,
    Field("Rate of each client", lambda trial: _rate_of(trial, "closed loop"), "1/s"),
    Field("Requests", "offered_per_s", "1/s"),
    Field("Responses", "answered_per_s", "1/s"),
    Field("Unanswered", "loss", "1"),
    Field("p99 of the response time", "p99_ns", "ns"),
    CRITERION,
)


def _rate_of(trial: Trial, unlimited: str) -> Cell:
    return Cell(text=unlimited) if trial.rate_hz is None else Cell(trial.rate_hz)


def _loads(case: CaseSummary) -> Table:
    def level(quantity: PartQuantity) -> Field:
        return Field(quantity.title, lambda load: level_text(load.of, load.value(quantity)))

    def required(load: Part) -> str:
        limited = not is_unlimited(case.params, str(load.of))
        return level_text(str(load.of), load.value(of.LOAD_ASKED)) if limited else "no limit"

    fields = (
        Field("Load", "of"), Field(of.LOAD_ASKED.title, required), level(of.LOAD_ACHIEVED),
        level(of.LOAD_LEAST), Field("Share achieved", share_of_load, "1"), of_part(of.LOAD_ROUNDS),
    )  # fmt: skip
    return listing(case.parts("load"), fields)


DISCOVERY = (
    ("creation, all calls", times.CREATION_TIME, None),
    (times.ATTACH.title, times.ATTACH, None),
    ("match of the new endpoint", times.OWN_MATCH, times.OWN_MATCH_AFTER),
    ("match of the other endpoint", times.PEER_MATCH, times.PEER_MATCH_AFTER),
    ("first sample received", times.FIRST_SAMPLE, times.FIRST_SAMPLE_AFTER),
    ("lost before discovered, per repetition", times.LOST_BEFORE, None),
)
"""Times from the start of creation, and the same from its end."""


def _discovery(case: CaseSummary) -> Table:
    found = case.whole
    rows: list[Property] = [
        (name, one.unit, [found.figure(one), found.figure(after) if after else None])
        for name, one, after in DISCOVERY
    ]
    rows += [
        ("repetitions", "", [found.counted(times.REPETITIONS), None]),
        (times.UNDISCOVERED.title, "", [found.counted(times.UNDISCOVERED), None]),
    ]
    heads = ["From the start of creation", "From its end"]
    return properties(rows, heads=heads, first="Until")


def _goals(case: CaseSummary) -> Table:
    """Return all that is known of the goals of an action."""
    rows: list[Property] = [
        (text.lower_first(heading.text), one.unit, [_of_case(one, case)])
        for one, heading in columns("action", behind=False)
    ]
    return properties(rows, heads=["Rounds that count"])


RESPONSE_TIMES = "response time"


def _phases(case: CaseSummary) -> Table:
    """Return each flow in each phase, with the change that began it."""
    figures = {part.of: part for part in case.parts("phase")}

    def column(quantity: PartQuantity) -> Field:
        return Field(quantity.title, lambda each: each[1][quantity], quantity.unit)

    def round_trips(each: tuple[Phase, Part]) -> int | None:
        latency = each[1].figure(of.PHASE_LATENCY)
        return latency.count if latency else None

    def lost(each: tuple[Phase, Part]) -> int | None:
        return each[1].counted(of.LOST) if each[1].value(of.PHASE_ASKED) else None

    kinds = {flow.kind for flow in case.params.flows} | {case.test}
    timed = [RESPONSE_TIMES] if "service" in kinds else []
    if kinds - {"service", "stream"} or not timed:
        timed.insert(0, "RTT/2")
    fields = (
        Field("Flow", lambda each: each[0].flow), Field("Phase", lambda each: each[0].phase),
        Field("Begins with", lambda each: _beginning(each[0])),
        replace(column(of.PHASE_LATENCY), title=f"Median {' or '.join(timed)}"),
        Field("Responses" if timed == [RESPONSE_TIMES] else "Round trips", round_trips),
        Field("Sent", lambda each: each[1].counted(of.PHASE_ASKED) or None), Field("Lost", lost),
        column(of.WRITE_RATE), column(of.READ_RATE), column(of.FIRST_AFTER),
    )  # fmt: skip
    each = [(phase, figures.get(phase.name) or Part("phase")) for phase in case.phases]
    return listing(each, fields, note=PHASES_NOTE)


def _beginning(phase: Phase) -> str:
    return f"{phase.change}, at {phase.begin_s:g} s" if phase.change else "the measured time"


PHASES_NOTE = (
    "All other figures of this case cover its phases together. A sample belongs to the phase in "
    "which it was sent, and a phase begins when its change took effect. Rates are of intervals "
    "that are wholly within the phase. First sample after: from the change until every reader had "
    "received a sample again."
)


def _levels(case: CaseSummary, *, folded: bool) -> Iterator[Section]:
    yield from sections(flows.LEVELS, [flows.levels(case)], folded=folded)
    yield from sections(flows.NODES, [flows.nodes(case)], folded=folded)


def _participants(case: CaseSummary) -> Iterator[Section]:
    """Yield what participants wrote and read, and when their endpoints had found each other."""
    tables: list[Table | None] = [_meeting(case)]
    tables += [flows.totals(case)]
    tables += [flows.ways(case)]
    yield from sections("Participants and flows", tables, folded=True)
    if flows.unrecorded(case):
        yield Section("Between participants", notes(flows.UNRECORDED), folded=True)


def _meeting(case: CaseSummary) -> Table:
    found = case.whole
    rows: list[Property] = [
        (one.title, one.unit, [found.figure(one)])
        for one in (of.MATCHED_FIRST, of.MATCHED_HALF, of.MATCHED_LAST)
    ]
    rows += [
        (one.title, "", [found.counted(one) or None])
        for one in (of.MATCHED_ENDPOINTS, of.MATCHED_LIMITS, of.MATCHED_UNKNOWN)
    ]
    note = (
        "From the creation of the round's last endpoint until an endpoint had matched all its "
        "counterparts; below 0: before that creation. Upper limit: the first query found it "
        "matched."
    )
    return properties(rows, "Endpoints discovered", first="Had found its counterparts", note=note)


def _reported(one: Reported) -> Section:
    """Show figures as the source of an imported result has them."""
    fields = (
        Field("Figure", lambda each: STATISTICS.get(each.statistic, f"{each.percent or 0:.10g} %")),
        Field("Value", lambda each: each.figure, "ns"),
        Field("Whole run from", lambda each: _within(each, "low_ns"), "ns"),
        Field("Whole run to", lambda each: _within(each, "high_ns"), "ns"),
        Field("Samples", lambda each: each.figure.count),
    )
    note = one.parts and (
        f"Values of {text.plural(one.parts, 'part')} of runs: percentiles are their means, "
        "weighted by samples; percentiles of the whole run lie within the limits next to them."
    )
    title = f"As {one.tool} states it: {quantity_name(one.quantity)}"
    return Section(title, [listing(one.figures, fields, note=note or "")])


def _within(each: ReportedFigure, end: str) -> float | None:
    found: float | None = getattr(each.within, end, None)
    return found


RESOURCE = (
    Field("Participant", lambda own: f"{own.of} (node {own.node})" if own.node else own.of),
    of_part(of.CPU_USER), of_part(of.CPU_SYSTEM), of_part(of.SWITCHES),
    Field("Most RAM", lambda own: flows.mib(own.value(of.RSS)), "MiB"),
    of_part(of.MAJOR_FAULTS),
)  # fmt: skip
RESOURCES_NOTE = f"Within the measured time. {READER} reads all this; it is not measured."


def _users(case: CaseSummary) -> list[Part]:
    """Return who used resources, by node and name; whoever reads the counters is the last."""
    found = [part for part in case.parts("participant") if any(map(part.row, of.RESOURCES))]
    return sorted(found, key=lambda part: (part.of == READER, part.node or "", part.of or ""))


def _rounds(case: CaseSummary) -> Iterator[Table]:
    """Yield every attempt, also those that are not counted; their latencies and clocks."""
    fields = (
        Field("Round", _number),
        Field("Status", lambda r: f"{r.status}: {r.reason}" if r.reason else r.status),
        *RESULT.get(case.test, RESULT["throughput"]),
        Field("Lost", "lost"),
        Field("Warm-up", lambda r: r.warmup_s, "s"),
        Field("Measured", lambda r: r.measured_s, "s"),
        Field("Busiest CPU, whole round", "cpu_busy", "1"),
        Field("Ended by", "ended", detail=True),
    )
    yield listing(case.attempts, fields)
    timed = [r for r in case.attempts if r.times and r.times.mean_ns is not None]
    what = TIMED.get(case.test, "Round trips of probes")
    yield listing(timed, MOMENTS, f"{what} in each round")
    note = (
        "Clock of the subscribers' host minus the publishers' clock, in the middle of the round: "
        "the range that its round trips allow. Clocks count from the start of their machine. A "
        "drift is reported where the round trips determine it to less than 50 ppm either way."
    )
    clocked = [r for r in case.attempts if r.offset_ns is not None]
    yield listing(clocked, CLOCKS, "Clocks", note=note)


TIMED = {"latency": "RTT/2 of pings", "service": "Response times"}
"""Names of what is timed in each round, by test."""

RESULT = {
    "service": [Field("Median response time", lambda r: r.times and r.times.median_ns, "ns")],
    "latency": [Field("Median RTT/2", lambda r: r.times and r.times.median_ns, "ns")],
    "discovery": [Field("First sample", "first_sample_ns", "ns")],
    "action": [Field("Accepted", "goal_accepted_ns", "ns")],
    "throughput": [Field("Goodput", "mbit_per_s", "Mbit/s")],
}
"""Fields that the list of rounds shows of each round, by test."""


def _number(r: RoundSummary) -> str:
    return f"{r.round}, attempt {r.attempt + 1}" if r.attempt else str(r.round)


MOMENTS = (
    Field("Round", _number), Field("Samples", "samples"),
    *(Field(title, f"times.{name}_ns", "ns") for title, name in (
        ("Minimum", "min"), ("Average", "mean"), ("Maximum", "max"), ("Median", "median"),
        ("99 %", "p99"))),
    Field("Variance, µs²", lambda r: None if r.times.variance_ns2 is None
          else r.times.variance_ns2 / 1e6),
)  # fmt: skip

PPM = (text.UnitScale("ppm", 1.0),)

MOST_OFF_PPM = 50.0
"""A drift that was recorded without its bound may be off by this."""


def _bounded(value: float | None, bound: float | None, scales: Sequence[text.UnitScale]) -> Cell:
    if value is None or bound is None:
        return ABSENT
    return Cell(value, text=text.bounded_text(value, bound, scales))


CLOCKS = (
    Field("Round", lambda r: str(r.round)),
    Field("Offset", lambda r: _bounded(r.offset_ns, r.offset_bound_ns, text.TIME)),
    Field("Drift", lambda r: _bounded(r.drift_ppm, r.drift_bound_ppm or MOST_OFF_PPM, PPM)),
)
