"""Paced cases beside what the network can carry: analysed, and drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from busmark.compare.campaign import Campaign, summarise
from drawn import Drawn as Chart
from drawn import draw_all
from specifications import curves
from synthetic_campaign import Builder

from busmark.store import Result

LAB = {"writer_on": "n1", "reader_on": "n2", "link_rate": "100mbit", "placement": "free"}


def ascent(campaign: Campaign) -> Chart | None:
    """The chart of the page."""
    drawn = draw_all(campaign)["throughput"]
    return next((chart for chart in drawn if chart.id == "throughput-ascent"), None)


@pytest.fixture(scope="module")
def climbing(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Four rates of 1000 B in two topologies: up to 60 Mbit/s arrive from each node."""
    build = Builder(tmp_path_factory.mktemp("ascent"))
    tcp = build.case("tcp", test="throughput", adapter="tcp", size=65536, **LAB)
    build.stream(tcp, 0, 95e6 / (65536 * 8), 65536)
    for rate in (1000.0, 4000.0, 8000.0, 16000.0):
        both = {"topology": "bidirectional", "subscribers": 1}
        two = {"topology": "one_way", "subscribers": 2, "reader_on": "n2+n3"}
        for name, more in (("both", both), ("two", two)):
            case = build.case(f"{name}-{rate:g}", test="throughput", size=1000, rate_hz=rate,
                              publishers=1, **{**LAB, **more})  # fmt: skip
            readers = 1 if name == "both" else 2
            arriving = min(rate * 8e-3 * readers, 60.0) * (2 if name == "both" else 1)
            for number in range(2):
                build.stream(case, number, arriving * 1e6 / 8000, 1000)
    return summarise(Result(build.finish()))


@pytest.mark.parametrize(("name", "readers"), [("both", 1), ("two", 2)])
def test_a_paced_case_knows_what_it_asks_of_its_link(
    climbing: Campaign, name: str, readers: int
) -> None:
    for rate in (1000.0, 16000.0):
        found = climbing.case(f"{name}-{rate:g}").throughput
        assert found is not None and found.paced is not None
        specified = rate * 8e-3 * readers
        assert found.paced.specified_mbit_per_s == pytest.approx(specified)
        assert found.paced.carried.value == pytest.approx(min(specified, 60.0))
        assert found.paced.rated_mbit_per_s == 100
        assert found.paced.practical_mbit_per_s == pytest.approx(95)


def test_a_case_at_full_speed_is_not_paced(climbing: Campaign) -> None:
    found = climbing.case("tcp").throughput
    assert found is not None and found.paced is None


def test_the_ascent_has_a_curve_for_each_topology_and_a_line_for_each_limit(
    climbing: Campaign,
) -> None:
    chart = ascent(climbing)
    assert chart is not None
    (panel,) = chart.panels
    drawn = curves(panel.spec)
    assert [name for name in drawn if "bidirectional" in name or "2 readers" in name] == [
        "UDP socket, bidirectional", "UDP socket, to 2 readers",
    ]  # fmt: skip
    points = [(row["x"], row["y"]) for row in drawn["UDP socket, bidirectional"]]
    assert points == [(8, 8), (32, 32), (64, 60), (128, 60)]
    assert [row["y"] for row in drawn["rated capacity of the link"]] == [100, 100]
    practical = [row["y"] for row in drawn["practical: a plain TCP transfer"]]
    assert practical == pytest.approx([95, 95])


def test_two_rates_are_no_ascent(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for rate in (1000.0, 2000.0):
        case = build.case(f"at-{rate:g}", test="throughput", size=1000, rate_hz=rate)
        build.stream(case, 0, rate, 1000)
    assert ascent(summarise(Result(build.finish()))) is None
