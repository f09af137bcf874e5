"""The latency of pings, and of samples in a stream."""

from __future__ import annotations

from busmark import stats
from busmark.model.entry import STUDENT, EstimatedQuantity, Explained, LatencySet, Number

SINGLE = ("latency", "throughput", "service")
"""Tests that time single samples."""

HALF_ROUND_TRIP = LatencySet(
    "half_round_trip", "half_round_trip", "round trips of pings, halved", tests=("latency",)
)
ONE_WAY = LatencySet(
    "probe_one_way",
    "one_way",
    "one-way latencies in a stream: of every sample of one at a rate, else of its probes",
    tests=("throughput",),
)
ROUND_TRIP = LatencySet(
    "probe_round_trip", "round_trip", "round trips of probes in a stream", tests=("throughput",)
)
JITTER = LatencySet(
    "jitter",
    "jitter",
    "magnitudes of the change of that latency from a sample to the next (RFC 3393)",
    tests=SINGLE,
)
IPDV = LatencySet(
    "ipdv",
    "ipdv",
    "changes of that latency from a sample to the next, with their signs (RFC 3393)",
    tests=SINGLE,
    within=stats.SIGNED,
)

RESPONSE_TIME = LatencySet(
    "response_time",
    "response_time",
    "response times of a service: from when a request was to be sent to its response in the "
    "client's hands; a request without a response in time is later than all",
    tests=("service",),
)

LATENCIES = (HALF_ROUND_TRIP, ONE_WAY, ROUND_TRIP, RESPONSE_TIME, JITTER, IPDV)


BOTH = Explained(
    "One way, there and back",
    ("one_way_there", "one_way_back"),
    "Median from a ping's sending to the responder's hands, and from the pong's sending to the "
    "pinger's hands. Given where both ends share one clock.",
    "median of `echo_read_ns − sent_ns`; median of `read_ns − echo_sent_ns`. " + STUDENT,
    "samples, role `pinger`",
    "Between hosts it is as good as the round trips bound the offset of their clocks: it is "
    "shown with that bound, and not at all below it.",
    section="Latency",
)


ONE_WAY_THERE = EstimatedQuantity(
    key="one_way_there_median",
    quantity="one_way_there",
    unit="ns",
    suffix="_ns",
    meaning="median from a ping's sending to the responder's hands",
    tests=("latency",),
    explained=(BOTH,),
)

ONE_WAY_BACK = EstimatedQuantity(
    key="one_way_back_median",
    quantity="one_way_back",
    unit="ns",
    suffix="_ns",
    meaning="median from a pong's sending to the pinger's hands",
    tests=("latency",),
    explained=(BOTH,),
)


JITTER_SHARE = EstimatedQuantity(
    key="jitter_share",
    also=("jitter", "ipdv", "pdv"),
    unit="1",
    meaning="median jitter over median latency, of each round",
    tests=SINGLE,
    explained=(
        Explained(
            "Jitter",
            ("jitter", "ipdv", "jitter_share"),
            "How much RTT/2 changes from a ping to the next of the same writer, with its sign "
            "(ipdv), and as a magnitude (jitter): distributions like the latency's. As a share: "
            "magnitude relative to each round's median latency.",
            "x(s+1) − x(s), and |x(s+1) − x(s)|, for sequence numbers that both came back "
            "(RFC 3393, consecutive packets); share: median jitter / median latency of each round. "
            + STUDENT,
            "samples, role `pinger`, in order of intended sending",
            "Slow changes: it is made of neighbours. Pairs across a lost ping are left out.",
            section="Latency",
        ),
        Explained(
            "Jitter of probes",
            ("jitter", "ipdv", "jitter_share"),
            "How much the latency of probes changes from one to the next of the same writer, with "
            "its sign, as a magnitude, and as a share of their median latency: one way, or of "
            "round trips where there is no one-way time.",
            "as the jitter of pings; two probes follow each other if none was lost between them",
            "samples, roles `receiver` and `transmitter`",
            "What happens between two samples in a row: most of them are no probes.",
            section="Throughput",
        ),
    ),
)

SAMPLES = Number(
    key="samples",
    meaning="latencies that came back",
    tests=("latency", "service"),
    pick=lambda case: case.exchange.count if case.exchange else None,
    frames=False,
)

PROBES_SENT = Number(
    key="probes_sent",
    meaning="samples of a stream whose latency was to be measured: in one at a rate with one clock "
    "all, at each reader; null where that is not known",
    tests=("throughput",),
    explained=(
        Explained(
            "Lost probes",
            ("probes_sent", "probes_lost"),
            "Samples of the stream whose latency was to be measured, and how many of them never "
            "arrived. They are later than any in the percentiles. In a stream at a rate "
            "with one clock these are all samples, at each of their readers.",
            "rows of role `reader` without a time of reading; without such rows, rows of the "
            "writer without a row of the reader and without an echo. None for what the readers' "
            "content filter leaves out",
            "samples, roles `reader`, `receiver` and `transmitter`",
            "Which samples another tool lost: null where it lost some and kept no record of its "
            "probes.",
            section="Throughput",
        ),
    ),
)

PROBES_LOST = Number(
    key="probes_lost",
    meaning="of these, those that never arrived; null where samples were lost and no record says "
    "whether probes were among them",
    tests=("throughput",),
)


CLOCK_BOUND = Number(
    key="clock_bound",
    quantity="clock_bound",
    statistic="value",
    unit="ns",
    meaning="how far one-way times may be off, either way, because they are by two clocks; null by "
    "one clock",
    explained=(
        Explained(
            "Bound of the clocks",
            ("clock_bound",),
            "How far every one-way time may be off, either way, because its ends are stamped by "
            "two clocks whose offset is known to this. Intervals hold it. A one-way time that is "
            "no longer than it is absent.",
            "the greatest distance of a line of offset and drift that all round trips of a round "
            "allow from the line in the middle, at any time of the round; the greatest of all "
            "rounds",
            "samples, roles `pinger` and `transmitter`",
            "In which direction it is off: all samples of a round by nearly the same.",
        ),
    ),
)

OF_CASES = (
    ONE_WAY_THERE,
    ONE_WAY_BACK,
    JITTER_SHARE,
    CLOCK_BOUND,
    SAMPLES,
    PROBES_SENT,
    PROBES_LOST,
)
"""Quantities in the order of tables."""
