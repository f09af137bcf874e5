"""JUnit XML: a test case for each criterion or requirement and case.

Elements and attributes are the ones that the schemas of Apache Ant and of Jenkins have in common.
What is undecided, or of a case that was not measured, is skipped where it does not end the command
with exit code 1, and else a failure.
"""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree as xml

from busmark.present.document import Document, Test

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have."""

UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def junit(document: Document) -> str:
    """Return the suites of a document; the schema allows no time zone."""
    root = xml.Element("testsuites")
    found = UTC.match(document.begun_utc)
    for number, suite in enumerate(document.suites):
        outcomes = Counter(test.outcome for test in suite.tests)
        element = xml.SubElement(root, "testsuite", {
            "id": str(number), "package": f"busmark.{document.kind}", "name": _text(suite.name),
            "hostname": "localhost", "timestamp": found[0] if found else "1970-01-01T00:00:00",
            "tests": str(len(suite.tests)), "failures": str(outcomes["failure"]), "errors": "0",
            "skipped": str(outcomes["skipped"]),
            "time": f"{sum(test.seconds for test in suite.tests):.3f}",
        })  # fmt: skip
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
    case = xml.SubElement(suite, "testcase", {
        "classname": _text(test.classname), "name": _text(test.name),
        "time": f"{test.seconds:.3f}",
    })  # fmt: skip
    if test.outcome == "failure":
        failure = {"message": _text(test.reason), "type": test.kind}
        xml.SubElement(case, "failure", failure).text = _text(f"{criterion}: {test.reason}")
    elif test.outcome == "skipped":
        xml.SubElement(case, "skipped", {"message": _text(test.reason)})


def _text(value: str) -> str:
    return FORBIDDEN.sub("\ufffd", value)
