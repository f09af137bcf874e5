"""A CPU that had no time left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import has_rate
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, share

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

SATURATED = 0.95
"""Share of time in use. The counters tick every 1 to 10 ms and a round's begin and end are not
busy, so a CPU that never rests shows somewhat less than 1."""


def check_case(view: CaseView) -> Iterator[Observation]:
    params = view.params
    if params.get("test") != "throughput" and not has_rate(params):
        return
    busy = view.values("cpu_busy")
    full = [value for value in busy.values() if value >= SATURATED]
    if not full:
        return
    evidence = (
        f"busiest CPU in use {share(round(max(full), 3))} of the time, at least "
        f"{share(SATURATED)} in {len(full)} of {count(len(busy), 'round')}"
    )
    weight = max(full) * len(full) / len(busy)
    if params.get("wait") == "poll":
        yield Observation("note", evidence, weight, *POLLING)
    elif params.get("placement") == "same" and params.get("network") != "nodes":
        yield Observation("note", evidence, weight, *SHARED)
    elif not has_rate(params):
        yield Observation("note", evidence, weight, *FULL_SPEED)
    else:
        yield Observation("warning", evidence, weight)


POLLING = (
    "A CPU is always busy because the reader polls",
    "Polling takes all the time there is; the counter cannot tell whether any was left.",
    "To see what the middleware itself needs, measure with a waitset or listener.",
)
SHARED = (
    "The participants' common CPU is saturated",
    'With placement "same" writer and reader take turns on one CPU, so it has to be full: the '
    "figure is what one CPU can do for both sides together.",
    'Compare with placement "different".',
)
FULL_SPEED = (
    "Throughput is limited by one CPU",
    "At full speed something has to be the limit, and here it is a CPU, not the network or a "
    "buffer: the figure says what the middleware costs on this CPU.",
    "Say so beside the figure; to see the network's limit use larger samples or batches.",
)

RULE = Rule(
    id="saturated-core",
    title="A CPU is saturated at the rate asked for",
    cause="One CPU has no time left, so samples wait for it: latency is that of a queue, and loss "
    "that of an overload.",
    remedy="Lower the rate, spread the participants over more CPUs, or read the case as an "
    "overload test.",
    check_case=check_case,
)
