"""Findings stand on the rows, cells and charts that they concern, with links there and back."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from browser import Browser
from busmark.compare.campaign import Campaign
from drawn import draw_all
from flagged_campaigns import DROPPED, STOLEN, TWO_MODES, flagged_campaign
from printed import everything, show, tables_of
from rich.console import Console

from busmark.present.document import Table
from busmark.present.pages import render
from busmark.present.sinks.html import anchor


@pytest.fixture(scope="module")
def flagged(campaign: Campaign) -> Campaign:
    """See `flagged_campaign`."""
    return flagged_campaign(campaign)


def cells(table: Table, case: str) -> dict[str, list[str]]:
    """Marks by the heading of their column."""
    row = next(number for number, each in enumerate(table.rows) if each.case == case)
    found = {c.title: list(c.cells[row].marks) for c in table.columns}
    return {title: marks for title, marks in found.items() if marks}


def test_a_finding_stands_beside_the_figure_that_it_concerns(flagged: Campaign) -> None:
    table = tables_of(flagged)[0]
    assert cells(table, "udp-64-same") == {
        "Middleware": ["d"], "Median RTT/2": ["!a"], "p99 RTT/2": ["!b"], "Lost": ["!!c"],
    }  # fmt: skip
    assert cells(table, "tcp-64-same") == {"Median RTT/2": ["!a"]}
    assert cells(table, "uds-64-same") == {"Median RTT/2": ["a"]}
    assert cells(table, "cyclonedds-64-same") == {}


def test_the_page_links_rows_with_findings_and_back(flagged: Campaign) -> None:
    page = render(flagged)
    row = next(line for line in page.split("<tr ") if 'data-case="tcp-64-same"' in line)
    badge = re.search(r'<a class="flag is-warning" href="#finding-bimodal" (.*?)>!a</a>', row)
    assert badge and 'aria-label="warning: Latency has two modes"' in badge[1]
    article = page[page.index('id="finding-bimodal"') :].partition("</section>")[0]
    assert f'href="#{anchor("tcp-64-same")}">tcp-64-same</a>' in article
    assert "in 3 of" in article and "a warning in 2" in article and "two &amp; far" in article


def test_a_chart_has_the_findings_on_what_each_panel_shows(flagged: Campaign) -> None:
    drawn = {chart.id: chart for charts in draw_all(flagged).values() for chart in charts}
    medians = drawn["latency-medians"].panels
    at = {tuple(dict(p.keys).values()): list(p.marks) for p in medians}
    assert at["one CPU", "64 B"] == ["!a", "d"]
    assert all(not marks for keys, marks in at.items() if keys[:2] != ("one CPU", "64 B"))
    shapes = [
        p
        for p in drawn["latency-distribution"].panels
        if {"Placement": "one CPU", "Size": "64 B"}.items() <= dict(p.keys).items()
    ]
    assert {mark for panel in shapes for mark in panel.marks} == {"!a", "!b", "!!c", "d"}


def shown(campaign: Campaign, width: int) -> str:
    stream = io.StringIO()
    show(campaign, Console(file=stream, width=width))
    return stream.getvalue()


def test_rows_in_the_terminal_have_marks_that_a_line_below_explains(flagged: Campaign) -> None:
    lines = shown(flagged, 200).splitlines()
    lines = lines[lines.index("Round-trip latency on one CPU") :]
    row = next(line for line in lines if line.startswith("UDP socket"))
    assert row.rstrip().endswith("!!c !ab d")
    legend = " ".join(lines).partition("See: ")[2]
    assert f"!a {TWO_MODES}; !b {STOLEN}; !!c {DROPPED}" in legend
    assert "--findings" in " ".join(lines)


def test_where_there_is_little_room_notes_are_left_to_the_list(flagged: Campaign) -> None:
    lines = shown(flagged, 80).splitlines()
    lines = lines[lines.index("Round-trip latency on one CPU") :]
    row = next(line for line in lines if line.startswith("UDP socket"))
    assert row.rstrip().endswith("!!c !ab")
    assert max(map(len, lines)) <= 80


def test_each_kind_is_told_once_with_its_cases_and_the_worst(flagged: Campaign) -> None:
    told = shown(flagged, 200).partition("\nFindings\n")[2]
    assert told.count(TWO_MODES) == 1
    assert re.search(rf"!a warning: {TWO_MODES}, in 3 of \d+ cases, a warning in 2", told)
    assert "worst in tcp-64-same: two & far" in told
    assert "remedy: mend bimodal" in told


def test_all_findings_are_printed_with_every_case(flagged: Campaign) -> None:
    stream = io.StringIO()
    everything(flagged, Console(file=stream, width=120))
    told = stream.getvalue()
    assert re.search(r"uds-64-same .*seen here", told)
    assert "d Something else  note, in 1 of" in told
    stream = io.StringIO()
    everything(flagged, Console(file=stream, width=120), ["uds-64-same"])
    assert STOLEN not in stream.getvalue()
    assert "tcp-64-same" not in stream.getvalue()
    assert re.search(r"in 3 of \d+ cases", stream.getvalue())


def test_a_reader_goes_from_a_row_to_its_finding_and_back(
    flagged: Campaign, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(flagged), encoding="utf-8")
    with Browser(tmp_path / "profile") as browser:
        browser.open(path)
        badge = "document.querySelector('tr[data-case=\"tcp-64-same\"] .flag')"
        browser.run(f"{badge}.click()")
        assert browser.run("location.hash") == "#finding-bimodal"
        browser.run("document.querySelector('#finding-bimodal a[href^=\"#case-\"]').click()")
        assert str(browser.run("location.hash")).startswith("#case-")
        # A case that the filter hides is found all the same.
        browser.run(
            "(() => { const words = document.querySelector('#filter [name=words]');"
            " words.value = 'zenoh'; words.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )
        browser.run("new Promise((r) => setTimeout(r, 600))")
        assert browser.run("document.querySelector('tr[data-case=\"udp-64-same\"]')") is None
        browser.run("location.hash = '#case-tcp-64-same'")
        opened = browser.run(
            "new Promise((done) => { let left = 200; const look = () => {"
            " const open = document.getElementById('case-tcp-64-same')?.open ?? false;"
            " if (open || !left--) done(open); else setTimeout(look, 50); }; look(); })"
        )
        assert opened is True
        assert browser.run("document.documentElement.dataset.errors ?? ''") == ""
