"""Rounds that were measured on different hosts, or on one that had changed in between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Profile, Rule
from busmark.findings.text import count
from busmark.host.differences import differences

if TYPE_CHECKING:
    from busmark.store.result import Result


def check_campaign(result: Result) -> Iterator[Observation]:
    later = result.manifest.resumptions
    if not later or "" not in result.manifest.hosts:
        return
    names = dict.fromkeys(name for resumption in later for name in resumption.nodes)
    for name in ("", *names):
        parts = _parts(result, name)
        differing: dict[str, tuple[object, object]] = {}
        for (host, _), (following, _) in pairwise(parts):
            differing |= differences(host, following)
        if differing:
            shares = ", then ".join(
                f"{count(rounds, 'round')} on {host.get('hostname') or 'a host without a name'}"
                for host, rounds in parts
            )
            facts = "; ".join(
                f"{fact}: {old}, then {new}" for fact, (old, new) in differing.items()
            )
            of = f"node {name}: " if name else ""
            yield Observation("warning", f"{of}{shares}; they differ in {facts}")


def _parts(result: Result, name: str) -> list[tuple[Profile, int]]:
    """Hosts that stood for a node, or on which the campaign ran (""), and how many rounds each
    measured; those with none left out."""
    import polars as pl

    hosts = [(0, result.manifest.hosts.get(name))]
    for resumption in result.manifest.resumptions:
        host = resumption.nodes.get(name) if name else resumption.host
        if host is not None:
            hosts.append((resumption.first_order, host))
    measured = result.cases.filter(pl.col("status") != "failed")
    if name:
        measured = measured.filter(pl.col("nodes").str.split(";").list.contains(name))
    ends = [*(begin for begin, _ in hosts[1:]), 2**31]
    parts = [
        (host, int(measured["order"].is_between(begin, end, closed="left").sum()))
        for (begin, host), end in zip(hosts, ends, strict=True)
        if host is not None
    ]
    return [(host, rounds) for host, rounds in parts if rounds]


RULE = Rule(
    id="several-hosts",
    title="Rounds were measured on different hosts",
    cause="The campaign was resumed on another machine, or on one that had been changed. The "
    "differences between the machines are part of the figures and of their intervals.",
    remedy="Treat the figures as a mixture, or run the campaign again on one machine. The column "
    "`order` of the table `cases` shows which rounds ran where.",
    check_campaign=check_campaign,
)
