"""OpenDDSBench: an article of March 2010 on latency, jitter and throughput of OpenDDS."""

from __future__ import annotations

from busmark.plugins.papers.document import Document, StandIn
from busmark.plugins.papers.openddsbench_2010.latency import LATENCY
from busmark.plugins.papers.openddsbench_2010.tables import tables
from busmark.plugins.papers.openddsbench_2010.throughput import THROUGHPUT

OPENDDSBENCH = Document(
    title="OpenDDSBench",
    source="M. Martinez: Middleware News Brief, Object Computing, March 2010",
    stand_ins=(
        StandIn("OpenDDS 2.1.2, UDP transport", "OpenDDS (opendds), RTPS over UDP",
                "the same middleware today; where it is not built its cases are unsupported"),
        StandIn("beside it", "Eclipse Cyclone DDS, Fast DDS (cyclonedds, fastdds)",
                "the same workload on the DDS that are at hand; data goes to each reader by "
                "unicast, as OpenDDS's UDP transport sent it"),
        StandIn("OpenDDS 2.0, TCP transport (latency)", "OpenDDS's own TCP, and Fast DDS's",
                "reliable; over TCP Cyclone DDS does not find its partner on another node"),
        StandIn("OpenDDS 2.0, multicast, best effort and reliable (latency)",
                "Fast DDS with samples sent to a multicast group (fastdds, transport multicast)",
                "OpenDDS's multicast lost reliable samples for good in the adapter's tests and is "
                "not offered; Cyclone DDS sends to a single reader by unicast"),
        StandIn("ftp transfer", "a stream over plain TCP (tcp)",
                "as fast as it goes, in the same campaign, over the same links"),
        StandIn("Gigabit Ethernet between three hosts", "three nodes of a lab with links of that "
                "rate", "rated capacity is the link's; full duplex, queues of 50 ms"),
        StandIn("a network between two hosts (latency)", "two nodes of a lab without limits",
                "packets cross network interfaces, and one clock sees both hosts"),
    ),
    deviations=(
        "The quick pack has a tenth of the rates on links of a tenth of the capacity: what is "
        "asked for is the same share of what there is.",
        "The article charts five cases without naming them. Rates and sizes come from the "
        "steepest ascent in OpenDDS's source tree (1000 to 5000 samples/s of 10000 to 50000 "
        "bytes, keep last 10).",
        "Bidirectional: both nodes send at the rate; there, the far node sent back what it "
        "received.",
        "Throughput is what arrives at readers: of one direction, or of both readers together.",
        "Reliable cases are measured too; the article's statements on throughput are of a "
        "transport that does not repeat lost samples, so they are asked of best effort.",
        "Protocol headers take part of the rated capacity: full use shows as about 0.95.",
        "Latency is of a closed loop, a ping after each pong; there, samples were sent at a rate "
        "that is not told. As there it is half of two hops by one clock, and not one-way latency.",
        "There, the last 5000 samples of a test were kept; the full pack sends 5000 after a "
        "warm-up in each round, the quick one 1000. Tables and charts are of all of them.",
    ),
    statements=LATENCY + THROUGHPUT,
    tables=tables,
    scenarios=("latency-quick", "latency-full"),
)  # fmt: skip
