"""`--to github`: what github-action-benchmark reads as `customSmallerIsBetter` and
`customBiggerIsBetter`.

The action takes one direction for a whole file, so there are two. What a case does not have is in
neither; the action refuses an empty list, so a step is only for a file that has figures.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from busmark.present.document import Document, Metric
from busmark.store.atomic import write_text

FILES = {"github-smaller.json": False, "github-bigger.json": True}
"""By name, whether more is better."""


def write(document: Document, folder: Path) -> list[Path]:
    """Write both files into `folder`."""
    for name, more_is_better in FILES.items():
        entries = [_entry(each) for each in document.metrics
                   if each.more_is_better == more_is_better]  # fmt: skip
        write_text(folder / name, json.dumps(entries, ensure_ascii=False, indent=2) + "\n")
    return [folder / name for name in FILES]


def _entry(metric: Metric) -> dict[str, Any]:
    found = {
        "name": f"{metric.case}: {metric.figure}",
        # A 1 behind a number would be read as a digit of it.
        "unit": "share" if metric.unit == "1" else metric.unit,
        "value": metric.value,
    }
    if metric.low is not None and metric.high is not None:
        # Not as ±: an interval has no middle.
        limits = f"{metric.low:.10g} to {metric.high:.10g}"
        found["range"] = f"{metric.confidence:.0%} interval {limits}"
    found["extra"] = "\n".join(f"{what}: {count}" for what, count in metric.counts.items() if count)
    return found
