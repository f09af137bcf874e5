"""The table of the scenario's own flows on the page, in a browser."""

from __future__ import annotations

from pathlib import Path

from browser import Browser
from own_flows_campaign import campaign

from busmark.analysis import summarise
from busmark.present.pages import render

ROWS = """
[...document.querySelectorAll("#own-flows tbody tr")].map(
  row => [...row.cells].map(cell => cell.textContent))
"""
HEADS = """new Promise((done) => setTimeout(() => done(
  [...document.querySelectorAll(".details th")].map((th) => th.textContent)), 600))"""


def test_the_page_shows_the_flows_beside_and_its_script_runs(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(render(summarise(campaign(tmp_path / "result", beside=True))), encoding="utf-8")
    with Browser(tmp_path / "profile") as browser:
        browser.open(page)
        rows = browser.run(ROWS)
        assert [row[0] for row in rows] == ["command", "bulk"]
        assert any("1\u202f500" in cell for cell in rows[0]) and "one way" in rows[1]
        browser.run("document.querySelector('#cases details').open = true")
        told = browser.run(HEADS)
        assert "Participants, nodes and the whole" in told, told
        assert browser.complaints == []
