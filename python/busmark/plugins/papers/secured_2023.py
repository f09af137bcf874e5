"""The secured run of RTI Perftest, which a master's thesis of 2023 planned and could not do."""

from __future__ import annotations

from busmark.model.case import CaseSummary
from busmark.plugins.papers.checks import Ratio, for_each
from busmark.plugins.papers.document import Document, StandIn, Statement
from busmark.plugins.papers.evidence import ABOVE, BELOW
from busmark.plugins.papers.perftest_2023 import PERFTEST, PLACES, latency, throughput
from busmark.plugins.papers.select import WORKLOAD, of_latency, samples_per_s

OVER_UDP = [place for place in PLACES if place.transport == "udp"]
"""The thesis's vendor, and the two that have security here."""

ALIKE = (*WORKLOAD, "transport")

median = of_latency(lambda of: of.median_ns)


def one_vendor(case: CaseSummary) -> bool:
    """Return whether both ends are of one vendor."""
    return case.params.peer is None


STATEMENTS = (
    Statement(
        "§5.3",
        "Security is likely to increase latency.",
        for_each(OVER_UDP, Ratio, "median latency in latency mode, all protected over plain",
                 latency(one_vendor, security="all"), latency(one_vendor, security="none"), ABOVE,
                 ALIKE, median),
    ),
    Statement(
        "§5.3",
        "Security is likely to impact throughput.",
        for_each(OVER_UDP, Ratio, "samples/s in throughput mode, all protected over plain",
                 throughput(one_vendor, security="all"), throughput(one_vendor, security="none"),
                 BELOW,
                 ALIKE, samples_per_s),
    ),
    Statement(
        "§3.3.1",
        "With security no data could be collected.",
        remark="A fault of that set-up: the program asked for a governance document, and with one "
        "it collected nothing. What is collected here is in the report.",
    ),
)  # fmt: skip


SECURED = Document(
    title="Secured 2023",
    source=PERFTEST.source,
    stand_ins=(
        StandIn("RTI Perftest 4.1 with `--secure`", "Busmark's own workload with `security`",
                "the thesis had no governance document, then no data; here one command makes all "
                "documents"),
        StandIn("RTI Connext DDS with its Security Plugins", "Eclipse Cyclone DDS and Fast DDS",
                "RTI Connector has no security plug-ins: its secured cases are unsupported, its "
                "plain ones are measured with the others"),
        StandIn("no governance is named", "everything is protected (profile `all`): discovery, "
                "liveliness, messages, submessages and payloads are encrypted",
                "the most that DDS Security does; at 1024 bytes each profile stands alone"),
    ),
    deviations=(
        *PERFTEST.deviations[:1],
        "Sizes, modes, placement and QoS are the thesis's, as in the pack perftest-2023. Plain and "
        "secured rounds are interleaved, so both meet the same machine.",
        "Added here: how long a new participant takes to its first sample, plain and secured, and "
        "secured pairs of two vendors.",
    ),
    statements=STATEMENTS,
    sizes="`quick` has the twelve sizes plain and with everything protected, each profile at 1024 "
    "bytes, discovery and pairs of vendors in short rounds; `full` has rounds of 30 s, and four "
    "profiles at all sizes. `busmark run secured-2023/bytes` captures the packets of each profile "
    "at three sizes: bytes and packets per sample, which the document does not ask for.",
)  # fmt: skip
