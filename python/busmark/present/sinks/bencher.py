"""`--to bencher`: Bencher Metric Format, for `bencher run --adapter json --file bencher.json`.

A benchmark is a case. A measure is a quantity and a statistic with the unit, for the format has no
place for that. What a case does not have is absent.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from busmark.compare.campaign import Campaign
from busmark.estimate.answer import answer
from busmark.results import Results
from busmark.store import Result
from busmark.store.atomic import write_text

FILE = "bencher.json"
UNITS = {"1": "share", "1/s": "per s", "CPU": ""}
"""Units in a slug; for CPUs the quantity says it."""
NO_SLUG = re.compile("[^a-z0-9]+")
LONGEST = 64
"""Characters of a slug."""


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the file into `folder`."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row in answer(Results(result, campaign).estimates, campaign).iter_rows(named=True):
        metric = {"value": row["value"], "lower_value": row["low"], "upper_value": row["high"]}
        measures = found.setdefault(row["name"], {})
        measures[_slug(f"{row['figure']} {UNITS.get(row['unit'], row['unit'])}")] = {
            key: value for key, value in metric.items() if value is not None
        }
    write_text(folder / FILE, json.dumps(found, ensure_ascii=False, indent=2) + "\n")
    return [folder / FILE]


def _slug(text: str) -> str:
    return NO_SLUG.sub("-", text.lower()).strip("-")[:LONGEST].strip("-")
