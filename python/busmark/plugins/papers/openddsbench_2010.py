"""OpenDDSBench: an article of March 2010 on latency, jitter and throughput of OpenDDS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from busmark.compare.campaign import Campaign
from busmark.estimate.capacity import rated_mbit_per_s, specified_mbit_per_s
from busmark.model.case import CaseSummary
from busmark.model.distribution import Distribution
from busmark.model.figure import Figure
from busmark.model.quantities import JITTER_SHARE
from busmark.model.text import figure_text, number, percent_text, size_text
from busmark.plugins.papers.checks import Each, OnLine, Ratio, Steps, by_size, for_each, share
from busmark.plugins.papers.document import (
    Checks,
    Columns,
    Content,
    GroupedTable,
    micro,
    table,
)
from busmark.plugins.papers.evidence import ABOVE, BELOW, Claim, about, alike
from busmark.plugins.papers.published import document
from busmark.plugins.papers.select import Select, Selects, asks, cases, headline, of_latency
from busmark.present.document import Cell
from busmark.stats import MIN_POINTS, Estimate, robust_line


@dataclass(frozen=True, slots=True)
class Place:
    """One adapter over what stands for one of the article's transports."""

    there: str
    adapter: str
    transport: str
    reliability: str

    def __str__(self) -> str:
        """Return transport and adapter, such as "TCP, fastdds"."""
        return f"{self.there}, {self.adapter}"

    def latency(self, **params: int) -> Select:
        """Select its latency cases."""
        return cases(
            None,
            test="latency",
            adapter=self.adapter,
            transport=self.transport,
            qos_reliability=self.reliability,
            **params,
        )


def latency(**params: int) -> Selects:
    """Select the latency cases of a place."""
    return Selects(lambda place: place.latency(**params))


UDP = "UDP"
TCP = "TCP"
MULTICAST = "multicast, best effort"
RELIABLE_MULTICAST = "multicast, reliable"

PLACES = (
    Place(UDP, "opendds", "udp", "best_effort"),
    Place(UDP, "cyclonedds", "udp", "best_effort"),
    Place(UDP, "fastdds", "udp", "best_effort"),
    Place(TCP, "opendds", "tcp", "reliable"),
    Place(TCP, "fastdds", "tcp", "reliable"),
    Place(MULTICAST, "opendds", "multicast", "best_effort"),
    Place(MULTICAST, "fastdds", "multicast", "best_effort"),
    Place(RELIABLE_MULTICAST, "opendds", "multicast", "reliable"),
    Place(RELIABLE_MULTICAST, "fastdds", "multicast", "reliable"),
)
"""The adapter does not offer OpenDDS's multicast; its cases say why."""

CHARTED = tuple(place for place in PLACES if place.there == UDP)
"""The article charts single tests over UDP."""


OF_A_HOP = Claim(0.5, 0.5**0.5)
"""Standard deviation of one hop over two hops': fully correlated, and not at all."""

LIKE_HALF = 1.1
"""Greatest factor between the mean of a hop and half of two hops."""

CLOSE = 1.25
"""Greatest factor of delays very close to the median; the article shows a chart."""


def _plus(base: float, factor: float, value: float | None) -> float | None:
    """Return None where the value is not known."""
    return None if value is None else base + factor * value


LATENCY: Checks = {
    "latency-linear-in-size": for_each(
        PLACES, OnLine, "median over the line through all sizes", latency(), alike(CLOSE)
    ),
    "hop-mean-is-half": for_each(
        PLACES,
        Each,
        "mean of one hop over half the round trip",
        latency(),
        of_latency(lambda of: of.there_mean_ns),
        of_latency(lambda of: of.mean_ns),
        alike(LIKE_HALF),
    ),
    "hop-deviation": for_each(
        PLACES,
        Each,
        "standard deviation of one hop over two hops'",
        latency(),
        of_latency(lambda of: of.there_std_ns),
        of_latency(lambda of: _plus(0, 2, of.std_ns)),
        OF_A_HOP,
    ),
    "hop-extremes": for_each(
        PLACES,
        Each,
        "maximum of one hop over half of two hops'",
        latency(),
        of_latency(lambda of: of.there_max_ns),
        of_latency(lambda of: of.max_ns),
        ABOVE,
    ),
    "latency-skewed": for_each(
        PLACES,
        Each,
        "98th percentile to median over median to 2nd percentile",
        latency(),
        of_latency(lambda of: _plus(-of.median_ns, 1, of.p98_ns)),
        of_latency(lambda of: _plus(of.median_ns, -1, of.p2_ns)),
        ABOVE,
    ),
    "close-to-median": for_each(
        CHARTED,
        Each,
        "98th percentile over median",
        latency(size=1000),
        of_latency(lambda of: of.p98_ns),
        of_latency(lambda of: of.median_ns),
        alike(CLOSE),
    ),
    "jitter-centred": for_each(
        CHARTED,
        Each,
        "2nd percentile of jitter, below zero, over 98th",
        latency(size=1000),
        of_latency(lambda of: _plus(0, -1, of.jitter_p2_ns)),
        of_latency(lambda of: of.jitter_p98_ns),
        alike(CLOSE),
    ),
    "tails-alike": for_each(
        CHARTED,
        Steps,
        "98th percentile relative to median, from size to size",
        latency(),
        alike(CLOSE),
        of_latency(lambda of: of.p98_ns and of.p98_ns / of.median_ns),
    ),
}


ADAPTERS = ("opendds", "cyclonedds", "fastdds")
"""The article's own middleware, and two others."""

WITHIN = 0.0, 0.55
"""Offered load as a share of the rated capacity, below the article's practical capacity."""

BEYOND = 1.1, 1e9
"""Offered load well above the capacity."""

BOUNDED = 1.05
"""Greatest factor between throughput and the rate that was specified."""

LIKE_FTP = 1.15
"""Greatest factor between similar limits; the article shows lines in a chart."""

TOPOLOGIES = {
    "bidirectional": {"topology": "bidirectional", "subscribers": 1},
    "publication bound": {"topology": "one_way", "subscribers": 2},
}


def ascent(topology: str, share: tuple[float, float]) -> Selects:
    """Select cases of the steepest ascent whose offered load is this share of the rated
    capacity."""
    return Selects(
        lambda adapter: cases(
            asks(*share),
            test="throughput",
            adapter=adapter,
            qos_reliability="best_effort",
            **TOPOLOGIES[topology],
        )
    )


TRANSFER = cases(test="throughput", adapter="tcp")
"""The plain transfer that gives the practical capacity."""

THROUGHPUT: Checks = {
    "practical-capacity": (
        share(
            "plain TCP transfer over the rated capacity",
            TRANSFER,
            rated_mbit_per_s,
            about(0.595, LIKE_FTP),
        ),
    ),
    "bounded-by-rate": tuple(
        share(
            f"throughput over specified rate, {adapter}, {topology}",
            ascent(topology, WITHIN).at(adapter),
            specified_mbit_per_s,
            alike(BOUNDED),
        )
        for adapter in ADAPTERS
        for topology in TOPOLOGIES
    ),
    "bounded-by-capacity": tuple(
        share(
            f"throughput over rated capacity, {adapter}, {topology}",
            ascent(topology, BEYOND).at(adapter),
            rated_mbit_per_s,
            BELOW,
        )
        for adapter in ADAPTERS
        for topology in TOPOLOGIES
    ),
    "bidirectional-like-ftp": for_each(
        ADAPTERS,
        Ratio,
        "throughput of one direction over plain TCP transfer",
        ascent("bidirectional", BEYOND),
        TRANSFER,
        about(1.0, LIKE_FTP),
        ("link_rate",),
    ),
    "publication-bound-over-bidirectional": for_each(
        ADAPTERS,
        Ratio,
        "throughput, publication bound over bidirectional",
        ascent("publication bound", BEYOND),
        ascent("bidirectional", BEYOND),
        ABOVE,
        ("rate_hz", "size", "link_rate"),
    ),
    "publication-bound-over-ftp": for_each(
        ADAPTERS,
        Ratio,
        "throughput over plain TCP transfer, publication bound",
        ascent("publication bound", BEYOND),
        TRANSFER,
        ABOVE,
        ("link_rate",),
    ),
}


def _in_micros(
    figure: Callable[[Distribution], Figure | float | None],
) -> Callable[[CaseSummary], Content]:
    def value(case: CaseSummary) -> Content:
        return micro(figure(case.rtt_2)) if case.rtt_2 else None

    return value


def _hop(case: CaseSummary) -> Content:
    """Return for the halved round trip 0.5 and 0.707 of the whole one's deviation."""
    of = case.rtt_2
    if of is None or of.std_ns is None:
        return None
    return f"{number(of.std_ns / 1e3)} to {number(of.std_ns * 2**0.5 / 1e3)}"


def _jitter(case: CaseSummary) -> Content:
    rounds = of_latency(lambda latency: latency.jitter_ns)(case)
    return micro(float(np.mean([*rounds.values()]))) if rounds else None


def _jitter_share(case: CaseSummary) -> Content:
    share = JITTER_SHARE.figure(case) if case.has_pings else None
    return None if share is None else Cell(share.value * 100, text=percent_text(share.value))


COLUMNS: Columns[CaseSummary] = {
    "Size": lambda case: size_text(case.size),
    "Samples": lambda case: case.rtt_2.count if case.rtt_2 else None,
    "Median, µs": _in_micros(lambda of: of.median),
    "MAD, µs": _in_micros(lambda of: of.mad_ns),
    "Mean, µs": _in_micros(lambda of: of.mean),
    "σ, µs": _in_micros(lambda of: of.std_ns),
    "σ of a hop, µs": _hop,
    "Min, µs": _in_micros(lambda of: of.min_ns),
    "Max, µs": _in_micros(lambda of: of.max_ns),
    "Mean |jitter|, µs": _jitter,
    "Median |jitter| / median": _jitter_share,
}


def tables(campaign: Campaign) -> list[GroupedTable]:
    """Return a table for each adapter over each transport that was measured, with the line through
    it."""
    found = []
    for place in PLACES:
        for series in by_size(place.latency().cases(campaign)):
            measured = [case for case in series.values() if case.rtt_2 and headline(case)]
            if measured:
                middleware = campaign.adapters.get(place.adapter, {}).get("title", place.adapter)
                found.append(
                    table(
                        "Latency and jitter over two hops, halved",
                        f"{place.there}: {middleware}",
                        COLUMNS,
                        measured,
                        _line(campaign, measured),
                    )
                )
    return found


def _line(campaign: Campaign, cases: Sequence[CaseSummary]) -> str:
    """Return overhead and slope of the medians, with their intervals."""
    values = [headline(case) for case in cases]
    rounds = sorted(set.union(*(set(of) for of in values)))
    if len(cases) < MIN_POINTS:
        return f"A line needs {MIN_POINTS} sizes."
    table = np.array([[of.get(number, np.nan) for of in values] for number in rounds])
    line = robust_line([case.size or 0 for case in cases], table, seed=campaign.seed)
    slope = _interval(line.slope)
    return (
        f"Line through the medians: {figure_text(line.intercept)} and {slope} ns for each byte. "
        f"Points lie {percent_text(line.departure)} from it (standard deviation)."
    )


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return number(estimate.value)
    return f"{number(estimate.value)} [{number(estimate.low)}, {number(estimate.high)}]"


OPENDDSBENCH = document(__file__, "openddsbench_2010.toml", LATENCY | THROUGHPUT, tables=tables)
