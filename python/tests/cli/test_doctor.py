"""How `busmark doctor` ends: with what its findings mean for who wants to measure."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from busmark.cli.doctor import _draw, conclusion
from busmark.findings.doctor import Fact
from busmark.store import Finding

FACT = Fact("processor", "AMD EPYC 9B14", None, "[why]")


def found(*severities: str) -> list[Finding]:
    return [
        Finding.model_validate({
            "id": f"f{number}", "severity": severity, "title": f"Title {number}", "cause": "C",
            "evidence": "5 of 6", "remedy": "R", "cases": [],
        })
        for number, severity in enumerate(severities)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("severities", "told"),
    [
        ((), "Nothing found: go ahead and measure."),
        (("note", "note"), "2 notes: go ahead and measure."),
        (("warning", "note"), "1 warning and 1 note: fix what you can, then measure"),
        (("warning", "error"), "1 error and 1 warning: fix the errors before you measure"),
    ],
)
def test_the_last_line_says_whether_to_go_on(severities: tuple[str, ...], told: str) -> None:
    findings = found(*severities)
    assert conclusion(findings).startswith(told)
    stream = io.StringIO()
    _draw([FACT], findings, Console(file=stream, width=200))
    assert stream.getvalue().rstrip().splitlines()[-1] == conclusion(findings)


def test_severities_have_colours_and_numbers_none() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=100, force_terminal=True, color_system="standard")
    _draw([Fact("load", "9.1", False, "x"), FACT], found("error", "warning"), console)
    text = stream.getvalue()
    assert "\x1b[1;31merror" in text.replace("\n", "") and "\x1b[1;33m!" in text
    assert "9B14 " in text and "[why]" in text and "5 of 6" in text
