"""What packets say of a case: the way of its samples, hop by hop, and the costs on the wire."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from busmark.estimate.one_case import Analysis
from busmark.estimate.rounds import total
from busmark.model.case import CaseSummary
from busmark.model.entry import EstimatedQuantity
from busmark.model.figure import Figure, Frozen, over_rounds
from busmark.model.figures import Estimated, row_of
from busmark.model.parameters import Parameters
from busmark.plugins.capture import quantities as costs
from busmark.stats import POSITIVE, SIGNED, Range


class Spread(Frozen):
    """Values of all samples of all counted rounds, as papers have them, and a typical round's."""

    count: int
    least: float
    greatest: float
    mean: float
    deviation: float | None = Field(description="standard deviation by count - 1")
    variance: float | None
    median: Figure | None


class RouteHop(Frozen):
    """One link of the route."""

    protocol: str
    transport: str
    source: str
    """Address and port in the first round; in others ports differ."""
    destination: str
    samples: int
    """Samples that passed it, in all counted rounds."""
    bytes_each: float
    """Bytes of a sample's packets on the wire, on average, headers included."""


class RouteRound(Frozen):
    """Figures of one counted round."""

    round: int
    entered: int
    arrived: int
    hops: int
    bits_mean: float | None
    least_ns: float | None
    """Least L, or least time of the application where nothing confirms."""
    mean_ns: float | None
    greatest_ns: float | None


class Route(Frozen):
    """The route of samples, from the hop on which they enter to the one on which they leave."""

    flow: str
    hops: list[RouteHop]
    entered: int
    """Samples seen on the first hop, in all counted rounds."""
    arrived: int
    """Samples of these that were seen on the last hop."""
    lost_first: int
    """Samples that did not arrive and were sent before the first of their round that did."""
    packets_per_sample: float
    bits: Spread | None
    """Bits of a sample's packets on all hops together, of those that arrived."""
    latency: Spread | None
    """Time from a sample's packet on the first hop to its packet on the last, ns."""
    confirmed: Spread | None
    """L: time from a sample's packet on the first hop to its confirmation on the last, ns."""
    confirmed_by: Literal["ACKNACK", "TCP"] | None
    application: Spread | None
    """Time from T1 in the writer to T4 in the reader, for the same samples, ns."""
    apart: Spread | None
    """Difference of L and the application's time, sample by sample, ns."""
    eq2: Spread | None
    """Bits on all hops by L, or by the application's time where nothing confirms, Mbit/s."""
    rounds: list[RouteRound]


class Purpose(Frozen):
    """Packets by what they were for, in the rounds that count."""

    name: str
    packets: int
    """Packets in the measured time."""
    bytes: int
    """Bytes on the wire."""
    round_packets: int
    """Packets in the whole rounds."""
    round_bytes: int


class Wire(Frozen):
    """Costs of a typical round: the median over rounds."""

    samples: int
    """Different samples that passed the wire in the measured time, in the rounds that count."""
    bytes_per_sample: Figure | None
    packets_per_sample: Figure | None
    overhead_share: Figure | None
    """Share of bytes beyond one copy of each sample's header and body; null where sizes vary."""
    control_share: Figure | None
    """Heartbeats, acknowledgements and gaps."""
    repeated_share: Figure | None
    """Sent again."""
    discovery_bytes: Figure | None
    """Bytes of discovery in the whole round; null for middleware that is not DDS."""
    discovery_packets: Figure | None
    purposes: list[Purpose]


class CaptureCase(Frozen):
    """What captures show of a case."""

    captured: int | None
    """Packets captured in the rounds that count, on all interfaces."""
    capture_dropped: int | None
    """Packets that the captures lost."""
    wire: Wire | None
    """Cost on the wire."""
    routes: list[Route]
    """Samples hop by hop, of each flow that is measured."""


OF_MATRIX = r"^(pings|stream|batches)(_\d+)?$"
"""Names of the flows that are measured."""

KEY = ("writer", "seq")

SAMPLE_COLUMNS = ("flow", *KEY, "reader", "sent_ns", "read_ns", "echo_read_ns")
"""Columns of the table `samples` that are read."""

Values = NDArray[np.float64]

Tables = tuple[int, pl.DataFrame, pl.DataFrame]
"""Number of a round, and its tables `hops` and `samples`."""


@dataclass(frozen=True, slots=True)
class _Round:
    """Arrays with an entry for each sample that arrived."""

    number: int
    hops: pl.DataFrame
    """A row for each hop, in the order of the route."""
    entered: int
    lost_first: int
    packets: float
    bits: Values
    latency: Values
    acknack: Values
    tcp: Values
    application: Values


def routes(rounds: Sequence[Tables]) -> list[Route]:
    """Return a route for each flow that is measured, over the counted rounds."""
    named = {name for _, hops, _ in rounds for name in hops["flow"].unique().drop_nulls()}
    names = sorted(name for name in named if re.match(OF_MATRIX, name))
    return [found for name in names if (found := _route(name, rounds))]


def _route(flow: str, rounds: Sequence[Tables]) -> Route | None:
    each = [found for tables in rounds if (found := _round(flow, *tables))]
    if not each:
        return None
    acknack, tcp = ([getattr(own, name) for own in each] for name in ("acknack", "tcp"))
    by_acknack = any(np.isfinite(own).any() for own in acknack)
    by_tcp = any(np.isfinite(own).any() for own in tcp)
    confirmed = acknack if by_acknack else tcp
    application = [own.application for own in each]
    divisor = confirmed if by_acknack or by_tcp else application
    arrived = sum(own.bits.size for own in each)
    return Route(
        flow=flow,
        hops=list(_hops(each)),
        entered=sum(own.entered for own in each),
        arrived=arrived,
        lost_first=sum(own.lost_first for own in each),
        packets_per_sample=sum(own.packets for own in each) / max(arrived, 1),
        bits=_spread([own.bits for own in each], "bit"),
        latency=_spread([own.latency for own in each], "ns"),
        confirmed=_spread(confirmed, "ns"),
        confirmed_by="ACKNACK" if by_acknack else "TCP" if by_tcp else None,
        application=_spread(application, "ns"),
        apart=_spread([a - b for a, b in zip(confirmed, application, strict=True)], "ns", SIGNED),
        # Bits by nanoseconds are Gbit/s.
        eq2=_spread([own.bits / by * 1e3 for own, by in zip(each, divisor, strict=True)], "Mbit/s"),
        rounds=[_text(own, by) for own, by in zip(each, divisor, strict=True)],
    )


def _text(own: _Round, times: Values) -> RouteRound:
    known = times[np.isfinite(times)]
    return RouteRound(
        round=own.number,
        entered=own.entered,
        arrived=own.bits.size,
        hops=own.hops.height,
        bits_mean=own.bits.mean() if own.bits.size else None,
        least_ns=known.min() if known.size else None,
        mean_ns=known.mean() if known.size else None,
        greatest_ns=known.max() if known.size else None,
    )


def _spread(rounds: Sequence[Values], unit: str, within: Range = POSITIVE) -> Spread | None:
    known = [own[np.isfinite(own)] for own in rounds]
    known = [own for own in known if own.size]
    if not known:
        return None
    pooled = np.concatenate(known)
    several = pooled.size > 1
    medians = [float(np.median(own)) for own in known]
    return Spread(
        count=pooled.size,
        least=pooled.min(),
        greatest=pooled.max(),
        mean=pooled.mean(),
        deviation=pooled.std(ddof=1) if several else None,
        variance=pooled.var(ddof=1) if several else None,
        median=over_rounds(medians, unit, pooled.size, within=within),
    )


def _hops(rounds: Sequence[_Round]) -> Iterator[RouteHop]:
    """Yield the hops, from all rounds that have the protocols of the first one."""
    first = rounds[0].hops
    alike = [
        own.hops for own in rounds if own.hops["protocol"].to_list() == first["protocol"].to_list()
    ]
    for place, row in enumerate(first.iter_rows(named=True)):
        here = [own.row(place, named=True) for own in alike]
        samples = sum(own["samples"] for own in here)
        yield RouteHop(
            protocol=row["protocol"],
            transport=row["transport"],
            source=row["source"],
            destination=row["destination"],
            samples=samples,
            bytes_each=sum(own["bytes"] for own in here) / samples,
        )


def _round(flow: str, number: int, hops: pl.DataFrame, samples: pl.DataFrame) -> _Round | None:
    """Follow the samples of a flow in one round; return None without a packet of the flow."""
    own = hops.filter((pl.col("flow") == flow) & ~pl.col("warm_up") & pl.col("answered").is_null())
    # The first copy is the one that counts; others cost what they cost.
    first = own.filter(pl.col("repeated") == 0).unique([*KEY, "hop"], keep="first")
    if first.is_empty():
        return None
    since = pl.col("time_ns") - pl.col("time_ns").min().over(KEY)
    order = (
        first.with_columns(since=since)
        .group_by("hop")
        .agg(
            pl.col("since").median(),
            pl.col("protocol", "transport", "source", "destination").first(),
            samples=pl.len(),
            bytes=pl.col("wire_bytes").sum(),
        )
        .sort("since", "hop")
    )
    entry, leaving = order["hop"][0], order["hop"][-1]
    columns = ["time_ns", "confirmed_ns", "acknowledged_ns"]
    begin = first.filter(pl.col("hop") == entry).select(*KEY, entered_ns="time_ns")
    end = first.filter(pl.col("hop") == leaving).select(*KEY, *columns)
    through = begin.join(end, on=KEY, how="left", maintain_order="left").sort(*KEY)
    arrived = through.filter(pl.col("time_ns").is_not_null())
    earliest = arrived.group_by("writer").agg(earliest=pl.col("seq").min())
    lost = through.filter(pl.col("time_ns").is_null()).join(earliest, on="writer", how="left")
    spent = own.group_by(KEY).agg(bits=pl.col("wire_bytes").sum() * 8)
    whole = arrived.join(spent, on=KEY, how="left", maintain_order="left").join(
        _application(flow, samples), on=KEY, how="left", maintain_order="left"
    )

    def until(name: str) -> Values:
        return (whole[name] - whole["entered_ns"]).cast(pl.Float64).fill_null(np.nan).to_numpy()

    return _Round(
        number=number,
        hops=order,
        entered=begin.height,
        lost_first=int((lost["seq"] < lost["earliest"]).sum()),
        packets=float((own["packets"] / own["sharing"]).sum()),
        bits=whole["bits"].cast(pl.Float64).to_numpy(),
        latency=until("time_ns"),
        acknack=until("confirmed_ns"),
        tcp=until("acknowledged_ns"),
        application=whole["application"].cast(pl.Float64).fill_null(np.nan).to_numpy(),
    )


def _application(flow: str, samples: pl.DataFrame) -> pl.DataFrame:
    """Return the time from T1 to T4 of each sample, as a reader recorded both, or by the stamps
    that the answer has brought back."""
    of = samples.filter(pl.col("flow") == flow)
    read = of.filter(pl.col("reader").is_not_null() & pl.col("read_ns").is_not_null()).select(
        *KEY, application=pl.col("read_ns") - pl.col("sent_ns")
    )
    echoed = of.filter(pl.col("reader").is_null() & pl.col("echo_read_ns").is_not_null()).select(
        *KEY, application=pl.col("echo_read_ns") - pl.col("sent_ns")
    )
    return (read if read.height else echoed).unique(KEY, keep="first")


def wire(
    params: Parameters, rows: Sequence[Mapping[str, Any]], tables: Sequence[pl.DataFrame]
) -> Wire | None:
    """Estimate wire costs from the rounds that count, and their tables; None without a capture."""
    known = [row for row in rows if row.get("wire_samples") is not None]
    if not known:
        return None
    samples = sum(row["wire_samples"] for row in known)

    def figure(
        one: EstimatedQuantity, values: list[float | None], within: Range | None = None
    ) -> Any:
        return over_rounds(values, one.unit, samples, within=within or one.within)

    def count(column: str) -> list[float | None]:
        return [row.get(column) for row in known]

    def per_sample(column: str) -> list[float | None]:
        return [costs.per_sample(column, row) for row in known]

    def share(column: str) -> list[float | None]:
        return [costs.share(column, row) for row in known]

    least = Range(float(costs.least_bytes(params) or 0), inf)
    return Wire(
        samples=samples,
        bytes_per_sample=figure(costs.WIRE_BYTES, per_sample("wire_bytes"), least),
        packets_per_sample=figure(costs.WIRE_PACKETS, per_sample("wire_packets")),
        overhead_share=figure(costs.WIRE_OVERHEAD, [costs.overhead(row, params) for row in known]),
        control_share=figure(costs.WIRE_CONTROL, share("wire_control_bytes")),
        repeated_share=figure(costs.WIRE_REPEATED, share("wire_repeated_bytes")),
        discovery_bytes=figure(costs.WIRE_DISCOVERY, count("wire_discovery_bytes")),
        discovery_packets=figure(costs.WIRE_DISCOVERY_PACKETS, count("wire_discovery_packets")),
        purposes=_purposes(tables),
    )


def _purposes(tables: Sequence[pl.DataFrame]) -> list[Purpose]:
    if not tables:
        return []
    counts = {
        "packets": "window_packets",
        "bytes": "window_wire_bytes",
        "round_packets": "packets",
        "round_bytes": "wire_bytes",
    }
    sums = (
        pl.concat(tables)
        .group_by(pl.col("purpose").alias("name"), maintain_order=True)
        .agg(pl.col(column).sum().alias(name) for name, column in counts.items())
    )
    return [Purpose(**row) for row in sums.to_dicts()]


def part(analysis: Analysis, case: CaseSummary, capture: object) -> CaptureCase | None:
    """Return what captures show of a case; None where no round that counts has one."""
    good = analysis.good
    captured = [row["round"] for row in good if row.get("captured") is not None]
    evaluated = [row["round"] for row in good if row.get("wire_samples") is not None]
    if not captured and not evaluated:
        return None
    load = analysis.result.table
    return CaptureCase(
        captured=total(good, "captured"),
        capture_dropped=total(good, "capture_dropped"),
        wire=wire(analysis.params, good, analysis.whole(partial(load, "wire"), evaluated))
        if evaluated
        else None,
        # With several clocks neither the order of hops nor a time between them is known.
        routes=routes(
            [
                (number, hops, analysis.result.samples(case.id, number, SAMPLE_COLUMNS))
                for number in captured
                if analysis.one_clock[number]
                for hops in analysis.whole(partial(load, "hops"), [number])
            ]
        )
        if case.test in ("latency", "throughput")
        else [],
    )


UNITS = {"_bytes": "B", "_ns": "ns", "_per_s": "1/s", "_s": "s"}
"""Units by the endings of fields."""


def _of_fields(part: Frozen, scope: str, of: str) -> Iterator[Estimated]:
    """Yield a row for each number of a part of a capture, whose quantity is the field's name."""
    for field, value in part:
        ending = next((one for one in UNITS if field.endswith(one)), "")
        quantity, unit = field.removesuffix(ending), UNITS.get(ending, "")
        if isinstance(value, Figure):
            yield row_of(value, quantity, "median", scope, of)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            is_count = isinstance(value, int) and not unit
            yield Estimated(quantity, "count" if is_count else "value", value, unit, scope, of)


def rows(found: CaptureCase) -> Iterator[Estimated]:
    """Yield the rows of the table of estimates that are no quantities of a case."""
    for purpose in found.wire.purposes if found.wire else ():
        yield from _of_fields(purpose, "traffic", purpose.name)
    for route in found.routes:
        yield from _of_route(route)


def _of_route(route: Route) -> Iterator[Estimated]:
    """Yield what packets say of the way of a flow's samples."""
    yield from _of_fields(route, "route", route.flow)
    for field, unit in (
        ("bits", "bit"),
        ("latency", "ns"),
        ("confirmed", "ns"),
        ("application", "ns"),
        ("apart", "ns"),
        ("eq2", "Mbit/s"),
    ):
        spread: Spread | None = getattr(route, field)
        if spread is None:
            continue
        like = Estimated(
            f"route_{field}",
            "",
            None,
            unit,
            "route",
            route.flow,
            over="samples",
            count=spread.count,
        )
        for statistic, value in (
            ("min", spread.least),
            ("max", spread.greatest),
            ("mean", spread.mean),
            ("stdev", spread.deviation),
            ("variance", spread.variance),
        ):
            yield replace(like, statistic=statistic, value=value)
        if spread.median:
            yield row_of(spread.median, like.quantity, "median", "route", route.flow)
