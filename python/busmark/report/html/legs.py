"""Table of the legs of a ping's way, each with the figures of its best samples."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.case.legs import ECHO, ECHO_SOURCE, MEANINGS, LegTable
from busmark.analysis.words import text
from busmark.report.html.blocks import Block, Rows, plain

TITLE = "Legs, best 100/99.9/99/90 %"


def leg_blocks(tables: Sequence[LegTable]) -> list[Block]:
    """What the legs mean, and their table; nothing where no leg has stamps."""
    if not tables:
        return []
    rows: Rows = []
    for leg in tables:
        for number, part in enumerate(leg.best):
            times = map(plain, (part.min_ns, part.mean_ns, part.max_ns, part.std_ns))
            name = leg.name if number == 0 else ""
            rows.append((name, f"{part.percent:g} %", text.count(part.count), *times))
    heads = ("leg", "the best", "samples", "minimum", "mean", "maximum", "standard deviation")
    return [Block(TITLE, heads, rows, _note(tables))]


def _note(tables: Sequence[LegTable]) -> str:
    told = "; ".join(f"{leg.name} {leg.meaning.partition(':')[0]}" for leg in tables)
    names = {leg.name for leg in tables}
    parts = [
        "T1: just before write. T2: write has returned. T3: the middleware announced the sample. "
        f"T4: the sample is in the reader's hands. {told[0].upper()}{told[1:]}.",
        "Each leg is sorted by itself, so the legs of one share do not add up to a trip.",
    ]
    if ECHO in names and ECHO_SOURCE not in names:
        parts.append(
            "Echo contains the echo source, T1→T2 of the pong, which was not recorded "
            "(`measure.echo_source = true` asks for it)."
        )
    if "turn-round" in names:
        parts.append("Where a pong is written at once its T1 is the ponger's T4, and turn-round 0.")
    if any(part.min_ns < 0 for leg in tables for part in leg.best):
        parts.append("A negative time: the later stamp was taken first.")
    absent = [name for name in MEANINGS if name not in {*names, ECHO_SOURCE}]
    if absent:
        parts.append(
            f"Left out: {text.joined(absent)}, because stamps are missing (a reader that polls has "
            "no T3) or come from two clocks."
        )
    if tables[0].every > 1:
        parts.append(
            f"One in {tables[0].every} pings is included: there are too many for all. Every ping "
            "is in the raw samples (report --to csv-samples)."
        )
    return " ".join(parts)
