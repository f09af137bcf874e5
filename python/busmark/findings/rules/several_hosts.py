"""Rounds that were measured on different hosts, or on one that had changed in between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.store.result import Result


def check_campaign(result: Result) -> Iterator[Observation]:
    import polars as pl

    from busmark.host.differences import differences

    later = result.manifest.resumptions
    if not later or "" not in result.manifest.hosts:
        return
    hosts = [result.manifest.hosts[""], *(resumption.host for resumption in later)]
    begins = [0, *(resumption.first_order for resumption in later)]
    order = result.cases.filter(pl.col("status") != "failed")["order"]
    parts = [
        (host, int(order.is_between(begin, end, closed="left").sum()))
        for host, begin, end in zip(hosts, begins, [*begins[1:], 2**31], strict=True)
    ]
    measured = [(host, rounds) for host, rounds in parts if rounds]
    differing: dict[str, tuple[object, object]] = {}
    for (host, _), (following, _) in pairwise(measured):
        differing |= differences(host, following)
    if differing:
        shares = ", then ".join(
            f"{count(rounds, 'round')} on {host.get('hostname') or 'a host without a name'}"
            for host, rounds in measured
        )
        facts = "; ".join(f"{fact}: {old}, then {new}" for fact, (old, new) in differing.items())
        yield Observation("warning", f"{shares}; they differ in {facts}")


RULE = Rule(
    id="several-hosts",
    title="Rounds were measured on different hosts",
    cause="The campaign was gone on with on another machine, or on one that had been changed. "
    "What the machines differ by is in the figures and in their intervals.",
    remedy="Take the figures for a mixture, or run the campaign again on one machine. The column "
    "`order` of the table `cases` tells which rounds ran where.",
    check_campaign=check_campaign,
)
