"""Participants whose memory grows as long as they are measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, duration, size

if TYPE_CHECKING:
    import polars as pl

    from busmark.findings.view import CaseView

LEAST_GROWTH = 4 << 20
"""Bytes in the second half of a round: allocators take memory from the system in pieces of up to
1 MiB, and a participant has several threads with an arena each."""

LEAST_SHARE = 0.1
"""A share of the memory in the middle of the round."""

FEWEST_READINGS = 4
"""In the second half."""


def check_case(view: CaseView) -> Iterator[Observation]:
    import polars as pl

    grown: list[dict[str, tuple[int, int, int]]] = []
    lengths = view.values("measured_s")
    for number, table in view.system_tables():
        if length := lengths.get(number):
            half_ns = length * 1e9 / 2
            end = pl.col("start_ns") + pl.col("duration_ns")
            within = table.filter(end >= half_ns, end <= 2 * half_ns, scope="process")
            grown.append(dict(_grown(within.sort("interval"))))
    # What grows in every round is no chance of one.
    names = set.intersection(*map(set, grown)) if len(grown) > 1 else set()
    if not names:
        return
    name, growth = max(
        ((n, one[n]) for one in grown for n in names), key=lambda found: found[1][1] - found[1][0]
    )
    begin, end_bytes, length_ns = growth
    evidence = (
        f"{name} grew from {size(begin)} to {size(end_bytes)} in the last {duration(length_ns)} of "
        f"a round, and in the second half of all {count(len(grown), 'round')}"
    )
    yield Observation("note", evidence, weight=end_bytes / begin)


def _grown(rows: pl.DataFrame) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Participants with their memory at first and at last, and the time between, ns."""
    import polars as pl

    from busmark.store.columns import READER

    known = rows.filter(pl.col("participant") != READER).drop_nulls(["participant", "rss_bytes"])
    for (name,), own in known.group_by("participant", maintain_order=True):
        memory = own.group_by("interval", maintain_order=True).agg(
            (pl.col("rss_bytes") - pl.col("recorder_bytes").fill_null(0)).sum(),
            pl.col("start_ns").min() + pl.col("duration_ns").max(),
        )
        if memory.height < FEWEST_READINGS:
            continue
        first, last = memory["rss_bytes"][0], memory["rss_bytes"][-1]
        # Steadily: not one large piece, which a queue takes once.
        steps = (memory["rss_bytes"].diff().drop_nulls() > 0).mean()
        growth = last - first
        if growth >= max(LEAST_GROWTH, LEAST_SHARE * first) and (steps or 0) > 0.5:  # type: ignore[operator]
            yield str(name), (first, last, memory["start_ns"][-1] - memory["start_ns"][0])


RULE = Rule(
    id="memory-grows",
    title="Memory of a participant grows throughout the measurement",
    cause="Samples pile up in a queue that has no limit (keep-all history, or a reader that is "
    "behind), or the library keeps what it has sent: a longer run would need more memory.",
    remedy="Measure longer (`measure.duration_s`) to see whether it ends; limit the queue "
    '(`qos.history = "keep_last"`, `qos.max_samples`) or the rate.',
    check_case=check_case,
    concerns=("memory_mib", "memory_per_endpoint_mib"),
)
