"""What CI reads: JUnit XML of criteria and requirements, and figures for github-action-benchmark
and Bencher. What a case does not have is absent."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as xml

from busmark import files
from busmark.model.text import set_percent_text
from busmark.present.document import Document, Metric, Test

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have."""

UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

DIRECTIONS = {"github-smaller.json": False, "github-bigger.json": True}
"""Files for github-action-benchmark, which takes one direction for a whole file: by name, whether
more is better. It refuses an empty list, so a step is only for a file that has figures."""

UNITS = {"1": "share", "1/s": "per s", "CPU": ""}
"""Units in a slug; for CPUs the quantity says it."""

LONGEST = 64
"""Characters of a slug."""


def junit(document: Document) -> str:
    """Return the suites of a document as JUnit XML, with the elements and attributes that the
    schemas of Apache Ant and of Jenkins have in common; they allow no time zone. What is undecided,
    or of a case that was not measured, is skipped where it does not end the command with exit code
    1, and else a failure."""
    root = xml.Element("testsuites")
    found = UTC.match(document.begun_utc)
    for number, suite in enumerate(document.suites):
        outcomes = Counter(test.outcome for test in suite.tests)
        element = xml.SubElement(
            root,
            "testsuite",
            {
                "id": str(number),
                "package": f"busmark.{document.kind}",
                "name": _text(suite.name),
                "hostname": "localhost",
                "timestamp": found[0] if found else "1970-01-01T00:00:00",
                "tests": str(len(suite.tests)),
                "failures": str(outcomes["failure"]),
                "errors": "0",
                "skipped": str(outcomes["skipped"]),
                "time": f"{sum(test.seconds for test in suite.tests):.3f}",
            },
        )
        listed = xml.SubElement(element, "properties")
        for name, value in document.properties.items():
            xml.SubElement(listed, "property", {"name": name, "value": _text(value)})
        for test in suite.tests:
            _test(element, test, suite.name)
        xml.SubElement(element, "system-out")
        xml.SubElement(element, "system-err")
    xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml.tostring(root, encoding="unicode")}\n'


def _test(suite: xml.Element, test: Test, criterion: str) -> None:
    case = xml.SubElement(
        suite,
        "testcase",
        {
            "classname": _text(test.classname),
            "name": _text(test.name),
            "time": f"{test.seconds:.3f}",
        },
    )
    if test.outcome == "failure":
        failure = {"message": _text(test.reason), "type": test.kind}
        xml.SubElement(case, "failure", failure).text = _text(f"{criterion}: {test.reason}")
    elif test.outcome == "skipped":
        xml.SubElement(case, "skipped", {"message": _text(test.reason)})


def _text(value: str) -> str:
    return FORBIDDEN.sub("\ufffd", value)


def github(document: Document, folder: Path) -> list[Path]:
    """Write what github-action-benchmark reads as `customSmallerIsBetter` and
    `customBiggerIsBetter`."""
    for name, direction in DIRECTIONS.items():
        own = [_entry(each) for each in document.metrics if each.more_is_better == direction]
        files.write(folder / name, _json(own))
    return [folder / name for name in DIRECTIONS]


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
        found["range"] = f"{set_percent_text(metric.confidence)} interval {limits}"
    found["extra"] = "\n".join(f"{what}: {count}" for what, count in metric.counts.items() if count)
    return found


def bencher(document: Document) -> str:
    """Return the figures in Bencher Metric Format, for `bencher run --adapter json`: a benchmark is
    a case, a measure a quantity and a statistic with the unit, for which the format has no
    place."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for each in document.metrics:
        metric = {"value": each.value, "lower_value": each.low, "upper_value": each.high}
        measures = found.setdefault(each.case, {})
        measures[_slug(f"{each.figure} {UNITS.get(each.unit, each.unit)}")] = {
            key: value for key, value in metric.items() if value is not None
        }
    return _json(found)


def _slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST].strip("-")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
