"""Participants that had no CPU time left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import has_rate
from busmark.findings.rule import Observation, Rule
from busmark.findings.rules.few_cpus import can_differ
from busmark.findings.text import count, duration, share

if TYPE_CHECKING:
    from busmark.findings.cpu_time import CpuUse
    from busmark.findings.view import CaseView

SATURATED = 0.95
"""Share of the time that one thread ran, or that participants pinned on one CPU ran together. A
round's begin and end are not busy, so one that never rests shows somewhat less than 1."""

MIN_HELD = 0.95
"""Share of the rate: a writer that reaches it has time left, however long it spins before each
sample."""

LATE_GAPS = 1.0
"""Gaps between two samples. A median sample that is sent later than that waited for the one before,
so the writer is behind for good."""


def check_case(view: CaseView) -> Iterator[Observation]:
    params = view.params
    if params.test != "throughput" and not has_rate(params):
        return
    used = {number: _used(use) for number, use in view.cpu_use.items()}
    full = {number: most for number, most in used.items() if most[0] >= SATURATED}
    if full and has_rate(params):
        # A writer with a rate spins until the next sample is due: its run time alone says nothing.
        behind = _behind(view)
        full = {n: most for n, most in full.items() if n in behind or _reader_full(view, n)}
    if not full:
        return
    most, who = max(full.values())
    evidence = (
        f"{who} {share(round(min(most, 1.0), 3))} of the time, at least {share(SATURATED)} in "
        f"{len(full)} of {count(len(used), 'round')}"
    )
    if has_rate(params) and (late := _lateness(view)) is not None:
        evidence += f"; the median sample is sent {duration(late)} after its time"
    weight = most * len(full) / len(used)
    if params.wait == "poll":
        yield Observation("note", evidence, weight, *POLLING)
    elif params.placement == "same" and params.network != "nodes":
        possible = can_differ(params, view.hosts)
        remedy = 'Compare with placement "different".' if possible else OVERLOAD
        yield Observation("note", evidence, weight, *SHARED, remedy, "" if possible else "crowded")
    elif not has_rate(params):
        yield Observation("note", evidence, weight, *FULL_SPEED)
    else:
        yield Observation("warning", evidence, weight)


def _used(use: CpuUse) -> tuple[float, str]:
    """The greatest share of a CPU's time that participants used, and in words who did."""
    threads = [(own.thread, f"a thread of {own.name} ran") for own in use.participants]
    cpus = [
        (used, f"participants ran on CPU {number}{f' of node {node}' if node else ''}")
        for (node, number), used in use.common.items()
    ]
    return max([*threads, *cpus])


def _reader_full(view: CaseView, number: int) -> bool:
    """Whether a thread of the passive side, which has no rate to wait for, never rested."""
    own = view.cpu_use[number].participants
    return view.params.wait != "poll" and any(
        each.thread >= SATURATED for each in own if each.name.startswith("passive")
    )


def _behind(view: CaseView) -> set[int]:
    """Rounds in which writers did not keep up with their rate."""
    rate = view.params.rate_hz or 0.0
    senders = view.values("senders", only_ok=False)
    written = view.values("written_per_s", only_ok=False)
    short = {n for n, r in written.items() if r < MIN_HELD * rate * (senders.get(n) or 1)}
    late = {n for n, late_ns in view.lateness.items() if late_ns * rate / 1e9 > LATE_GAPS}
    return short | late


def _lateness(view: CaseView) -> float | None:
    return max(view.lateness.values(), default=None)


POLLING = (
    "A CPU is always busy because the reader polls",
    "Polling takes all the time there is; the counter cannot tell whether any was left.",
    "To see what the middleware itself needs, measure with a waitset or listener.",
)
SHARED = (
    "The participants' common CPU is saturated",
    'With placement "same" writer and reader take turns on one CPU, and together they used all of '
    "it: the figure is what one CPU can do for both sides together.",
)
OVERLOAD = "Say so beside the figure: there is no CPU for each participant."
"""Remedy where placement "different" is impossible."""
FULL_SPEED = (
    "Throughput is limited by one CPU",
    "At full speed something has to be the limit, and here it is a CPU, not the network or a "
    "buffer: the figure says what the middleware costs on this CPU.",
    "Say so beside the figure; to see the network's limit use larger samples or batches.",
)

RULE = Rule(
    id="saturated-core",
    title="A CPU is saturated at the requested rate",
    cause="The participants use a CPU completely, so samples wait for it: latency and loss "
    "describe an overloaded queue.",
    remedy="Lower the rate, spread the participants over more CPUs, or read the case as an "
    "overload test.",
    check_case=check_case,
    explains=("rate-not-held", "non-stationary", "loss-under-reliable", "udp-drops"),
    concerns=("cpus_used",),
)
