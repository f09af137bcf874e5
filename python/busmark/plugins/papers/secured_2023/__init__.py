"""The secured run of RTI Perftest, which a master's thesis of 2023 planned and could not do."""

from __future__ import annotations

from busmark.plugins.papers.document import Document, StandIn
from busmark.plugins.papers.perftest_2023 import PERFTEST
from busmark.plugins.papers.secured_2023.statements import STATEMENTS

SECURED = Document(
    title="Secured 2023",
    source=PERFTEST.source,
    stand_ins=(
        StandIn("RTI Perftest 4.1 with `--secure`", "Busmark's own workload with `security`",
                "the thesis had no governance document, then no data; here one command makes all "
                "documents"),
        StandIn("RTI Connext DDS with its Security Plugins", "Eclipse Cyclone DDS and Fast DDS",
                "RTI Connector has no security plug-ins: its secured cases are unsupported, its "
                "plain ones stand beside the others"),
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
