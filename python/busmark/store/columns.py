"""The tables of a result directory, column by column.

This is the single source of the format: the writer casts to it, the reader checks against it, and
the reference page is generated from it. Times are int64 nanoseconds of CLOCK_MONOTONIC of the host
that took them unless the name says otherwise; sizes are bytes. A value that is not there is null,
never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from busmark.model.parameter import Kind
from busmark.model.parameters import STORED

if TYPE_CHECKING:
    import polars as pl

ESTIMATES_FILE = "estimates.parquet"
SERIES_FILE = "series.parquet"
ANALYSIS_FILE = "analysis.json"
"""What is made from all other tables; see `busmark.compare.stored`."""

FORMAT_VERSION = 1
"""Raised when a reader of the older format would misread the newer one."""


@dataclass(frozen=True)
class Column:
    """One column: its name, kind of value, unit where it has one, and meaning."""

    name: str
    kind: Kind
    unit: str
    meaning: str


def _c(name: str, kind: Kind, unit: str, meaning: str) -> Column:
    return Column(name, kind, unit, meaning)


PARAMETERS = tuple(_c(each.name, each.kind, each.unit, each.column) for each in STORED)
"""What a case asks for. The keys of `params` in the manifest have the same names."""

TICK_NS = 10_000_000
"""Step of the kernel's counters of CPU time: USER_HZ is 100 on every architecture in use."""

LOAD_UNITS = {"cpu": "", "net": "bit/s", "disk": "B/s"}
"""Units by kind of background load. For CPUs it is the share of each; for a disk what was read, and
as much was written."""

_SHARE = {"cpu": ", share of each CPU", "net": "", "disk": ", read and as much written"}

LOADS = tuple(
    column
    for kind, unit in LOAD_UNITS.items()
    for column in (
        _c(
            f"load_{kind}_asked",
            "float",
            unit,
            f"level of the background load {kind} as asked for{_SHARE[kind]}; null: none, or one "
            "without a limit",
        ),
        _c(
            f"load_{kind}_achieved",
            "float",
            unit,
            f"what it achieved while the round was measured{_SHARE[kind]}; on several nodes where "
            "that was least",
        ),
    )
)
"""A level for each kind of background load: several may run at once."""

CASES = (
    _c("case", "text", "", "identifier of the case, as in the manifest and in file names"),
    _c("round", "int", "", "number of the round within its case, from 0"),
    _c("attempt", "int", "", "how many attempts at this round came before, from 0"),
    _c("order", "int", "", "position in the campaign's order of execution, from 0"),
    _c(
        "status",
        "text",
        "",
        "ok; marked (finished, but a criterion was not met: never averaged in); failed (no result)",
    ),
    _c("reason", "text", "", "why it is marked or failed"),
    _c("started_utc", "text", "", "wall-clock time at which the round began, ISO 8601"),
    *PARAMETERS,
    *LOADS,
    _c("samples", "int", "", "latency samples recorded within the measured time"),
    _c("senders", "int", "", "writers of all participants together; `rate_hz` is of each"),
    _c("sent", "int", "", "samples written within the measured time, all writers"),
    _c("expected", "int", "", "samples that readers should receive: of each writer, each reader"),
    _c("received", "int", "", "distinct samples of the run received within the measured time"),
    _c("lost", "int", "", "expected, never arrived"),
    _c("duplicated", "int", "", "received again"),
    _c("out_of_order", "int", "", "received after a later one of the same writer"),
    _c(
        "ancient",
        "int",
        "",
        "arrivals that, after heavy loss, are too late to be distinguished from repeated ones: "
        "neither received nor lost",
    ),
    _c("foreign", "int", "", "samples of another run seen on the topic"),
    _c(
        "recorded_every",
        "int",
        "",
        "of streams at a rate, one sample in this many has a row in `samples` at each of its "
        "readers, chosen at random; null where not all participants have one clock, and where "
        "there is no such stream",
    ),
    _c(
        "corrupted",
        "int",
        "",
        "bodies that differ from what was written: of all if `verify` is set, else of one in a "
        "thousand, chosen at random; null where bodies cannot be seen",
    ),
    _c(
        "stream_expected",
        "int",
        "",
        "like `expected`, for all background flows, including their pings; null: none",
    ),
    _c("stream_lost", "int", "", "of those, never arrived"),
    _c("batches", "int", "", "batches that every reader acknowledged; null where none are sent"),
    _c("batches_unacknowledged", "int", "", "batches whose end some reader did not acknowledge"),
    _c(
        "batch_ns",
        "float",
        "ns",
        "mean time of a batch at a reader, from its start to its end; see the table `batches`",
    ),
    _c(
        "batch_samples_acknowledged",
        "int",
        "",
        "samples in batches that every reader acknowledged; null unless each is to be",
    ),
    _c(
        "shortfall",
        "text",
        "",
        "for a trial of the test capacity: why it did not sustain its rate; null: it did",
    ),
    _c(
        "bracket_low_hz",
        "float",
        "1/s",
        "lower limit of a writer's sustained rate, as known after this trial",
    ),
    _c("bracket_high_hz", "float", "1/s", "its upper limit"),
    _c("sustained_hz", "float", "1/s", "the rate found; null while the bracket is wide"),
    _c("confirmed", "int", "", "trials at that rate that have passed, one after the other"),
    _c("warmup_s", "float", "s", "time before the measurement began, discarded"),
    _c("measured_s", "float", "s", "length of the measured time"),
    _c(
        "chosen_s",
        "float",
        "s",
        'the length that the run chose for this round (`measure.duration_s = "auto"`); null: the '
        "scenario states it",
    ),
    _c("overhead_s", "float", "s", "the round's time beyond warm-up and measuring"),
    _c("failed_s", "float", "s", "time of the failed attempts at this round; null: none failed"),
    _c(
        "discovery_s",
        "float",
        "s",
        "from the last endpoint's creation until all had matched; null if the middleware does not "
        "report it, or only an upper limit is known",
    ),
    _c(
        "discovery_resolution_s",
        "float",
        "s",
        "by how much less discovery may have taken: 0 if the middleware reports it by events; "
        "else the time between two queries. With discovery_s null it is the upper limit; null: "
        "not known at all",
    ),
    _c("repetitions", "int", "", "repetitions of a discovery test; null for every other test"),
    _c("undiscovered", "int", "", "of those, in which no sample was received in time"),
    _c(
        "creation_ns",
        "float",
        "ns",
        "median time of the calls that create what is new; see the table `discoveries`",
    ),
    _c("attach_ns", "float", "ns", "of this the participant's part, where one is created"),
    _c("own_match_ns", "float", "ns", "median time from start of creation to the own match"),
    _c("peer_match_ns", "float", "ns", "the same to the match on the side that was there already"),
    _c("first_sample_ns", "float", "ns", "the same to the first sample received"),
    _c(
        "own_match_after_ns",
        "float",
        "ns",
        "median time from the end of creation to the own match; below 0: it came before",
    ),
    _c("peer_match_after_ns", "float", "ns", "the same to the match on the other side"),
    _c("first_sample_after_ns", "float", "ns", "the same to the first sample received"),
    _c(
        "lost_before",
        "float",
        "",
        "samples per repetition that were sent after creation and before the first received, and "
        "did not arrive; the mean",
    ),
    _c("min_ns", "float", "ns", "shortest round trip of this round, of pings or echoed probes"),
    _c("max_ns", "float", "ns", "longest, among those that came back"),
    _c("mean_ns", "float", "ns", "average"),
    _c("variance_ns2", "float", "ns²", "variance, about the average of the round"),
    _c(
        "median_ns",
        "float",
        "ns",
        "median round trip of this round, of pings or echoed probes; for an even number the mean "
        "of the two middle ones; a lost one counts as later than any; null if the median falls "
        "among the lost",
    ),
    _c(
        "p99_ns",
        "float",
        "ns",
        "99th percentile, with lost ones counted as later than any; null if it falls among the "
        "lost, or if fewer than ten effective samples are expected beyond it",
    ),
    _c(
        "statistic_value",
        "float",
        "",
        "the statistic whose interval decides the number of rounds (`rounds.statistic`): a "
        "statistic of the round trip, ns; goodput, 1/s; in a discovery test the median of "
        "`first_sample_ns`",
    ),
    _c("statistic_variance", "float", "", "its variance from the variation inside the round"),
    _c(
        "statistic_variance_blocks",
        "float",
        "",
        "the same from eight consecutive parts of the round, which shows dependence over longer "
        "times; null if the parts are too short",
    ),
    _c(
        "theoretical_per_s",
        "float",
        "1/s",
        "what all readers together would receive if every writer kept its rate and nothing were "
        "lost; null at full speed, and where a timeline changes the rate",
    ),
    _c(
        "samples_per_s",
        "float",
        "1/s",
        "goodput at the readers, all together; in a latency test the goodput of the stream of "
        "`stream_hz`. Flows at a rate are each counted over their own time, from first to last "
        "sample; those at full speed over the time in which one of them ran; batches over the "
        "time in which one was under way",
    ),
    _c("mbit_per_s", "float", "Mbit/s", "the same in bits of bodies, 10^6 bit/s"),
    _c(
        "written_per_s",
        "float",
        "1/s",
        "rate of the writers, counted likewise; in a latency test the rate of its pings; with "
        "batches the rate while they were being written",
    ),
    _c(
        "drain_ns",
        "float",
        "ns",
        "from the end of writing to the arrival of the last sample of a stream, of the flow where "
        "it was longest: what was in flight at the end; null with batches, and where writer and "
        "reader have different clocks",
    ),
    _c(
        "middleware_lost",
        "int",
        "",
        "samples that the middleware's readers of the stream count as lost, warm-up included; null "
        "where it keeps no such counter",
    ),
    _c(
        "overwritten",
        "int",
        "",
        "samples, at least, that were overwritten in a history: sequence numbers below the highest "
        "read that are missing, beyond `middleware_lost`; null where that is",
    ),
    _c(
        "udp_rcvbuf_errors",
        "int",
        "",
        "UDP datagrams the kernel dropped because a buffer was full, at all sockets of the "
        "network namespace, whoever owns them",
    ),
    _c(
        "udp_socket_drops",
        "int",
        "",
        "UDP datagrams the kernel dropped at the participants' own sockets; null on the user's "
        "nodes, and if sockets cannot be seen",
    ),
    _c(
        "udp_buffer_bytes",
        "int",
        "B",
        "receive buffer of the participants' socket that dropped most (SO_RCVBUF as the kernel "
        "counts it, twice the size that was asked for); null: none dropped, or it cannot be seen",
    ),
    _c(
        "ip_fragmented",
        "int",
        "",
        "datagrams sent in IP fragments, being larger than a packet of the link, by all sockets of "
        "the networks under the round",
    ),
    _c(
        "ip_reassembled",
        "int",
        "",
        "datagrams reassembled from IP fragments there",
    ),
    _c(
        "ip_reassembly_fails",
        "int",
        "",
        "IP fragments there that found no room, and datagrams given up because some of their "
        "fragments had not come within `net.ipv4.ipfrag_time`, which may be longer than a round",
    ),
    _c(
        "tcp_segments",
        "int",
        "",
        "TCP segments sent during the round, without retransmissions, by all sockets of the "
        "network namespace",
    ),
    _c(
        "tcp_retransmits",
        "int",
        "",
        "TCP segments retransmitted during the round, by all sockets of the network namespace",
    ),
    _c(
        "tcp_needless",
        "int",
        "",
        "retransmitted segments although nothing had been lost: tail-loss probes that repaired "
        "nothing, segments that the receiver already had (DSACK), and all if the sender took back "
        "every recovery",
    ),
    _c(
        "tcp_timeouts",
        "int",
        "",
        "times that a sender waited for an acknowledgement until its timer expired, after 200 ms "
        "or more",
    ),
    _c("softnet_drops", "int", "", "packets the kernel dropped before any socket"),
    _c("captured", "int", "", "packets captured in the round, on all interfaces; null: none asked"),
    _c("captured_bytes", "int", "B", "size of the files that hold them"),
    _c(
        "capture_dropped",
        "int",
        "",
        "packets missing in the captures: dropped by the kernel's buffer, by the interface, or by "
        "dumpcap",
    ),
    _c(
        "wire_samples",
        "int",
        "",
        "samples, answers included, that passed the captured interfaces within the measured time, "
        "each counted once; where packets are encrypted, those that were written and answered; 0: "
        "none passed; null: no capture",
    ),
    _c("wire_packets", "int", "", "packets captured within the measured time, a link's once"),
    _c("wire_bytes", "int", "B", "their bytes on the wire, headers of the link included"),
    _c("wire_control_bytes", "int", "B", "of these heartbeats, acknowledgements and gaps"),
    _c("wire_repeated_bytes", "int", "B", "of these retransmissions"),
    _c("wire_discovery_packets", "int", "", "packets of DDS discovery in the whole round"),
    _c("wire_discovery_bytes", "int", "B", "their bytes on the wire"),
    _c("context_switches", "int", "", "context switches of the host during the round"),
    _c("steal", "float", "", "share of CPU time the hypervisor took away, 0 to 1"),
    _c("cpus", "text", "", "CPUs of each participant, in the order of the round, as 1;0"),
    _c("nodes", "text", "", "the user's nodes on which they ran, in the same order; else null"),
    _c(
        "one_clock",
        "bool",
        "",
        "whether all participants had one clock; where not, only times between two stamps of one "
        "participant, such as round trips, are exact",
    ),
    _c(
        "changed",
        "text",
        "",
        "what was not the same at begin and end of the round: affinity, cpus_used (a CPU to which "
        "the participant is not pinned), clock_source, governor, cpu_quota, wall_clock (stepped), "
        "each with both values; such a round is marked. Null: nothing, or of an older Busmark, "
        "which did not look",
    ),
    _c("clock_source", "text", "", "the kernel's clock source when it began; null on nodes"),
    _c(
        "wall_clock_offset_ns",
        "int",
        "ns",
        "CLOCK_REALTIME minus CLOCK_MONOTONIC when it began; null on nodes",
    ),
    _c("wall_clock_offset_end_ns", "int", "ns", "the same at its end: another one is a step"),
    _c(
        "offset_ns",
        "float",
        "ns",
        "clock of the subscribers' host minus the publishers' clock, in the middle of the round, "
        "as the round trips bound it; null with one clock, with more than two, and without any",
    ),
    _c("offset_bound_ns", "float", "ns", "how far it may be off either way"),
    _c(
        "drift_ppm",
        "float",
        "1e-6",
        "growth of the offset over time, in parts per million; also null if the round trips allow "
        "50 ppm more or less, as with few or a short time",
    ),
    _c("drift_bound_ppm", "float", "1e-6", "how far the drift may be off either way"),
    _c(
        "process_cpu",
        "float",
        "",
        "share of all CPUs together that the measuring process used, 0 to 1, as the source of an "
        "imported result states it; else null",
    ),
    _c("cpu_busy", "float", "", "share of the busiest CPU in use during the round, 0 to 1"),
    _c(
        "ended",
        "text",
        "",
        "what ended the measurement: duration, samples, recorder_full, or late: the writer fell "
        "too far behind its schedule",
    ),
)

SAMPLES = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c(
        "role",
        "text",
        "",
        "who recorded it: pinger, transmitter (echoed probes), receiver, or batcher: one row per "
        "batch, seq its number, T1 and T2 begin and end of writing, T4 the last acknowledgement; "
        "reader: every sample of a stream at a rate with one clock, or one in `recorded_every` of "
        "`cases`, at each of its readers. A lost one has no read_ns, and its times of sending "
        "are another reader's; if no reader has them, intended_ns lies between the neighbours'",
    ),
    _c("participant", "text", "", "participant that recorded it"),
    _c("flow", "text", "", "flow of the case to which it belongs"),
    _c("writer", "int", "", "identifier of the sample's writer"),
    _c(
        "reader",
        "int",
        "",
        "identifier of the reader that recorded it; null where its writer did (all roles but "
        "receiver and reader)",
    ),
    _c("seq", "int", "", "sequence number, per writer from 0"),
    _c("intended_ns", "int", "ns", "when it should have been sent (open loop); else as sent_ns"),
    _c("sent_ns", "int", "ns", "T1: just before write"),
    _c("written_ns", "int", "ns", "T2: write returned, the middleware has it"),
    _c("echo_delivered_ns", "int", "ns", "T3 at the responder"),
    _c("echo_read_ns", "int", "ns", "T4 at the responder"),
    _c("echo_sent_ns", "int", "ns", "T1 of the pong, at the responder"),
    _c(
        "echo_written_ns",
        "int",
        "ns",
        "T2 of the pong, at the responder: its write returned; null unless `measure.echo_source` "
        "asks for it",
    ),
    _c(
        "delivered_ns",
        "int",
        "ns",
        "T3: the middleware announced it; null when polled, or when taken together with an "
        "earlier one",
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
    _c("size", "int", "B", "body of this sample; null for a batch of several sizes"),
    _c(
        "phase",
        "int",
        "",
        "for a case with a timeline: how many of its changes were in effect when the sample was "
        "sent (T1); null without a timeline, and if the writer's clock does not show it",
    ),
    _c("flags", "int", "", "bits: 1 warm-up, 2 probe, 4 last, 8 checked"),
)

PARTICIPANTS = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("participant", "text", "", "its name, as in the other tables"),
    _c("adapter", "text", "", "name of its adapter"),
    _c("transport", "text", "", "transport that it was asked to use"),
    _c("node", "text", "", "node of the lab, or of the user's, on which it ran; null: none"),
    _c("process", "int", "", "identifier of its process there"),
    _c("cpus", "text", "", "CPUs on which it might run, by number; null: any"),
    _c("affinity", "text", "", "CPUs on which its threads may run when the round begins"),
    _c("affinity_end", "text", "", "the same when it ends"),
    _c("cpus_used", "text", "", "CPUs on which threads that ran in the round were last seen"),
    _c(
        "stopped",
        "bool",
        "",
        "whether a signal (SIGSTOP) stopped its process in the round, which continued later; null "
        "on the user's nodes, and behind a command that remains its parent",
    ),
    _c("fifo", "int", "", "SCHED_FIFO priority of its process; 0: ordinary scheduling"),
    _c("monotonic_ns", "int", "ns", "a moment of the round by its host's CLOCK_MONOTONIC"),
    _c(
        "realtime_ns",
        "int",
        "ns",
        "the same moment by its CLOCK_REALTIME: the difference puts stamps on the axis of packet "
        "captures",
    ),
    _c("realtime_bound_ns", "int", "ns", "how far the two moments may be apart either way"),
)

FLOWS = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("flow", "text", "", "name of the flow within its case"),
    _c("writer", "int", "", "identifier of the writer"),
    _c("participant", "text", "", "participant of the writer"),
    _c(
        "reader",
        "int",
        "",
        "identifier of the reader, by its writer of answers; null for pings that several readers "
        "answer: one counts when all have",
    ),
    _c("reader_participant", "text", "", "participant of the reader; null where there is none"),
    _c(
        "theoretical_per_s",
        "float",
        "1/s",
        "samples that the reader would get from a writer that kept its rate, if none were lost; "
        "null in a closed loop, at full speed, and where a timeline changes the rate",
    ),
    _c("written_per_s", "float", "1/s", "rate at which the writer wrote"),
    _c("read_per_s", "float", "1/s", "rate at which the reader got them; null for pings"),
    _c("sent", "int", "", "samples written within the measured time"),
    _c("expected", "int", "", "of those, samples that the reader asked for"),
    _c("received", "int", "", "distinct samples received; of pings: answered"),
    _c("lost", "int", "", "expected, never arrived; of pings: never answered"),
    _c("duplicated", "int", "", "arrivals of a sample that had arrived before"),
    _c("out_of_order", "int", "", "arrivals after a later sample of the same writer"),
    _c("ancient", "int", "", "arrivals too late to be distinguished from repeated ones"),
    _c("bytes", "int", "B", "bodies of the samples received; null for pings"),
    _c(
        "start_ns",
        "int",
        "ns",
        "first arrival, from the start of the measurement; null for pings, and where there is not "
        "one clock",
    ),
    _c("duration_ns", "int", "ns", "from the first to the last arrival"),
    _c(
        "round_trips",
        "int",
        "",
        "the writer's pings, or its probes at the reader that echoes them, that came back; null "
        "if there are none to come back",
    ),
    _c(
        "median_ns",
        "float",
        "ns",
        "their median, from the intended time; a lost one counts as later than any; null if the "
        "median falls among the lost",
    ),
    _c("p99_ns", "float", "ns", "99th percentile, as in `cases`"),
    _c("max_ns", "float", "ns", "longest, of those that came back"),
    _c(
        "timed",
        "int",
        "",
        "for a stream at a rate with one clock: samples received whose one-way time is in "
        "`samples`: all, unless `recorded_every` in `cases` is above 1; null otherwise",
    ),
    _c(
        "one_way_median_ns",
        "float",
        "ns",
        "their median one-way time, from the intended time of sending; a lost one counts as later "
        "than any; null if the median falls among the lost",
    ),
    _c("one_way_p99_ns", "float", "ns", "99th percentile, as in `cases`"),
    _c("one_way_max_ns", "float", "ns", "longest, of those received"),
    _c("ended", "text", "", "what ended the writer's part, as in `cases`"),
)

EXCHANGE = ("sent_ns", "echo_read_ns", "echo_sent_ns", "read_ns")
"""Columns of `SAMPLES`: T1 and T4 by the asker's clock, between them two by the answerer's."""

TIMED = "reader"
"""Role in `SAMPLES` of what each reader of a stream at a rate timed."""

ASKING = ("pinger", "transmitter")
"""Roles whose samples may hold exchanges."""

WARM_UP = 1
"""Bit of `flags`: the sample was sent before the measurement began."""

INTERVALS = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("role", "text", "", "transmitter or receiver"),
    _c("participant", "text", "", "participant that counted them"),
    _c("flow", "text", "", "flow of the case to which they belong"),
    _c("writer", "int", "", "whose samples these are; for a transmitter its own"),
    _c("reader", "int", "", "reader that counted them; null where their writer did"),
    _c(
        "start_ns",
        "int",
        "ns",
        "start of the interval, from the start of the measurement; where there is not one clock, "
        "from the role's own first sample",
    ),
    _c("duration_ns", "int", "ns", "length of the interval"),
    _c("samples", "int", "", "samples written (transmitter) or received (receiver)"),
    _c("bytes", "int", "B", "bodies of those samples"),
    _c(
        "phase",
        "int",
        "",
        "for a case with a timeline: how many of its changes were in effect; null without a "
        "timeline, if one took effect within the interval, and if the clock does not show it",
    ),
)

CHANGES = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("phase", "int", "", "which began with it, from 1; phase 0 is before the first change"),
    _c("participant", "text", "", "participant in which it was made"),
    _c("flow", "text", "", "flow that it changed"),
    _c("writer", "int", "", "end of the flow that it changed, by the identifier of its writer"),
    _c("change", "text", "", "what was set, such as rate_hz = 2000"),
    _c("asked_ns", "int", "ns", "when it was to be made, from the start of the measurement"),
    _c(
        "taken_ns",
        "int",
        "ns",
        "when it took effect, by CLOCK_MONOTONIC of the participant's host, like the stamps in "
        "`samples`: a rate when the writer had taken it, QoS when the middleware had",
    ),
)

BATCHES = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("flow", "text", "", "flow of the case to which it belongs"),
    _c("writer", "int", "", "whose batch it is"),
    _c(
        "reader",
        "int",
        "",
        "reader that saw it, by the identifier of its writer of acknowledgements",
    ),
    _c("number", "int", "", "number of the batch, per writer from 0"),
    _c(
        "start_ns",
        "int",
        "ns",
        "when its start came, from the start of the measurement (if there is no common clock, "
        "from the first batch of this writer at this reader); a start that was sent again counts "
        "when it last came, because the batcher waited until then",
    ),
    _c(
        "duration_ns",
        "int",
        "ns",
        "until its end came, or its last sample if that was later. If the end as first sent never "
        "came: until the last sample that did, because the batcher waited after that, but at "
        "least `writing_ns`. Time spent waiting in vain for acknowledgements of single samples is "
        "subtracted; null if that time is not known, and if nothing came",
    ),
    _c("expected", "int", "", "samples written"),
    _c("received", "int", "", "distinct samples of it received"),
    _c("bytes", "int", "B", "bodies of those samples"),
    _c("ended", "bool", "", "whether its end came as first sent"),
    _c("acknowledged", "bool", "", "whether every reader acknowledged its end to the batcher"),
    _c(
        "samples_acknowledged",
        "int",
        "",
        "samples that every reader acknowledged in time; null where only begin and end are",
    ),
    _c("waited_ns", "int", "ns", "time waited in vain for acknowledgements of its samples"),
    _c(
        "writing_ns",
        "int",
        "ns",
        "time from before its first write to after its last, minus `waited_ns`",
    ),
)

DISCOVERIES = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("repetition", "int", "", "number of the repetition, from 0, without the warm-up's"),
    _c("start_ns", "int", "ns", "start of creation, from the first repetition's"),
    _c("creation_ns", "int", "ns", "from there until the calls that create had returned"),
    _c("attach_ns", "int", "ns", "until the participant was there; null where none is created"),
    _c(
        "own_match_ns",
        "int",
        "ns",
        "from start of creation until the new endpoint had matched the other; null: not counted "
        "by the adapter, or not in time",
    ),
    _c(
        "own_match_least_ns",
        "int",
        "ns",
        "the same, at least: equal where the middleware's event has the time; else when the count "
        "was asked for before. Null: the first question found it, and the other is an upper limit",
    ),
    _c(
        "peer_match_ns",
        "int",
        "ns",
        "until the endpoint that was there had matched the new one; null too where there is not "
        "one clock",
    ),
    _c("peer_match_least_ns", "int", "ns", "the same, at least"),
    _c(
        "first_sample_ns",
        "int",
        "ns",
        "until the reader's first sample was announced, or read where nothing is announced; null: "
        "none came in time, or the reader's clock is another",
    ),
    _c("received", "bool", "", "whether one came in time"),
    _c("sent", "int", "", "samples that a new writer sent; null for a new reader"),
    _c(
        "lost",
        "int",
        "",
        "samples after creation and before the first received that did not arrive: those that a "
        "new writer sent, or those due from the writer that was there; null likewise",
    ),
    _c("duration_ns", "int", "ns", "until everything was closed again"),
)

MATCHES = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("participant", "text", "", "whose endpoint it is; several of one process: all of them"),
    _c("topic", "text", "", "its topic"),
    _c("endpoint", "text", "", "writer or reader"),
    _c("counterparts", "int", "", "readers, or writers, that it was to match"),
    _c(
        "matched_ns",
        "int",
        "ns",
        "when it had matched them all, from the moment when the last endpoint of the round was "
        "there; below 0: before. Null: not counted by the adapter",
    ),
    _c(
        "matched_least_ns",
        "int",
        "ns",
        "the same, at least: equal where the middleware's event has the time; else when the count "
        "was asked for before. Null: the first question found it, and the other is an upper limit",
    ),
)

HOPS = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c("flow", "text", "", "flow of the case to which the sample belongs"),
    _c("writer", "int", "", "identifier of the sample's writer; an answer has its own"),
    _c("seq", "int", "", "sequence number, per writer from 0; an answer has what it answers"),
    _c("answered", "int", "", "in an answer, the writer that it answers; null: it is none"),
    _c(
        "warm_up",
        "bool",
        "",
        "whether it was sent before the measurement began, where `samples` has nothing: numbers "
        "begin again with the measurement",
    ),
    _c("hop", "int", "", "number of the hop within the round, from 0"),
    _c("node", "text", "", "node on which it was captured; null: this machine"),
    _c("interface", "text", "", "network interface on which it was captured"),
    _c("transport", "text", "", "udp or tcp"),
    _c(
        "protocol",
        "text",
        "",
        "rtps, xrce, busmark (the adapters on sockets), or other: the sample was found by its "
        "header alone",
    ),
    _c("source", "text", "", "address and port from which it came"),
    _c("destination", "text", "", "address and port to which it went"),
    _c(
        "begun_ns",
        "int",
        "ns",
        "time of the packet with its first byte, by CLOCK_MONOTONIC of the host that captured it, "
        "like the stamps in `samples`; null if no participant ran there",
    ),
    _c(
        "time_ns",
        "int",
        "ns",
        "time of the packet with its last byte; with protocol other and sizes that vary, of its "
        "header",
    ),
    _c("packet", "int", "", "number of that packet in the file of packets, from 1"),
    _c("packets", "int", "", "packets that carried it, fragments and segments included"),
    _c("sharing", "int", "", "samples that end with that packet; 1: it is alone"),
    _c("wire_bytes", "float", "B", "bytes of these packets on the wire, divided by `sharing`"),
    _c("repeated", "int", "", "how often it had passed the hop before: 0, the first time"),
    _c(
        "confirmed_ns",
        "int",
        "ns",
        "time of the ACKNACK of RTPS or DDS-XRCE that confirmed it, of several readers the last; "
        "null: none was seen, or there are none",
    ),
    _c("acknowledged_ns", "int", "ns", "time of the segment by which TCP acknowledged all of it"),
)

WIRE = (
    _c("case", "text", "", "identifier of the case"),
    _c("round", "int", "", "number of the round"),
    _c(
        "purpose",
        "text",
        "",
        "what the packets were for: data, retransmission, discovery, heartbeat, acknowledgement, "
        "gap, tcp_acknowledgement, other, or, as no cost of the run, foreign: DDS that has nothing "
        "to do with it, and unattributed: connections without a sample of the run, that share no "
        "address and port with one that has some; a packet is counted once, by the first that it "
        "has",
    ),
    _c("packets", "int", "", "packets of the whole round"),
    _c("wire_bytes", "int", "B", "their bytes on the wire, headers of the link included"),
    _c("window_packets", "int", "", "packets of the measured time"),
    _c("window_wire_bytes", "int", "B", "their bytes on the wire"),
)

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
        "start of the interval, from the start of the measurement; null if the node has another "
        "clock and no round trips give its offset",
    ),
    _c("duration_ns", "int", "ns", "actual length of the interval"),
    _c("user_ns", "int", "ns", "CPU time in user mode, in steps of 10 ms"),
    _c("system_ns", "int", "ns", "CPU time in the kernel, in steps of 10 ms"),
    _c("irq_ns", "int", "ns", "CPU time in interrupts, in steps of 10 ms"),
    _c("softirq_ns", "int", "ns", "CPU time in soft interrupts, in steps of 10 ms"),
    _c("steal_ns", "int", "ns", "CPU time that the hypervisor took away, in steps of 10 ms"),
    _c("idle_ns", "int", "ns", "CPU time without anything to run, in steps of 10 ms"),
    _c("run_ns", "int", "ns", "time of a thread on a CPU, exact"),
    _c("queued_ns", "int", "ns", "time in which a thread could run and waited for a CPU, exact"),
    _c("context_switches", "int", "", "context switches of all CPUs"),
    _c("voluntary_switches", "int", "", "a thread began to wait for something"),
    _c("involuntary_switches", "int", "", "a thread had to leave its CPU to another"),
    _c("minor_faults", "int", "", "page faults without a disk"),
    _c("major_faults", "int", "", "page faults that waited for a disk"),
    _c("rss_bytes", "int", "B", "memory of a process in RAM, at the end of the interval"),
    _c(
        "recorder_bytes",
        "int",
        "B",
        "of a worker's process: what of that holds what Busmark records, such as rows of samples",
    ),
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
    _c("udp_in_datagrams", "int", "", "UDP datagrams delivered"),
    _c("udp_out_datagrams", "int", "", "UDP datagrams sent"),
    _c("udp_rcvbuf_errors", "int", "", "UDP datagrams dropped because the receive buffer was full"),
    _c("udp_sndbuf_errors", "int", "", "UDP datagrams not sent because the send buffer was full"),
    _c("udp_in_errors", "int", "", "UDP datagrams that could not be delivered, for any reason"),
    _c("tcp_in_segments", "int", "", "TCP segments received"),
    _c("tcp_segments", "int", "", "TCP segments sent, without retransmissions"),
    _c("tcp_retransmits", "int", "", "TCP segments retransmitted"),
    _c("throttled", "int", "", "periods in which a control group was held back by its CPU limit"),
    _c("throttled_ns", "int", "ns", "time for which it was held back, summed over CPUs"),
    _c("cpu_quota_ns", "int", "ns", "CPU time that a control group may use in each period"),
    _c("cpu_period_ns", "int", "ns", "length of such a period"),
    _c("cpu_quota_file", "text", "", "file that sets the limit of a control group's CPU time"),
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
    _c("percent", "float", "", "percent of a percentile; the median has 50"),
    _c("value_ns", "float", "ns", "the figure, as the source states it"),
    _c("count", "int", "", "samples that it is based on; null if the source does not say"),
    _c("start_s", "float", "s", "start of a part of the run; null: the whole run"),
    _c("duration_s", "float", "s", "length of a part of the run"),
    _c("file", "text", "", "file that contains it, as in the manifest's source"),
    _c("line", "int", "", "line of that file"),
)

TABLES = {
    "cases": CASES,
    "samples": SAMPLES,
    "participants": PARTICIPANTS,
    "flows": FLOWS,
    "intervals": INTERVALS,
    "changes": CHANGES,
    "batches": BATCHES,
    "discoveries": DISCOVERIES,
    "matches": MATCHES,
    "hops": HOPS,
    "wire": WIRE,
    "system": SYSTEM,
    "summaries": SUMMARIES,
}


def polars_type(kind: Kind) -> pl.DataType:
    """Return the type of a column of this kind in polars."""
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
    """Return the column names and polars types of one of `TABLES`."""
    return {column.name: polars_type(column.kind) for column in TABLES[table]}
