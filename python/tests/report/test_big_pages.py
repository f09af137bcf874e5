"""Pages of campaigns with many cases: small documents, and clear words for what is left out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from browser import Browser

from busmark.analysis import Campaign
from busmark.report.html import render
from busmark.report.html.cases import MOST_DETAILS

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


def data(page: str, name: str) -> object:
    found = re.search(rf'id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_tables_and_index_have_all_cases_and_details_the_first(page: str) -> None:
    index = data(page, "data-cases")
    assert isinstance(index, dict) and len(index["cases"]) == CASES
    details = data(page, "data-details")
    assert isinstance(details, dict) and len(details) == MOST_DETAILS
    rows = data(page, "rows-latency-same")
    assert isinstance(rows, list)
    assert len(rows) == CASES - 50
    assert "has the details of 1\u202f000 of 1\u202f500 cases" in page


def test_the_document_is_small_and_every_case_can_be_found(page: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    with Browser(tmp_path / "profile") as browser:
        browser.open(path)
        assert browser.nodes() < MOST_NODES
        rows = "document.querySelectorAll('#latency-same tbody tr').length"
        assert browser.run(rows) == 50
        browser.run("document.querySelector('#latency-same .more button').click()")
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
        assert "Details of the first 1\u202f000 cases only" in told
        assert browser.run("document.documentElement.dataset.errors ?? ''") == ""
        assert browser.complaints == []
