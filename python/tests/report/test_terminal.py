"""The terminal's tables: what they say, and that they fit."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from busmark.analysis import Campaign
from busmark.analysis.words.text import count
from busmark.report.terminal import show


def shown(campaign: Campaign, width: int = 80) -> str:
    stream = io.StringIO()
    show(campaign, Console(file=stream, width=width))
    return stream.getvalue()


@pytest.mark.parametrize("width", [60, 80, 180])
def test_no_line_is_wider_than_the_terminal_and_there_are_no_colour_codes(
    campaign: Campaign, width: int
) -> None:
    text = shown(campaign, width)
    assert "\x1b" not in text
    if width >= 80:
        assert max(map(len, text.splitlines())) <= width


def test_name_question_answer_and_tables_come_in_this_order(campaign: Campaign) -> None:
    text = shown(campaign)
    places = [
        " ".join(text.split("\n  ")).index(part)
        for part in (
            "Six ways to pass a sample",
            "Which middleware has the lowest latency",
            "- Cyclone DDS is fastest in all 8 latency workloads",
            "Round-trip latency on one CPU",
            "Round-trip latency on different CPUs",
            "Throughput on different CPUs",
            "Not measured",
            "Findings",
        )
    ]
    assert places == sorted(places)


def test_every_figure_has_unit_interval_count_and_rounds(campaign: Campaign) -> None:
    lines = shown(campaign).splitlines()
    head = next(line for line in lines if "Median RTT/2" in line)
    columns = ("transport", "Median RTT/2, µs", "p99 RTT/2, µs", "Lost", "Rounds")
    assert re.fullmatch(" +".join(columns), head.strip())
    assert lines[lines.index(head) - 1].strip() == "Middleware"
    row = next(line for line in lines if line.startswith("Zenoh"))
    figures = re.findall(r"\d+(?:\.\d+)?\s+\[\d+(?:\.\d+)?, \d+(?:\.\d+)?\]", row)
    assert len(figures) == 2
    assert re.search(r" 0 +3$", row)
    wide = next(line for line in shown(campaign, 180).splitlines() if line.startswith("Zenoh"))
    assert re.search(rf"{count(4500)} +0 .* 3$", wide.strip())


def test_what_was_not_measured_is_absent_and_says_why(campaign: Campaign) -> None:
    text = shown(campaign)
    assert "Zenoh (zenoh-secure): zenoh does not declare security" in text
    assert "- Fast DDS, 1 MiB: failed, 3 rounds failed: the ponger ended with signal 11." in text
    failed = next(line for line in text.splitlines() if "0 of 3" in line)
    assert failed.split() == ["Fast", "DDS", "—", "—", "—", "0", "of", "3"]
    assert "1 round marked: readers matched after the first" in text


def test_findings_come_with_their_remedy(campaign: Campaign) -> None:
    text = shown(campaign)
    assert "warning: Socket buffers are small" in text
    assert "sysctl -w net.core.rmem_max=4194304" in text


def test_the_floor_is_in_every_latency_table(campaign: Campaign) -> None:
    latency, different = shown(campaign).split("Round-trip latency on different CPUs")
    assert latency.count("floor (null") == 4
    assert different.count("floor (null") == 4


def test_an_unfinished_campaign_says_so(hostile: Campaign) -> None:
    assert "not finished" in shown(hostile)
