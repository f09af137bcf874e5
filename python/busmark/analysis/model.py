"""The analysed campaign: the one document that every report draws.

It is also what `busmark show --json` prints; `Campaign.model_json_schema()` is its schema. Times
are nanoseconds, sizes bytes, Mbit/s 10⁶ bit/s. What is not known is null, never 0.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import Field

from busmark.analysis.across.judged import Judged
from busmark.analysis.across.matrix import Matrix
from busmark.analysis.across.perftest import PerftestTest
from busmark.analysis.across.standing import Effect, Standing
from busmark.analysis.case.batches import Batches
from busmark.analysis.case.by_round import LatencyByRound
from busmark.analysis.case.discovery import Discovery
from busmark.analysis.case.flows import Way
from busmark.analysis.case.legs import LegTable
from busmark.analysis.case.levels import Level
from busmark.analysis.case.meeting import Meeting
from busmark.analysis.case.nodes import NodeCost
from busmark.analysis.case.phases import Phase
from busmark.analysis.case.resources import Resources
from busmark.analysis.case.round_latency import RoundLatency
from busmark.analysis.case.route import Route
from busmark.analysis.case.series import CaseSeries
from busmark.analysis.case.timed_pairs import Pairs
from busmark.analysis.case.totals import OwnFlow, Total
from busmark.analysis.case.wire import Wire
from busmark.analysis.figures import Distribution, Figure, Frozen, Quantity
from busmark.analysis.read.stated import Stated
from busmark.model.parameters import Parameters
from busmark.store.manifest import Finding, Resumption, Source

VERSION = 1
"""Version of this document; raised when a reader of the older one would misread it."""

TIMES = ("latency", "one_way", "discovery", "matching", "recovery")
"""Kinds of headline of which less is better."""

CaseStatus = Literal["ok", "partial", "failed", "unsupported", "not_run"]
"""partial: some rounds were marked or failed; failed: none is usable; not_run: none was begun."""


class RoundDiscovery(Frozen):
    """What a round of a discovery test measured: medians over its repetitions, from the begin of
    creation."""

    creation_ns: float | None
    own_match_ns: float | None
    peer_match_ns: float | None
    lost_before: float | None
    """Samples per repetition that were sent before the first received one, and did not arrive."""


class RoundTimes(Frozen):
    """Latencies of one round that came back."""

    quantity: Quantity
    """half_round_trip of pings, round_trip of the probes in a stream."""
    median_ns: float | None
    p99_ns: float | None
    min_ns: float | None = None
    """This and the rest: null in results from before rounds had it."""
    max_ns: float | None = None
    mean_ns: float | None = None
    variance_ns2: float | None = None
    """About the average of the round."""


class RoundSummary(Frozen):
    """One attempt at one round. Only rounds with status ok enter an estimate."""

    round: int
    attempt: int
    status: Literal["ok", "marked", "failed"]
    reason: str | None
    changed: str | None = None
    """What of the machine, or of where participants may run, changed during the round."""
    started_utc: str | None
    ended: str | None
    warmup_s: float | None
    """Discarded before the measurement."""
    measured_s: float | None
    chosen_s: float | None = None
    """The length that the run chose for it; null where the scenario states it."""
    samples: int | None
    expected: int | None
    """Samples that readers should have received."""
    received: int | None
    lost: int | None
    corrupted: int | None
    """Bodies that differ from what was written: of all with `verify`, else of one in a thousand."""
    loads: dict[str, float] = Field(default={})
    """What each background load achieved, by kind, in the units of `BackgroundLoad`."""
    discovery_s: float | None
    """From the last endpoint's creation until all had matched."""
    discovery_resolution_s: float | None
    """By how much less it may have taken; without `discovery_s` the upper limit."""
    times: RoundTimes | None = None
    """What came back; null where nothing did, or nothing is timed."""
    theoretical_per_s: float | None = None
    """What readers would receive if every writer kept its rate and nothing were lost."""
    written_per_s: float | None = None
    samples_per_s: float | None
    mbit_per_s: float | None
    first_sample_ns: float | None = None
    """Until the first sample was received; null but in a discovery test."""
    discovery: RoundDiscovery | None = None
    batches: int | None = None
    """Batches that were written; null where the stream runs free."""
    batches_unacknowledged: int | None = None
    batch_ns: float | None = None
    """Mean time of a batch at a reader, from its start to its end."""
    cpu_busy: float | None
    """Share of the busiest CPU, 0 to 1."""
    cpus: float | None = None
    """CPUs that all participants together kept busy in the measured time; null where the round is
    shorter than two intervals, and of rounds that do not count."""
    offset_ns: float | None = None
    """Clock of the subscribers' host minus the publishers' clock; null with one clock."""
    offset_bound_ns: float | None = None
    drift_ppm: float | None = None
    """Null too where the round does not determine it."""
    latency: RoundLatency | None = None
    """Null unless the scenario repeats a document that states something of single rounds."""


class BackgroundLoad(Frozen):
    """A load that ran beside the measurement; cpu: share of each CPU, net: bit/s, disk: B/s."""

    kind: str
    asked: float | None
    """Null where it has no limit, or an older Busmark measured it."""
    unlimited: bool = False
    """Whether it took what it got."""
    achieved: float | None
    """Mean of the rounds in which it is known; null where it is known in none."""
    least: float | None
    rounds: int
    """Those in which it is known."""

    @property
    def share(self) -> float | None:
        """Achieved of what was asked for."""
        return None if not self.asked or self.achieved is None else self.achieved / self.asked


class RoundCounts(Frozen):
    """Rounds by the status of their last attempt."""

    ok: int
    marked: int
    failed: int


class Leg(Frozen):
    """A part of a sample's way; negative when the later stamp was taken first."""

    name: str
    meaning: str
    median: Figure
    bound_ns: float = 0.0
    """How far it may be off, beyond its interval, because the stamps are by clocks of two hosts."""

    @property
    def bounded(self) -> bool:
        """Whether it is no greater than that, so that no number can be given."""
        return bool(self.bound_ns) and abs(self.median.value) <= self.bound_ns


class Latency(Frozen):
    """Figures of a latency case."""

    arrivals: Literal["closed", "open", "paced", "unstated"]
    """open: counted from the intended time of sending, so that a stall is charged in full. For
    imported results, paced: at a rate, counted from the actual sending; or not stated."""
    sent: int | None
    """Pings of the counted rounds, after warm-up; null where an imported source does not say."""
    lost: int | None
    """Pings whose pong never came."""
    round_trip: Distribution | None
    half_round_trip: Distribution | None
    """RTT/2: each round trip divided by two."""
    jitter: Distribution | None = None
    """Magnitude of the change of RTT/2 from a ping to the next of the same writer (RFC 3393)."""
    jitter_share: Figure | None = None
    """Median jitter over median latency, of each round."""
    one_way_there: Leg | None
    """From the ping's sending to the ponger's hands; exact where there is one clock."""
    one_way_back: Leg | None
    legs: list[Leg]
    leg_tables: list[LegTable] = Field(default=[])
    """Legs with deviations and extremes, as far as stamps are by one clock."""
    by_round: list[LatencyByRound] = Field(default=[])
    """Statistics of half the round trips, round by round: what comparisons are made of."""


class Paced(Frozen):
    """What a case with a rate asks to leave each sending node, and what of it arrives; with several
    readers to all of them together. In a mesh both are of all nodes together."""

    specified_mbit_per_s: float
    carried: Figure
    rated_mbit_per_s: float | None
    """Rated capacity of the lab's links."""
    practical_mbit_per_s: float | None
    """Goodput of a plain TCP transfer over such links in this campaign."""


class Throughput(Frozen):
    """Figures of a throughput case. They describe a typical round; the share lost is the mean over
    rounds."""

    theoretical_per_s: float | None = None
    """What all readers together would receive if every writer kept its rate and nothing were lost;
    null at full speed."""
    numbered_per_s: Figure | None = None
    """What they would have received had nothing been lost, by the sequence numbers."""
    samples_per_s: Figure | None
    """Goodput, counted at the reader."""
    mbit_per_s: Figure | None
    written_per_s: Figure | None
    """Rate of all writers together; each sample goes to each of its writer's readers."""
    drain_ns: Figure | None = None
    """From the end of writing to the arrival of the last sample; null with batches, and where
    clocks differ."""
    sent: int | None
    received: int | None
    lost: int | None
    loss_share: Figure | None
    """Lost over what was to be received, 0 to 1."""
    duplicated: int | None
    out_of_order: int | None
    foreign: int | None
    corrupted: int | None
    """Count of all bodies with `verify`, else of one in a thousand; null if none was seen."""
    probes_sent: int | None = None
    """Samples of the stream whose latency was to be measured; null where that is not known. In a
    stream at a rate with one clock these are all, at each of their readers."""
    probes_lost: int | None = None
    """Those among these that never arrived: later than any in the percentiles. Null if samples were
    lost and no record says whether probes were among them."""
    probes_hidden: bool = False
    """Whether their one-way median falls among the lost: then there is no `probe_one_way`."""
    probe_one_way: Distribution | None
    """One-way latency of samples sent under load, on one host."""
    probe_round_trip: Distribution | None
    pairs: Pairs | None = None
    """Null at full speed, without one clock, and for a single writer with a single reader."""
    jitter: Distribution | None = None
    """Magnitude of the change from a probe to the next: one way, or of round trips where there is
    no one-way time."""
    jitter_share: Figure | None = None
    """Median jitter over median latency of the probes, of each round."""
    batches: Batches | None = None
    """Null where the stream runs free. Goodput is then that within batches."""
    paced: Paced | None = None
    """Null at full speed."""
    rated_mbit_per_s: float | None = None
    """Rated capacity of the lab's links; null if there are none."""
    practical_mbit_per_s: float | None = None
    """Goodput of a plain TCP transfer over such links in this campaign."""
    by_round: list[LatencyByRound] = Field(default=[])
    """Statistics of the latencies of probes, round by round: what comparisons are made of."""


class Floor(Frozen):
    """The null adapter's case that shows what Busmark itself costs here."""

    case: str
    differs: list[str]
    """Parameters in which it is not the same workload; empty: the same."""


class Trial(Frozen):
    """One round of the test capacity."""

    round: int
    rate_hz: float | None
    """Rate of each writer; null: full speed."""
    offered_mbit_per_s: float
    """To all readers together."""
    mbit_per_s: float | None
    """Goodput at the readers."""
    loss_share: float | None
    p99_ns: float | None
    """99th percentile of the round trip of probes."""
    shortfall: str | None
    """In what it did not sustain its rate; null: it did."""


class Capacity(Frozen):
    """The greatest rate that met the scenario's criterion, and the bracket of the limit."""

    rate: Figure | None
    """Rate of each writer; null while the search has not come to its end."""
    sustained: Figure | None
    """Goodput at the readers at that rate."""
    confirmed: int
    confirm: int
    """Trials at that rate that passed, and that were asked for."""
    reached: bool
    limited_by: str | None
    """writers, readers, loss or p99: what trials beyond it fell short in."""
    trials: list[Trial]
    rated_mbit_per_s: float | None = None
    """Rated capacity of the lab's links."""
    practical_mbit_per_s: float | None = None
    """Goodput of a plain TCP transfer over the same links in this campaign."""


class Precision(Frozen):
    """Precision of a case whose rounds are added until its interval is narrow. Half-widths are of
    the 95 % interval, relative."""

    statistic: str
    """A statistic of the round trip, or goodput."""
    target: float
    relative_half_width: float | None
    reached: bool
    chosen_s: tuple[float, float] | None = None
    """Shortest and longest measured time that the run chose for a round; null where the scenario
    states it."""
    spent_s: float
    """Time of the counted rounds, with their overhead and attempts that failed before."""
    fixed_relative_half_width: float | None
    """What 20 rounds, in a latency test of 2000 samples each, let expect."""
    fixed_s: float | None
    """And the time that they take."""


class Headline(NamedTuple):
    """The figure that a case is ranked and compared by."""

    kind: str
    """latency: RTT/2; one_way: of a stream's samples; discovery: first sample; matching; recovery;
    else the test, whose goodput it is."""
    figure: Figure
    tail: Figure | None = None
    """The 99th percentile of a latency, where there is one."""

    @property
    def is_time(self) -> bool:
        """Whether less is better."""
        return self.kind in TIMES


class CaseSummary(Frozen):
    """One point of the scenario's matrix."""

    id: str
    test: str
    adapter: str
    label: str
    """Adapter and the choices that tell its cases apart, but for what all have in common: the name
    of its curve."""
    label_title: str = "Middleware"
    """What the label is, as the heading of a column."""
    label_parts: dict[str, str] = Field(default={})
    """The middleware and each choice that the label tells, by what it is."""
    placement: str
    size: int | None
    workload: dict[str, str]
    """Further parameters of the workload that vary in this campaign, as text."""
    choices: dict[str, str]
    """Choices that vary in this campaign and are not in the label, as text."""
    params: Parameters
    answer: Literal["goodput", "latency", "matching", "recovery"] = "goodput"
    """What the scenario wants streams to be ranked and compared by."""
    is_floor: bool
    is_baseline: bool = False
    """Whether its adapter is one of the baselines, such as plain sockets, that middleware is held
    against."""
    status: CaseStatus
    reason: str | None
    rounds: RoundCounts
    precision: Precision | None = None
    """Null where the scenario has no target."""
    attempts: list[RoundSummary]
    latency: Latency | None = None
    throughput: Throughput | None = None
    capacity: Capacity | None = None
    discovery: Discovery | None = None
    phases: list[Phase] = Field(default=[])
    """Phases of rounds in the middle of which something changed; all other figures cover all of
    them. Empty if nothing did."""
    ways: list[Way] = Field(default=[])
    """What went from participant to participant; empty where there is one writer and one reader."""
    totals: list[Total] = Field(default=[])
    """What each participant, each node and the whole wrote and read; empty likewise."""
    levels: list[Level] = Field(default=[])
    """What was to be read and was, by each reader, participant, node and by all; empty likewise,
    and but for streams."""
    meeting: Meeting | None = None
    """When its endpoints had found each other; null but for streams with three endpoints or more on
    one clock."""
    routes: list[Route] = Field(default=[])
    """Samples hop by hop, as packets show them, of each flow that is measured; empty where nothing
    was captured."""
    nodes: list[NodeCost] = Field(default=[])
    """CPU time, memory and traffic of each node and of all; empty where there are no nodes, where
    one writes and one reads, and where no counters were read."""
    own_flows: list[OwnFlow] = Field(default=[])
    """Flows of the scenario's own beside what is measured, each with its latency if it has one."""
    beside_expected: int | None = None
    """Samples of flows beside what is measured that their readers should have had, in the rounds
    that count; null where nothing ran beside it."""
    beside_lost: int | None = None
    """Samples that never arrived."""
    resources: list[Resources] = Field(default=[])
    """Resources of each participant; empty if no counters were read."""
    loads: list[BackgroundLoad] = Field(default=[])
    """Those that ran at once, of the rounds that count, or of the others where none does; empty
    without a background load, or where no round was run."""
    os: str | None = None
    """Operating system on which the rounds that count ran; "A → B" where who wrote was on A and who
    read on B. Null where it was not recorded."""
    cpus_used: Figure | None = None
    """CPUs that all participants together kept busy."""
    counters: dict[str, int] = Field(default={})
    """What the kernel counted in the measured time of the rounds that count, by the columns of the
    table `system`; a sum with an unknown part is absent."""
    captured: int | None = None
    """Packets captured in the rounds that count, on all interfaces; null without a capture."""
    capture_dropped: int | None = None
    """Packets that the captures lost."""
    wire: Wire | None = None
    """What passed the wire; null without a capture."""
    stated: list[Stated] = Field(default=[])
    """What the source of an imported result states of it; empty for any other."""
    floor: Floor | None = None
    series: CaseSeries | None = None

    @property
    def middleware(self) -> str:
        """Its middleware, or both of a pair, also where the label leaves it out."""
        return next(iter(self.label_parts.values()), self.label)

    @property
    def rtt_2(self) -> Distribution | None:
        """Half the round trips, where there are some."""
        return None if self.latency is None else self.latency.half_round_trip

    @property
    def first_sample(self) -> Figure | None:
        """In a discovery test, the time until the first sample was received."""
        return None if self.discovery is None else self.discovery.first_sample

    @property
    def headline(self) -> Headline | None:
        """What it is ranked and compared by; None where that was not measured."""
        one_way = self.throughput.probe_one_way if self.throughput else None
        for kind, times in (("latency", self.rtt_2), ("one_way", one_way)):
            if times and (kind == "latency" or self.answer == "latency"):
                return Headline(kind, times.median, times.figure("p99"))
        match = self.meeting.last if self.meeting else None
        last = max((each.phase for each in self.phases), default=0)
        again = next((p.first_after for p in self.phases if p.phase == last and last), None)
        others = (
            ("recovery", again if self.answer == "recovery" else None),
            ("discovery", self.first_sample),
            ("matching", match if self.answer == "matching" else None),
            (self.test, self.goodput if self.answer == "goodput" or self.capacity else None),
        )
        return next((Headline(kind, found) for kind, found in others if found), None)

    @property
    def round_medians(self) -> dict[int, float]:
        """Medians of what came back in each round that counts, ns; RTT/2 of pings."""
        counted = (one for one in self.attempts if one.status == "ok" and one.times)
        known = {one.round: one.times.median_ns for one in counted if one.times}
        return {number: median for number, median in known.items() if median}

    @property
    def by_round(self) -> list[LatencyByRound]:
        """Statistics of its latencies, round by round."""
        measured = self.latency or self.throughput
        return measured.by_round if measured else []

    def hides(self, key: str, quantity: Quantity) -> bool:
        """Return whether this statistic of a latency falls among the lost in some round."""
        return any(each.hides(key) for each in self.by_round if each.quantity == quantity)

    @property
    def goodput(self) -> Figure | None:
        """Mbit/s at the reader, where there is such a figure."""
        if self.capacity is not None:
            return self.capacity.sustained
        return None if self.throughput is None else self.throughput.mbit_per_s


class Label(Frozen):
    """What a curve is called, and what decides how it looks, everywhere."""

    text: str
    adapter: str
    """The name that it declares: its colour and mark are its own in every report."""
    variant: int = 0
    """Which one of the adapter's labels: these share its hue."""


class Group(Frozen):
    """Cases that may be compared: one test, one placement."""

    test: str
    placement: str
    title: str
    """In words, such as "on one CPU"."""
    cases: list[str]
    """Measured cases, by workload and then by result, best first."""
    floors: list[str]
    """Cases of the null adapter that are the floor here."""


class DiscoveryGrowth(Frozen):
    """How a discovery time grows with the number of endpoints that are there already."""

    placement: str
    label: str
    figure: str
    """Field of `Discovery`."""
    cases: list[str]
    """By ascending number of endpoints; without the case of none."""
    existing: list[int]
    exponent: Figure | None
    """The power of the number. 0: the number does not matter; 1: the time is proportional to it.
    Null where the times follow no power law."""
    farthest: int | None = None
    """The number at which the time lies farthest off the line through all."""
    farthest_factor: float | None = None
    """The time there over the line."""


class SizeFit(Frozen):
    """The line through the median RTT/2 of cases that differ in size only."""

    placement: str
    label: str
    cases: list[str]
    """By ascending size."""
    overhead: Figure
    """RTT/2 of a body of no bytes, ns; its interval may reach below 0."""
    slope: Figure
    """Time per byte of the body, ns/B."""
    departure: float
    """Standard deviation of the measured sizes from the line, relative."""
    at_bytes: list[float]
    """Sizes between the smallest and the largest, to draw the line at."""
    value_ns: list[float]
    """The line there; absent where it is not positive, which the smallest sizes may be."""


class Answer(Frozen):
    """One sentence of the answer in two parts: what matters most, and what follows it."""

    lead: str
    rest: str

    @property
    def sentence(self) -> str:
        """Both parts."""
        return f"{self.lead}{self.rest}"


class Campaign(Frozen):
    """A result, analysed."""

    version: int = VERSION
    name: str
    question: str | None
    document: str | None = None
    """Whose experiments these are; see `busmark.plugins.papers`."""
    answers: list[Answer]
    """Rates that were not reached, what types cost, what a mesh and a link carry; who is best is in
    `standings`, what parameters cost in `effects`."""
    requirements: list[Judged] = Field(default=[])
    """What cases say to the scenario's `[[require]]`, requirement by requirement."""
    standings: list[Standing] = Field(default=[])
    """Who is best in each workload, by the ratios of interleaved rounds."""
    effects: list[Effect] = Field(default=[])
    """What each further parameter that varies costs, with all others equal."""
    differing_choices: list[str]
    """Choices, not told in the labels, in which compared cases differ."""
    source: Source | None = None
    """Source of an imported result: files of which tools. Null: Busmark measured it itself."""
    created_utc: str
    finished_utc: str | None
    """Null: the campaign is running or was interrupted."""
    busmark_version: str
    command: str
    seed: int
    scenario_text: str
    criterion: dict[str, float]
    """For the test capacity: the scenario's table `capacity`."""
    confidence: float
    hosts: dict[str, dict[str, Any]]
    """Profile of the host on which the campaign began ("") and of further nodes."""
    resumptions: list[Resumption]
    """From which round on it ran on another host."""
    adapters: dict[str, dict[str, Any]]
    missing_adapters: dict[str, str]
    findings: list[Finding]
    problems: list[str]
    """Parts of the result that could not be read."""
    labels: list[Label]
    groups: list[Group]
    interop: list[Matrix]
    """Adapter against adapter, one for each test and workload; empty where all pairs are alike."""
    growths: list[DiscoveryGrowth] = Field(default=[])
    """How discovery grows with the endpoints that are there; empty without a sweep of them."""
    fits: list[SizeFit] = Field(default=[])
    """Latency against size; for each curve of enough sizes."""
    cases: list[CaseSummary]
    perftest: list[PerftestTest] = Field(default=[])
    """In Perftest's own columns; empty unless the document is of that program."""

    def case(self, case_id: str) -> CaseSummary:
        """The case of this identifier."""
        return next(c for c in self.cases if c.id == case_id)
