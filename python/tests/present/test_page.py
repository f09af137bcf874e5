"""Details of a case, and the page of a campaign: what they say."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import unescape

import pytest
from busmark.compare.campaign import Campaign
from rich.console import Console

from busmark.findings.kinds import by_case, kinds
from busmark.present.blocks import case as of_case
from busmark.present.blocks.campaign import whole
from busmark.present.document import Document
from busmark.present.pages import render
from busmark.present.sinks.markdown import markdown
from busmark.present.sinks.terminal import show

Golden = Callable[[str, str], None]


def details(campaign: Campaign, case: str) -> Document:
    return of_case.document(campaign.case(case), by_case(kinds(campaign.findings)))


@pytest.mark.parametrize("case", ["udp-64-same", "udp-65536-flood"])
def test_details_of_a_case_are_as_reviewed(campaign: Campaign, case: str, golden: Golden) -> None:
    out = io.StringIO()
    show(details(campaign, case), Console(file=out, width=80, force_terminal=True,
                                          color_system=None))  # fmt: skip
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert max(map(len, lines)) <= 80
    golden(f"case-{case}-80.txt", "\n".join(lines) + "\n")
    golden(f"case-{case}.md", markdown(details(campaign, case)) + "\n")


def test_the_page_is_as_reviewed(campaign: Campaign, golden: Golden) -> None:
    main = re.search(r"<body>.*</main>", render(campaign), re.S)
    assert main is not None
    text = re.sub(r"</(p|h\d|tr|figcaption|label|summary|pre|nav|button)>", "\n", main[0])
    text = unescape(re.sub(r"<[^>]+>", " ", text))
    lines = (" ".join(line.split()) for line in text.splitlines())
    golden("comparison-page.txt", "\n".join(line for line in lines if line) + "\n")


def test_every_case_has_its_details_once(campaign: Campaign) -> None:
    entries = whole(campaign).entries
    assert [entry.id for entry in entries] == [case.id for case in campaign.cases]
    for entry in entries:
        titles = [section.title for section in entry.sections]
        assert len(titles) == len(set(titles)) and titles[-1] == "Parameters"
