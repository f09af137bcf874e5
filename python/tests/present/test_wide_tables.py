"""Tables that are wider than a window or a sheet of paper, in a real browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tools.browser import Browser

TABLE = "latency-same"
BOX = f"document.querySelector('#{TABLE} .scroll')"
PAPER = {"upright": 687, "wide": 1016}
"""CSS pixels between the margins of A4."""

SETTLED = "new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))"


@pytest.fixture
def at_1200(browser: Browser, path: Path) -> Browser:
    browser.resize(1200, 900)
    browser.open(path)
    browser.run(SETTLED)
    return browser


TABLES = """JSON.stringify(Object.fromEntries([...document.querySelectorAll(".scroll")].map((b) =>
  [b.closest("[id]").id, b]).filter(([id]) => id.startsWith("latency-") || id.startsWith("through"))
  .map(([id, b]) => [id, [...b.querySelectorAll("thead tr:last-child th")].map((h) =>
    h.textContent.trim())])))"""
"""Headings of the tables of cases, by the table."""


def tables_of(browser: Browser) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(browser.run(TABLES))
    assert found
    return found


def bring(browser: Browser, table: str) -> None:
    """Bring a table into sight: what is out of sight is not laid out, nor looked at."""
    browser.bring(f"document.getElementById('{table}')")


def seen(browser: Browser, table: str) -> set[int]:
    """Return the places of the headings that are in sight within their box."""
    return set(json.loads(browser.run(
        f"(() => {{ const box = document.querySelector('#{table} .scroll');"
        " const edge = box.getBoundingClientRect();"
        " const first = box.querySelector('thead th').getBoundingClientRect().right;"
        " return JSON.stringify([...box.querySelectorAll('thead tr:last-child th')].map((h, n) =>"
        " [n, h.getBoundingClientRect()]).filter(([n, r]) => r.right <= edge.right + 1"
        " && (n === 0 || r.left >= first - 1)).map(([n]) => n)); })()"
    )))  # fmt: skip


@pytest.mark.parametrize("width", [1200, 800])
def test_every_column_can_be_reached(at_1200: Browser, width: int) -> None:
    """Those that are out of sight are named, until they are there."""
    at_1200.resize(width, 900)
    at_1200.run(SETTLED)
    assert at_1200.run("document.documentElement.scrollWidth") <= width
    wide = []
    for table, columns in tables_of(at_1200).items():
        bring(at_1200, table)
        box = f"document.querySelector('#{table} .scroll')"
        hint = f"document.querySelector('#{table} .hint').textContent"
        reached = seen(at_1200, table)
        missing = [title for n, title in enumerate(columns) if n not in reached]
        text = at_1200.run(hint)
        assert [title for title in missing if title not in text] == []
        for place in range(0, at_1200.run(f"{box}.scrollWidth"), 100):
            at_1200.run(f"{box}.scrollLeft = {place}")
            at_1200.run(SETTLED)
            reached |= seen(at_1200, table)
        assert reached == set(range(len(columns)))
        if missing:
            wide.append(table)
            assert at_1200.run(hint) == ""
    assert wide or width == 1200, "no table of this campaign is wider than the window"


def test_the_first_column_and_the_headings_stay(at_1200: Browser) -> None:
    places = (
        f"JSON.stringify([{BOX}.querySelector('thead th'),"
        f" {BOX}.querySelector('tbody tr:not(.group) th')]"
        ".map((e) => e.getBoundingClientRect().left))"
    )
    at_1200.resize(700, 500)
    bring(at_1200, TABLE)
    before = at_1200.run(places)
    at_1200.run(f"{BOX}.scrollLeft = 300")
    assert at_1200.run(f"{BOX}.scrollLeft") == 300
    assert at_1200.run(places) == before
    gap = (
        f"{BOX}.querySelector('thead th').getBoundingClientRect().top"
        f" - {BOX}.getBoundingClientRect().top"
    )
    at_1200.run(f"{BOX}.scrollTop = 1e6")
    assert at_1200.run(f"{BOX}.scrollTop") > 50
    assert at_1200.run(gap) == pytest.approx(0, abs=1)


def test_headings_stay_at_the_top_of_a_window_that_is_wide_enough(at_1200: Browser) -> None:
    at_1200.resize(2560, 500)
    bring(at_1200, TABLE)
    assert at_1200.run(f"{BOX}.scrollWidth <= {BOX}.clientWidth"), "nothing is out of sight"
    row = f"{BOX}.querySelector('tbody tr:nth-child(12)')"
    at_1200.bring(row)
    below = at_1200.run(
        "parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--bar')) || 0"
    )
    top = at_1200.run(f"{BOX}.querySelector('thead th').getBoundingClientRect().top")
    assert -1 <= top <= max(below, 0) + 100


def test_nothing_is_cut_on_paper(at_1200: Browser, tmp_path: Path) -> None:
    at_1200.call("Emulation.setEmulatedMedia", media="print")
    try:
        for sheet, width in PAPER.items():
            at_1200.resize(width, 900)
            for table in tables_of(at_1200):
                wide = f"document.getElementById('{table}').classList.contains('wide')"
                if at_1200.run(wide) == (sheet == "wide"):
                    own = f"document.querySelector('#{table} table')"
                    right = at_1200.run(f"{own}.getBoundingClientRect().right")
                    assert right <= width + 1, table
    finally:
        at_1200.call("Emulation.setEmulatedMedia", media="")
    text = printed(at_1200, tmp_path)
    words = set(text.replace(",", " ").split())
    columns = {title for titles in tables_of(at_1200).values() for title in titles}
    missing = [t for t in columns if not set(t.replace(",", " ").split()) <= words]
    assert missing == []


def test_the_heading_of_a_section_is_on_the_sheet_of_its_first_table(
    at_1200: Browser, tmp_path: Path
) -> None:
    heading = at_1200.run("document.querySelector('#part-round-trip-latency').innerText")
    sheets = printed(at_1200, tmp_path).split("\f")
    with_table = next(sheet for sheet in sheets if "Round-trip latency on one CPU" in sheet)
    assert heading in [line.strip() for line in with_table.splitlines()]


def printed(browser: Browser, folder: Path) -> str:
    """Print the page; return the text of the sheets, each of which ends with a form feed."""
    if shutil.which("pdftotext") is None:
        pytest.skip("no pdftotext here to read a PDF")
    browser.printed(folder / "page.pdf")
    subprocess.run(["pdftotext", "-layout", folder / "page.pdf", folder / "page.txt"], check=True)
    return (folder / "page.txt").read_text(encoding="utf-8")
