"""The criteria of a comparison as JUnit XML; `busmark.present.sinks.junit` says how."""

from __future__ import annotations

from busmark.compare.model import Comparison, Judged
from busmark.present.sinks import junit as xml


def junit(comparison: Comparison) -> str:
    """The document; one suite for each criterion."""
    by_criterion: dict[str, list[Judged]] = {}
    for judged in comparison.criteria:
        by_criterion.setdefault(judged.criterion, []).append(judged)
    suites = [
        xml.Suite(criterion, [_test(judged, comparison) for judged in own])
        for criterion, own in by_criterion.items()
    ]
    properties = [
        ("baseline", comparison.baseline.directory),
        *(("candidate", side.directory) for side in comparison.candidates),
        ("busmark", comparison.candidates[0].busmark_version),
    ]
    created = comparison.candidates[-1].created_utc
    return xml.document(suites, "busmark.compare", created, properties)


def _test(judged: Judged, comparison: Comparison) -> xml.Test:
    seconds = 0.0 if judged.pair is None else comparison.pairs[judged.pair].measured_s
    return xml.Test(
        judged.candidate, judged.label, seconds,
        xml.outcome(fails=judged.fails, met=judged.outcome == "met"),
        judged.outcome.replace(" ", "-"), judged.reason,
    )  # fmt: skip
