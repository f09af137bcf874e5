"""Pages of campaigns with many cases: small documents, and clear words for what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browser import Browser
from busmark.compare.campaign import Campaign
from packed import unpacked

from busmark.present.blocks.campaign import MOST_DETAILS
from busmark.present.pages import render

CASES = 1500

MOST_NODES = 10_000
"""Elements and texts in the document as it is opened."""


@pytest.fixture(scope="module")
def page(campaign: Campaign) -> str:
    """Page of one case repeated under other names and rates: 1500 rows in one table."""
    like = campaign.case("udp-64-same")
    cases = [
        like.model_copy(
            update={
                "id": f"udp-{number}", "workload": {"rate": f"{number} /s"}, "floor": None,
                "series": like.series if number < 20 else None,
            }
        )
        for number in range(CASES)
    ]  # fmt: skip
    (group,) = [g for g in campaign.groups if (g.test, g.placement) == ("latency", "same")]
    group = group.model_copy(update={"cases": [case.id for case in cases], "floors": []})
    changes = {"cases": cases, "groups": [group], "findings": [], "fits": [], "interop": []}
    return render(campaign.model_copy(update=changes))


def test_index_has_all_cases_and_details_the_first(page: str) -> None:
    begin = page.index('id="data-cases">') + len('id="data-cases">')
    index = json.loads(page[begin : page.index("</script>", begin)])
    assert len(index["cases"]) == CASES
    stored = json.loads(unpacked(page, "packed-stored"))
    assert sum(map(bool, stored["order"].values())) == MOST_DETAILS
    assert len(stored["rows"]["latency-same"]) == CASES - 50


def test_the_document_is_small_and_every_case_can_be_found(page: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    with Browser(tmp_path / "profile") as browser:
        browser.open(path)
        assert browser.nodes() < MOST_NODES
        rows = "document.querySelectorAll('#latency-same tbody tr').length"
        assert browser.run(rows) == 50
        browser.run("document.querySelector('#latency-same p.more button').click()")
        browser.run("new Promise((r) => setTimeout(r, 600))")
        assert browser.run(rows) == 150
        browser.run(
            "(() => { const i = document.querySelector('#filter input'); i.value = '1499';"
            " i.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )
        browser.run("new Promise((r) => setTimeout(r, 600))")
        assert browser.run(rows) == 1
        browser.run("document.querySelector('#latency-same tbody a').click()")
        browser.run("new Promise((r) => setTimeout(r, 200))")
        told = browser.run("document.getElementById('case-udp-1499').textContent")
        assert "details of this case are not in this page" in told
        assert browser.run("document.documentElement.dataset.errors ?? ''") == ""
        assert browser.complaints == []
