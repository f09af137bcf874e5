"""`--to github`: what github-action-benchmark reads as `customSmallerIsBetter` and
`customBiggerIsBetter`.

The action takes one direction for a whole file, so there are two. What a case does not have is in
neither; the action refuses an empty list, so a step is only for a file that has figures.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from busmark.compare.campaign import Campaign
from busmark.estimate.answer import answer
from busmark.results import Results
from busmark.store import Result
from busmark.store.atomic import write_text

FILES = {"github-smaller.json": False, "github-bigger.json": True}
"""By name, whether more is better."""


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write both files into `folder`."""
    rows = answer(Results(result, campaign).estimates, campaign).to_dicts()
    for name, more_is_better in FILES.items():
        entries = [_entry(row) for row in rows if row["more_is_better"] == more_is_better]
        write_text(folder / name, json.dumps(entries, ensure_ascii=False, indent=2) + "\n")
    return [folder / name for name in FILES]


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    found = {
        "name": f"{row['name']}: {row['figure']}",
        # A 1 behind a number would be read as a digit of it.
        "unit": "share" if row["unit"] == "1" else row["unit"],
        "value": row["value"],
    }
    if row["low"] is not None and row["high"] is not None:
        # Not as ±: an interval has no middle.
        found["range"] = f"{row['confidence']:.0%} interval {row['low']:.10g} to {row['high']:.10g}"
    counts = {"rounds": row["rounds"], "samples": row["count"]}
    found["extra"] = "\n".join(f"{what}: {count}" for what, count in counts.items() if count)
    return found
