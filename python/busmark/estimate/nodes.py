"""What a case costs each node and all of them: CPU time, memory, and traffic on its network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from busmark import stats
from busmark.estimate.resources import participant_means, within
from busmark.model.figure import CONFIDENCE, figure, over_rounds
from busmark.model.figures import Estimated, estimated
from busmark.model.quantities import parts
from busmark.model.resources import READER
from busmark.stats import SIGNED

LOOPBACK = "lo"

ALL = "all"

FEWEST_READINGS = 10

SHORTEST_S = 20.0
"""Readings of memory, and the time between the first and the last, of which a growth is made."""

MINUTE_S = 60.0

TRAFFIC = {
    "tx_bytes": "tx_bytes_per_s",
    "tx_packets": "tx_packets_per_s",
    "rx_bytes": "rx_bytes_per_s",
    "rx_packets": "rx_packets_per_s",
}

DROPPED = "udp_rcvbuf_errors"

QUANTITIES = {
    "cpu": parts.CPU,
    "tx_bytes_per_s": parts.TX_BYTES,
    "tx_packets_per_s": parts.TX_PACKETS,
    "rx_bytes_per_s": parts.RX_BYTES,
    "rx_packets_per_s": parts.RX_PACKETS,
    "samples_per_packet": parts.SAMPLES_PER_PACKET,
    "dropped_per_s": parts.DROPPED,
}
"""Estimates over rounds, by the name of the value of a round."""


class Tables(NamedTuple):
    """Tables of one round."""

    system: pl.DataFrame
    each: pl.DataFrame
    """`resources.by_participant` of it."""
    participants: pl.DataFrame
    flows: pl.DataFrame
    measured_s: float


def node_costs(rounds: Sequence[Tables]) -> list[Estimated]:
    """Return the costs of each node, and of all of them; none where there are no nodes."""
    nodes: dict[str, str] = {}
    for one in rounds:
        found = one.participants.select("participant", "node").drop_nulls().iter_rows()
        nodes |= {str(name): str(node) for name, node in found}
    if not nodes:
        return []
    each = [_round(one, nodes) for one in rounds]
    rows = list[Estimated]()
    for node in (*dict.fromkeys(nodes.values()), ALL):
        values = [found.get(node, {}) for found in each]
        most = [rss for of in values if (rss := of.get("rss_bytes")) is not None]
        own = [
            (parts.PARTICIPANTS, sum(node in (ALL, on) for on in nodes.values())),
            *(
                (one, over_rounds([of.get(name) for of in values], one.unit, len(each)))
                for name, one in QUANTITIES.items()
            ),
            (parts.RSS, int(max(most)) if most else None),
        ]
        rows += estimated(own, "system" if node == ALL else "node", node)
    return [*rows, *_growth(rounds)]


Counts = dict[str, float | None]


def _round(one: Tables, nodes: Mapping[str, str]) -> dict[str, Counts]:
    """Return values of each node and of all in one round, by the names of `QUANTITIES`."""
    measured_ns = pl.lit(one.measured_s * 1e9)
    inside = one.each.filter(within(pl.col("end_ns"), measured_ns), pl.col("participant") != READER)
    found: dict[str, Counts] = {node: {} for node in (*nodes.values(), ALL)}
    _processors(inside, nodes, found)
    _written(one, nodes, found)
    rows = one.system.filter(within(pl.col("start_ns") + pl.col("duration_ns"), measured_ns))
    networks = _networks(one.system, nodes)
    place = pl.coalesce(
        "node", pl.col("network").replace_strict(networks, default=None, return_dtype=pl.String)
    )
    rows = rows.with_columns(place.alias("place")).drop_nulls("place")
    interfaces = rows.filter(pl.col("scope") == "interface", pl.col("name") != LOOPBACK)
    _rates(interfaces, TRAFFIC, found)
    _rates(rows.filter(pl.col("scope") == "network"), {DROPPED: "dropped_per_s"}, found)
    for values in found.values():
        wrote, sent = values.get("written_per_s"), values.get("tx_packets_per_s")
        values["samples_per_packet"] = wrote / sent if wrote is not None and sent else None
    return found


def _processors(
    within: pl.DataFrame, nodes: Mapping[str, str], found: Mapping[str, Counts]
) -> None:
    mean = participant_means(within.with_columns(pl.lit(0).alias("round")))
    cpu = {
        str(name): user + system
        for name, user, system in mean.select("participant", "cpu_user", "cpu_system")
        .drop_nulls()
        .iter_rows()
    }
    memory = within.select("participant", "interval", "rss_bytes").with_columns(
        place=pl.col("participant").replace_strict(nodes, default=None, return_dtype=pl.String)
    )
    for node, values in found.items():
        own = [name for name, on in nodes.items() if node in (ALL, on)]
        known = [cpu[name] for name in own if name in cpu]
        values["cpu"] = sum(known) if len(known) == len(own) else None
        rss = memory.filter(pl.col("participant").is_in(own))
        sums = rss.group_by("interval").agg(pl.col("rss_bytes").sum(), pl.len())
        values["rss_bytes"] = sums.filter(pl.col("len") == len(own))["rss_bytes"].max()  # type: ignore[assignment]


def _written(one: Tables, nodes: Mapping[str, str], found: Mapping[str, Counts]) -> None:
    """Add the rates of writing: samples of a writer count once, however many readers they have."""
    once = one.flows.unique(["flow", "writer"]).with_columns(
        place=pl.col("participant").replace_strict(nodes, default=None, return_dtype=pl.String)
    )
    for node, values in found.items():
        own = once if node == ALL else once.filter(pl.col("place") == node)
        rates = own["written_per_s"]
        values["written_per_s"] = None if rates.null_count() else float(rates.sum())


def _networks(system: pl.DataFrame, nodes: Mapping[str, str]) -> dict[str, str]:
    """Return the nodes by the network namespace of their participants."""
    rows = system.filter(pl.col("scope") == "process").select("participant", "network").unique()
    return {
        str(network): nodes[name]
        for name, network in rows.drop_nulls().iter_rows()
        if name in nodes
    }


def _rates(rows: pl.DataFrame, names: Mapping[str, str], found: Mapping[str, Counts]) -> None:
    """Add the rates of counts over the time counted, of each node and of all."""
    if rows.is_empty():
        return
    keys = ["place", "network", "name"]
    length = pl.col("duration_ns").sum() / 1e9
    per_s = rows.group_by(keys).agg(
        pl.when(pl.col(name).null_count() == 0).then(pl.col(name).sum() / length).alias(name)
        for name in names
    )
    for node, values in found.items():
        own = per_s if node == ALL else per_s.filter(pl.col("place") == node)
        for name, title in names.items():
            column = own[name]
            unknown = column.is_empty() or column.null_count()
            values[title] = None if unknown else float(column.sum())


def _growth(rounds: Sequence[Tables]) -> Iterator[Estimated]:
    """Yield how the memory of participants grew while they measured: the mean over participants and
    rounds of the slope of a straight line, with Student's interval over them. `count` is the number
    of readings of each, on the average."""
    slopes, readings = list[float](), list[int]()
    for one in rounds:
        own = one.each.filter(
            within(pl.col("end_ns"), pl.lit(one.measured_s * 1e9)),
            pl.col("participant") != READER,
        ).drop_nulls("rss_bytes")
        for _, series in own.group_by("participant", maintain_order=True):
            end_s = series["end_ns"].to_numpy() / 1e9
            if series.height < FEWEST_READINGS or end_s.max() - end_s.min() < SHORTEST_S:
                continue
            rss = series["rss_bytes"].to_numpy().astype(np.float64)
            slopes.append(float(np.polyfit(end_s, rss, 1)[0]) * MINUTE_S)
            readings.append(series.height)
    if slopes:
        count = round(float(np.mean(readings)))
        slope = figure(stats.t_interval(slopes, CONFIDENCE), "B/min", count, within=SIGNED)
        yield from estimated([(parts.GROWTH, slope)], "system", ALL)
