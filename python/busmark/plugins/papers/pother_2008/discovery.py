"""Checks of what the slides state on discovery: when a new endpoint is active."""

from __future__ import annotations

from math import ceil

from busmark.model.case import CaseSummary
from busmark.model.discovery import RoundDiscovery
from busmark.plugins.papers.checks import Each, Ends, Ratio, for_each
from busmark.plugins.papers.document import Checks
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


DISCOVERY: Checks = {
    "new-writer": (
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
    "new-writer-loses-nothing": for_each(
        DISCOVERING,
        Each,
        "number of the first sample received, new writer",
        alone(new="writer"),
        number_received,
        _one,
        ALL,
    ),
    "new-reader-within-node": for_each(
        DISCOVERING,
        Each,
        "first sample over creation, new reader, within one node",
        within(new="reader"),
        headline,
        creation,
        BELOW,
    ),
    "new-reader-between-nodes": for_each(
        DISCOVERING,
        Each,
        "first sample over creation, new reader, between nodes",
        between(new="reader"),
        headline,
        creation,
        _no_later(new="reader", between=True),
    ),
    "reader-later-between-nodes": for_each(
        DISCOVERING,
        Ratio,
        "time to first sample, new reader, between nodes over within one",
        between(new="reader"),
        within(new="reader", reader_on="n1"),
        ABOVE,
    ),
    "with-participant": (
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
    "grows-with-endpoints": for_each(
        DISCOVERING,
        Ends,
        "time to first sample, most endpoints there over fewest",
        of_adapter("discovery", lambda case: bool(case.params.existing)),
        "existing",
        ABOVE,
    ),
}
