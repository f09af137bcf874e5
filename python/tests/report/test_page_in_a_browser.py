"""The page as a reader uses it, in a real browser without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser

from busmark.analysis import Campaign
from busmark.report.html import write_html

PAINTED = """new Promise((done) => {
  const look = () => (document.querySelectorAll("figure.chart").length
    === Number(document.documentElement.dataset.drawn) ? done(true) : setTimeout(look, 50));
  look();
})"""
"""Resolves when every chart has been drawn."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def path(campaign: Campaign, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_html(campaign, path)
    return path


@pytest.fixture
def opened(browser: Browser, path: Path) -> Iterator[Browser]:
    """The page, fresh. Nothing it does may fail, be blocked, or ask a network."""
    browser.requests.clear()
    browser.complaints.clear()
    browser.open(path)
    yield browser
    assert browser.run("document.documentElement.dataset.errors ?? ''") == ""
    assert browser.complaints == []
    asked = [url for url in browser.requests if not url.startswith(("data:", "blob:"))]
    assert set(asked) <= {path.as_uri()}


def draw_everything(browser: Browser) -> None:
    """Scroll by every chart, as a reader would."""
    browser.run(
        "(async () => { for (const f of document.querySelectorAll('figure.chart')) {"
        " f.scrollIntoView({behavior: 'instant'}); await new Promise((r) => setTimeout(r, 60)); }"
        " })()"
    )
    assert browser.run(PAINTED)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_is_drawn_when_it_is_reached(opened: Browser, scheme: str) -> None:
    opened.prefer(scheme)
    figures = opened.run("document.querySelectorAll('figure.chart').length")
    assert opened.run("Number(document.documentElement.dataset.drawn)") < figures
    draw_everything(opened)
    empty = opened.run(
        "[...document.querySelectorAll('.plot')].filter((p) => !p.querySelector('.main-svg'))"
        ".map((p) => p.id)"
    )
    assert empty == []
    opened.prefer("light")


def first_column(browser: Browser, table: str, cell: str) -> list[str]:
    """Texts of a cell of every row, floors left out."""
    found: list[str] = browser.run(
        f"[...document.querySelectorAll('#{table} tbody tr:not(.floor)')]"
        f".map((r) => r.querySelector('{cell}').textContent.trim())"
    )
    return found


def test_a_heading_sorts_by_keyboard(opened: Browser) -> None:
    column = "#latency-same thead th:nth-child(3) button"
    assert "Median" in opened.run(f"document.querySelector('{column}').textContent")
    opened.run(f"document.querySelector('{column}').focus()")
    opened.press("Enter", 13, "\r")
    heading = opened.run(f"document.querySelector('{column}').parentElement.ariaSort")
    assert heading == "ascending"
    keys = "[...document.querySelectorAll('#latency-same tbody tr')].map((r) =>"
    keys += " r.querySelectorAll('[data-sort]')[2].dataset.sort)"
    values = [float(v) for v in opened.run(keys) if v]
    assert values == sorted(values) and len(set(values)) > 3
    opened.press("Enter", 13, "\r")
    values = [float(v) for v in opened.run(keys) if v]
    assert values == sorted(values, reverse=True)


def choose(browser: Browser, name: str, value: str) -> None:
    """A value of the filter, as by a reader."""
    browser.run(
        "(() => { const s = [...document.querySelectorAll('#filter select')]"
        f".find((s) => s.parentElement.textContent.startsWith('{name}')); s.value = '{value}';"
        " s.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    browser.run("new Promise((r) => setTimeout(r, 300))")


def test_words_and_choices_filter_tables_and_cases_together(opened: Browser) -> None:
    opened.run("document.querySelector('#filter input').focus()")
    opened.run(
        "(() => { const i = document.querySelector('#filter input'); i.value = 'cyclone';"
        " i.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    opened.run("new Promise((r) => setTimeout(r, 300))")
    rows = first_column(opened, "latency-same", "th")
    assert rows and all("Cyclone DDS" in row for row in rows)
    names = "[...document.querySelectorAll('#case-list .name')].map((n) => n.textContent)"
    assert all("Cyclone DDS" in name for name in opened.run(names))
    choose(opened, "Size", "1 KiB")
    assert len(first_column(opened, "latency-same", "th")) == 1
    assert "of" in opened.run("document.getElementById('filter-count').textContent")
    opened.run("document.querySelector('#filter [type=reset]').click()")
    opened.run("new Promise((r) => setTimeout(r, 300))")
    assert len(first_column(opened, "latency-same", "th")) > 10


def test_a_case_opens_from_the_list_and_from_a_row(opened: Browser) -> None:
    first = "document.querySelector('#case-list details')"
    assert opened.run(f"{first}.querySelectorAll('table').length") == 0
    opened.run(f"{first}.querySelector('summary').focus()")
    opened.press("Enter", 13, "\r")
    opened.run("new Promise((r) => setTimeout(r, 100))")
    assert opened.run(f"{first}.querySelectorAll('table').length") >= 3
    opened.run("document.querySelector('#latency-same tbody a[href$=\"udp-1024-same\"]').click()")
    opened.run("new Promise((r) => setTimeout(r, 200))")
    target = "document.getElementById('case-udp-1024-same')"
    assert opened.run(f"{target}.open && {target}.querySelectorAll('table').length >= 3")
    assert opened.run(f"document.activeElement.parentElement === {target}")


def test_a_selector_changes_its_chart_and_those_of_the_same_case(opened: Browser) -> None:
    draw_everything(opened)
    caption = "document.querySelector('#latency-time').parentElement.querySelector('figcaption')"
    before = opened.run(f"{caption}.textContent")
    opened.run(
        "(() => { const s = [...document.querySelectorAll('#latency-resources')].map((p) =>"
        " p.parentElement.querySelector('select[data-key=\"Size\"]'))[0];"
        " s.value = '64 KiB'; s.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    opened.run("new Promise((r) => setTimeout(r, 200))")
    after = opened.run(f"{caption}.textContent")
    assert before != after and "64 KiB" in after


def test_paper_gets_every_chart_and_of_few_cases_all_details(opened: Browser) -> None:
    choose(opened, "Size", "16 KiB")
    opened.run("window.dispatchEvent(new Event('beforeprint'))")
    assert opened.run(PAINTED)
    closed = opened.run("document.querySelectorAll('details:not([open])').length")
    bare = "[...document.querySelectorAll('#case-list details')]"
    bare += ".filter((d) => d.dataset.filled === undefined).length"
    assert (closed, opened.run(bare)) == (0, 0)
    opened.run("window.dispatchEvent(new Event('afterprint'))")
    assert opened.run("document.querySelectorAll('#case-list details[open]').length") == 0


def test_paper_gets_of_many_cases_what_the_reader_opened(opened: Browser) -> None:
    opened.run("document.querySelector('#case-list summary').click()")
    opened.run("new Promise((r) => setTimeout(r, 100))")
    opened.run("window.dispatchEvent(new Event('beforeprint'))")
    assert opened.run("document.querySelectorAll('#case-list details[open]').length") == 1
    opened.run("window.dispatchEvent(new Event('afterprint'))")


def test_nothing_is_wider_than_a_telephone(opened: Browser, path: Path) -> None:
    opened.resize(390, 844)
    opened.open(path)
    draw_everything(opened)
    assert opened.run("document.documentElement.scrollWidth") <= 390
    opened.resize(1280, 900)


def test_a_campaign_without_results_is_shown(
    browser: Browser, hostile: Campaign, tmp_path: Path
) -> None:
    write_html(hostile, tmp_path / "report.html")
    browser.complaints.clear()
    browser.open(tmp_path / "report.html")
    assert browser.run("document.documentElement.dataset.errors ?? ''") == ""
    assert browser.run("document.documentElement.dataset.drawn") == "0"
    assert browser.run("window.hit") is None
    browser.run("document.querySelector('#case-list summary').click()")
    assert browser.run("document.images.length") == 0
    assert browser.complaints == []


def test_a_distribution_is_shown_in_every_way(opened: Browser) -> None:
    figure = (
        "[...document.querySelectorAll('figure.chart')]"
        ".find((f) => f.querySelector('#latency-distribution'))"
    )
    opened.run(f"{figure}.scrollIntoView({{behavior: 'instant'}})")
    opened.run("new Promise((r) => setTimeout(r, 300))")
    kinds = opened.run(
        f"[...{figure}.querySelector('select[data-key=Plot]').options].map((o) => o.value)"
    )
    assert len(kinds) == 8
    hidden = f"[...{figure}.querySelectorAll('label')].filter((l) => l.hidden).length"
    for kind in kinds:
        opened.run(
            f"(() => {{ const s = {figure}.querySelector('select[data-key=Plot]');"
            f" s.value = '{kind}'; s.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        )
        opened.run("new Promise((r) => setTimeout(r, 150))")
        assert opened.run(f"{figure}.querySelector('select[data-key=Plot]').value") == kind
        assert opened.run(f"{figure}.querySelectorAll('.trace, .boxes').length") > 0
        # Only a plot of single cases asks which.
        assert opened.run(hidden) == (0 if kind == "by round" else 1)
