"""The tables of a result directory, column by column.

This is the single source of the format: the writer casts to it, the reader checks against it, and
the reference page is generated from it. Times are int64 nanoseconds of CLOCK_MONOTONIC of the host
that took them unless the name says otherwise; sizes are bytes. A value that is not there is null,
never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars as pl

FORMAT_VERSION = 1
"""Raised when a reader of the older format would misread the newer one."""

Kind = Literal["text", "int", "float", "bool"]


@dataclass(frozen=True)
class Column:
    """One column: its name, kind of value, unit where it has one, and meaning."""

    name: str
    kind: Kind
    unit: str
    meaning: str


def _c(name: str, kind: Kind, unit: str, meaning: str) -> Column:
    return Column(name, kind, unit, meaning)


CASES = (
    _c("case", "text", "", "identifier of the case, as in the manifest and in file names"),
    _c("round", "int", "", "number of the round within its case, from 0"),
    _c("attempt", "int", "", "how often this round had been tried before, from 0"),
    _c("order", "int", "", "position in the campaign's order of execution, from 0"),
    _c(
        "status",
        "text",
        "",
        "ok; marked (finished, but a criterion was not met: never averaged in); failed (no result)",
    ),
    _c("reason", "text", "", "why it is marked or failed"),
    _c("started_utc", "text", "", "wall-clock time at which the round began, ISO 8601"),
    _c("test", "text", "", "latency, throughput or capacity"),
    _c("adapter", "text", "", "name of the adapter"),
    _c("transport", "text", "", "transport of the adapter"),
    _c("profile", "text", "", "default or tuned"),
    _c("payload", "text", "", "kind of the body's elements"),
    _c("size", "int", "B", "body of a sample, without the 64-byte header"),
    _c("wait", "text", "", "listener, waitset or poll"),
    _c(
        "placement",
        "text",
        "",
        "same, different, free, or the CPUs by number; unstated: an imported source does not say",
    ),
    _c(
        "arrivals",
        "text",
        "",
        "closed, constant or poisson; paced: an imported source sent at a rate, and counted from "
        "the actual sending",
    ),
    _c("rate_hz", "float", "1/s", "intended rate; null in a closed loop or at full speed"),
    _c("qos", "text", "", "QoS as asked for, JSON"),
    _c("peer", "text", "", "adapter of the ponger or receiver; null: the same"),
    _c("peer_transport", "text", "", "transport of the peer; null where it is the same adapter"),
    _c("peer_wait", "text", "", "wait strategy of the peer; null where it is the same adapter"),
    _c("size_distribution", "text", "", "distribution of sizes, of which size is the mean"),
    _c("topics", "int", "", "topics at once"),
    _c("writers", "int", "", "writers of each topic in each publisher"),
    _c("readers", "int", "", "readers of each topic in each subscriber"),
    _c("publishers", "int", "", "participants that ping or write"),
    _c("subscribers", "int", "", "participants that answer or read"),
    _c("topology", "text", "", "one_way or bidirectional"),
    _c("batch", "int", "", "samples of a batch; null where the stream runs free"),
    _c("stream_hz", "float", "1/s", "rate of a stream beside the pings; null: none"),
    _c("instances", "int", "", "instances of a keyed topic; null without a key"),
    _c("filter_below", "int", "", "readers ask for instances below this; null: for all"),
    _c("writer_on", "text", "", "nodes of the publishers, joined by +; null without a lab"),
    _c("reader_on", "text", "", "nodes of the subscribers, joined by +; null without a lab"),
    _c("link_rate", "text", "", "rate of the lab's links, as asked for; null: no limit"),
    _c("link_loss", "text", "", "share of packets that they lose, as asked for; null: none"),
    _c("link_delay", "text", "", "delay between any two nodes, as asked for; null: none"),
    _c("link_jitter", "text", "", "greatest deviation from it, as asked for; null: none"),
    _c("load", "text", "", "background load, as asked for; null: none"),
    _c("load_on", "text", "", "nodes of the user's on which it runs, as asked for; null: default"),
    _c(
        "load_achieved",
        "float",
        "",
        "what it came to: cpu: share of each CPU; net: bit/s; disk: B/s; on several nodes where it "
        "came to least",
    ),
    _c("samples", "int", "", "latency samples recorded within the measured time"),
    _c("senders", "int", "", "writers of all participants together; `rate_hz` is of each"),
    _c("sent", "int", "", "samples written within the measured time, all writers"),
    _c("expected", "int", "", "samples that readers should receive: of each writer, each reader"),
    _c("received", "int", "", "distinct samples of the run received within the measured time"),
    _c("lost", "int", "", "expected, never received"),
    _c("duplicated", "int", "", "received again"),
    _c("out_of_order", "int", "", "received after a later one of the same writer"),
    _c("foreign", "int", "", "samples of somebody else's run seen on the topic"),
    _c("corrupted", "int", "", "bodies that differ from what was written; null when not verified"),
    _c("stream_expected", "int", "", "as expected, of the stream beside the pings; null: none"),
    _c("stream_lost", "int", "", "of those, never received"),
    _c("batches", "int", "", "batches that every reader acknowledged; null where none are sent"),
    _c("batches_unacknowledged", "int", "", "batches whose end some reader did not acknowledge"),
    _c(
        "shortfall",
        "text",
        "",
        "of a trial of the test capacity: in what it did not sustain its rate; null: it did",
    ),
    _c("bracket_low_hz", "float", "1/s", "of a writer's sustained rate, as known after this trial"),
    _c("bracket_high_hz", "float", "1/s", "its upper limit"),
    _c("sustained_hz", "float", "1/s", "the rate found; null while the bracket is wide"),
    _c("confirmed", "int", "", "trials at that rate that have passed, one after the other"),
    _c("warmup_s", "float", "s", "time before the measurement began, discarded"),
    _c("measured_s", "float", "s", "length of the measured time"),
    _c("overhead_s", "float", "s", "the round's time beyond warm-up and measuring"),
    _c("failed_s", "float", "s", "time of the attempts at this round that failed; null: none did"),
    _c(
        "discovery_s",
        "float",
        "s",
        "from the last endpoint's creation until all had matched; null "
        "where the middleware does not tell",
    ),
    _c("median_ns", "float", "ns", "median round trip of this round, of pings or echoed probes"),
    _c("p99_ns", "float", "ns", "99th percentile; null where the count does not support it"),
    _c(
        "statistic_value",
        "float",
        "",
        "the statistic on whose interval the number of rounds depends (`rounds.statistic`): of the "
        "round trip, ns; or goodput, 1/s",
    ),
    _c("statistic_variance", "float", "", "its variance from the variation inside the round"),
    _c(
        "samples_per_s",
        "float",
        "1/s",
        "goodput at the readers, all together; of a latency test that of the stream beside",
    ),
    _c("mbit_per_s", "float", "Mbit/s", "the same of bodies, 10^6 bit/s"),
    _c("written_per_s", "float", "1/s", "rate of the writers; of a latency test that of its pings"),
    _c("udp_rcvbuf_errors", "int", "", "UDP datagrams the kernel dropped for want of buffer"),
    _c("tcp_retransmits", "int", "", "TCP segments the host sent again during the round"),
    _c("softnet_drops", "int", "", "packets the kernel dropped before any socket"),
    _c("context_switches", "int", "", "context switches of the host during the round"),
    _c("steal", "float", "", "share of CPU time the hypervisor took away, 0 to 1"),
    _c("cpus", "text", "", "CPUs of each participant, in the order of the round, as 1;0"),
    _c("nodes", "text", "", "nodes of the user's that they ran on, in the same order; else null"),
    _c(
        "one_clock",
        "bool",
        "",
        "whether all participants had one clock; where not, only times between two stamps of one "
        "participant, such as round trips, are exact",
    ),
    _c(
        "offset_ns",
        "float",
        "ns",
        "clock of the subscribers' host minus that of the publishers', in the middle of the round, "
        "as the round trips bound it; null with one clock, with more than two, and without any",
    ),
    _c("offset_bound_ns", "float", "ns", "how far it may be off either way"),
    _c(
        "drift_ppm",
        "float",
        "1e-6",
        "by how much it grows per time, in parts per million; null too where the round trips allow "
        "50 ppm more or less, as a few or a short time do",
    ),
    _c("cpu_busy", "float", "", "share of the busiest CPU in use during the round, 0 to 1"),
    _c("ended", "text", "", "what ended the measurement: duration, samples or recorder_full"),
)

SAMPLES = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c(
        "role",
        "text",
        "",
        "who recorded it: pinger, transmitter (echoed probes), receiver, or batcher: one row per "
        "batch, seq its number, T1 and T2 begin and end of writing, T4 the last acknowledgement",
    ),
    _c("writer", "int", "", "identifier of the sample's writer"),
    _c("seq", "int", "", "sequence number, per writer from 0"),
    _c("intended_ns", "int", "ns", "when it should have been sent (open loop); else as sent_ns"),
    _c("sent_ns", "int", "ns", "T1: just before write"),
    _c("written_ns", "int", "ns", "T2: write returned, the middleware has it"),
    _c("echo_delivered_ns", "int", "ns", "T3 at the ponger"),
    _c("echo_read_ns", "int", "ns", "T4 at the ponger"),
    _c("echo_sent_ns", "int", "ns", "T1 of the pong, at the ponger"),
    _c(
        "delivered_ns",
        "int",
        "ns",
        "T3: the middleware announced it; null when polled, or taken along with one before",
    ),
    _c("read_ns", "int", "ns", "T4: the sample is in the reader's hands; null when lost"),
    _c("source_ns", "int", "ns", "the middleware's own stamp of sending, CLOCK_REALTIME"),
    _c("reception_ns", "int", "ns", "the middleware's own stamp of reception, CLOCK_REALTIME"),
    _c("answers", "int", "", "readers that answered; read_ns is there when all did"),
    _c(
        "round_trip_ns",
        "int",
        "ns",
        "round trip of an imported sample whose source gives a time but no stamps; else null",
    ),
    _c("size", "int", "B", "body"),
    _c("flags", "int", "", "bits: 1 warm-up, 2 probe, 4 last, 8 checked"),
)

EXCHANGE = ("sent_ns", "echo_read_ns", "echo_sent_ns", "read_ns")
"""Of `SAMPLES`: T1 and T4 by the clock of whoever asks, between them those of whoever answers."""

ASKING = ("pinger", "transmitter")
"""Roles whose samples may hold exchanges."""

INTERVALS = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("role", "text", "", "transmitter or receiver"),
    _c("writer", "int", "", "whose samples these are; for a transmitter its own"),
    _c(
        "start_ns",
        "int",
        "ns",
        "begin of the interval, from the begin of the measurement; where there is not one clock, "
        "from the role's own first sample",
    ),
    _c("duration_ns", "int", "ns", "length of the interval"),
    _c("samples", "int", "", "samples written (transmitter) or received (receiver)"),
    _c("bytes", "int", "B", "bodies of those samples"),
)

READER = "counters"
"""The participant in `SYSTEM` that reads all this; no part of what is measured."""

SYSTEM = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("interval", "int", "", "number of the interval, from 0: rows of one number belong together"),
    _c(
        "scope",
        "text",
        "",
        "whose counters these are: thread, process, network (a namespace), interface, cpu, host "
        "or cgroup",
    ),
    _c(
        "participant",
        "text",
        "",
        "of a thread or process: its worker's name, as in the logs; counters reads all this",
    ),
    _c("node", "text", "", "node of the user's on which it was counted; null: this machine"),
    _c("process", "int", "", "identifier of the process"),
    _c("thread", "int", "", "identifier of the thread"),
    _c(
        "name",
        "text",
        "",
        "of the program, thread, or interface; the CPU's number; the control group's folder",
    ),
    _c("network", "text", "", "network namespace, as the kernel names it"),
    _c(
        "start_ns",
        "int",
        "ns",
        "begin of the interval, from the begin of the measurement; null where the node's clock is "
        "another, and no round trips tell its offset",
    ),
    _c("duration_ns", "int", "ns", "length of the interval, as it really was"),
    _c("user_ns", "int", "ns", "CPU time in user mode, in steps of 10 ms"),
    _c("system_ns", "int", "ns", "CPU time in the kernel, in steps of 10 ms"),
    _c("irq_ns", "int", "ns", "CPU time in interrupts, in steps of 10 ms"),
    _c("softirq_ns", "int", "ns", "CPU time in soft interrupts, in steps of 10 ms"),
    _c("steal_ns", "int", "ns", "CPU time that the hypervisor took away, in steps of 10 ms"),
    _c("idle_ns", "int", "ns", "CPU time without anything to run, in steps of 10 ms"),
    _c("run_ns", "int", "ns", "time of a thread on a CPU, exact"),
    _c("queued_ns", "int", "ns", "time in which a thread could run and waited for a CPU, exact"),
    _c("context_switches", "int", "", "of all CPUs"),
    _c("voluntary_switches", "int", "", "a thread began to wait for something"),
    _c("involuntary_switches", "int", "", "a thread had to leave its CPU to another"),
    _c("minor_faults", "int", "", "page faults without a disk"),
    _c("major_faults", "int", "", "page faults that waited for a disk"),
    _c("rss_bytes", "int", "B", "memory of a process in RAM, at the end of the interval"),
    _c("swap_bytes", "int", "B", "memory of a process in swap, at the end of the interval"),
    _c("swap_in_pages", "int", "", "pages that the host brought in from swap"),
    _c("swap_out_pages", "int", "", "pages that the host put into swap"),
    _c("softirqs_net_tx", "int", "", "soft interrupts for sending, all CPUs"),
    _c("softirqs_net_rx", "int", "", "soft interrupts for receiving, all CPUs"),
    _c("softnet_drops", "int", "", "packets dropped before any socket, all CPUs"),
    _c("rx_bytes", "int", "B", "received by an interface"),
    _c("rx_packets", "int", "", "received by an interface"),
    _c("rx_errors", "int", "", "received damaged"),
    _c("rx_drops", "int", "", "received and dropped"),
    _c("tx_bytes", "int", "B", "sent by an interface"),
    _c("tx_packets", "int", "", "sent by an interface"),
    _c("tx_errors", "int", "", "that could not be sent"),
    _c("tx_drops", "int", "", "dropped instead of sent"),
    _c("udp_rcvbuf_errors", "int", "", "UDP datagrams dropped for want of receive buffer"),
    _c("udp_sndbuf_errors", "int", "", "UDP datagrams not sent for want of send buffer"),
    _c("udp_in_errors", "int", "", "UDP datagrams that could not be delivered, for any reason"),
    _c("tcp_retransmits", "int", "", "TCP segments sent again"),
    _c("throttled", "int", "", "periods in which a control group was held back by its CPU limit"),
    _c("throttled_ns", "int", "ns", "time for which it was held back, all its threads together"),
    _c("memory_bytes", "int", "B", "memory of a control group, at the end of the interval"),
)

SUMMARIES = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round: one run of the tool"),
    _c(
        "quantity",
        "text",
        "",
        "round_trip; half_round_trip; one_way; publish: the call that sends, until it is "
        "acknowledged; publish_delay: from the intended to the actual time of sending; per_hop: a "
        "round trip over its hops; discovery; one_way_jitter and per_hop_jitter",
    ),
    _c("statistic", "text", "", "mean, std, min, max, mad or percentile"),
    _c("percent", "float", "", "of a percentile; the median has 50"),
    _c("value_ns", "float", "ns", "the figure, as the source states it"),
    _c("count", "int", "", "samples that it rests on; null where the source does not say"),
    _c("start_s", "float", "s", "of a part of the run: its begin; null: of the whole run"),
    _c("duration_s", "float", "s", "of a part of the run: its length"),
    _c("file", "text", "", "where it stands, as in the manifest's source"),
    _c("line", "int", "", "and in which line"),
)

TABLES = {
    "cases": CASES,
    "samples": SAMPLES,
    "intervals": INTERVALS,
    "system": SYSTEM,
    "summaries": SUMMARIES,
}


def polars_type(kind: Kind) -> pl.DataType:
    """The type of a column of this kind in polars."""
    import polars as pl

    types: dict[Kind, pl.DataType] = {
        "text": pl.String(),
        "int": pl.Int64(),
        "float": pl.Float64(),
        "bool": pl.Boolean(),
    }
    return types[kind]


@cache
def polars_schema(table: str) -> dict[str, pl.DataType]:
    """Column names and polars types of one of `TABLES`."""
    return {column.name: polars_type(column.kind) for column in TABLES[table]}
