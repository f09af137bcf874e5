"""RTI Perftest, in throughput and latency mode: a master's thesis of 2023."""

from __future__ import annotations

from busmark.documents.document import Document, StandIn
from busmark.documents.perftest_2023.latency import LATENCY
from busmark.documents.perftest_2023.tables import tables
from busmark.documents.perftest_2023.throughput import THROUGHPUT

PERFTEST = Document(
    title="Perftest 2023",
    source="A. Nowacki: Experimental Performance Evaluation of Data Distribution Service software, "
    "master's thesis, City, University of London, 2023, and the spreadsheet of its tables",
    stand_ins=(
        StandIn("RTI Connext DDS 6.1.1, UDPv4 & SHMEM", "RTI Connext DDS of RTI Connector, shared "
                "memory (rti, shm)",
                "on one host Connext sends through shared memory if it may"),
        StandIn("beside it", "RTI Connext DDS, Eclipse Cyclone DDS, Fast DDS over UDP (rti, "
                "cyclonedds, fastdds)",
                "the same test, machine and run for three vendors, over the one transport that all "
                "of them have; the thesis could measure one vendor"),
        StandIn("RTI Perftest 4.1", "Busmark's own workload",
                "throughput mode: a stream at full speed in which every n-th sample on average "
                "is echoed; latency mode: ping-pong"),
        StandIn("Tests 1 to 4", "the earlier half of all rounds is campaign one, the later half "
                "campaign two",
                "rounds of all cases are interleaved, so both campaigns meet the same machine"),
    ),
    deviations=(
        "Domain 137 in place of 337: RTPS over UDP has ports for domains up to 232.",
        "One latency ping per 1000 samples, as the thesis writes, in the full pack; the parameters "
        "printed beside its tables say 100 000. The quick pack, whose rounds are short, has one in "
        "100.",
        "In latency mode each ping waits for its pong, as the thesis describes it. The settings "
        "printed beside tables 2A to 4B say “THROUGHPUT TEST” without batching, and their "
        "samples/s are too many for a ping-pong.",
        "Perftest gathers small samples to batches of 8192 bytes in throughput mode; none of the "
        "three does that here.",
        "Perftest's lengths include its 28 bytes of header; lengths here are of the body, to which "
        "64 bytes of header are added.",
        "The thesis shows the least latency at 99.99 and 99.9999 %, which so few pings cannot "
        "give; here such a percentile is left out.",
        "Java on Windows 10, four cores; here native code on Linux, the two participants on a CPU "
        "each.",
        "The vendors' own tuning (profile tuned), as Perftest brings one for its vendor.",
    ),
    statements=THROUGHPUT + LATENCY,
    tables=tables,
    value_by_value=True,
)  # fmt: skip
