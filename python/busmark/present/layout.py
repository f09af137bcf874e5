"""What stands where: the columns of the headline table of each test, and names in the details.

A quantity (`busmark.model.quantities`) says what it is; whether, where and under which heading a
table shows it is a row here, or a row that a plug-in brings for a quantity of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from busmark.model.entry import (
    SERVED,
    SERVICES,
    STREAMS,
    TESTS,
    EstimatedQuantity,
    LatencySet,
    Number,
    PartQuantity,
    Statistic,
)
from busmark.model.quantities import OF_CASES, action, host, service, stream
from busmark.model.quantities import discovery as found
from busmark.model.quantities.latency import (
    CLOCK_BOUND,
    HALF_ROUND_TRIP,
    ONE_WAY,
    RESPONSE_TIME,
    SAMPLES,
)
from busmark.model.statistics import MEDIAN, P99
from busmark.plugin import active, load

When = Literal["always", "known", "some"]
"""known: where a case has a value; some: where one is not 0."""

NO_COUNTERS = "the counters of its participants were not read within the measured time"


@dataclass(frozen=True, slots=True)
class Heading:
    """A column of the headline table of one test."""

    text: str
    when: When = "known"
    minor: bool = False
    """Whether it may be dropped where there is no room."""
    last: bool = False
    """Whether the column stands after all columns of measured figures."""
    interval: bool = True
    """Whether the limits of the interval are shown with the value."""
    absent: str = ""
    """Why a case of which rounds count has none."""
    second: Number | PartQuantity | None = None
    """Second number of the cell, unless it is 0."""
    word: str = ""
    """What the second number counts."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A quantity, and its column in the headline tables of these tests."""

    of: EstimatedQuantity | Number
    tests: tuple[str, ...]
    heading: Heading


LATENCY, STREAM, DISCOVERY = ("latency",), ("throughput",), ("discovery",)
SERVICE, ACTION = ("service",), ("action",)
MEASURED = ("latency", *STREAMS, *SERVED)
ALL = TESTS


def last(text: str, when: When = "known", *, interval: bool = True, absent: str = "") -> Heading:
    """Return the heading of a column behind all measured figures, where there is room."""
    return Heading(text, when, minor=True, last=True, interval=interval, absent=absent)


# fmt: off
HEADLINE = (
    Shown(SAMPLES, LATENCY, Heading("Samples", "always", minor=True)),
    Shown(SAMPLES, SERVICE, Heading("Requests", "always", minor=True)),
    Shown(CLOCK_BOUND, STREAM, last("Clock offset \N{PLUS-MINUS SIGN}")),
    Shown(stream.GOODPUT, ("throughput", "capacity"), Heading("Goodput", "always")),
    Shown(stream.THEORETICAL, STREAM, Heading("Theoretical", minor=True)),
    Shown(stream.NUMBERED, STREAM, Heading("Expected", minor=True)),
    Shown(stream.WRITTEN, STREAM, Heading("Written", "always", minor=True)),
    Shown(stream.READ, STREAM, Heading("Read", "always")),
    Shown(stream.DRAIN, STREAM, Heading("Drain", minor=True)),
    Shown(stream.LOST, ("latency", "throughput"), Heading("Lost", "always")),
    Shown(stream.LOST, SERVICE, Heading("Unanswered", "always")),
    Shown(service.REQUEST_RATE, SERVICES, Heading("Answered", "always")),
    *(Shown(one, SERVICE, Heading(part.capitalize(), minor=True))
      for (part, *_), one in zip(service.PARTS, service.PART_TIMES, strict=True)),
    Shown(service.AVAILABLE, SERVED, Heading("First response", minor=True)),
    Shown(service.LATE, SERVICE, Heading("Late", "some")),
    Shown(service.TWICE, SERVICE, Heading("Answered twice", "some")),
    Shown(service.MISROUTED, SERVICE, Heading("Misrouted", "some")),
    Shown(service.REFUSED, SERVICE, Heading("Refused", "some")),
    Shown(service.IGNORED, SERVICE, Heading("Ignored before", "some")),
    Shown(service.CPU_PER_REQUEST, SERVICE, Heading("CPU per request", minor=True)),
    Shown(action.ACCEPTED, ACTION, Heading("Accepted", "always")),
    Shown(action.ACCEPTED_P99, ACTION, Heading("p99 accepted", minor=True)),
    Shown(action.FIRST_FEEDBACK, ACTION, Heading("First feedback")),
    Shown(action.FIRST_FEEDBACK_P99, ACTION, Heading("p99 first feedback", minor=True)),
    Shown(action.FEEDBACK_LATENCY, ACTION, Heading("Feedback on its way", minor=True)),
    Shown(action.RESULT_DELAY, ACTION, Heading("Result − goal time", "always")),
    Shown(action.RESULT_DELAY_P99, ACTION, Heading("p99 result", minor=True)),
    Shown(action.RESULT_REPLY, ACTION, Heading("End to result", minor=True)),
    Shown(action.CANCEL_ANSWERED, ACTION, Heading("Cancel answered")),
    Shown(action.GOAL_RATE, ACTION, Heading("Goals completed", minor=True)),
    Shown(action.GOAL_LOSS, ACTION, Heading("No result", "always")),
    Shown(action.FEEDBACK_RATE, ACTION, Heading("Feedback received", minor=True)),
    Shown(action.FEEDBACK_LOSS, ACTION, Heading("Feedback lost", "always")),
    Shown(action.STATUS_LOSS, ACTION, Heading("Status lost", "some")),
    Shown(action.GOALS, ACTION, Heading("Goals", minor=True)),
    Shown(action.CANCELLED, ACTION, Heading("Cancelled", "some", minor=True)),
    Shown(action.REFUSED, ACTION, Heading("Refused", "some")),
    Shown(action.LATE, ACTION, Heading("Late results", "some")),
    Shown(action.IGNORED, ACTION, Heading("Ignored before", "some")),
    Shown(action.CPU_PER_GOAL, ACTION, Heading("CPU per goal", minor=True)),
    Shown(stream.DUPLICATED, STREAM, Heading("Duplicated", "some", minor=True)),
    Shown(stream.OUT_OF_ORDER, STREAM, Heading("Out of order", "some", minor=True)),
    Shown(stream.BATCHES, STREAM, Heading(
        "Batches", second=stream.UNACKNOWLEDGED, word="not acknowledged")),
    Shown(stream.BATCH_TIME, STREAM, Heading("Time of a batch")),
    Shown(stream.SUSTAINED_RATE, ("capacity",), Heading("Rate of each writer", "always")),
    Shown(stream.SUSTAINED_RATE, ("service-capacity",), Heading("Rate of each client", "always")),
    Shown(host.CPUS_USED, MEASURED, last("CPUs busy", interval=False, absent=NO_COUNTERS)),
    Shown(host.MEMORY, MEASURED, last("Memory", absent=NO_COUNTERS)),
    Shown(host.MEMORY_PER_ENDPOINT, MEASURED, last("Memory per endpoint")),
    Shown(host.UDP_SOCKET_DROPS, ALL, last("UDP drops", "some")),
    Shown(found.CREATION_TIME, DISCOVERY, Heading("Creation", "always", minor=True)),
    Shown(found.OWN_MATCH, DISCOVERY, Heading("Own match", minor=True)),
    Shown(found.PEER_MATCH, DISCOVERY, Heading("Peer match", minor=True)),
    Shown(found.FIRST_SAMPLE, DISCOVERY, Heading("First sample", "always")),
    Shown(found.OWN_MATCH_AFTER, DISCOVERY, Heading("Own match − creation", minor=True)),
    Shown(found.PEER_MATCH_AFTER, DISCOVERY, Heading("Peer match − creation", minor=True)),
    Shown(found.FIRST_SAMPLE_AFTER, DISCOVERY, Heading("First sample − creation", minor=True)),
    Shown(found.LOST_BEFORE, DISCOVERY, Heading("Lost per repetition", "always", interval=False)),
    Shown(found.REPETITIONS, DISCOVERY, Heading(
        "Repetitions", second=found.UNDISCOVERED, word=found.UNDISCOVERED.title)),
)
"""Columns in the order of the table of quantities, whatever their order here."""

OF_STREAM: dict[EstimatedQuantity | Number, str] = {
    stream.GOODPUT: "goodput",
    stream.THEORETICAL: "samples to be read, theoretical",
    stream.NUMBERED: "samples to be read, by sequence numbers",
    stream.WRITTEN: "samples written",
    stream.READ: "samples read",
    stream.DRAIN: "drain",
    stream.SENT: "sent",
    stream.RECEIVED: "received",
    stream.LOST: "lost",
    stream.DUPLICATED: "duplicated",
    stream.OUT_OF_ORDER: "out of order",
    stream.FOREIGN: "foreign",
    stream.CORRUPTED: "corrupted",
    stream.LOSS: "loss",
}
"""Names in the details of a stream."""
# fmt: on


@cache
def headings() -> dict[tuple[str, str], Heading]:
    """Return the headings of the core and of plug-ins, by test and key of the quantity."""
    rows = [*HEADLINE]
    for _, plugin in active():
        if plugin.layout:
            rows += load(plugin.layout)
    return {(test, row.of.key): row.heading for row in rows for test in row.tests}


def columns(test: str, *, behind: bool) -> Iterator[tuple[EstimatedQuantity | Number, Heading]]:
    """Yield the quantities that the headline table of a test shows, in the order of the table of
    quantities; `behind`: those that stand after all measured figures."""
    for one in OF_CASES:
        heading = headings().get((test, one.key))
        if heading and heading.last == behind:
            yield one, heading


def of_latency(one: Statistic, of: LatencySet) -> Heading | None:
    """Return the heading of a statistic of pings or probes; None: the table does not show it.
    Every percentile that reports have is shown of pings."""
    if of is HALF_ROUND_TRIP:
        percentile = one.percent is not None and one is not P99
        return Heading(f"{one.title} RTT/2", "always", minor=percentile) if _shown(one) else None
    if of is RESPONSE_TIME and _shown(one):
        percentile = one.percent is not None and one is not P99
        return Heading(f"{one.title} response time", "always", minor=percentile)
    if of is ONE_WAY and one in (MEDIAN, P99):
        return Heading(f"{one.title} one-way", "always", minor=True)
    return None


def _shown(one: Statistic) -> bool:
    return one is MEDIAN or one.percent is not None


_LATENCY = (("half_round_trip", "median"), ("half_round_trip", "p99"), ("loss", "value"))
_STREAM = (
    ("goodput", "median"),
    ("sustained_rate", "median"),
    ("one_way", "median"),
    ("one_way", "p99"),
    ("loss", "mean"),
)
_SERVICE = (
    ("response_time", "median"),
    ("response_time", "p99"),
    ("request_rate", "median"),
    ("loss", "value"),
)
_ACTION = (
    ("goal_accepted", "median"),
    ("goal_accepted", "p99"),
    ("first_feedback", "median"),
    ("result_delay", "median"),
    ("goal_loss", "mean"),
    ("feedback_loss", "mean"),
)
_CPU = ("cpu", "median")

IN_CI = {
    "latency": (*_LATENCY, _CPU),
    "throughput": (*_STREAM, _CPU),
    "capacity": (*_STREAM, _CPU),
    "discovery": (("first_sample", "median"), _CPU),
    "service": (*_SERVICE, _CPU),
    "service-capacity": (("request_rate", "median"), ("sustained_rate", "median"), _CPU),
    "action": (*_ACTION, _CPU),
}
"""Quantities and statistics in files for CI, by test."""

PHASED = "first_after"
IN_CI_BY_ANSWER = {"matching": (("matched_last", "median"),), "recovery": ((PHASED, "median"),)}
"""Further ones of streams, by what the scenario wants streams to be compared by."""
