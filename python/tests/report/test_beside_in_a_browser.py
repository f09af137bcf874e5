"""The table of the scenario's own flows on the page, in a browser."""

from __future__ import annotations

from pathlib import Path

from browser import Browser
from own_flows_campaign import campaign

from busmark.analysis import summarise
from busmark.report.html import write_html

ROWS = """
[...document.querySelectorAll("section.beside tbody tr")].map(
  row => [...row.cells].map(cell => cell.textContent))
"""
TITLES = "[...document.querySelectorAll('details .block h4, details h4')].map(h => h.textContent)"


def test_the_page_shows_the_flows_beside_and_its_script_runs(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_html(summarise(campaign(tmp_path / "result", beside=True)), page)
    with Browser(tmp_path / "profile") as browser:
        browser.open(page)
        rows = browser.run(ROWS)
        assert [row[0] for row in rows] == ["command", "bulk"]
        assert any("1.50" in cell for cell in rows[0]) and "one way" in rows[1]
        browser.run("document.querySelector('#cases details').open = true")
        told = browser.run(TITLES)
        assert "Participants, nodes and the whole" in told, told
        assert browser.complaints == []
