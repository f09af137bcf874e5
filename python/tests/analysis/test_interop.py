"""The interoperability matrix: each kind of cell is recognised and told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from busmark.compare.campaign import summarise
from busmark.compare.matrix import Matrix
from synthetic_campaign import Builder

from busmark.present.charts.pairs import dead_cells, heat_maps
from busmark.present.pages import render
from busmark.store import Result


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs of three adapters over two tests, one of each state."""
    build = Builder(tmp_path_factory.mktemp("interop"))
    rng = np.random.default_rng(3)
    known = {"discovery_s": 0.02, "discovery_resolution_s": 0.0}
    limited = {"discovery_s": None, "discovery_resolution_s": 0.0004}
    for writer in ("cyclonedds", "fastdds", "udp"):
        for reader in ("cyclonedds", "fastdds", "udp"):
            peer = None if reader == writer else reader
            case = build.case(f"l-{writer}-{reader}", adapter=writer, peer=peer)
            if "udp" in (writer, reader) and writer != reader:
                build.row(case, 0, "failed", reason="unmatched: not matched: passive: 0 of 1")
                continue
            discovery = limited if writer == "udp" else known
            for number in range(3):
                build.pings(case, number, rng.normal(40_000, 2000, 500))
                build.rows[-1] |= {"expected": None, **discovery}
    states = {
        ("cyclonedds", "fastdds"): {},
        ("fastdds", "cyclonedds"): {"lost": 1000},
        ("udp", "fastdds"): {"corrupted": 7},
    }
    for (writer, reader), values in states.items():
        case = build.case(f"t-{writer}-{reader}", adapter=writer, peer=reader, test="throughput")
        for number in range(3):
            build.stream(case, number, 10_000, 64, **values, expected=20_000 + 1000)
    case = build.case("t-none", adapter="udp", peer="cyclonedds", test="throughput")
    build.row(case, 0, "marked", reason="0 samples", received=0, sent=900, expected=900, lost=900)
    case = build.case("t-dead", adapter="cyclonedds", peer="udp", test="throughput")
    build.row(case, 0, "failed", reason="died: active: SIGSEGV")
    build.case(
        "t-lacks", "unsupported", "udp: QoS reliable", adapter="fastdds", peer="udp",
        test="throughput",
    )  # fmt: skip
    return build.finish()


def matrix(directory: Path, test: str) -> Matrix:
    found = summarise(Result(directory)).interop
    return next(m for m in found if m.test == test)


def test_all_pairs_of_a_test_are_one_matrix(directory: Path) -> None:
    latency = matrix(directory, "latency")
    assert latency.adapters == ["cyclonedds", "fastdds", "udp"]
    assert len(latency.cells) == 9 and latency.working == 5
    assert latency.workload == "64 B on one CPU"


def test_a_cell_that_works_has_its_figure_and_its_discovery(directory: Path) -> None:
    cell = next(
        c for c in matrix(directory, "latency").cells
        if (c.writer, c.reader) == ("cyclonedds", "fastdds")
    )  # fmt: skip
    assert cell.state == "works" and cell.reason is None
    assert cell.result is not None and cell.result.value == pytest.approx(20_000, rel=0.02)
    assert cell.discovery_s == 0.02


def test_discovery_that_is_not_resolved_is_shown_as_a_limit(directory: Path) -> None:
    campaign = summarise(Result(directory))
    cell = next(c for c in matrix(directory, "latency").cells if c.writer == c.reader == "udp")
    assert (cell.discovery_s, cell.discovery_within_s) == (None, 0.0004)
    found = next(m for m in heat_maps(campaign) if m.id.startswith("interop-discovery"))
    shown = {c.text for _, cells in found.rows for c in cells if c and c.case == cell.case}
    assert shown == {"≤ 0.400"}


def test_a_cell_that_does_not_work_says_why(directory: Path) -> None:
    latency = {(c.writer, c.reader): c for c in matrix(directory, "latency").cells}
    assert latency["udp", "fastdds"].state == "not matched"
    assert "0 of 1" in str(latency["udp", "fastdds"].reason)
    states = {(c.writer, c.reader): c.state for c in matrix(directory, "throughput").cells}
    assert states == {
        ("cyclonedds", "fastdds"): "works",
        ("fastdds", "cyclonedds"): "loses",
        ("udp", "fastdds"): "wrong content",
        ("udp", "cyclonedds"): "no data",
        ("cyclonedds", "udp"): "failed",
        ("fastdds", "udp"): "unsupported",
    }


def test_heat_maps_have_four_figures_and_shades_by_ratio(directory: Path) -> None:
    campaign = summarise(Result(directory))
    maps = {m.id.rsplit("-", 1)[0]: m for m in heat_maps(campaign)}
    assert set(maps) == {
        "interop-latency", "interop-discovery", "interop-goodput", "interop-loss",
    }  # fmt: skip
    shades = [c.shade for _, cells in maps["interop-latency"].rows for c in cells if c]
    assert all(0 <= s < 0.1 for s in shades if s is not None), "nearly equal looks nearly equal"
    losses = [c.shade for _, cells in maps["interop-loss"].rows for c in cells if c]
    assert max(s for s in losses if s is not None) == 1
    assert len(dead_cells(campaign)) == 4 + 5


def test_the_page_shows_the_matrix_and_every_reason(directory: Path) -> None:
    page = render(summarise(Result(directory)))
    assert 'id="part-interoperability"' in page
    for text in ("not matched", "SIGSEGV", "21 bodies differ", "0 of 1", "udp: QoS reliable"):
        assert text in page, text


def test_a_campaign_without_peers_has_no_matrix(tmp_path: Path) -> None:
    build = Builder(tmp_path / "plain")
    build.pings(build.case("one"), 0, np.full(200, 30_000.0))
    campaign = summarise(Result(build.finish()))
    assert campaign.interop == []
    assert 'id="part-interoperability"' not in render(campaign)


def test_a_pair_that_works_plain_and_not_secured_is_named_with_its_security(tmp_path: Path) -> None:
    build = Builder(tmp_path / "secured")
    for security in ("none", "authentication"):
        pair = {"adapter": "opendds", "peer": "fastdds", "security": security}
        case = build.case(f"pair-{security}", **pair)
        if security == "none":
            build.pings(case, 0, np.full(200, 30_000.0), security=security)
        else:
            build.row(case, 0, "failed", reason="unmatched: passive: 0 of 1", security=security)
    (dead,) = dead_cells(summarise(Result(build.finish())))
    assert dead.state == "not matched" and dead.workload.endswith("authentication")
