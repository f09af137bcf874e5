"""Campaigns of which nothing is left, and names of somebody else's: each is a screen and a page
that one would show. Others of the kind are in the reviewed documents (`odd`, `hostile`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from synthetic_campaign import Builder

from busmark.cli.main import busmark as command

NAMES = "a \"quoted\" 'one' <script>alert(1)</script> & \u202eright to left\nand a line"
RTT = np.linspace(20_000, 40_000, 400)


def failures(build: Builder) -> None:
    """Add nothing but failures."""
    for number in range(3):
        case = build.case(f"00{number}-udp")
        build.row(case, 0, "failed", reason="worker died: SIGSEGV")


def named(build: Builder) -> None:
    """Add an adapter and a finding with names that somebody else chose."""
    for number, name in enumerate((NAMES, "ordinary")):
        build.pings(build.case(f"00{number}-udp", adapter=name, transport=name), 0, RTT)
    build.findings.append({
        "id": "drift", "severity": "warning", "title": NAMES, "cause": NAMES, "evidence": NAMES,
        "remedy": NAMES, "cases": ["000-udp"],
    })  # fmt: skip


@pytest.fixture(params=[failures, named], ids=lambda f: f.__name__)
def result(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    build = Builder(tmp_path / "result")
    make: Callable[[Builder], None] = request.param
    make(build)
    return build.finish()


def run(*words: object) -> str:
    ended = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_show_and_its_parts(result: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    for words in ((result,), (f"{result}#*",), (result, "--findings"), (result, "--json")):
        shown = run("show", *words)
        assert shown.strip()
        assert not re.search(r"\bnan\b|\binf\b|None\b|\{'", shown), shown
        assert "\u202e" not in shown


def test_report_in_all_texts(result: Path, tmp_path: Path) -> None:
    run("report", result, "--to", "html,markdown,csv,xlsx,junit", "--out", tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)
    assert "<script>alert" not in page
    assert not re.search(r">[^<]*(\{'|\d(\.\d+)?e[-+]\d\d)", shown)
