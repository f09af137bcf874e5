"""OpenDDSBench: an article of March 2010 on latency, jitter and throughput of OpenDDS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from busmark.compare.campaign import Campaign
from busmark.estimate.capacity import rated_mbit_per_s, specified_mbit_per_s
from busmark.model.case import CaseSummary
from busmark.model.figure import Distribution, Figure
from busmark.model.quantities import JITTER_SHARE
from busmark.model.text import figure_text, number, percent_text, size_text
from busmark.plugins.papers.checks import Each, OnLine, Ratio, Steps, by_size, for_each, share
from busmark.plugins.papers.document import (
    Columns,
    Content,
    Document,
    GroupedTable,
    StandIn,
    Statement,
    in_part,
    micro,
    table,
)
from busmark.plugins.papers.evidence import ABOVE, BELOW, Claim, about, alike
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


LATENCY = in_part(
    "latency",
    Statement(
        "Latency and Jitter, Summary Plots",
        "Latency is linear in the size of the message: the delay per bit is constant, and where "
        "the line meets size 0 is the overhead.",
        for_each(PLACES, OnLine, "median over the line through all sizes", latency(), alike(CLOSE)),
    ),
    Statement(
        "Intervals; Math class",
        "The mean of one hop is half of that measured over two.",
        for_each(
            PLACES,
            Each,
            "mean of one hop over half the round trip",
            latency(),
            of_latency(lambda of: of.there_mean_ns),
            of_latency(lambda of: of.mean_ns),
            alike(LIKE_HALF),
        ),
        remark="On one machine one clock sees both hops, so what had to be assumed there is "
        "measured here.",
    ),
    Statement(
        "Math class",
        "The standard deviation of one hop lies between 0.5 and 0.707 of that over two hops.",
        for_each(
            PLACES,
            Each,
            "standard deviation of one hop over two hops'",
            latency(),
            of_latency(lambda of: of.there_std_ns),
            of_latency(lambda of: _plus(0, 2, of.std_ns)),
            OF_A_HOP,
        ),
        remark="It holds where both hops are alike and not negatively correlated. Few extreme "
        "samples can outweigh all others in a standard deviation.",
    ),
    Statement(
        "Intervals",
        "Extremes of single hops cannot be had from two: that both hops of a sample are extreme is "
        "unlikely.",
        for_each(
            PLACES,
            Each,
            "maximum of one hop over half of two hops'",
            latency(),
            of_latency(lambda of: of.there_max_ns),
            of_latency(lambda of: of.max_ns),
            ABOVE,
        ),
        remark="The extreme sample of a round may have met its delay on the way back.",
    ),
    Statement(
        "Intervals; Shape; Histogram Plot",
        "Latency is skewed to the right.",
        for_each(
            PLACES,
            Each,
            "98th percentile to median over median to 2nd percentile",
            latency(),
            of_latency(lambda of: _plus(-of.median_ns, 1, of.p98_ns)),
            of_latency(lambda of: _plus(of.median_ns, -1, of.p2_ns)),
            ABOVE,
        ),
    ),
    Statement(
        "Quantile Plot",
        "98 % of delays are very close to the median (UDP, 1000 bytes).",
        for_each(
            CHARTED,
            Each,
            "98th percentile over median",
            latency(size=1000),
            of_latency(lambda of: of.p98_ns),
            of_latency(lambda of: of.median_ns),
            alike(CLOSE),
        ),
    ),
    Statement(
        "Shape; Density and Quantile Plots",
        "Jitter is centred on zero, with a tail of about 2 % to each side (UDP, 1000 bytes).",
        for_each(
            CHARTED,
            Each,
            "2nd percentile of jitter, below zero, over 98th",
            latency(size=1000),
            of_latency(lambda of: _plus(0, -1, of.jitter_p2_ns)),
            of_latency(lambda of: of.jitter_p98_ns),
            alike(CLOSE),
        ),
    ),
    Statement(
        "Quantile Plot",
        "The slope, and the point at which tails form, are the same at all ten sizes.",
        for_each(
            CHARTED,
            Steps,
            "98th percentile relative to median, from size to size",
            latency(),
            alike(CLOSE),
            of_latency(lambda of: of.p98_ns and of.p98_ns / of.median_ns),
        ),
    ),
    Statement(
        "Summary Plots",
        "Relative to latency, jitter can be compared between sizes.",
        remark="A chart without a figure in words; the pack's tables have it for every size.",
    ),
    Statement(
        "Timeline Plot",
        "Noise is periodic, with a spike at 11 s, presumably of other processes of a desktop.",
        remark="It concerns that machine; the report shows the timelines of this one.",
    ),
)


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

THROUGHPUT = in_part(
    "throughput",
    Statement(
        "Throughput, ¶3",
        "The practical capacity of the network, by ftp, was 595 Mbit/s of 1 Gbit/s rated.",
        (
            share(
                "plain TCP transfer over the rated capacity",
                TRANSFER,
                rated_mbit_per_s,
                about(0.595, LIKE_FTP),
            ),
        ),
    ),
    Statement(
        "Throughput, ¶¶1 and 4",
        "Below the network's capacity, throughput is bounded by the rate that was specified, in "
        "both topologies.",
        tuple(
            share(
                f"throughput over specified rate, {adapter}, {topology}",
                ascent(topology, WITHIN).at(adapter),
                specified_mbit_per_s,
                alike(BOUNDED),
            )
            for adapter in ADAPTERS
            for topology in TOPOLOGIES
        ),
    ),
    Statement(
        "Throughput, ¶¶1 and 4",
        "At specified rates beyond the capacity, the capacity bounds throughput.",
        tuple(
            share(
                f"throughput over rated capacity, {adapter}, {topology}",
                ascent(topology, BEYOND).at(adapter),
                rated_mbit_per_s,
                BELOW,
            )
            for adapter in ADAPTERS
            for topology in TOPOLOGIES
        ),
    ),
    Statement(
        "Throughput, ¶4",
        "The limit of the bidirectional topology is similar to ftp's.",
        for_each(
            ADAPTERS,
            Ratio,
            "throughput of one direction over plain TCP transfer",
            ascent("bidirectional", BEYOND),
            TRANSFER,
            about(1.0, LIKE_FTP),
            ("link_rate",),
        ),
        remark="There it is laid to collisions; the links here are full duplex, each direction has "
        "its own capacity.",
    ),
    Statement(
        "Throughput, ¶4",
        "The publication-bound topology reaches somewhat more of the rated capacity than the "
        "bidirectional one.",
        for_each(
            ADAPTERS,
            Ratio,
            "throughput, publication bound over bidirectional",
            ascent("publication bound", BEYOND),
            ascent("bidirectional", BEYOND),
            ABOVE,
            ("rate_hz", "size", "link_rate"),
        ),
    ),
    Statement(
        "Throughput, ¶4",
        "The publication-bound topology reaches more than ftp does.",
        for_each(
            ADAPTERS,
            Ratio,
            "throughput over plain TCP transfer, publication bound",
            ascent("publication bound", BEYOND),
            TRANSFER,
            ABOVE,
            ("link_rate",),
        ),
    ),
)


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
    share = JITTER_SHARE.figure(case) if case.latency else None
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


OPENDDSBENCH = Document(
    title="OpenDDSBench",
    source="M. Martinez: Middleware News Brief, Object Computing, March 2010",
    stand_ins=(
        StandIn("OpenDDS 2.1.2, UDP transport", "OpenDDS (opendds), RTPS over UDP",
                "the same middleware today; where it is not built its cases are unsupported"),
        StandIn("in addition", "Eclipse Cyclone DDS, Fast DDS (cyclonedds, fastdds)",
                "the same workload on the DDS that are at hand; data goes to each reader by "
                "unicast, as OpenDDS's UDP transport sent it"),
        StandIn("OpenDDS 2.0, TCP transport (latency)", "OpenDDS's own TCP, and Fast DDS's",
                "reliable; over TCP Cyclone DDS does not find its partner on another node"),
        StandIn("OpenDDS 2.0, multicast, best effort and reliable (latency)",
                "Fast DDS with samples sent to a multicast group (fastdds, transport multicast)",
                "OpenDDS's multicast lost reliable samples for good in the adapter's tests and is "
                "not offered; Cyclone DDS sends to a single reader by unicast"),
        StandIn("ftp transfer", "a stream over plain TCP (tcp)",
                "as fast as it goes, in the same campaign, over the same links"),
        StandIn("Gigabit Ethernet between three hosts", "three nodes of a lab with links of that "
                "rate", "rated capacity is the link's; full duplex, queues of 50 ms"),
        StandIn("a network between two hosts (latency)", "two nodes of a lab without limits",
                "packets cross network interfaces, and one clock sees both hosts"),
    ),
    deviations=(
        "The quick pack has a tenth of the rates on links of a tenth of the capacity: the "
        "offered load is the same share of the capacity.",
        "The article charts five cases without naming them. Rates and sizes come from the "
        "steepest ascent in OpenDDS's source tree (1000 to 5000 samples/s of 10000 to 50000 "
        "bytes, keep last 10).",
        "Bidirectional: both nodes send at the rate; there, the far node sent back what it "
        "received.",
        "Throughput is what arrives at readers: of one direction, or of both readers together.",
        "Reliable cases are measured too; the article's statements on throughput are of a "
        "transport that does not repeat lost samples, so they are checked with best effort.",
        "Protocol headers take part of the rated capacity: full use shows as about 0.95.",
        "Latency is of a closed loop, a ping after each pong; there, samples were sent at a rate "
        "that the article does not give. As there it is half of two hops by one clock, and not "
        "one-way latency.",
        "There, the last 5000 samples of a test were kept; the full pack sends 5000 after a "
        "warm-up in each round, the quick one 1000. Tables and charts are of all of them.",
    ),
    statements=LATENCY + THROUGHPUT,
    tables=tables,
    scenarios=("latency-quick", "latency-full"),
)  # fmt: skip
