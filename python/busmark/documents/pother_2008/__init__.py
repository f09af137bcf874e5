"""The Pother suite: slides of a webinar on the performance and tuning of OpenSplice DDS."""

from __future__ import annotations

from busmark.documents.document import Document, StandIn
from busmark.documents.pother_2008.determinism import DETERMINISM
from busmark.documents.pother_2008.latency import LATENCY
from busmark.documents.pother_2008.places import part_of
from busmark.documents.pother_2008.tables import tables
from busmark.documents.pother_2008.throughput import THROUGHPUT

POTHER = Document(
    title="Pother 2008",
    source="A. Corsaro, H. van't Hag: OpenSplice DDS, Performance & Tuning, webinar of PrismTech "
    "on the Pother benchmarking suite",
    stand_ins=(
        StandIn("OpenSplice DDS v3, one network scheduler for all processes of a node",
                "Eclipse Cyclone DDS (cyclonedds)",
                "written by OpenSplice's authors after it; each process sends for itself"),
        StandIn("beside it", "Fast DDS (fastdds)", "the same workload on a second vendor's DDS"),
        StandIn("transport priority, and priority bands with a DSCP each",
                "transport priority of RTI Connext DDS and ZeroDDS (rti, zerodds)",
                "it is the DSCP of their packets; Cyclone DDS and Fast DDS accept the policy and "
                "send the same packets"),
        StandIn("transceiver and transponder, transmitter and receiver",
                "pings and streams of a campaign; `busmark participant` has tests of these names",
                "the same tests, driven by a controller or over the bus"),
        StandIn("nodes of a network", "quick: this machine's loopback interface; full: two nodes "
                "of a lab, with an unlimited link", "one clock sees both ends, so that all legs "
                "are known"),
    ),
    deviations=(
        "Scalability is run by `pother-2008/scalability-quick` and `pother-2008/scalability-full`. "
        "Their reports have what was to be read beside what was read, by reader, application, node "
        "and all, in place of a page of statements.",
        "Machines, operating systems and networks are others: the slides' figures stand in tables "
        "of their own, and verdicts are on ratios of figures of one campaign.",
        "Real-time 30 is SCHED_FIFO priority 30. It needs root, or the limit rtprio; without it "
        "those cases fail and say so.",
        "Send, Echo: the slides' legs add up to the trip only if they end when the sample has been "
        "read (2 + 338 + 2 µs beside a trip of 340 µs, with arrivals of 40 and 52 µs). Here they "
        "end when the middleware announces the sample, so that source, send, arrival, turn-round, "
        "echo source, echo and arrival follow each other and add up to the trip.",
        "The best p % of n samples are as many as there: n × p / 100, rounded down.",
        "Pings go out at 1000 Hz at intended times. There the next went out some time after, so "
        "that echoes came every 1034 to 1068 µs.",
        "Band threads of the network scheduler have no counterpart: in DDS that is bound to "
        "processes the middleware's threads have the class of their process.",
        "Theoretical throughput there is what the sequence numbers say. In reports it is the "
        "column By numbers; Theoretical is the rate that was asked for.",
    ),
    statements=(*LATENCY, *THROUGHPUT, *DETERMINISM),
    tables=tables,
    scenarios=("throughput-quick", "throughput-full", "determinism-quick", "determinism-full"),
    part_of=part_of,
    sizes="`quick` and `full` are the latency experiment; `throughput-…` and `determinism-…` the "
    "other two. Those that end in `quick` take a minute or two, on this machine's loopback "
    "interface. Those that end in `full` make a lab, which needs root, and have the numbers of the "
    "slides.",
    figures_stated=True,
)  # fmt: skip
