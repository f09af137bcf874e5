"""What is estimated of the parts of a case: of participants, nodes and levels, and of what they had
to find."""

from __future__ import annotations

from busmark.model.entry import PartQuantity

# How the endpoints of a stream found each other: from the creation of the round's last endpoint
# until an endpoint had matched all that there are to match for it; below 0: before.

MATCHED_FIRST = PartQuantity(
    "matched_first", "the first endpoint", "time until the first endpoint had all its matches", "ns"
)
MATCHED_HALF = PartQuantity(
    "matched_half", "half of them", "time until half of the endpoints had", "ns"
)
MATCHED_LAST = PartQuantity(
    "matched_last", "all", "time until the last endpoint had all its matches", "ns"
)
MATCHED_ENDPOINTS = PartQuantity(
    "matched_endpoints", "endpoints", "endpoints of one round whose time is known", "", "count"
)
MATCHED_LIMITS = PartQuantity(
    "matched_limits",
    "endpoints with an upper limit only, all rounds",
    "endpoints of all counted rounds with only an upper limit",
    "",
    "count",
)
MATCHED_UNKNOWN = PartQuantity(
    "matched_unknown",
    "endpoints that the adapter does not count, all rounds",
    "endpoints of all counted rounds whose matches the adapter cannot count",
    "",
    "count",
)

# What a part wrote and read.

ASKED_RATE = PartQuantity(
    "asked_rate",
    "To be written",
    "samples to be written, if every writer kept its rate",
    "1/s",
    "value",
    detail=True,
)
WRITE_RATE = PartQuantity("write_rate", "Written", "samples written", "1/s")
THEORETICAL_RATE = PartQuantity(
    "theoretical_rate",
    "To be read",
    "samples to be read, if every writer kept its rate and none were lost",
    "1/s",
    "value",
    detail=True,
)
READ_RATE = PartQuantity("read_rate", "Read", "samples read", "1/s")
SENT = PartQuantity("sent", "Sent", "samples sent in all counted rounds", "", "count")
EXPECTED = PartQuantity(
    "expected", "Expected", "samples that were to be read, in all counted rounds", "", "count"
)
RECEIVED = PartQuantity(
    "received", "Received", "samples received in all counted rounds", "", "count"
)
LOST = PartQuantity("lost", "Lost", "samples lost in all counted rounds", "", "count")

TRAFFIC = (
    ASKED_RATE,
    WRITE_RATE,
    THEORETICAL_RATE,
    READ_RATE,
    SENT,
    EXPECTED,
    RECEIVED,
    LOST,
)
"""Traffic of all writers and readers of a participant, a node, a flow or the case."""

# Levels: each reader, participant or node on the average, or the whole.

MEMBERS = PartQuantity(
    "members", "Members", "readers, participants or nodes of the level", "", "count"
)
WRITERS = PartQuantity(
    "writers", "Hears writers", "writers that a member hears, at most", "", "count", detail=True
)
THEORETICAL_BYTES = PartQuantity(
    "theoretical_bytes",
    "Bytes to be read",
    "bodies to be read, without headers",
    "B/s",
    "value",
    detail=True,
)
READ_BYTES = PartQuantity(
    "read_bytes", "Bytes read", "bodies read, without headers", "B/s", detail=True
)
READ_SHARE = PartQuantity("read_share", "Share read", "read over what was to be read", "1")
LEAST_SHARE = PartQuantity(
    "least_share",
    "Least of one",
    "the smallest share that a member read, in any round",
    "1",
    "value",
)
SHORT = PartQuantity(
    "short", "Too little", "members that read too little in some round", "", "count"
)

WRITERS_THERE = PartQuantity("writers", "Writers", "writers of the flow there", "", "count")
READERS_THERE = PartQuantity("readers", "Readers", "readers of the flow there", "", "count")

ASKED = PartQuantity("asked", "Sent", "pings sent, probes, or samples to be timed", "", "count")
UNANSWERED = PartQuantity(
    "unanswered",
    "Unanswered",
    "pings never answered; for probes with a one-way latency, never arrived",
    "",
    "count",
)

# A flow in a phase of the timeline.

PHASE_BEGIN = PartQuantity(
    "begin",
    "Begins with",
    "time at which the change was asked for, from the start of the measured time; the reason says "
    "what changed",
    "s",
    "value",
)
PHASE_LATENCY = PartQuantity(
    "half_round_trip",
    "Median RTT/2",
    "median of half the round trips of pings, or of the response times of requests, lost ones "
    "later than any; absent where it falls among the lost in some round",
    "ns",
)
PHASE_ASKED = PartQuantity("asked", "Sent", "pings, requests or probes sent", "", "count")
PHASE_LOSS = PartQuantity("loss", "Loss", "those lost over those sent", "1", "mean")
FIRST_AFTER = PartQuantity(
    "first_after",
    "First sample after",
    "time from the change with which the phase began until "
    "each reader had received a sample again, whenever that sample was sent",
    "ns",
)

# A background load: share of each CPU, bit/s, B/s.

LOAD_ASKED = PartQuantity(
    "asked",
    "Required",
    "level that the scenario asks for; absent where the load has no limit",
    "",
    "value",
)
LOAD_ACHIEVED = PartQuantity(
    "achieved", "Achieved, mean", "mean level of the rounds in which it is known", "", "value"
)
LOAD_LEAST = PartQuantity(
    "least", "Achieved, least of a round", "least level of a round", "", "value"
)
LOAD_ROUNDS = PartQuantity("rounds", "Rounds", "rounds in which its level is known", "", "count")

# What participants and nodes cost.

CPU_USER = PartQuantity(
    "cpu_user", "CPUs, user", "CPUs kept busy in user mode: 1 is one CPU all the time", "CPU"
)
CPU_SYSTEM = PartQuantity("cpu_system", "CPUs, kernel", "CPUs kept busy in the kernel", "CPU")
SWITCHES = PartQuantity(
    "switches", "Context switches", "context switches, of own accord or not", "1/s"
)
RSS = PartQuantity(
    "rss",
    "Most RAM",
    "most memory in RAM, without the samples that Busmark records there; of a "
    "node, of all its participants together: pages that several share count in each",
    "B",
    "value",
)
MAJOR_FAULTS = PartQuantity(
    "major_faults",
    "Major faults",
    "page faults that waited for a disk, all rounds together",
    "",
    "count",
)

RESOURCES = (CPU_USER, CPU_SYSTEM, SWITCHES, RSS, MAJOR_FAULTS)
"""Resources of a participant, its child processes included, within the measured time."""

PARTICIPANTS = PartQuantity("participants", "Participants", "participants there", "", "count")
CPU = PartQuantity(
    "cpu", "CPUs busy", "CPUs that participants kept busy: 1 is one CPU all the time", "CPU"
)
TX_BYTES = PartQuantity(
    "tx",
    "Sent",
    "bytes sent by network interfaces, the loopback excepted, with all "
    "headers, acknowledgements and discovery",
    "B/s",
)
TX_PACKETS = PartQuantity("tx_packets", "Packets sent", "packets sent by them", "1/s")
RX_BYTES = PartQuantity("rx", "Received", "bytes received by them", "B/s")
RX_PACKETS = PartQuantity("rx_packets", "Packets received", "packets received by them", "1/s")
SAMPLES_PER_PACKET = PartQuantity(
    "samples_per_packet",
    "Samples per packet",
    "samples written over packets sent, from counters: "
    "packets without a sample and a sample for several readers make it less",
    "1/packet",
)
DROPPED = PartQuantity(
    "dropped", "Dropped", "UDP datagrams dropped because a socket's buffer was full", "1/s"
)
GROWTH = PartQuantity(
    "growth",
    "Growth of memory",
    "growth of a participant's memory while it measured: mean slope "
    "over participants and rounds, Student's interval",
    "B/min",
    "mean",
)
