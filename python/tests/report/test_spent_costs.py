"""What security costs, in a campaign whose costs are planted."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from busmark.compare.campaign import Campaign, summarise
from printed import rows, show
from rich.console import Console
from synthetic_campaign import Builder

from busmark.present.blocks.further import costs
from busmark.present.charts.kinds import CHARTS
from busmark.present.pages import render
from busmark.present.same_in_all import facts
from busmark.store import Result

ROUNDS = 4
SLOWER, MORE_BYTES = 1.5, 2.0
"""Secured over plain."""


def campaign(directory: Path, *profiles: str) -> Campaign:
    """Pings of two middleware with each profile; a shift common to a round hides nothing."""
    build = Builder(directory)
    for adapter in ("cyclonedds", "fastdds"):
        for profile in profiles:
            secured = profile != "none"
            case = build.case(f"{adapter}-{profile}", adapter=adapter, security=profile)
            for number in range(ROUNDS):
                mood = 1.0 + 0.2 * number
                median = 20_000.0 * mood * (SLOWER if secured else 1.0)
                build.pings(case, number, median + np.arange(60) - 30)
                samples = 2 * build.rows[-1]["samples"]
                wire_bytes = int(samples * 200 * (MORE_BYTES if secured else 1))
                build.rows[-1] |= {"wire_samples": samples, "wire_bytes": wire_bytes}
                if number != 1:
                    build.system(case, number)
    return summarise(Result(build.finish()), with_series=False)


def test_what_tls_costs_over_a_bare_socket_is_told_beside_middleware(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for adapter, slower in (("tcp", 1.5), ("mqtt", 2.0)):
        for profile in ("none", "tls"):
            case = build.case(f"{adapter}-{profile}", adapter=adapter, security=profile)
            for number in range(ROUNDS):
                median = 20_000.0 * (1 + 0.2 * number) * (slower if profile == "tls" else 1.0)
                build.pings(case, number, median + np.arange(60) - 30)
    found = summarise(Result(build.finish()), with_series=False)
    ratios = {each.label: each.versus.ratio for each in found.effects}
    assert {label: round(r.value, 2) for label, r in ratios.items() if r} == {
        "TCP socket": 1.5, "mqtt": 2.0,
    }  # fmt: skip
    (section,) = costs(found)
    (table,) = section.tables
    assert len(table.rows) == 2
    assert not any("CPU" in column.title for column in table.columns)


def test_every_cost_is_the_ratio_that_was_planted(tmp_path: Path) -> None:
    found = [each for each in campaign(tmp_path, "none", "all").effects]
    assert [(each.parameter, each.value, each.reference) for each in found] == [
        ("security", "all protected", "no security")
    ] * 2
    for effect in found:
        assert effect.versus.ratio and effect.versus.ratio.value == pytest.approx(SLOWER, rel=0.01)
        assert effect.spent["bytes"].value == pytest.approx(MORE_BYTES, rel=0.01)
        # 0.6 CPUs on either side, and as many samples: round 1 has no counters.
        assert effect.spent["cpu"].value == pytest.approx(1.0)
        assert effect.spent["cpu"].rounds == ROUNDS - 1
        assert "packets" not in effect.spent
        for ratio in effect.spent.values():
            assert ratio.low is not None and ratio.high is not None
            assert ratio.low <= ratio.value <= ratio.high


def test_each_profile_stands_against_plain(tmp_path: Path) -> None:
    (section,) = costs(campaign(tmp_path, "none", "rtps_sign", "all"))
    (table,) = section.tables
    assert [row[:3] for row in rows(table)] == [
        ["Cyclone DDS", "RTPS signed", "64 B"], ["Cyclone DDS", "all protected", "64 B"],
        ["Fast DDS", "RTPS signed", "64 B"], ["Fast DDS", "all protected", "64 B"],
    ]  # fmt: skip
    assert [column.title for column in table.columns][3:] == [
        "Median RTT/2 ×", "CPU per sample ×", "Bytes per sample ×",
    ]  # fmt: skip


def test_page_and_terminal_show_it_where_a_case_is_secured(tmp_path: Path) -> None:
    found = campaign(tmp_path, "none", "all")
    page = render(found)
    assert 'id="security"' in page and 'href="#security"' in page
    console = Console(file=io.StringIO(), width=200)
    show(found, console)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "What security costs" in shown and "2.00 [2.00, 2.00]" in shown


def test_what_protects_every_case_stands_above_the_table(tmp_path: Path) -> None:
    assert "all protected" in facts(campaign(tmp_path / "secured", "all").cases)
    assert not any("security" in fact for fact in facts(campaign(tmp_path / "plain", "none").cases))


def test_plain_campaigns_have_no_such_part(tmp_path: Path) -> None:
    found = campaign(tmp_path, "none")
    assert list(costs(found)) == [] and 'id="security"' not in render(found)


def test_what_a_layer_costs_is_over_the_same_library_alone(tmp_path: Path) -> None:
    """rmw over Fast DDS 3, in a campaign where it costs half as much again; CPU is as planted."""
    build = Builder(tmp_path)
    for adapter, slower in (("fastdds3", 1.0), ("rmw", 1.5), ("cyclonedds", 3.0)):
        for size in (64, 1024):
            case = build.case(f"{adapter}-{size}", adapter=adapter, size=size)
            for number in range(ROUNDS):
                median = 20_000.0 * (1 + 0.2 * number) * slower
                build.pings(case, number, median + np.arange(60) - 30)
    found = summarise(Result(build.finish()), with_series=False)
    layered = [effect for effect in found.effects if effect.parameter == "layer"]
    assert {(e.versus.case, e.versus.other) for e in layered} == {
        ("rmw-64", "fastdds3-64"), ("rmw-1024", "fastdds3-1024"),
    }  # fmt: skip
    assert [round(e.versus.ratio.value, 2) for e in layered if e.versus.ratio] == [1.5, 1.5]
    (section,) = costs(found)
    (table,) = section.tables
    assert section.title == "What the layer costs" and len(table.rows) == 2
    assert 'id="layer"' in render(found)
    chart = CHARTS[0]
    (picture,) = chart.draw(found, chart.cases(found))
    (curve,) = picture.curves
    assert [(at.x, round(at.y, 2)) for at in curve.points] == [(64, 1.5), (1024, 1.5)]
