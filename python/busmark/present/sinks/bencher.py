"""`--to bencher`: Bencher Metric Format, for `bencher run --adapter json --file bencher.json`.

A benchmark is a case. A measure is a quantity and a statistic with the unit, for the format has no
place for that. What a case does not have is absent.
"""

from __future__ import annotations

import json
import re

from busmark.present.document import Document

UNITS = {"1": "share", "1/s": "per s", "CPU": ""}
"""Units in a slug; for CPUs the quantity says it."""
NO_SLUG = re.compile("[^a-z0-9]+")
LONGEST = 64
"""Characters of a slug."""


def bencher(document: Document) -> str:
    """Return the text of the file."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for each in document.metrics:
        metric = {"value": each.value, "lower_value": each.low, "upper_value": each.high}
        measures = found.setdefault(each.case, {})
        measures[_slug(f"{each.figure} {UNITS.get(each.unit, each.unit)}")] = {
            key: value for key, value in metric.items() if value is not None
        }
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _slug(text: str) -> str:
    return NO_SLUG.sub("-", text.lower()).strip("-")[:LONGEST].strip("-")
