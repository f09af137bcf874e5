"""What is known of a capture: `busmark capture analyse --json`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

CAPTURE_VERSION = 1


class Spread(BaseModel):
    """Times of many samples."""

    count: int
    min_ns: float
    median_ns: float
    mean_ns: float
    p99_ns: float
    """Linear interpolation between the nearest two."""
    max_ns: float
    std_ns: float | None
    """Standard deviation, by count - 1; null for a single value."""
    variance_ms2: float | None
    """Square of the deviation, in ms²."""


class Range(BaseModel):
    """Sizes or rates of many samples."""

    count: int
    min: float
    mean: float
    max: float
    std: float | None
    """Standard deviation, by count - 1; null for a single value."""


class Flow(BaseModel):
    """Packets from one end to another."""

    interface: str
    transport: Literal["udp", "tcp", "serial"]
    source: str
    """Address and port."""
    destination: str
    protocols: list[str]
    packets: int
    wire_bytes: int
    tcp_data_segments: int
    tcp_retransmissions: int
    """Segments with bytes that were there before."""
    tcp_out_of_order: int
    """Segments that came before others that they follow."""


class Submessages(BaseModel):
    """Count of one kind of submessage."""

    protocol: Literal["rtps", "xrce"]
    kind: str
    direction: Literal["to agent", "from agent"] | None
    """Direction of the submessage, for DDS-XRCE."""
    of: Literal["user", "discovery"] | None
    """Kind of the writer that it names, for RTPS; null where it names none."""
    count: int


class Hop(BaseModel):
    """Samples of one writer on one flow."""

    name: str
    """Name of the hop in ways: letter and number."""
    run: int
    """Number of its run, from 1."""
    protocol: Literal["rtps", "xrce"]
    kind: Literal["WRITE_DATA", "DATA"]
    transport: str
    source: str
    destination: str
    writer: str
    """GUID of the writer (RTPS), or object id (DDS-XRCE)."""
    stream: str | None
    """Stream of DDS-XRCE: its number, and whether it is reliable."""
    samples: int
    """Different samples."""
    repeated: int
    """Further copies: retransmissions by the protocol."""
    not_seen: int
    """Sequence numbers between the first and the last that the capture does not have."""
    fragmented: int
    """Samples in fragments of the protocol."""
    payload_bytes: Range
    packet_bytes: Range
    """All packets that carry a sample, headers included; a packet with several is shared."""
    packets: int
    """Data, heartbeats and confirmations, from the first sample to the last confirmation."""
    wire_bytes: int
    """Their bytes."""
    packets_per_sample: float
    overhead_share: float | None
    """Share of these bytes that is no payload."""
    first_ns: int
    last_ns: int
    confirmation: Spread | None
    """Time from a data packet to the message that confirms it: ACKNACK."""
    unconfirmed: int | None
    """Samples without such a confirmation; null where the stream has none."""
    tcp_acknowledgement: Spread | None
    """Time from a data packet to the segment that acknowledges it."""
    arrival: Spread | None
    """Time from the first byte of a message to its last, where it came in several packets."""


class Segment(BaseModel):
    """The segment of a way from one hop to the next."""

    source: str
    destination: str
    samples: int
    latency: Spread | None


class Way(BaseModel):
    """Samples followed over several hops, by their payload."""

    run: int
    hops: list[str]
    entered: int
    """Samples on the first hop."""
    arrived: int
    """Number of these samples on the last hop."""
    missing: list[int]
    """The others, by their number on the first hop from 1; at most 100."""
    latency: Spread | None
    """Time from the data packet of the first hop to the data packet of the last."""
    segments: list[Segment]
    confirmed: Spread | None
    """L = T_CM - T_DP: from the data packet of the first hop to the confirmation on the last."""
    confirmed_by: Literal["ACKNACK", "TCP"] | None
    bytes_per_sample: Range | None
    """Sum of the packet lengths of all hops."""
    eq2_mbit_s: Range | None
    """Packet lengths of all hops by the time that `eq2_until` names. It is a size divided by a
    delay, which some call throughput: it grows as the delay shrinks, at one rate of samples."""
    eq2_until: Literal["ACKNACK", "TCP", "application", "data"] | None
    """The end of that time: the confirmation, which makes it L; the application's stamp, where
    nothing confirms and there are stamps; else the data packet of the last hop, which is no L."""
    goodput_mbit_s: float | None
    """Payload by the time from the first sample to the last."""


class Beside(BaseModel):
    """A sample: latencies of the application and of its packets."""

    seq: int
    sent_ns: int
    latency_ns: int | None
    """Time from sent to received, in the application; null for a lost sample."""
    data_to_data_ns: int | None
    confirmed_ns: int | None
    """L, the time until the sample was confirmed."""


class Application(BaseModel):
    """Stamps of an application beside the capture."""

    file: str
    hops: list[str]
    """The way, or the hop, whose packets these samples are."""
    matched: Literal["order", "time"]
    """How samples and packets were matched: as many of both in one order, or each packet with the
    last sample that was sent before it."""
    sent: int
    received: int
    in_capture: int
    """Samples with a packet on the first hop."""
    lost: list[int]
    """Numbers of samples that were not received; at most 100."""
    arrived_not_received: list[int]
    """Lost samples that have a packet on the last hop."""
    received_not_seen: list[int]
    """Samples that were received without a packet on the last hop."""
    latency: Spread | None
    """Time from sent to received."""
    data_to_data: Spread | None
    confirmed: Spread | None
    """L, the time until the sample was confirmed."""
    confirmed_by: Literal["ACKNACK", "TCP"] | None
    sent_to_packet: Spread | None
    """Time from sent to the first byte of the data packet."""
    packet_to_received: Spread | None
    """Time from the data packet on the last hop to received."""
    data_to_data_less_latency: Spread | None
    """Difference for each sample."""
    eq2_mbit_s: Range | None
    """Packet lengths of all hops by the application's latency, for each sample."""
    confirmed_less_latency: Spread | None
    """L less the application's latency, for each sample."""
    confirmed_by_latency: float | None
    """Median L by the median latency of the application, of samples with both."""
    samples: list[Beside]


class Run(BaseModel):
    """A time with samples, before and after which nobody was there: sessions of DDS-XRCE, or
    without such the participants of RTPS that wrote."""

    number: int
    begin_ns: int
    end_ns: int
    clients: list[str]
    """Keys of the clients that opened a session in it."""
    samples: int
    """Sum over its hops on which samples enter."""


class Interface(BaseModel):
    """An interface on which packets were captured."""

    name: str
    packets: int
    snap_length: int
    received: int | None
    dropped: int | None
    """Packets that the capture lost; null where the file does not say."""


class Analysis(BaseModel):
    """A capture."""

    busmark_capture: int = CAPTURE_VERSION
    file: str
    format: str
    packets: int
    wire_bytes: int
    first_ns: int | None
    last_ns: int | None
    protocols: dict[str, int]
    """Packets by protocol."""
    remarks: list[str]
    """Remarks on what limits these figures."""
    fault: dict[str, Any] | None
    """Why reading ended before the end of the file: offset, kind, what."""
    interfaces: list[Interface]
    runs: list[Run]
    hops: list[Hop]
    ways: list[Way]
    application: Application | None
    """Stamps of the application, where they were given."""
    flows: list[Flow]
    submessages: list[Submessages]
