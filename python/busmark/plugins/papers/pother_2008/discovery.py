"""Statements of the slides on discovery: how long after its creation an endpoint is active."""

from __future__ import annotations

from math import ceil

from busmark.model.case import CaseSummary
from busmark.model.discovery import RoundDiscovery
from busmark.plugins.papers.checks import Each, Ends, Ratio, for_each
from busmark.plugins.papers.document import Statement, in_part
from busmark.plugins.papers.evidence import ABOVE, ALL, BELOW, Claim
from busmark.plugins.papers.pother_2008 import published
from busmark.plugins.papers.pother_2008.places import DISCOVERING, of_adapter
from busmark.plugins.papers.select import PerRound, Selects, headline, per_round


def creation(case: CaseSummary) -> PerRound:
    """Return the duration of the calls that create, ns."""
    return per_round(case, lambda of: of.discovery.creation_ns if of.discovery else None)


def number_received(case: CaseSummary) -> PerRound:
    """Return the number of the first sample received, counted from the first sent: 1 where none was
    lost."""

    def value(found: RoundDiscovery | None) -> float | None:
        lost = found.lost_before if found else None
        return None if lost is None else 1.0 + lost

    return per_round(case, lambda of: value(of.discovery))


def _one(case: CaseSummary) -> PerRound:
    return dict.fromkeys(headline(case), 1.0)


def between_nodes(case: CaseSummary) -> bool:
    """Return whether the endpoints are on two nodes of a lab."""
    return case.params.writer_on != case.params.reader_on


def _alone(case: CaseSummary) -> bool:
    """Return whether there are no other endpoints, and no loss."""
    return not case.params.existing and not case.params.link_loss


def within(**params: object) -> Selects:
    """Select cases on one node."""
    return of_adapter("discovery", lambda case: _alone(case) and not between_nodes(case), **params)


def between(**params: object) -> Selects:
    """Select cases on two nodes, whose link loses nothing."""
    return of_adapter(
        "discovery",
        lambda case: _alone(case) and between_nodes(case),
        writer_on="n1",
        reader_on="n2",
        **params,
    )


def alone(**params: object) -> Selects:
    """Select cases on one node or two."""
    return of_adapter("discovery", _alone, **params)


def _no_later(*, new: str, between: bool | None = None) -> Claim:
    """Return the claim: discovery over creation, at most the greatest there, rounded up to a
    hundredth."""
    ratios = [
        each.discovery / each.creation
        for each in published.CLUSTER
        if each.new == new and between in (None, each.between_nodes)
    ]
    return Claim(0.0, ceil(max(ratios) * 100) / 100)


DISCOVERY = in_part(
    "discovery",
    Statement(
        "Discovery definition",
        "Discovery is how long after its creation an endpoint is active: discovered, and the first "
        "data received. A reader may wait 1 ms more, the period of the writer.",
        remark="A definition. Here it is the time to the first sample; the matches on either side "
        "are next to it in the report.",
    ),
    Statement(
        "Writer discovery within one node, and between nodes",
        "A new writer is discovered when its creation has hardly ended: 7 and 17 µs after it "
        "within one node (791 of 784 µs, 1038 of 1021 µs with participant), 3 and 2 µs between "
        "nodes.",
        (
            *for_each(
                DISCOVERING,
                Each,
                "first sample over creation, new writer, within one node",
                within(new="writer"),
                headline,
                creation,
                _no_later(new="writer"),
            ),
            *for_each(
                DISCOVERING,
                Each,
                "first sample over creation, new writer, between nodes",
                between(new="writer"),
                headline,
                creation,
                _no_later(new="writer"),
            ),
        ),
        remark="Samples go out every millisecond: one that the reader's side does not know yet is "
        "not heard, and the next comes 1 ms later.",
    ),
    Statement(
        "Writer discovery within one node, and between nodes; output of the spotter",
        "A new writer loses no message before it is discovered.",
        for_each(
            DISCOVERING,
            Each,
            "number of the first sample received, new writer",
            alone(new="writer"),
            number_received,
            _one,
            ALL,
        ),
    ),
    Statement(
        "Reader discovery within one node",
        "A new reader has data before the call that creates it returns: 237 µs before (866 of "
        "1103 µs), 113 µs before with its participant (1157 of 1270 µs).",
        for_each(
            DISCOVERING,
            Each,
            "first sample over creation, new reader, within one node",
            within(new="reader"),
            headline,
            creation,
            BELOW,
        ),
    ),
    Statement(
        "Reader discovery between nodes",
        "Between nodes it has them 23 µs after (1241 of 1218 µs), 27 µs with its participant "
        "(1280 of 1253 µs).",
        for_each(
            DISCOVERING,
            Each,
            "first sample over creation, new reader, between nodes",
            between(new="reader"),
            headline,
            creation,
            _no_later(new="reader", between=True),
        ),
    ),
    Statement(
        "Reader discovery within one node, and between nodes",
        "A new reader is discovered later between nodes than within one: after 1241 against 866 "
        "µs, "
        "1280 against 1157 µs with participant.",
        for_each(
            DISCOVERING,
            Ratio,
            "time to first sample, new reader, between nodes over within one",
            between(new="reader"),
            within(new="reader", reader_on="n1"),
            ABOVE,
        ),
        remark="A new writer is discovered sooner alone (624 against 791 µs), and later with its "
        "participant (2461 against 1038 µs).",
    ),
    Statement(
        "Writer and reader discovery, within one node and between nodes",
        "An endpoint with its participant takes longer than one alone, to create (1021 against "
        "784, "
        "1270 against 1103, 2459 against 621, 1253 against 1218 µs) and to be discovered.",
        (
            *for_each(
                DISCOVERING,
                Ratio,
                "creation, with participant over alone",
                alone(creates="participant"),
                alone(creates="entity"),
                ABOVE,
                value=creation,
            ),
            *for_each(
                DISCOVERING,
                Ratio,
                "time to first sample, with participant over alone",
                alone(creates="participant"),
                alone(creates="entity"),
                ABOVE,
            ),
        ),
    ),
    Statement(
        "Impact of scale on discovery times",
        "With DDS that is bound to processes the time of discovery grows with the number of "
        "endpoints, for each has a state at each peer.",
        for_each(
            DISCOVERING,
            Ends,
            "time to first sample, most endpoints there over fewest",
            of_adapter("discovery", lambda case: bool(case.params.existing)),
            "existing",
            ABOVE,
        ),
        remark="The slides have no figure. The report has the exponent of the growth.",
    ),
    Statement(
        "Performance: discovery latency; impact of scale on discovery times",
        "With OpenSplice it takes a constant time at any scale, or none.",
        remark="Said of one federated implementation, without a figure; all that is measured here "
        "is bound to processes.",
    ),
)
