"""Stored results give the figures that they gave; `differences.md` has what changed on purpose."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from oracles import Bench, as_document, differences, frozen, settled

MOST = 40


def test_every_oracle_says_what_it_said(tmp_path: Path) -> None:
    before = frozen()
    found: list[str] = []
    names = set()
    for name, ask in Bench(tmp_path).oracles():
        names.add(name)
        now, then = ask(), before.get(name)
        if isinstance(now, pl.DataFrame) and isinstance(then, pl.DataFrame):
            now, then = as_document(now), as_document(then)
        found += differences(then, settled(now), name)
    assert names == set(before)
    assert not found, "\n".join([f"{len(found)} differences", *found[:MOST]])
