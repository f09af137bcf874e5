"""What a worker answers, from `schemas/control.schema.json`: made by `tools/generate.py`.

Unknown keys are kept: the controller only stores them.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

_further = with_config(ConfigDict(extra="allow"))

U32 = Annotated[int, Field(ge=0, lt=2**32)]
U64 = Annotated[int, Field(ge=0, lt=2**64)]
I64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]


@_further
class Hello(TypedDict):
    """The first line of a worker."""

    event: str
    """Always `hello`."""
    pid: U32
    """Its process."""
    protocol: U32
    """Version of this protocol."""
    version: str
    """Version of the worker."""


@_further
class Failure(TypedDict):
    """Why a command failed."""

    kind: str
    """protocol, load, unsupported, invalid, unavailable, timeout, resources, failed."""
    message: str
    """What failed and what to do."""


@_further
class Reply(TypedDict):
    """Answer to a request."""

    id: U64
    """Number of the request."""
    ok: bool
    result: NotRequired[Any]
    """What the command yields."""
    error: NotRequired[Failure]
    """Why."""


@_further
class Count(TypedDict):
    """Samples that a role has got."""

    bytes: U64 | None
    """At a receiver: bytes of the bodies that came in the interval."""
    missing: U64 | None
    """At a receiver: sequence numbers below the highest that have not come so far."""
    role: U32
    """The role, by its own writer."""
    samples: U64
    """How many, in the interval."""
    theoretical: U64 | None
    """At a receiver, by sequence numbers: what would have come in the interval, had nothing been
    lost."""
    writer: U32
    """Whose samples; of a pinger its own pings, answered."""


@_further
class Best(TypedDict):
    """The shortest of many times."""

    count: U64
    """How many."""
    deviation_ns: float | None
    """Their sample standard deviation; null for one."""
    max_ns: I64
    """The longest of them."""
    mean_ns: float
    """Their mean."""
    min_ns: I64
    """The shortest."""
    percent: float
    """How many of a hundred."""


@_further
class Seen(TypedDict):
    """A look at some of the rows of a role: a few hundred, at equal distances."""

    asked: U32
    """Pings or probes of the interval before that were looked at."""
    role: U32
    """The role, by its own writer."""
    round_trips_ns: list[I64]
    """Round trips of pings or probes of the interval that were answered: from when they should have
    been sent to when the answer was read."""
    segments: dict[str, list[Best]]
    """Segments of the round trips of the interval that were looked at, those by one clock."""
    unanswered: U32
    """Those of them that had no answer yet."""


@_further
class MatchedEndpoint(TypedDict):
    """When one endpoint had matched all its counterparts."""

    after_ns: I64 | None
    """As for all; null also where it cannot be known."""
    counterparts: U32
    """How many that were."""
    matched_ns: I64 | None
    """When it was known; null: it cannot be."""
    topic: str
    """Its topic."""
    writes: bool
    """A writer; else a reader."""


@_further
class Matched(TypedDict):
    """When all endpoints of a worker had matched: after `after_ns`, and at `matched_ns` at the
    latest."""

    after_ns: I64 | None
    """Equal to `matched_ns` where the middleware's own event says so; null: the first question
    found all matched, so it may have been long before."""
    endpoints: list[MatchedEndpoint]
    """Each that was to match somebody."""
    matched_ns: I64
    """When it was known."""
    unknown: U32
    """Endpoints whose counts cannot be known."""


@_further
class First(TypedDict):
    """The first sample that came of a writer."""

    at_ns: I64
    """When it had come, ns."""
    before: U64
    """How many the writer had sent before it, by its number."""
    role: U32
    """The role to which it came, by its own writer."""
    writer: U32
    """Whose it is; of a pinger its own ping, answered."""


@_further
class Sighting(TypedDict):
    """What a resident saw of a late joiner: its matches, or its first sample."""

    after_ns: I64 | None
    """For a match, the last moment at which it was not there: equal to `at_ns` where the
    middleware's own event had the time; null: not known."""
    at_ns: I64
    """When it was there, ns: for a sample when it was announced, or read where nothing is
    announced."""
    count: U32 | None
    """The resident's matches from now on; null: it is about a sample."""
    seq: U64 | None
    """The first sample that came of a new writer; null: it is about a match."""


@_further
class Event(TypedDict):
    """What a worker tells by itself."""

    begin_ns: NotRequired[I64]
    event: str
    writer: NotRequired[U32]
    counts: NotRequired[list[Count]]
    """Samples of the measured time that have come, by role and writer."""
    end_ns: NotRequired[I64]
    """Its end, ns."""
    seen: NotRequired[list[Seen]]
    """A look at the active roles of this worker that record latencies."""
    sighting: NotRequired[Sighting]
    """What."""
    error: NotRequired[Failure]
    """Why."""


@_further
class FrameHead(TypedDict):
    """Announces a frame."""

    bytes: U64
    """Length of the frame, without the newline after it."""
    frame: str
    """samples, accounts, intervals, batches, `sent_batches` or discoveries."""
    role: str
    """Which role recorded it."""
    writer: U32
    """Which writer the role has."""


@_further
class ReplyHead(TypedDict):
    """Announces a reply that is too long for a line."""

    bytes: U64
    """Length of the reply, without the newline after it."""
    frame: str
    """`reply`."""


@_further
class ServeResult(TypedDict):
    """Result of `serve`."""

    address: str
    """Address that participants get in their option `server`."""


@_further
class Clocks(TypedDict):
    """The same moment by two clocks."""

    bound_ns: I64
    """How far the moments may be apart, either way, ns."""
    monotonic_ns: I64
    """`CLOCK_MONOTONIC`, ns: the clock of all stamps."""
    realtime_ns: I64
    """`CLOCK_REALTIME`, ns since 1970: the clock of packet captures and of a middleware's own
    stamps."""


@_further
class Endpoints(TypedDict):
    """Number of endpoints."""

    readers: U32
    writers: U32


@_further
class SetupResult(TypedDict):
    """Result of `setup`."""

    clocks: Clocks
    """Both clocks of this worker's host."""
    endpoints: dict[str, Endpoints]
    """Endpoints of this worker, by topic."""
    locators: dict[str, list[str]]
    """Locators of this worker's readers, by topic; empty with discovery, and where writers bind."""
    ready_ns: I64
    """When the last of them had been made, ns."""
    recorder_bytes: U64
    """Memory of this worker's process that holds what it records, bytes."""
    writer_locators: dict[str, list[str]]
    """Locators of this worker's writers, by topic; empty with discovery, and where readers bind."""


@_further
class RunReport(TypedDict):
    """Result of `run`, one for each active role."""

    begin_ns: I64
    """Start of the measured time, ns."""
    blocked: U64
    """Writes that the middleware refused for a while (reliable writer blocked)."""
    end_ns: I64
    """End of the measured time, ns: the last write had returned."""
    ended: str
    """duration, samples, `recorder_full`, stopped (by `set`), or late: the schedule could not be
    kept up with."""
    last_ns: I64
    """When the last sample was sent, ns."""
    role: str
    """pinger, transmitter, batcher or late joiner."""
    sent: U64
    """Samples written in the measured time."""
    warmup_ns: I64
    """Length of the warm-up, ns."""
    writer: U32
    """Its writer."""


@_further
class SetResult(TypedDict):
    """Result of `set`."""

    at_ns: I64
    """When the change had taken effect, ns."""
    changed: U32
    """Endpoints of the role whose quality of service has changed."""


@_further
class OtherSize(TypedDict):
    """Bodies that were looked at, of another size than the reading end is for: on the bus each end
    has a definition of its own."""

    bytes: U64
    """Bytes of the last of them."""
    expected: U64
    """Bytes that its reader expected."""
    samples: U64
    """How many."""


@_further
class RoleReport(TypedDict):
    """Result of `collect`, one for each role."""

    corrupted: U64 | None
    """Bodies that differ from what was written: of all if they are verified, else of one in a
    thousand. Absent where bodies cannot be seen."""
    echo_failures: U64
    """Samples that could not be echoed."""
    foreign: U64
    """Samples with another cookie, or of a writer that nobody announced."""
    frames: dict[str, U64]
    """Rows in its other frames, by their names; there is none without rows."""
    other_size: OtherSize | None
    """Bodies of another size than this end is for, which `corrupted` does not count."""
    reader_counters: dict[str, U64 | None] | None
    """The middleware's own counters of the role's reader."""
    reply_mode: str
    """How the role answers or continues: inline (from the listener), thread (handed over) or
    loop."""
    role: str
    """pinger, responder, transmitter, batcher, receiver, late joiner, resident or idle endpoint."""
    rows: U64
    """Rows in its frame `samples`, which precedes this reply."""
    unrecorded: U64
    """Samples that a receiver was to record and had no row for."""
    writer: U32
    """Writer of its own samples."""
    writer_counters: dict[str, U64 | None] | None
    """The middleware's own counters of the role's writer."""
