"""Cases that differ in size only, as a test of two parties: what the publisher tells of latency,
and what the subscriber tells of throughput."""

from __future__ import annotations

from collections.abc import Iterable

from busmark.analysis.across.perftest import PERCENTS, PerftestTest, PublisherRow
from busmark.analysis.figures import Distribution, Frozen, Quantity, halved
from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words.text import plural

TESTS = ("latency", "throughput")
"""Those that have two parties in this sense."""


class Arrived(Frozen):
    """At the subscriber, in the rounds that count. Rates are of a typical round."""

    samples: int | None
    samples_per_s: float | None
    mbit_per_s: float | None
    """Bits of bodies."""
    lost: int | None
    loss_share: float | None
    """Share of the samples sent, 0 to 1."""


class Told(Frozen):
    """Latency as the publisher sees it: half the round trips of pings, or of a stream's echoed
    probes; one-way where nothing is echoed."""

    quantity: Quantity
    count: int | None
    """Null where an imported source does not say; so are the others."""
    mean_ns: float
    std_ns: float | None
    min_ns: float | None
    max_ns: float | None
    percentiles_ns: dict[float, float | None]
    """By percent; null where the count does not support it."""


class PairRow(Frozen):
    """One size."""

    case: str
    size: int
    publisher: Told | None
    subscriber: Arrived | None


class Pair(Frozen):
    """One test over several sizes. Its halves are called A, the publisher's, and B."""

    number: int
    """From 1; of the tests of a document its number there."""
    test: str
    part: str
    """Part of the campaign, such as its first half; empty: the whole."""
    label: str
    placement: str
    workload: dict[str, str]
    is_floor: bool
    rows: list[PairRow]
    """In order of size."""


def pairs(campaign: Campaign) -> list[Pair]:
    """The tests of a campaign that have several sizes, in the order of its groups; floors last."""
    by_id = {case.id: case for case in campaign.cases}
    if campaign.perftest:
        order = sorted(campaign.perftest, key=lambda test: test.number)
        return [_numbered(test, by_id) for test in order if test.subscriber]
    members = [by_id[c] for group in campaign.groups for c in group.cases]
    floors = [by_id[c] for group in campaign.groups for c in group.floors]
    scans: dict[tuple[object, ...], dict[str, CaseSummary]] = {}
    for case in [*members, *floors]:
        if case.test in TESTS and case.size is not None:
            key = (case.test, case.placement, case.label, *case.workload.items())
            scans.setdefault(key, {})[case.id] = case
    wanted = [[*scan.values()] for scan in scans.values() if _has_sizes(scan.values())]
    return [_pair(number, scan) for number, scan in enumerate(wanted, 1)]


def _has_sizes(scan: Iterable[CaseSummary]) -> bool:
    return len({case.size for case in scan if case.latency or case.throughput}) > 1


def _pair(number: int, cases: list[CaseSummary]) -> Pair:
    first = cases[0]
    return Pair(
        number=number,
        test=first.test,
        part="",
        label=first.label,
        placement=first.placement,
        workload=first.workload,
        is_floor=first.is_floor,
        rows=[
            PairRow(
                case=case.id,
                size=case.size or 0,
                publisher=_latency(case),
                subscriber=_stream(case),
            )
            for case in sorted(cases, key=lambda case: (case.size or 0, case.id))
        ],
    )


def _numbered(test: PerftestTest, by_id: dict[str, CaseSummary]) -> Pair:
    """A test of the document that the campaign repeats, as its tables have it."""
    first = by_id[test.subscriber[0].case]
    told = {row.case: row for row in test.publisher}
    return Pair(
        number=test.number,
        test=test.mode,
        part=f"campaign {test.campaign} ({plural(test.rounds, 'round')})",
        label=test.label,
        placement=first.placement,
        workload=first.workload,
        is_floor=first.is_floor,
        rows=[
            PairRow(
                case=row.case,
                size=row.length,
                publisher=_as_printed(told[row.case]) if row.case in told else None,
                subscriber=Arrived(
                    samples=row.samples,
                    samples_per_s=row.samples_per_s,
                    mbit_per_s=row.mbit_per_s,
                    lost=row.lost,
                    loss_share=row.lost_share,
                ),
            )
            for row in test.subscriber
        ],
    )


def _as_printed(row: PublisherRow) -> Told:
    return Told(
        quantity="half_round_trip",
        count=row.count,
        mean_ns=row.ave_ns,
        std_ns=row.std_ns,
        min_ns=row.min_ns,
        max_ns=row.max_ns,
        percentiles_ns=dict(zip(PERCENTS, row.percentiles_ns, strict=True)),
    )


def _latency(case: CaseSummary) -> Told | None:
    found = case.rtt_2
    if case.throughput:
        found = halved(case.throughput.probe_round_trip) or case.throughput.probe_one_way
    return _told(found) if found else None


def _told(found: Distribution) -> Told:
    return Told(
        quantity=found.quantity,
        count=found.count,
        mean_ns=found.mean.value,
        std_ns=found.std_ns,
        min_ns=found.min_ns,
        max_ns=found.max_ns,
        percentiles_ns={rung.percent: rung.value_ns for rung in found.percentiles},
    )


def _stream(case: CaseSummary) -> Arrived | None:
    stream = case.throughput
    if stream:
        return Arrived(
            samples=stream.received,
            samples_per_s=stream.samples_per_s.value if stream.samples_per_s else None,
            mbit_per_s=stream.mbit_per_s.value if stream.mbit_per_s else None,
            lost=stream.lost,
            loss_share=stream.loss_share.value if stream.loss_share else None,
        )
    return _pinged(case) if case.latency else None


def _pinged(case: CaseSummary) -> Arrived:
    """Pings that arrived: they are no stream, but this is what the subscriber sees of them."""
    counted = [a for a in case.attempts if a.status == "ok" and a.received is not None]
    # The rate of a round belongs to the stream beside the pings, if there is one.
    rates = [a.received / a.measured_s for a in counted if a.received is not None and a.measured_s]
    rate = sum(rates) / len(rates) if rates else None
    lost, sent = (case.latency.lost, case.latency.sent) if case.latency else (None, None)
    return Arrived(
        samples=sum(a.received or 0 for a in counted) if counted else None,
        samples_per_s=rate,
        mbit_per_s=None if rate is None or case.size is None else rate * case.size * 8e-6,
        lost=lost,
        loss_share=lost / sent if lost is not None and sent else None,
    )
