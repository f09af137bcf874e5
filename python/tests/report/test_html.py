"""The page: complete, self-contained, the same every time, and drawn by a real browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from packed import unpacked

from busmark.analysis import Campaign
from busmark.errors import UserError
from busmark.findings.kinds import worst
from busmark.present.web import packing
from busmark.report.html import details, render, write_html
from busmark.report.html.case_chart import case_chart
from busmark.report.html.charts import draw_all


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


def test_the_same_campaign_gives_the_same_bytes(
    campaign: Campaign, page: str, tmp_path: Path
) -> None:
    write_html(campaign, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_nothing_is_loaded_from_anywhere(parsed: Page) -> None:
    for name in ("src", "href", "action", "data", "poster", "srcset"):
        for tag, attributes in parsed.having(name):
            assert attributes[name].startswith("#"), (tag, attributes)
    (policy,) = [a["content"] for _, a in parsed.having("http-equiv")]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "connect-src" not in policy and "http" not in policy
    assert "@import" not in render.__globals__["asset"]("style.css")


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
        assert charts[f"chart-{chart.id}"] == json.loads(json.dumps(chart.as_json(numbers)))


def test_without_its_script_no_page_is_written(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "SCRIPT", tmp_path / "charts.js")
    with pytest.raises(UserError, match="make build"):
        render(campaign)


def test_a_page_without_charts_has_no_script_that_draws(hostile: Campaign) -> None:
    assert not any(draw_all(hostile).values())
    assert "packed-" not in render(hostile).split("<script>")[0]


def test_headline_rows_are_the_measured_cases_and_their_floors(
    campaign: Campaign, page: str
) -> None:
    further = [row for name in row_lists(page) for row in embedded(page, name)]
    rows = [a["data-case"] for _, a in Page(page + "".join(further)).having("data-case")]
    expected = [c for group in campaign.groups for c in [*group.cases, *group.floors]]
    assert Counter(rows) == Counter(expected)
    supported = {c.id for c in campaign.cases if c.status != "unsupported"}
    assert set(rows) == supported


def row_lists(page: str) -> list[str]:
    """Names of the lists of rows that a table shows on demand."""
    return re.findall(r'id="(rows-[^"]+)"', page)


def test_every_case_is_listed_with_its_details(campaign: Campaign, page: str) -> None:
    listed = embedded(page, "data-cases")
    assert [case["id"] for case in listed["cases"]] == [case.id for case in campaign.cases]
    found = embedded(page, "data-details")
    assert set(found) == {case.id for case in campaign.cases}
    shown = found["udp-64-same"]
    assert ["size", "64 B"] in shown["params"]
    titles = [block["title"] for block in shown["blocks"]]
    assert titles[:4] == ["Latency", "Percentiles, all rounds pooled", "Best samples", "Character"]
    assert {"Jitter", "Percentiles of jitter", "One-way times and legs", "Rounds"} <= set(titles)


def test_rounds_are_drawn_where_their_figures_lie(campaign: Campaign, page: str) -> None:
    found = embedded(page, "data-details")
    for case in campaign.cases:
        counted = [one for one in case.attempts if one.status == "ok"]
        drawn = found[case.id]["chart"]
        if len(counted) < 2 or case.test not in ("latency", "throughput"):
            assert drawn is None
            continue
        assert [row[0] for row in drawn["rows"]] == [str(one.round) for one in counted]
        medians = case.round_medians
        of = [medians[one.round] if case.test == "latency" else one.mbit_per_s for one in counted]
        places = [row[2] for row in drawn["rows"]]
        assert sorted(range(len(of)), key=of.__getitem__) == sorted(
            range(len(of)), key=places.__getitem__
        )
        for _, low, middle, high, _ in drawn["rows"]:
            known = [place for place in (low, middle, high) if place is not None]
            assert known == sorted(known) and known[0] >= 0 and known[-1] <= 100
    alone = campaign.case("udp-64-same")
    alone = alone.model_copy(update={"attempts": alone.attempts[:1]})
    assert case_chart(alone) is None


def test_a_drift_that_is_not_known_is_absent_and_its_offset_is_told(campaign: Campaign) -> None:
    case = campaign.case("udp-64-same")
    offset = {"offset_ns": 5e6, "offset_bound_ns": 2e4}
    attempts = [each.model_copy(update={**offset, "drift_ppm": drift})
                for each, drift in zip(case.attempts, (None, 2.0), strict=False)]  # fmt: skip
    block = details._clocks(case.model_copy(update={"attempts": attempts}))
    assert [row[-1] for row in block.rows] == ["—", "+2 ppm"]


def test_the_page_says_how_to_repeat_it_and_what_was_found(campaign: Campaign, page: str) -> None:
    assert f"<code>{campaign.command}</code>" in page
    for finding in campaign.findings:
        assert finding.remedy in page and worst(finding)[1] in page
    assert "zenoh does not declare security" in page
    assert "Example CPU @ 2.50GHz" in page
    assert "Cyclone DDS 11.0.1" in page


def supports(page: str) -> str:
    """The section that says what the adapters support."""
    return page[page.index('<section id="adapters">') : page.index('<section id="method"')]


def test_the_page_says_what_the_adapters_support(campaign: Campaign, page: str) -> None:
    section = supports(page)
    for adapter in campaign.adapters.values():
        assert f'<th scope="col">{adapter["title"]}</th>' in section
    row = re.search(r">reliable</th>(.*?)</tr>", section, re.DOTALL)
    assert row is not None
    assert re.findall(r"<td>(.*?)</td>", row[1]) == ["yes"] * len(campaign.adapters)
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
    assert '<td class="broken" title="&lt;b&gt;nothing&lt;/b&gt; came">FAILED</td>' in section
    assert '<td title="2000 samples">proved</td>' in section
    assert "it ran over udp" in section
    assert "checked_utc" not in page


def test_without_adapters_there_is_no_such_table(hostile: Campaign) -> None:
    assert 'id="adapters"' not in render(hostile)


def test_half_a_round_trip_is_never_called_one_way(page: str) -> None:
    headline = page[page.index('id="latency"') : page.index('id="throughput"')]
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
