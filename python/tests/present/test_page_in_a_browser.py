"""The page as a reader uses it, in a real browser without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from seams import done

if TYPE_CHECKING:
    from tools.browser import Browser

    from conftest import Results

PAINTED = """document.querySelectorAll("figure.chart").length
  === Number(document.documentElement.dataset.drawn)"""
"""True when every chart has been drawn."""
READY = "document.documentElement.dataset.ready !== undefined"
"""True when everything has begun, and what is stored is loaded."""

EMPTY = """[...document.querySelectorAll(".plot")].filter((plot) => {
  const canvas = plot.querySelector("canvas");
  const { width, height } = canvas ?? {};
  return !canvas?.getContext("2d").getImageData(0, 0, width, height).data.some((value) => value);
}).map((plot) => plot.id)"""
"""Charts of which nothing is painted."""


@pytest.fixture
def opened(browser: Browser, path: Path) -> Iterator[Browser]:
    """Open the page afresh. Nothing it does may fail, be blocked, or ask a network."""
    browser.requests.clear()
    browser.complaints.clear()
    browser.open(path)
    browser.until(READY)
    yield browser
    assert browser.run("document.documentElement.dataset.errors ?? ''") == ""
    assert browser.complaints == []
    asked = [
        url.partition("?")[0] for url in browser.requests if not url.startswith(("data:", "blob:"))
    ]
    assert set(asked) <= {path.as_uri()}


def draw_everything(browser: Browser) -> None:
    """Scroll by every chart, as a reader would, until it is drawn. What is above it gets its height
    only as it comes near, and may push the chart out of sight again."""
    browser.until(READY)
    for n in range(browser.run("document.querySelectorAll('figure.chart').length")):
        chart = f"document.querySelectorAll('figure.chart')[{n}]"
        near = f"{chart}.scrollIntoView({{behavior: 'instant'}})"
        browser.until(f"({near}, Number(document.documentElement.dataset.drawn) > {n})")
    browser.until(PAINTED)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_is_drawn_when_it_is_reached(opened: Browser, scheme: str) -> None:
    opened.prefer(scheme)
    figures = opened.run("document.querySelectorAll('figure.chart').length")
    assert opened.run("Number(document.documentElement.dataset.drawn)") < figures
    draw_everything(opened)
    assert opened.run(EMPTY) == []
    opened.prefer("light")


def first_column(browser: Browser, table: str, cell: str) -> list[str]:
    """Return the texts of a cell of every row, floors left out."""
    found: list[str] = browser.run(
        f"[...document.querySelectorAll('#{table} tbody tr:not(.is-floor, .group)')]"
        f".map((r) => r.querySelector('{cell}').textContent.trim())"
    )
    return found


def test_a_heading_sorts_by_keyboard(opened: Browser) -> None:
    heads = "[...document.querySelectorAll('#latency-same thead tr:last-child th')]"
    heads += ".map((h) => h.textContent.trim())"
    number = next(n for n, head in enumerate(opened.run(heads)) if head.startswith("Median"))
    column = f"#latency-same thead tr:last-child th:nth-child({number + 1}) button"
    opened.run(f"document.querySelector('{column}').focus()")
    opened.press("Enter", 13, "\r")
    heading = opened.run(f"document.querySelector('{column}').parentElement.ariaSort")
    assert heading == "ascending"
    keys = "[...document.querySelectorAll('#latency-same tbody tr:not(.group)')].map((r) =>"
    keys += f" r.querySelectorAll('[data-sort]')[{number}].dataset.sort)"
    values = [float(v) for v in opened.run(keys) if v]
    assert values == sorted(values) and len(set(values)) > 3
    opened.press("Enter", 13, "\r")
    values = [float(v) for v in opened.run(keys) if v]
    assert values == sorted(values, reverse=True)


def choose(browser: Browser, name: str, value: str) -> None:
    """Choose a value of the filter, as a reader does."""
    browser.run(
        "(() => { const s = [...document.querySelectorAll('#filter select')]"
        f".find((s) => s.parentElement.textContent.startsWith('{name}')); s.value = '{value}';"
        " s.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    filtered(browser, value)


def filtered(browser: Browser, text: str) -> None:
    """Wait until tables and charts follow the filter: what was chosen is written first."""
    browser.until(f"document.querySelector('#filter .chosen').textContent.includes('{text}')")


def unfiltered(browser: Browser) -> None:
    browser.run("document.querySelector('#filter [type=reset]').click()")
    browser.until("document.querySelector('#filter .chosen').textContent === ''")


def test_words_and_choices_filter_tables_and_cases_together(opened: Browser) -> None:
    opened.run("document.querySelector('#filter input').focus()")
    opened.run(
        "(() => { const i = document.querySelector('#filter input'); i.value = 'cyclone';"
        " i.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    filtered(opened, "cyclone")
    rows = first_column(opened, "latency-same", "th")
    assert rows and all("Cyclone DDS" in row for row in rows)
    names = "[...document.querySelectorAll('#case-list .name')].map((n) => n.textContent)"
    assert all("Cyclone DDS" in name for name in opened.run(names))
    choose(opened, "Size", "1 KiB")
    assert len(first_column(opened, "latency-same", "th")) == 1
    assert "of" in opened.run("document.getElementById('filter-count').textContent")
    unfiltered(opened)
    assert len(first_column(opened, "latency-same", "th")) > 10


def test_a_case_opens_from_the_list_and_from_a_row(opened: Browser) -> None:
    first = "document.querySelector('#case-list details')"
    assert opened.run(f"{first}.querySelectorAll('table').length") == 0
    opened.run(f"{first}.querySelector('summary').focus()")
    opened.press("Enter", 13, "\r")
    opened.until(f"{first}.querySelectorAll('table').length >= 3")
    opened.run("document.querySelector('#latency-same tbody a[href$=\"udp-1024-same\"]').click()")
    target = "document.getElementById('case-udp-1024-same')"
    opened.until(f"{target}.open && {target}.querySelectorAll('table').length >= 3")
    opened.until(f"document.activeElement.parentElement === {target}")


def test_paper_gets_every_chart_and_the_cases_that_the_reader_opened(opened: Browser) -> None:
    choose(opened, "Size", "16 KiB")
    opened.run("document.querySelector('#case-list summary').click()")
    cases = "#case-list .case[open]"
    opened.until(f"document.querySelectorAll('{cases} table').length >= 3")
    opened.run("window.dispatchEvent(new Event('beforeprint'))")
    opened.until(PAINTED)
    unprinted = "[...document.querySelectorAll('figure.chart:not(.empty) .plot')]"
    unprinted += ".filter((plot) => !plot.querySelector('svg path')).map((plot) => plot.id)"
    assert opened.run(unprinted) == []
    assert opened.run(f"document.querySelectorAll('{cases}').length") == 1
    opened.run("window.dispatchEvent(new Event('afterprint'))")


SMALL = """(() => { const found = new Set();
  for (const each of document.querySelectorAll("body *")) {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const size = parseFloat(getComputedStyle(each).fontSize) * 0.75;
    if (own && each.checkVisibility() && size < 7.99) found.add(`${each.tagName} ${size} pt`);
  }
  return JSON.stringify([...found]); })()"""
"""Elements of which the text is below 8 points, with its size."""


def test_no_text_on_paper_is_below_8_points(opened: Browser) -> None:
    opened.call("Emulation.setEmulatedMedia", media="print")
    opened.run("window.dispatchEvent(new Event('beforeprint'))")
    opened.until(PAINTED)
    assert opened.run(SMALL) == "[]"
    opened.run("window.dispatchEvent(new Event('afterprint'))")
    opened.call("Emulation.setEmulatedMedia", media="")


def test_nothing_is_wider_than_a_telephone(opened: Browser, path: Path) -> None:
    opened.resize(390, 844)
    opened.open(path)
    draw_everything(opened)
    assert opened.run("document.documentElement.scrollWidth") <= 390
    opened.resize(1280, 900)


def test_a_campaign_without_results_is_shown(
    browser: Browser, results: Results, tmp_path: Path
) -> None:
    done("report", results("hostile"), "--out", tmp_path)
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
    near = f"{figure}.scrollIntoView({{behavior: 'instant'}})"
    opened.until(f"({near}, {figure}.querySelector('.plot canvas'))")
    kinds = opened.run(
        f"[...{figure}.querySelector('select[data-key=Plot]').options].map((o) => o.value)"
    )
    assert len(kinds) == 9
    for kind in kinds:
        opened.run(
            f"(() => {{ const s = {figure}.querySelector('select[data-key=Plot]');"
            f" s.value = '{kind}'; s.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        )
        opened.until(f"{figure}.querySelector('select[data-key=Plot]').value === '{kind}'")
        assert rows_of(opened, "latency-distribution"), kind


def caption(chart: str) -> str:
    """Return the expression of a chart's caption."""
    figure = f"document.querySelector('#{chart}').closest('figure')"
    return f"{figure}.querySelector('figcaption').textContent"


def captioned(browser: Browser, chart: str, begin: str) -> None:
    """Wait until the caption of a chart begins like this."""
    browser.until(f"{caption(chart)}.startsWith('{begin}')")


def rows_of(browser: Browser, chart: str) -> list[list[str]]:
    """Open the table of a chart's data as a reader does; return its rows."""
    data = f"document.querySelector('#{chart}').closest('figure').querySelector('.data')"
    browser.run(f"{data}.open = true")
    browser.until(f"{data}.querySelector('tbody tr')")
    rows = f"[...{data}.querySelectorAll('tbody tr')]"
    found: list[list[str]] = browser.run(
        f"{rows}.map((r) => [...r.cells].map((c) => c.textContent))"
    )
    return found


def test_every_plot_has_a_table_of_its_data_and_every_row_stands_once(opened: Browser) -> None:
    draw_everything(opened)
    for chart in ("latency-resources", "latency-medians"):
        rows = rows_of(opened, chart)
        assert len({tuple(row) for row in rows}) == len(rows)
    data = "document.querySelector('#latency-resources').closest('figure').querySelector('.data')"
    plots = f"[...{data}.querySelectorAll('h4')]"
    assert opened.run(f"{plots}.map((plot) => plot.nextElementSibling?.tagName)") == ["TABLE"] * 3


def select_of(chart: str, key: str) -> str:
    return f"document.querySelector('#{chart}').closest('figure').querySelector('[data-key={key}]')"


def test_the_filter_chooses_in_charts_as_in_tables(opened: Browser) -> None:
    draw_everything(opened)
    choose(opened, "Placement", "different CPUs")
    choose(opened, "Size", "1 KiB")
    for chart in ("latency-heat", "latency-medians", "latency-distribution", "latency-time"):
        captioned(opened, chart, "Different CPUs")
    opened.until(f"{caption('latency-distribution')}.includes('1 KiB')")
    hidden = f"{select_of('latency-distribution', 'Shown')}.parentElement.hidden"
    assert opened.run(hidden), "there is nothing left to choose"
    choose(opened, "Middleware", "UDP socket")
    opened.until(f"{caption('latency-medians')}.includes('Left out by the filter')")
    for chart in ("latency-medians", "latency-distribution"):
        assert {row[0] for row in rows_of(opened, chart)} == {"UDP socket"}
    assert all(row[0].startswith("UDP socket, ") for row in rows_of(opened, "latency-heat"))
    choose(opened, "Status", "failed")
    captioned(opened, "latency-medians", "Nothing here matches the filter.")
    unfiltered(opened)
    opened.until(f"!{caption('latency-medians')}.startsWith('Nothing')")
    assert len({row[0] for row in rows_of(opened, "latency-medians")}) == 6
    opened.until(f"{EMPTY}.length === 0")


def test_the_filter_is_in_the_address_and_back_undoes_it(opened: Browser, path: Path) -> None:
    draw_everything(opened)
    choose(opened, "Size", "1 KiB")
    choose(opened, "Placement", "one CPU")
    plot = select_of("latency-distribution", "Plot")
    opened.run(
        f"(() => {{ const s = {plot}; s.value = 'quantiles';"
        " s.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    address = opened.run("location.href")
    assert "Size=1+KiB" in address and "Placement=one+CPU" in address and "quantiles" in address
    count = opened.run("document.getElementById('filter-count').textContent")
    for gone in ("quantiles", "Placement"):
        opened.run("history.back()")
        opened.until(f"!location.href.includes('{gone}')")
    opened.until(f"document.getElementById('filter-count').textContent !== '{count}'")
    opened.open(path, f"?{address.partition('?')[2]}#findings")
    draw_everything(opened)
    assert opened.run("document.getElementById('filter-count').textContent") == count
    assert opened.run(f"{plot}.value") == "quantiles"
    sizes = first_column(opened, "latency-same", "th .of")
    assert len(sizes) > 1 and set(sizes) == {"1 KiB"}, "the table is filtered, too"
    captioned(opened, "latency-distribution", "One CPU, 1 KiB")


def test_what_is_shown_in_one_chart_is_shown_in_all(opened: Browser) -> None:
    draw_everything(opened)
    shown = select_of("latency-medians", "Shown")
    opened.run(
        f"(() => {{ const s = {shown}; s.value = 'Different CPUs, 16 KiB';"
        " s.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    for chart in ("latency-medians", "latency-distribution", "latency-time"):
        captioned(opened, chart, "Different CPUs, 16 KiB")
    captioned(opened, "latency-heat", "Different CPUs")
    assert opened.run("document.querySelectorAll('.choices select').length") > 3
    assert opened.run("document.getElementById('filter-count').textContent").startswith("66")


def test_the_filter_is_worked_by_keys(opened: Browser) -> None:
    opened.run("document.querySelector('.choices select[name=Size]').focus()")
    opened.press("ArrowDown", 40)
    opened.until("location.search.includes('Size=')")
    opened.until("!document.querySelector('#filter [type=reset]').hidden")
    opened.run("document.querySelector('#filter [type=reset]').focus()")
    opened.press("Enter", 13, "\r")
    opened.until("location.search === ''")


def test_contents_stay_at_the_top_and_mark_the_section_that_is_read(opened: Browser) -> None:
    names = opened.run("[...document.querySelectorAll('nav a')].map((a) => a.textContent)")
    read = ["Answer", "Round-trip latency", "Throughput", "Every case", "Findings", "Method"]
    assert [name for name in names if name in read] == read
    top = "document.querySelector('.bar').getBoundingClientRect()"
    for width in (1280, 390):
        opened.resize(width, 844)
        for target in ("part-throughput", "part-findings", "method"):
            opened.run("document.documentElement.style.scrollBehavior = 'auto'")
            opened.run(f"document.querySelector('nav a[href=\"#{target}\"]').click()")
            opened.until(f"document.querySelector('nav [aria-current]')?.hash === '#{target}'")
            assert opened.run(f"{top}.top") == 0
            below = f"document.getElementById('{target}').getBoundingClientRect().top"
            assert opened.run(f"{below} >= {top}.bottom"), (width, target)
        assert opened.run(f"{top}.height") < (160 if width > 1000 else 110)
    opened.resize(1280, 900)


def tick(browser: Browser, *rows: int) -> None:
    """Tick the boxes of rows of cases, floors left out, as a reader does."""
    boxes = "[...document.querySelectorAll('.headline tr:not(.is-floor) .tick')]"
    for row in rows:
        browser.run(f"{boxes}[{row}].click()")


OVERLAID = """[...document.querySelectorAll('#overlay figure')].map((figure) =>
  figure.querySelector('.plot').id.replace('overlay-', ''))"""


def test_ticked_cases_are_overlaid_and_the_address_restores_them(
    opened: Browser, path: Path
) -> None:
    assert opened.run("document.getElementById('overlay').hidden")
    opened.run("document.querySelectorAll('.headline tr:not(.is-floor) .tick')[0].focus()")
    opened.press(" ", 32, " ")
    assert opened.run("document.activeElement.checked"), "a key ticks"
    tick(opened, 7, 13)
    assert opened.run("document.querySelector('#ticked span').textContent").startswith("3 of 10")
    kinds = ["distribution-function", "survival-function", "histogram", "density", "quantiles"]
    assert opened.run(OVERLAID) == [*(f"latency-distribution-{k}" for k in kinds), "latency-time"]
    draw_everything(opened)
    for chart in opened.run(OVERLAID):
        names = {row[0] for row in rows_of(opened, f"overlay-{chart}")}
        assert len(names) == 3, (chart, names)
    address = opened.run("location.href").partition("?")[2]
    opened.open(path, f"?{address}")
    opened.until(READY)
    assert opened.run("[...document.querySelectorAll('.tick:checked')].length") >= 3
    assert len(opened.run(OVERLAID)) == 6
    opened.run("document.querySelector('#ticked button').click()")
    assert opened.run("document.getElementById('overlay').hidden")
    assert opened.run("location.search") == ""


def test_the_null_adapter_has_no_box_for_it_is_in_no_chart_of_its_own(opened: Browser) -> None:
    assert opened.run("document.querySelectorAll('tr.is-floor').length")
    assert opened.run("document.querySelectorAll('tr.is-floor .tick').length") == 0


def test_an_eleventh_case_is_refused_with_a_message(opened: Browser) -> None:
    tick(opened, *range(11))
    assert "At most 10" in opened.run("document.querySelector('#ticked [role=status]').textContent")
    assert opened.run("new URLSearchParams(location.search).get('overlay').split(' ').length") == 10
