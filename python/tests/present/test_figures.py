"""How figures are written: ratios, p-values, shares."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from seams import done
from synthetic_campaign import Builder

from busmark.model.figure import Figure
from busmark.model.text import set_percent_text
from busmark.present import figures
from busmark.present.document import Cell


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "—"), (5e-5, "<0.0001"), (1e-4, "0.0001"), (5e-4, "0.0005"), (0.0312, "0.0312")],
)
def test_a_p_value_below_a_ten_thousandth_is_shown_as_such(value: float | None, text: str) -> None:
    assert figures.p_text(value) == text


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (1.34, 1.30, 1.38, "1.34 [1.30, 1.38]"),
        # No limit reads as 1 that is not 1.
        (1.02, 1.004, 1.04, "1.020 [1.004, 1.040]"),
        # A limit a hundred times away is a bound.
        (5.0, 0.001, 900.0, "5 [<0.01, >500]"),
        (0.5, 0.0004, 90.0, "0.50 [<0.005, 90.00]"),
        (2.0, None, None, "2.00"),
    ],
)
def test_a_ratio_has_its_interval(
    value: float, low: float | None, high: float | None, text: str
) -> None:
    ratio = Figure(value=value, low=low, high=high, count=5, rounds=5, unit="1")
    assert figures.ratio_with_interval(ratio) == text


@pytest.mark.parametrize(
    ("cell", "value", "interval"),
    [
        (Cell(1.612, 1.5, 1.7), "1.61", "[1.50, 1.70]"),
        (Cell(0.62, 0.6, 0.65), "0.62", "[0.60, 0.65]"),
        (Cell(0.01, 0.002, 27.29435), "0.010", "[0.002, 27.29]"),
        (Cell(0.9, 0.8, 1.2), "0.90", "[0.80, 1.20]"),
        (Cell(1.0004, 1.0001, 1.0009), "1.0004", "[1.0001, 1.0009]"),
        (Cell(1.0, 0.99, 1.01, verdict="equivalent"), "=", "[0.99, 1.01]"),
        (Cell(2.0, verdict="undecided"), "?", ""),
        (Cell(), "", ""),
    ],
)
def test_a_ratio_has_the_digits_that_its_limits_support(
    cell: Cell, value: str, interval: str
) -> None:
    assert figures.ratio_text(cell) == value
    assert figures.interval_of_ratio(cell) == interval


def test_shares_and_counts_are_in_words() -> None:
    assert [set_percent_text(share) for share in (0.02, 0.001, 0.125)] == [
        "2 %", "0.1 %", "12.5 %",
    ]  # fmt: skip
    assert figures.in_words({"met": 2, "missed": 1, "undecided": 0}) == "2 met, 1 missed"


@pytest.mark.parametrize(("own", "column"), [(0, False), (41, True)])
def test_drops_of_others_stand_in_no_row_of_a_case(tmp_path: Path, own: int, column: bool) -> None:
    build = Builder(tmp_path / "result")
    case = build.case("a", test="throughput")
    for number in range(3):
        build.stream(case, number, 10_000.0, 64, udp_socket_drops=own)
        build.table("system", case, number, [
            {"scope": "network", "network": "net:[1]", "interval": 0, "start_ns": 0,
             "duration_ns": 10**9, "udp_rcvbuf_errors": 2777},
        ])  # fmt: skip
    text = " ".join(done("show", build.finish(), "--wide").split())
    assert ("UDP drops " in text.partition("Median and percentiles")[0]) is column
    assert ("UDP drops: at the participants' sockets, warm-up included." in text) is column
    whole = (
        "Whole machine and its networks in the measured time of all rows together, other programs"
    )
    assert f"{whole} included: UDP drops (receive buffer) 8 331." in text.replace(
        "\N{NARROW NO-BREAK SPACE}", " "
    )


def test_a_command_is_code_in_markdown_and_its_bars_end_no_cell(tmp_path: Path) -> None:
    build = Builder(tmp_path / "result")
    case = build.case("a")
    build.pings(case, 0, np.full(50, 20_000))
    build.findings.append({
        "id": "other-load", "severity": "warning", "title": "t", "cause": "c*", "evidence": "e|",
        "remedy": "See `ps -eo pcpu | head`, and *end* it.", "cases": [],
    })  # fmt: skip
    done("report", build.finish(), "--to", "markdown", "--out", tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "`ps -eo pcpu | head`" in text.replace("\\|", "|") and "\\`" not in text
    assert "\\*end\\*" in text
    assert "\n- ! warning: t\n  - " in text and "\n  - remedy: See" in text


def test_a_version_stands_without_the_name_beside_what_the_build_lacks(tmp_path: Path) -> None:
    build = Builder(tmp_path / "result")
    case = build.case("a", adapter="fastdds3")
    build.pings(case, 0, np.full(50, 20_000))
    manifest = build.finish() / "manifest.json"
    values = json.loads(manifest.read_text(encoding="utf-8"))
    values["adapters"]["fastdds3"] |= {
        "title": "eProsima Fast DDS 3", "cost": "a write allocates memory",
        "middleware_version": "eProsima Fast DDS 3.2.2, built without security",
    }  # fmt: skip
    manifest.write_text(json.dumps(values), encoding="utf-8")
    row = "eProsima Fast DDS 3 3.2.2, built without security a write allocates memory"
    assert row in " ".join(done("show", manifest.parent, "--wide").split())
