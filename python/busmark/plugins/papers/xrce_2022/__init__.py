"""Solpan and Küçük 2022: DDS-XRCE in three deployments, over UDP and TCP."""

from busmark.plugins.papers.document import Document, StandIn
from busmark.plugins.papers.xrce_2022.statements import STATEMENTS
from busmark.plugins.papers.xrce_2022.tables import tables

XRCE = Document(
    title="DDS-XRCE Standard Performance Evaluation of Different Communication Scenarios in IoT "
    "Technologies",
    source="Şevval Şolpan and Kerem Küçük, EAI Endorsed Transactions on Internet of Things 8(4), "
    "2022, doi 10.4108/eetiot.v8i4.2691",
    stand_ins=(
        StandIn("eProsima Micro XRCE-DDS Client and Agent 2.0.0",
                "eProsima's Client 2.4 and Agent 2.4 where they are built; else ZeroDDS's",
                "eProsima's are in no package registry"),
        StandIn("Fast DDS 2.4.0 (participants)", "Eclipse Cyclone DDS, or any DDS adapter", "any "
                "participant meets the agent by RTPS"),
        StandIn("Ubuntu 18.04, Wireshark", "this machine, dumpcap", "Linux delays "
                "acknowledgements as it did then"),
    ),
    deviations=(
        "The topics Humidity, Temperature, Pressure, Altitude and HelloWorld are Busmark's types "
        "under Busmark's topic names: all have octets of one size.",
        "The paper does not say how often packets were sent. Here 20 in a second.",
        "A participant of deployments 2 and 3 that reads what is measured reads a stream of its "
        "own from the same client here.",
        "ZeroDDS's client, as it is shipped, numbers every best-effort message 0, and its agent "
        "discards all but the first: of 50 samples of deployments 2 and 3 one arrives. Here they "
        "are numbered on their way to the socket (option number_best_effort).",
        "History is keep all: ZeroDDS's agent looks for samples every 100 ms, and one that keeps "
        "the last alone loses every second one at 20 in a second.",
        "Publishers of the background send at the same rate as what is measured.",
        "A client has no event for a match. Participants wait before they begin (option "
        "settle_ms); the paper's began at once and lost their first packets.",
    ),
    statements=STATEMENTS,
    tables=tables,
    sizes="`quick` has every deployment and condition once, alone, with 50 packets; `full` has the "
    "paper's 36 tests with its background; `long` has enough packets and rounds for narrow "
    "intervals.",
    scenarios=("long",),
)  # fmt: skip
