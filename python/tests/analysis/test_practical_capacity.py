"""What links can carry in practice: the fastest plain TCP transfer over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from busmark.compare.campaign import Campaign, summarise
from synthetic_campaign import Builder

from busmark.store import Result

LAB = {"writer_on": "n1", "reader_on": "n2", "link_rate": "100mbit", "placement": "free"}


def over_links(directory: Path, *streams: tuple[dict[str, Any], float]) -> Campaign:
    """Cases called 0, 1, …, each with its goodput in Mbit/s."""
    build = Builder(directory)
    for number, (params, goodput) in enumerate(streams):
        case = build.case(str(number), test="throughput", **{**LAB, **params})
        build.stream(case, 0, goodput * 1e6 / (8 * params["size"]), params["size"])
    return summarise(Result(build.finish()))


def practical(campaign: Campaign) -> list[float | None]:
    found = [case.throughput for case in campaign.cases]
    return [throughput and throughput.practical_mbit_per_s for throughput in found]


@pytest.mark.parametrize("turn", [1, -1])
def test_it_is_that_of_the_fastest_transfer(tmp_path: Path, turn: int) -> None:
    tcp = [({"adapter": "tcp", "size": 64}, 3.0), ({"adapter": "tcp", "size": 65536}, 94.0)]
    campaign = over_links(tmp_path, *tcp[::turn], ({"adapter": "udp", "size": 65536}, 95.0))
    assert practical(campaign) == pytest.approx([94.0] * 3)


def test_a_transfer_at_a_rate_says_nothing_of_the_links(tmp_path: Path) -> None:
    paced = {"adapter": "tcp", "size": 65536, "rate_hz": 2.0}
    campaign = over_links(tmp_path, (paced, 1.0), ({"adapter": "udp", "size": 65536}, 95.0))
    assert practical(campaign) == [None, None]


def test_what_a_mesh_asks_for_is_of_all_together(tmp_path: Path) -> None:
    """4 applications write 5 topics at 20 Hz to 4 readers of each: 1,600 samples per second."""
    build = Builder(tmp_path)
    mesh = {"applications": 4, "topics": 5, "writers": 1, "readers": 1, "rate_hz": 20.0, "size": 64}
    case = build.case("mesh", test="throughput", **mesh)
    build.stream(case, 0, 1600.0, 64, theoretical_per_s=1600.0)
    found = summarise(Result(build.finish())).cases[0].throughput
    assert found and found.paced and found.mbit_per_s
    assert found.paced.specified_mbit_per_s == pytest.approx(1600 * 64 * 8 / 1e6)
    assert found.paced.carried == found.mbit_per_s
