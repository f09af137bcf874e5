"""What the slides state of discovery: how long after its creation an endpoint is active."""

from __future__ import annotations

from math import ceil

from busmark.documents.along import Ends
from busmark.documents.checks import Each, Ratio
from busmark.documents.claim import ABOVE, ALL, BELOW, Claim
from busmark.documents.document import Statement
from busmark.documents.pother_2008 import stated
from busmark.documents.pother_2008.places import DISCOVERING
from busmark.documents.select import Select, cases
from busmark.documents.values import PerRound, headline, per_round
from busmark.estimate.case import CaseSummary
from busmark.estimate.rounds import RoundDiscovery


def creation(case: CaseSummary) -> PerRound:
    """The calls that create, ns."""
    return per_round(case, lambda of: of.discovery.creation_ns if of.discovery else None)


def number_received(case: CaseSummary) -> PerRound:
    """Number of the first sample received, counted from the first sent: 1 where none was lost."""

    def value(found: RoundDiscovery | None) -> float | None:
        lost = found.lost_before if found else None
        return None if lost is None else 1.0 + lost

    return per_round(case, lambda of: value(of.discovery))


def _one(case: CaseSummary) -> PerRound:
    return dict.fromkeys(headline(case), 1.0)


def between_nodes(case: CaseSummary) -> bool:
    """Whether the endpoints are on two nodes of a lab."""
    return case.params.writer_on != case.params.reader_on


def _alone(case: CaseSummary) -> bool:
    return not case.params.existing and not case.params.link_loss


def alone_within(case: CaseSummary) -> bool:
    """Nobody else is there, and both endpoints are on one node."""
    return _alone(case) and not between_nodes(case)


def alone_between(case: CaseSummary) -> bool:
    """Nobody else is there, and the endpoints are on two nodes that lose nothing."""
    return _alone(case) and between_nodes(case)


def within(adapter: str, **params: object) -> Select:
    """On one node."""
    return cases(alone_within, test="discovery", adapter=adapter, **params)


def between(adapter: str, **params: object) -> Select:
    """On two."""
    return cases(
        alone_between, test="discovery", adapter=adapter, writer_on="n1", reader_on="n2", **params
    )


def alone(adapter: str, **params: object) -> Select:
    """On one node, or on two."""
    return cases(_alone, test="discovery", adapter=adapter, **params)


def _beside_others(case: CaseSummary) -> bool:
    return bool(case.params.existing)


def _no_later(*, new: str, between: bool | None = None) -> Claim:
    """Discovery over creation, at most the greatest there, rounded up to a hundredth."""
    ratios = [
        each.discovery / each.creation for each in stated.CLUSTER
        if each.new == new and between in (None, each.between_nodes)
    ]  # fmt: skip
    return Claim(0.0, ceil(max(ratios) * 100) / 100)


DISCOVERY = (
    Statement(
        "Discovery definition",
        "Discovery is how long after its creation an endpoint is active: discovered, and the first "
        "data received. A reader may wait 1 ms more, the period of the writer.",
        untold="A definition. Here it is the time to the first sample; the matches on either side "
        "are beside it in the report.",
        part="discovery",
    ),
    Statement(
        "Writer discovery within one node, and between nodes",
        "A new writer is discovered when its creation has hardly ended: 7 and 17 µs after it "
        "within one node (791 of 784 µs, 1038 of 1021 µs with participant), 3 and 2 µs between "
        "nodes.",
        (
            *(Each(f"first sample over creation, new writer, within one node, {adapter}",
                   within(adapter, new="writer"), headline, creation,
                   _no_later(new="writer"))
              for adapter in DISCOVERING),
            *(Each(f"first sample over creation, new writer, between nodes, {adapter}",
                   between(adapter, new="writer"), headline, creation,
                   _no_later(new="writer"))
              for adapter in DISCOVERING),
        ),
        untold="Samples go out every millisecond: one that the reader's side does not know yet is "
        "not heard, and the next comes 1 ms later.",
        part="discovery",
    ),
    Statement(
        "Writer discovery within one node, and between nodes; output of the spotter",
        "A new writer loses no message before it is discovered.",
        tuple(
            Each(f"number of the first sample received, new writer, {adapter}",
                 alone(adapter, new="writer"), number_received, _one, ALL)
            for adapter in DISCOVERING
        ),
        part="discovery",
    ),
    Statement(
        "Reader discovery within one node",
        "A new reader has data before the call that creates it returns: 237 µs before (866 of "
        "1103 µs), 113 µs before with its participant (1157 of 1270 µs).",
        tuple(
            Each(f"first sample over creation, new reader, within one node, {adapter}",
                 within(adapter, new="reader"), headline, creation, BELOW)
            for adapter in DISCOVERING
        ),
        part="discovery",
    ),
    Statement(
        "Reader discovery between nodes",
        "Between nodes it has them 23 µs after (1241 of 1218 µs), 27 µs with its participant "
        "(1280 of 1253 µs).",
        tuple(
            Each(f"first sample over creation, new reader, between nodes, {adapter}",
                 between(adapter, new="reader"), headline, creation,
                 _no_later(new="reader", between=True))
            for adapter in DISCOVERING
        ),
        part="discovery",
    ),
    Statement(
        "Reader discovery within one node, and between nodes",
        "A new reader is discovered later between nodes than within one: after 1241 beside 866 µs, "
        "1280 beside 1157 µs with participant.",
        tuple(
            Ratio(f"time to first sample, new reader, between nodes over within one, {adapter}",
                  between(adapter, new="reader"), within(adapter, new="reader", reader_on="n1"),
                  ABOVE)
            for adapter in DISCOVERING
        ),
        untold="A new writer is discovered sooner alone (624 beside 791 µs), and later with its "
        "participant (2461 beside 1038 µs).",
        part="discovery",
    ),
    Statement(
        "Writer and reader discovery, within one node and between nodes",
        "An endpoint with its participant takes longer than one alone, to create (1021 beside 784, "
        "1270 beside 1103, 2459 beside 621, 1253 beside 1218 µs) and to be discovered.",
        (
            *(Ratio(f"creation, with participant over alone, {adapter}",
                    alone(adapter, creates="participant"), alone(adapter, creates="entity"),
                    ABOVE, value=creation)
              for adapter in DISCOVERING),
            *(Ratio(f"time to first sample, with participant over alone, {adapter}",
                    alone(adapter, creates="participant"), alone(adapter, creates="entity"),
                    ABOVE)
              for adapter in DISCOVERING),
        ),
        part="discovery",
    ),
    Statement(
        "Impact of scale on discovery times",
        "With DDS that is bound to processes the time of discovery grows with the number of "
        "endpoints, for each has a state at each peer.",
        tuple(
            Ends(f"time to first sample, most endpoints there over fewest, {adapter}",
                 cases(_beside_others, test="discovery", adapter=adapter), "existing", ABOVE)
            for adapter in DISCOVERING
        ),
        untold="The slides have no figure. The report has the exponent of the growth.",
        part="discovery",
    ),
    Statement(
        "Performance: discovery latency; impact of scale on discovery times",
        "With OpenSplice it takes a constant time at any scale, or none.",
        untold="Said of one federated implementation, without a figure; all that is measured here "
        "is bound to processes.",
        part="discovery",
    ),
)  # fmt: skip
