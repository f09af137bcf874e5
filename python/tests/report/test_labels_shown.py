"""If all cases have their middleware in common, labels do not repeat it: it is shown once."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from form_files import sheets
from synthetic_campaign import Builder, samples_around
from varied_campaigns import alike_campaign, varied_campaign

from busmark.compare import compare, select
from busmark.compare.campaign import Campaign
from busmark.present.blocks.campaign import entries
from busmark.present.blocks.changes import headlines
from busmark.present.charts.kinds import KINDS
from busmark.present.pages import render


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return alike_campaign(tmp_path_factory.mktemp("alike"))


def test_the_page_says_it_above_the_table_and_heads_the_column_with_what_varies(
    alike: Campaign,
) -> None:
    page = render(alike)
    assert re.search(r'<p class="is-quiet">[^<]*: Cyclone DDS, 64 B, transport udp, reliable', page)
    (table,) = re.findall(r'id="latency-same">.*?</table>', page, re.DOTALL)
    heads = [re.sub("<[^>]+>", "", head).strip()
             for head in re.findall(r"<th scope=.col..*?</th>", table, re.DOTALL)]  # fmt: skip
    assert heads[0] == "History" and "Size" not in heads and "Rounds" not in heads
    assert "Cyclone DDS" not in table and "keep last 8" in table


def test_every_choice_has_a_filter_of_its_own(tmp_path: Path) -> None:
    found = [entry.values for entry in entries(varied_campaign(tmp_path), None)]
    names = {name for values in found for name in values}
    assert {"Middleware", "Transport", "Reliability", "History"} <= names
    assert {values["Middleware"] for values in found} == {"UDP socket", "Cyclone DDS", "Zenoh"}


def test_what_labels_tell_can_be_chosen(alike: Campaign) -> None:
    values = {entry.id: entry.values.get("History") for entry in entries(alike, None)}
    assert (values["depth-1"], values["depth-8"]) == ("keep last 1", "keep last 8")


def test_a_figure_on_paper_says_it_in_its_caption(alike: Campaign) -> None:
    (kind,) = (kind for kind in KINDS if kind.key == "latency-medians")
    (sheet,) = sheets(alike, kind)
    assert sheet.caption.startswith("Cyclone DDS. One CPU, 64 B: ")


def test_a_comparison_of_adapters_heads_its_rows_with_what_they_are(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    rng = np.random.default_rng(8)
    for adapter in ("cyclonedds", "fastdds"):
        for reliability in ("reliable", "best_effort"):
            qos = {"reliability": reliability}
            case = build.case(f"{adapter}-{reliability}", adapter=adapter, qos=qos)
            for number in range(3):
                build.pings(case, number, samples_around(20_000, 300, rng))
    build.finish()
    for by, title in (("adapter", "Reliability"), ("qos.reliability", "Middleware")):
        found = compare(select([str(tmp_path)], [by], None), by=[by])
        (section,) = headlines(found)
        (table,) = section.tables
        assert table.columns[0].title == f"{title}, size"
