"""The page: complete, self-contained, the same every time, and drawn by a real browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from busmark.compare.campaign import Campaign
from drawn import draw_all
from packed import unpacked
from printed import details, rows

from busmark.errors import UserError
from busmark.findings.kinds import worst
from busmark.present.pages import render
from busmark.present.sinks.panels import script_data
from busmark.present.web import packing, style


class Page(HTMLParser):
    """Elements of a page: how often each occurs, their attributes, table rows, links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def having(self, name: str) -> list[tuple[str, dict[str, str]]]:
        """Elements with this attribute."""
        return [(tag, attrs) for tag, attrs in self.elements if name in attrs]


@pytest.fixture(scope="session")
def page(campaign: Campaign) -> str:
    return render(campaign)


@pytest.fixture(scope="session")
def parsed(page: str) -> Page:
    return Page(page)


def test_the_same_campaign_gives_the_same_bytes(campaign: Campaign, page: str) -> None:
    assert render(campaign) == page


def test_nothing_is_loaded_from_anywhere(parsed: Page) -> None:
    for name in ("src", "href", "action", "data", "poster", "srcset"):
        for tag, attributes in parsed.having(name):
            assert attributes[name].startswith("#"), (tag, attributes)
    (policy,) = [a["content"] for _, a in parsed.having("http-equiv")]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "connect-src" not in policy and "http" not in policy
    assert "@import" not in style()


def test_every_link_has_its_target_and_identifiers_are_unique(page: str, parsed: Page) -> None:
    identifiers = [attributes["id"] for _, attributes in parsed.having("id")]
    identifiers += [case["anchor"] for case in embedded(page, "data-cases")["cases"]]
    assert len(identifiers) == len(set(identifiers))
    for _, attributes in parsed.having("href"):
        assert attributes["href"][1:] in identifiers


def embedded(page: str, name: str) -> Any:
    """The data in the page under this name."""
    start = page.index(f'<script type="application/json" id="{name}">')
    return json.loads(page[page.index(">", start) + 1 : page.index("</script>", start)])


def test_scripts_and_charts_are_in_the_page_compressed(
    campaign: Campaign, page: str, parsed: Page
) -> None:
    script = unpacked(page, "packed-drawing")
    assert script == packing.SCRIPT.read_text(encoding="utf-8") and script not in page
    (policy,) = [a["content"] for _, a in parsed.having("http-equiv")]
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy
    charts = json.loads(unpacked(page, "packed-charts"))
    assert charts.pop("themes").keys() == {"light", "dark"}
    drawn = [chart for group in draw_all(campaign).values() for chart in group]
    assert drawn and set(charts) == {f"chart-{chart.id}" for chart in drawn}
    numbers = {case.id: number for number, case in enumerate(campaign.cases)}
    for chart in drawn:
        wanted = json.loads(json.dumps(script_data(chart.panels, numbers, {})))
        for panel in (*charts[f"chart-{chart.id}"]["panels"], *wanted["panels"]):
            del panel["flags"], panel["explanation"], panel["spec"], panel["rows"]
        assert charts[f"chart-{chart.id}"]["panels"] == wanted["panels"]


def test_without_its_script_no_page_is_written(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "SCRIPT", tmp_path / "charts.js")
    with pytest.raises(UserError, match="make build"):
        render(campaign)


def test_a_page_without_charts_has_no_script_that_draws(hostile: Campaign) -> None:
    assert not any(draw_all(hostile).values())
    assert "packed-drawing" not in render(hostile).split("<script>")[0]


def test_headline_rows_are_the_measured_cases_and_their_floors(
    campaign: Campaign, page: str
) -> None:
    stored = json.loads(unpacked(page, "packed-stored"))
    further = [row for name, rows in stored["rows"].items() if "-cases" not in name for row in rows]
    tables = page[: page.index('<section class="part" id="cases"')]
    rows = [a["data-case"] for _, a in Page(tables + "".join(further)).having("data-case")]
    expected = [c for group in campaign.groups for c in [*group.cases, *group.floors]]
    assert Counter(rows) == Counter(expected)
    supported = {c.id for c in campaign.cases if c.status != "unsupported"}
    assert set(rows) == supported


def test_every_case_is_listed_with_its_details(campaign: Campaign, page: str) -> None:
    listed = embedded(page, "data-cases")
    assert [case["id"] for case in listed["cases"]] == [case.id for case in campaign.cases]
    stored = json.loads(unpacked(page, "packed-stored"))
    assert set(stored["order"]) == {case.id for case in campaign.cases}
    titles = stored["order"]["udp-64-same"]
    assert {"Latency", "Jitter", "One-way times and legs", "Rounds", "Parameters"} <= set(titles)
    shown = "".join(stored["kinds"][title]["udp-64-same"] for title in titles)
    for words in ("Percentiles, all rounds pooled", "Best samples", "Character", "size 64 B"):
        assert words in shown


def test_a_drift_that_is_not_known_is_absent_and_its_offset_is_told(campaign: Campaign) -> None:
    case = campaign.case("udp-64-same")
    offset = {"offset_ns": 5e6, "offset_bound_ns": 2e4}
    attempts = [each.model_copy(update={**offset, "drift_ppm": drift})
                for each, drift in zip(case.attempts, (None, 2.0), strict=False)]  # fmt: skip
    (clocks,) = (t for t in details(case.model_copy(update={"attempts": attempts}))["Rounds"]
                 if t.title == "Clocks")  # fmt: skip
    assert [row[-1] for row in rows(clocks)] == ["—", "2.00"]


def test_the_page_says_how_to_repeat_it_and_what_was_found(campaign: Campaign, page: str) -> None:
    assert f"<code>{escape(campaign.command)}</code>" in page
    for finding in campaign.findings:
        assert code(finding.remedy) in page and code(worst(finding)[1]) in page
    assert "zenoh does not declare security" in page
    assert "Example CPU @ 2.50GHz" in page
    assert "Cyclone DDS 11.0.1" in page


def code(words: str) -> str:
    """As it stands in a cell."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))


def supports(page: str) -> str:
    """The section that says what the adapters support."""
    return page[page.index('id="adapters"') : page.index('id="method"')]


def test_the_page_says_what_the_adapters_support(campaign: Campaign, page: str) -> None:
    section = supports(page)
    for adapter in campaign.adapters.values():
        assert f'<th scope="col" class="words">{adapter["title"]}</th>' in section
    row = re.search(r">reliable</th>(.*?)</tr>", section, re.DOTALL)
    assert row is not None
    assert re.findall(r"<td.*?>(.*?)</td>", row[1]) == ["yes"] * len(campaign.adapters)
    row = re.search(r">largest body</th>(.*?)</tr>", section, re.DOTALL)
    assert row is not None
    assert set(re.findall(r"<td.*?>(.*?)</td>", row[1])) == {"—"}
    assert "the conformance suite was not run over these libraries" in section


def test_the_page_says_what_the_conformance_suite_found(campaign: Campaign) -> None:
    results = {
        "c08_best_effort_delivers": ["failed", "<b>nothing</b> came"],
        "c08_reliable_delivers_every_sample_in_order": ["passed", "2000 samples"],
    }
    kept = {"checked_utc": "2025-01-01T11:00:00Z", "passed": 1, "failed": 1, "skipped": 0}
    udp = {**campaign.adapters["udp"], "conformance": {**kept, "results": results}}
    page = render(campaign.model_copy(update={"adapters": {"udp": udp}}))
    section = supports(page)
    assert re.search(r'is-worse" title="&lt;b&gt;nothing&lt;/b&gt; came">FAILED</td>', section)
    assert 'title="2000 samples">proved</td>' in section
    assert "it ran over udp" in section
    assert "checked_utc" not in page


def test_without_adapters_there_is_no_such_table(hostile: Campaign) -> None:
    assert 'id="adapters"' not in render(hostile)


def test_half_a_round_trip_is_never_called_one_way(page: str) -> None:
    headline = page[page.index('id="part-round-trip-latency"') : page.index('id="charts-latency"')]
    assert "RTT/2" in headline
    assert "one-way" not in headline.lower()


def test_tables_have_scoped_headings_and_plots_have_names(parsed: Page) -> None:
    for tag, attributes in parsed.elements:
        if tag == "th":
            assert attributes.get("scope") in ("row", "col", "colgroup")
        if attributes.get("role") in ("img", "region"):
            assert attributes["aria-label"]


def test_markup_in_a_result_stays_text(hostile: Campaign) -> None:
    page = Page(render(hostile))
    assert page.tags["img"] == 0
    assert page.tags["script"] == 3
    assert Page(render(hostile)).tags == page.tags
