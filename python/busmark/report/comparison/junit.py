"""Criteria as JUnit XML: a test case for each criterion and case.

Elements and attributes are the ones that the schemas of Apache Ant and of Jenkins have in common.
A criterion that is undecided, or of a case that was not measured, is skipped where it does not end
the command with exit code 1, and else a failure. `time` is how long was
measured for the comparison, in seconds.
"""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree as xml

from busmark.compare.model import Comparison, Judged

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have."""

UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def junit(comparison: Comparison) -> str:
    """The document; one suite for each criterion."""
    suites = xml.Element("testsuites")
    by_criterion: dict[str, list[Judged]] = {}
    for judged in comparison.criteria:
        by_criterion.setdefault(judged.criterion, []).append(judged)
    for index, (criterion, of_it) in enumerate(by_criterion.items()):
        _suite(suites, index, criterion, of_it, comparison)
    xml.indent(suites)
    text = xml.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(
    suites: xml.Element, index: int, criterion: str, of_it: list[Judged], comparison: Comparison
) -> None:
    outcomes = Counter(_outcome(judged) for judged in of_it)
    seconds = [
        0.0 if judged.pair is None else comparison.pairs[judged.pair].measured_s for judged in of_it
    ]
    suite = xml.SubElement(suites, "testsuite", {
        "id": str(index),
        "package": "busmark.compare",
        "name": _text(criterion),
        "hostname": "localhost",
        "timestamp": _timestamp(comparison),
        "tests": str(len(of_it)),
        "failures": str(outcomes["failure"]),
        "errors": "0",
        "skipped": str(outcomes["skipped"]),
        "time": f"{sum(seconds):.3f}",
    })  # fmt: skip
    properties = xml.SubElement(suite, "properties")
    for name, value in (
        ("baseline", comparison.baseline.directory),
        *(("candidate", side.directory) for side in comparison.candidates),
        ("busmark", comparison.candidates[0].busmark_version),
    ):
        xml.SubElement(properties, "property", {"name": name, "value": _text(value)})
    for judged, time in zip(of_it, seconds, strict=True):
        _case(suite, judged, time)
    xml.SubElement(suite, "system-out")
    xml.SubElement(suite, "system-err")


def _case(suite: xml.Element, judged: Judged, seconds: float) -> None:
    case = xml.SubElement(suite, "testcase", {
        "classname": _text(judged.candidate),
        "name": _text(judged.label),
        "time": f"{seconds:.3f}",
    })  # fmt: skip
    outcome = _outcome(judged)
    if outcome == "failure":
        told = {"message": _text(judged.reason), "type": judged.outcome.replace(" ", "-")}
        failure = xml.SubElement(case, "failure", told)
        failure.text = _text(f"{judged.criterion}: {judged.reason}")
    elif outcome == "skipped":
        xml.SubElement(case, "skipped", {"message": _text(judged.reason)})


def _outcome(judged: Judged) -> str:
    if judged.fails:
        return "failure"
    return "passed" if judged.outcome == "met" else "skipped"


def _timestamp(comparison: Comparison) -> str:
    """When the last campaign began, without its zone: it is UTC, and the schema allows none."""
    found = UTC.match(comparison.candidates[-1].created_utc)
    return found[0] if found else "1970-01-01T00:00:00"


def _text(value: str) -> str:
    return FORBIDDEN.sub("\ufffd", value)
