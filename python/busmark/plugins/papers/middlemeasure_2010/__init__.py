"""MiddleMeasure: a master's thesis of 2010 that compares DDS, CORBA, TCP and UDP."""

from __future__ import annotations

from busmark.plugins.papers.document import Document, StandIn, Statement
from busmark.plugins.papers.middlemeasure_2010.latency import LATENCY
from busmark.plugins.papers.middlemeasure_2010.throughput import THROUGHPUT

STAND_INS = (
    StandIn(
        "RTI NDDS",
        "RTI Connext DDS over UDP (rti)",
        "the same vendor's DDS of today, of the same design: RTPS over UDP",
    ),
    StandIn(
        "Gallium InterCOM DDS",
        "Fast DDS over TCP (fastdds)",
        "InterCOM is no longer sold; the thesis explains its results by its use of TCP, and "
        "Fast DDS is the DDS here whose TCP transport finds its partners in every round",
    ),
    StandIn(
        "PrismTech OpenSplice DDS (§7.2, proposed)",
        "Eclipse Cyclone DDS (cyclonedds)",
        "written by OpenSplice's authors after it; measured beside, no statement rests on it",
    ),
    StandIn(
        "ACE TAO",
        "omniORB (omniorb)",
        "a CORBA ORB that distributions still package; oneway calls, IIOP over TCP",
    ),
    StandIn("TCP, UDP", "tcp, udp", "plain sockets as there"),
)

ELSEWHERE = (
    Statement(
        "§6.2.2, Figures 19 and 24",
        "With Linux, throughput is slightly higher and latency lower than with Windows XP.",
        untold="Busmark runs on Linux. The conclusions (§7.1) say of the same Figure 24 that "
        "latency is the same on Linux and Windows XP.",
    ),
    Statement(
        "Introduction; §6.2.3, Figures 25 and 26",
        "Latency between two nodes with the real-time system INtime is some 40 times better than "
        "from Windows XP to INtime, and still has spikes.",
        untold="Busmark runs on Linux.",
    ),
)

MIDDLEMEASURE = Document(
    title="MiddleMeasure",
    source="A benchmarking suite for real-time platforms and middleware: master's thesis, "
    "Carleton University, 2010",
    stand_ins=STAND_INS,
    deviations=(
        "One machine stands for seven. The quick pack runs on its loopback interface with two "
        "participants on two CPUs; the full pack gives each participant a network namespace with a "
        "link of 1 Gbit/s. Two of the thesis's nodes had cards of 100 Mbit/s; here all are alike.",
        "Linux only. Statements about Windows XP and INtime cannot be repeated.",
        "Throughput batches are announced, started and ended with acknowledgements, as there; "
        "single samples within a batch are not acknowledged, which the thesis's steps for several "
        "receivers have (§5.2.4) and its repeat count for one does not (§5.2.3). "
        '`batch_ack = "each"` in a scenario does that.',
        "DDS throughput uses the vendors' own tuning (profile tuned): as shipped, a reliable "
        "writer that keeps all may wait 3 s for a heartbeat.",
        "CORBA and sockets take no QoS: wherever the thesis sets one, theirs is what they have.",
        "TCP sockets have TCP_NODELAY set. The thesis leaves Nagle's algorithm on, and explains by "
        "it that TCP carried more than UDP.",
        "Structures are 16 bytes, so sizes 4 and 8 have none.",
        "Sizes are of the body; 64 bytes of header are added to each sample.",
    ),
    statements=LATENCY + THROUGHPUT + ELSEWHERE,
)
