"""JUnit XML: a test case for each criterion or requirement and case.

Elements and attributes are the ones that the schemas of Apache Ant and of Jenkins have in common.
What is undecided, or of a case that was not measured, is skipped where it does not end the command
with exit code 1, and else a failure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as xml

from busmark.compare.campaign import Campaign
from busmark.compare.model import Comparison, Judged
from busmark.present.requirements import by_requirement
from busmark.store import Result
from busmark.store.atomic import write_text

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have."""

UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
FILE = "requirements.xml"


Outcome = Literal["passed", "failure", "skipped"]


def outcome(*, fails: bool, met: bool) -> Outcome:
    """Return what becomes of a criterion or requirement in the document."""
    return "failure" if fails else "passed" if met else "skipped"


@dataclass(frozen=True, slots=True)
class Test:
    """One test case."""

    classname: str
    name: str
    seconds: float
    """Measured for it."""
    outcome: Outcome
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Suite:
    """Test cases of one criterion or requirement."""

    name: str
    tests: Sequence[Test]


def document(
    suites: Sequence[Suite], package: str, created_utc: str, properties: Sequence[tuple[str, str]]
) -> str:
    """Return the text. `created_utc` is when the campaign began; the schema allows no zone."""
    root = xml.Element("testsuites")
    found = UTC.match(created_utc)
    for number, suite in enumerate(suites):
        outcomes = Counter(test.outcome for test in suite.tests)
        element = xml.SubElement(root, "testsuite", {
            "id": str(number), "package": package, "name": _text(suite.name),
            "hostname": "localhost", "timestamp": found[0] if found else "1970-01-01T00:00:00",
            "tests": str(len(suite.tests)), "failures": str(outcomes["failure"]), "errors": "0",
            "skipped": str(outcomes["skipped"]),
            "time": f"{sum(test.seconds for test in suite.tests):.3f}",
        })  # fmt: skip
        listed = xml.SubElement(element, "properties")
        for name, value in properties:
            xml.SubElement(listed, "property", {"name": name, "value": _text(value)})
        for test in suite.tests:
            _test(element, test, suite.name)
        xml.SubElement(element, "system-out")
        xml.SubElement(element, "system-err")
    xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml.tostring(root, encoding="unicode")}\n'


def _test(suite: xml.Element, test: Test, criterion: str) -> None:
    case = xml.SubElement(suite, "testcase", {
        "classname": _text(test.classname), "name": _text(test.name),
        "time": f"{test.seconds:.3f}",
    })  # fmt: skip
    if test.outcome == "failure":
        failure = {"message": _text(test.reason), "type": test.kind}
        xml.SubElement(case, "failure", failure).text = _text(f"{criterion}: {test.reason}")
    elif test.outcome == "skipped":
        xml.SubElement(case, "skipped", {"message": _text(test.reason)})


def of_campaign(campaign: Campaign, directory: str) -> str:
    """Return the requirements of a campaign; one suite for each."""
    seconds = {
        case.id: sum(each.measured_s or 0.0 for each in case.attempts if each.status == "ok")
        for case in campaign.cases
    }
    suites = [
        Suite(text, [
            Test(campaign.name, each.case, seconds.get(each.case, 0.0),
                 outcome(fails=each.fails, met=each.verdict == "met"), each.verdict, each.reason)
            for each in own
        ])
        for text, own in by_requirement(campaign.requirements)
    ]  # fmt: skip
    properties = [("result", directory), ("busmark", campaign.busmark_version)]
    return document(suites, "busmark.requirements", campaign.created_utc, properties)


def of_comparison(comparison: Comparison, *, every: bool) -> str:
    """Return the criteria of a comparison; one suite for each, and always every case."""
    suites: dict[str, list[Test]] = {}
    for judged in comparison.criteria:
        suites.setdefault(judged.criterion, []).append(_of_judged(judged, comparison))
    properties = [
        ("baseline", comparison.baseline.directory),
        *(("candidate", side.directory) for side in comparison.candidates),
        ("busmark", comparison.candidates[0].busmark_version),
    ]
    created = comparison.candidates[-1].created_utc
    named = [Suite(criterion, tests) for criterion, tests in suites.items()]
    return document(named, "busmark.compare", created, properties)


def _of_judged(judged: Judged, comparison: Comparison) -> Test:
    seconds = 0.0 if judged.pair is None else comparison.pairs[judged.pair].measured_s
    return Test(
        judged.candidate, judged.label, seconds,
        outcome(fails=judged.fails, met=judged.outcome == "met"),
        judged.outcome.replace(" ", "-"), judged.reason,
    )  # fmt: skip


def write(result: Result, campaign: Campaign, folder: Path) -> list[Path]:
    """Write the requirements of a result into a file of `folder`."""
    path = folder / FILE
    write_text(path, of_campaign(campaign, str(result.directory)))
    return [path]


def _text(value: str) -> str:
    return FORBIDDEN.sub("\ufffd", value)
