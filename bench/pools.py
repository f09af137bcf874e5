"""Rounds of quick packs as they are run, a few of each case, made one recording of each middleware.

A quick pack has four rounds of a case: too few to draw campaigns from. But its cases of one
middleware and transport differ only in size, and their rounds differ from each other by much the
same. So each round is taken relative to its case, and all of one middleware are drawn from
together. A round differs from the mean of n rounds, itself among them, by sqrt((n - 1) / n) of what
it differs from the mean of all possible rounds; that is corrected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from busmark.model.parameters import Parameters
from busmark.store import Case, Result
from schedules import FEWEST_RECORDED, Recorded, Recording, Row, read_round

FEWEST_OF_A_CASE = 3
LEAST_SAMPLES = 1000
"""Samples of a round that is drawn from."""
LEVEL_NS = 1e5
"""Level of a pool: its unit says nothing."""


def pools(results: Iterable[Result]) -> list[Recording]:
    """Make one recording of each pack, middleware and transport with rounds enough: from unloaded
    pings to one reader."""
    found: dict[tuple[str, str, str], list[list[Recorded]]] = {}
    for result in results:
        pack = result.manifest.scenario["name"]
        for case, rows in _rows(result):
            rounds = [read_round(result, row) for row in rows]
            if len(rounds) >= FEWEST_OF_A_CASE:
                key = (pack, case.params.adapter, rows[0]["transport"] or "")
                found.setdefault(key, []).append(rounds)
    joined = {key: [one for own in cases for one in relative(own)] for key, cases in found.items()}
    return [
        Recording.from_rounds(_named(*key), rounds)
        for key, rounds in joined.items()
        if len(rounds) >= FEWEST_RECORDED
    ]


def relative(rounds: list[Recorded]) -> list[Recorded]:
    """Scale the rounds of a case, with their differences, to a level that all cases share."""
    levels = np.log([np.median(one.latencies_ns) for one in rounds])
    restored = np.sqrt(levels.size / (levels.size - 1)) * (levels - levels.mean())
    return [
        Recorded(
            one.latencies_ns * (LEVEL_NS * np.exp(to - level)),
            one.times_s,
            one.warmup_s,
            one.overhead_s,
        )
        for one, level, to in zip(rounds, levels, restored, strict=True)
    ]


def _rows(result: Result) -> Iterator[tuple[Case, list[Row]]]:
    by_case: dict[str, list[dict[str, Any]]] = {}
    for row in result.cases.to_dicts():
        many = row["statistic_value"] is not None and (row["samples"] or 0) >= LEAST_SAMPLES
        if row["status"] == "ok" and many and not row["load"] and row["subscribers"] == 1:
            by_case.setdefault(row["case"], []).append(row)
    for case in result.manifest.cases:
        if case.params.test == "latency" and case.id in by_case:
            yield case, by_case[case.id]


def _named(pack: str, adapter: str, transport: str) -> Case:
    name = re.sub(r"\W+", "-", "-".join(filter(None, (pack.lower(), adapter, transport))))
    params = Parameters(test="latency", adapter=adapter, statistic="median")
    return Case(id=f"000-{name}", status="planned", params=params)
