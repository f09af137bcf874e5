"""The Pother suite: slides of a webinar on the performance and tuning of OpenSplice DDS."""

from __future__ import annotations

from busmark.plugins.papers.document import Document, StandIn
from busmark.plugins.papers.pother_2008.discovery import DISCOVERY
from busmark.plugins.papers.pother_2008.places import part_of
from busmark.plugins.papers.pother_2008.statements import (
    DETERMINISM,
    LATENCY,
    SCALABILITY,
    THROUGHPUT,
)
from busmark.plugins.papers.pother_2008.tables import tables

POTHER = Document(
    title="Pother 2008",
    source="A. Corsaro, H. van't Hag: OpenSplice DDS, Performance & Tuning, webinar of PrismTech "
    "on the Pother benchmarking suite",
    stand_ins=(
        StandIn("OpenSplice DDS v3, one network scheduler for all processes of a node",
                "Eclipse Cyclone DDS (cyclonedds)",
                "written by OpenSplice's authors after it; each process sends for itself"),
        StandIn("in addition", "Fast DDS (fastdds)", "the same workload on a second vendor's DDS"),
        StandIn("transport priority, and priority bands with a DSCP each",
                "transport priority of RTI Connext DDS and ZeroDDS (rti, zerodds)",
                "it is the DSCP of their packets; Cyclone DDS and Fast DDS accept the policy and "
                "send the same packets"),
        StandIn("transceiver and transponder, transmitter and receiver",
                "pings and streams of a campaign; `busmark bus` has tests of these names",
                "the same tests, driven by a controller or over the middleware"),
        StandIn("nodes of a network", "quick: this machine's loopback interface; full: two nodes "
                "of a lab, with an unlimited link", "one clock sees both ends, so that all "
                "segments are known"),
    ),
    deviations=(
        "Machines, operating systems and networks are others: the slides' figures stand in tables "
        "of their own, and verdicts are on ratios of figures of one campaign.",
        "Real-time 30 is SCHED_FIFO priority 30. It needs root, or the limit rtprio; without it "
        "those cases fail and say so.",
        "Send, Echo: the slides' segments add up to the trip only if they end when the sample has "
        "been read (2 + 338 + 2 µs in a trip of 340 µs, with arrivals of 40 and 52 µs). Here they "
        "end when the middleware announces the sample, so that source, send, arrival, turn-round, "
        "echo source, echo and arrival follow each other and add up to the trip.",
        "The best p % of n samples are as many as there: n × p / 100, rounded down.",
        "Pings go out at 1000 Hz at intended times. There the next went out some time after, so "
        "that echoes came every 1034 to 1068 µs.",
        "Band threads of the network scheduler have no counterpart: in DDS that is bound to "
        "processes the middleware's threads have the class of their process.",
        "Discovery: publisher and subscriber are made with the participant or with the endpoint. A "
        "new writer sends from its creation, whether it is discovered or not; discovered is what "
        "has received its first sample, or whose first sample was received.",
        "Scalability: the quick file has up to 2 applications on each node in place of 10, and "
        "nodes are network namespaces of one machine. Adapters that gather samples by a latency "
        "budget have one.",
        "Theoretical throughput there is what the sequence numbers say. In reports it is the "
        "column Expected; Theoretical is the rate that was specified.",
    ),
    statements=(*LATENCY, *THROUGHPUT, *DISCOVERY, *SCALABILITY, *DETERMINISM),
    tables=tables,
    scenarios=(
        "throughput-quick", "throughput-full", "discovery-quick", "discovery-full",
        "scalability-quick", "scalability-full", "determinism-quick", "determinism-full",
    ),
    part_of=part_of,
    sizes="`quick` and `full` are the latency experiment; `throughput-…`, `discovery-…`, "
    "`scalability-…` and `determinism-…` the other four. Those that end in `quick` take some "
    "minutes, on this machine's loopback interface, but for scalability. Those that end in `full` "
    "have the numbers of the slides. They make a lab, which needs root; so does "
    "`scalability-quick`.",
)  # fmt: skip
