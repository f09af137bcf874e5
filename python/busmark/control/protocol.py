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
    """The first message of a worker."""

    event: str
    """Always `hello`."""
    pid: U32
    """Process identifier of the worker."""
    protocol: U32
    """Version of this protocol."""
    version: str
    """Version of the worker."""


@_further
class Failure(TypedDict):
    """Why a command failed."""

    kind: str
    """Kind of the failure: protocol, load, unsupported, invalid, unavailable, timeout, resources or
    failed."""
    message: str
    """Message that says what failed and what to do."""


@_further
class Reply(TypedDict):
    """The reply to a request."""

    id: U64
    """Number of the request."""
    ok: bool
    result: NotRequired[Any]
    """Result of the command."""
    error: NotRequired[Failure]
    """Reason of the failure."""


@_further
class Count(TypedDict):
    """Number of samples of one writer that a role has received."""

    bytes: U64 | None
    """At a receiver: bytes of the bodies received in the interval."""
    missing: U64 | None
    """At a receiver: number of sequence numbers below the highest received that are missing so
    far."""
    role: U32
    """The role, by the number of its own writer."""
    samples: U64
    """Number of samples received in the interval."""
    theoretical: U64 | None
    """At a receiver: number of samples that it would have received in the interval if none had been
    lost, by their sequence numbers."""
    writer: U32
    """Writer of the samples; for a pinger its own number: its pings that were answered are
    counted."""


@_further
class Best(TypedDict):
    """Statistics of the shortest of a segment's durations."""

    count: U64
    """Number of durations counted."""
    deviation_ns: float | None
    """Sample standard deviation of the durations, ns; null for one."""
    max_ns: I64
    """Longest duration counted, ns."""
    mean_ns: float
    """Mean of the durations, ns."""
    min_ns: I64
    """Shortest duration, ns."""
    percent: float
    """Share of the durations that are counted, in percent, the shortest first."""


@_further
class Seen(TypedDict):
    """A selection of a role's recorded rows: a few hundred, equally spaced."""

    asked: U32
    """Number of selected pings or probes of the interval before."""
    role: U32
    """The role, by the number of its own writer."""
    round_trips_ns: list[I64]
    """Round-trip times of the selected pings or probes of the interval that were answered, each
    from the scheduled time of sending to the reading of the answer."""
    segments: dict[str, list[Best]]
    """Durations of the segments of the selected round trips, for each segment that begins and ends
    on one clock."""
    unanswered: U32
    """Number of pings or probes among `asked` that have not been answered yet."""


@_further
class MatchedEndpoint(TypedDict):
    """Time at which one endpoint matched its last counterpart."""

    after_ns: I64 | None
    """As `after_ns` of all endpoints; null also where the adapter cannot count matches."""
    counterparts: U32
    """Number of counterparts."""
    matched_ns: I64 | None
    """Time at which the match was known, ns; null where the adapter cannot count matches."""
    topic: str
    """Topic of the endpoint."""
    writes: bool
    """Whether the endpoint is a writer, not a reader."""


@_further
class Matched(TypedDict):
    """Time at which the last endpoint of a worker matched: between `after_ns` and `matched_ns`."""

    after_ns: I64 | None
    """Last time at which the endpoints were observed not to match, ns: equal to `matched_ns` where
    the middleware's own event gives the time; null: all matched when they were first asked, so that
    the match may be much older."""
    endpoints: list[MatchedEndpoint]
    """Matches of each endpoint that was to match another."""
    matched_ns: I64
    """Time at which the match was known, ns."""
    unknown: U32
    """Number of endpoints whose matches the adapter cannot count."""


@_further
class First(TypedDict):
    """The first sample received from a writer."""

    at_ns: I64
    """Time at which the sample had been received, ns."""
    before: U64
    """Number of samples that the writer had sent before, by the sample's sequence number."""
    role: U32
    """The role that received the sample, by the number of its own writer."""
    writer: U32
    """Writer of the sample; for a pinger its own number: the sample is its first ping that was
    answered."""


@_further
class Sighting(TypedDict):
    """A resident's observation of its late joiner: a match, or its first sample."""

    after_ns: I64 | None
    """For a match, the last time at which the endpoints were observed not to match, ns: equal to
    `at_ns` where the middleware's own event gives the time; null: not known."""
    at_ns: I64
    """Time of the match, or time at which the middleware announced the sample, ns; where it
    announces none, the time at which the sample was read."""
    count: U32 | None
    """Number of endpoints that the resident now matches; null where a sample was observed."""
    seq: U64 | None
    """Sequence number of the first sample received from a new writer; null where a match was
    observed."""


@_further
class Event(TypedDict):
    """A message that a worker sends without having been asked."""

    begin_ns: NotRequired[I64]
    event: str
    writer: NotRequired[U32]
    counts: NotRequired[list[Count]]
    """Number of samples received in the measured time, by role and writer."""
    end_ns: NotRequired[I64]
    """End of the interval, ns."""
    seen: NotRequired[list[Seen]]
    """A selection of the latest rows of each active role of this worker that records latencies."""
    sighting: NotRequired[Sighting]
    """The observation."""
    error: NotRequired[Failure]
    """Reason of the failure."""


@_further
class FrameHead(TypedDict):
    """Line that precedes a frame."""

    bytes: U64
    """Length of the frame, bytes, without the newline after it."""
    frame: str
    """Table in the frame: samples, accounts, intervals, batches, `sent_batches`, discoveries or
    goals."""
    role: str
    """Kind of the role that recorded the table."""
    writer: U32
    """Number of the role's writer."""


@_further
class ReplyHead(TypedDict):
    """Line that precedes a reply which is too long for a line."""

    bytes: U64
    """Length of the reply, bytes, without the newline after it."""
    frame: str
    """Always `reply`."""


@_further
class ServeResult(TypedDict):
    """Result of `serve`."""

    address: str
    """Address of the server, for the participants' option `server`."""


@_further
class Clocks(TypedDict):
    """The same time by two clocks of a host."""

    bound_ns: I64
    """Bound of the time between the two readings, in either direction, ns."""
    monotonic_ns: I64
    """Time by `CLOCK_MONOTONIC`, the clock of Busmark's time stamps, ns."""
    realtime_ns: I64
    """Time by `CLOCK_REALTIME`, the clock of packet captures and of the middleware's own time
    stamps, ns since 1970."""


@_further
class Endpoints(TypedDict):
    """Number of writers and readers."""

    readers: U32
    writers: U32


@_further
class SetupResult(TypedDict):
    """Result of `setup`."""

    clocks: Clocks
    """Clocks of this worker's host."""
    endpoints: dict[str, Endpoints]
    """Number of this worker's writers and readers, by topic."""
    locators: dict[str, list[str]]
    """Locators of this worker's readers, by topic; empty where endpoints find each other by
    discovery, and where writers bind."""
    ready_ns: I64
    """Time at which the last endpoint had been made, ns."""
    recorder_bytes: U64
    """Memory that this worker has reserved for its records, bytes."""
    writer_locators: dict[str, list[str]]
    """Locators of this worker's writers, by topic; empty where endpoints find each other by
    discovery, and where readers bind."""


@_further
class RunReport(TypedDict):
    """Result of `run`, one for each active role."""

    begin_ns: I64
    """Start of the measured time, ns."""
    blocked: U64
    """Number of writes for which the middleware blocked the reliable writer."""
    end_ns: I64
    """End of the measured time, when the last write had returned, ns."""
    ended: str
    """What ended the measurement: duration, samples, `recorder_full`, stopped (by `set`), or late
    (the role could not keep up with its schedule)."""
    last_ns: I64
    """Time at which the last sample was sent, ns."""
    role: str
    """Kind of the role: pinger, transmitter, batcher, late joiner, client or action client."""
    sent: U64
    """Number of samples written in the measured time."""
    warmup_ns: I64
    """Length of the warm-up, ns."""
    writer: U32
    """Number of the role's writer."""


@_further
class SetResult(TypedDict):
    """Result of `set`."""

    at_ns: I64
    """Time at which the change had taken effect, ns."""
    changed: U32
    """Number of endpoints of the role whose QoS has changed."""


@_further
class OtherSize(TypedDict):
    """Received bodies of another size than the reader expects: on the bus, each end of a test has
    its own definition."""

    bytes: U64
    """Size of the last such body, bytes."""
    expected: U64
    """Size that the reader expected, bytes."""
    samples: U64
    """Number of such bodies among those compared."""


@_further
class RequestReport(TypedDict):
    """What became of a client's requests of the measured time, beside its account, or of those that
    a server received."""

    answered: U64
    """Server: number of requests that it answered."""
    available_ns: I64 | None
    """Client: time from its first request to its first response, before the warm-up, ns; null:
    unknown."""
    by_topics: bool
    """Whether the service goes by two topics, for the adapter has none of its own."""
    ignored: U64
    """Client: number of requests without a response that it sent before the first one had a
    response."""
    late: U64
    """Client: number of responses that came after their time-out. Server: 0."""
    misrouted: U64
    """Client: number of responses that were another client's, or not to the request that they
    named."""
    refused: U64
    """Client: number of requests that the middleware refused to send, within the time-out."""
    taken: U64
    """Server: number of requests that it took, of the warm-up, too."""


@_further
class RoleReport(TypedDict):
    """Result of `collect`, one for each role."""

    corrupted: U64 | None
    """Number of bodies that differ from what was written: of all bodies if they are verified, else
    of one in a thousand. Null where the reader has no access to bodies."""
    echo_failures: U64
    """Number of samples that the role failed to echo."""
    foreign: U64
    """Number of samples of another run, or of a writer that the role does not expect."""
    frames: dict[str, U64]
    """Number of rows in the role's other frames, by the name of the table; a table without rows has
    no frame."""
    other_size: OtherSize | None
    """Bodies of another size than the reader expects, which `corrupted` does not count."""
    reader_counters: dict[str, U64 | None] | None
    """The middleware's own counters of the role's reader."""
    reply_mode: str
    """Thread on which the role answers or continues: inline (the listener's), thread (one that the
    listener wakes) or loop (one that polls or waits)."""
    requests: RequestReport | None
    """What became of requests; null where the role is no end of a service."""
    role: str
    """Kind of the role: pinger, responder, transmitter, batcher, receiver, late joiner, resident,
    idle endpoint, client, server, action client or action server."""
    rows: U64
    """Number of rows in the role's frame `samples`, which precedes this reply."""
    unrecorded: U64
    """Number of samples that a receiver did not record because all its rows were filled."""
    writer: U32
    """Number of the role's own writer."""
    writer_counters: dict[str, U64 | None] | None
    """The middleware's own counters of the role's writer."""
