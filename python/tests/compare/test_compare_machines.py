"""`--by os`: results of several operating systems, and what is said where there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compare_results import HOST, Builder, campaign, compared

from busmark.compare import select
from busmark.compare.campaign import summarise
from busmark.errors import UserError
from busmark.store import Result

DEBIAN = HOST["os"]
FEDORA = "Fedora Linux 40 (Server Edition)"
OTHER: dict[str, Any] = {**HOST, "hostname": "bench-2", "os": FEDORA, "kernel": "6.8.5"}
NODES = {"": HOST, "a": HOST, "b": OTHER}


@pytest.fixture
def debian(tmp_path: Path) -> Path:
    return campaign(tmp_path / "debian", seed=1)


@pytest.fixture
def fedora(tmp_path: Path) -> Path:
    return campaign(tmp_path / "fedora", 1.5, seed=2, hosts={"": OTHER})


def on_nodes(directory: Path, *ends: tuple[str, str], hosts: dict[str, Any] = NODES) -> Path:
    """Write one latency case for each pair of nodes."""
    cases = [
        {"adapter": "udp", "network": "nodes", "writer_on": writer, "reader_on": reader,
         "id": f"udp-{writer}-{reader}"}
        for writer, reader in ends
    ]  # fmt: skip
    return campaign(directory, cases=cases, hosts=hosts)


def test_directories_are_named_by_their_system_which_is_nothing_to_be_warned_of(
    debian: Path, fedora: Path
) -> None:
    found = compared(debian, fedora, by=["os"])
    assert found.by == ["os"] and len(found.pairs) == 2
    assert found.baseline.name == f"debian ({DEBIAN})"
    assert [side.name for side in found.candidates] == [f"fedora ({FEDORA})"]
    assert {pair.verdict for pair in found.pairs} == {"slower"}
    machine = {d.fact: d.warning for d in found.differences if d.area == "machine"}
    assert machine == {"os": False, "kernel": False, "hostname": False}
    assert "other environment" not in [each.kind for each in found.warnings]
    without = compared(debian, fedora)
    assert without.baseline.name == "debian"
    assert all(d.warning for d in without.differences if d.area == "machine")


def test_that_the_machine_is_another_is_a_warning(debian: Path, tmp_path: Path) -> None:
    stronger = {**OTHER, "cpu_model": "Another CPU", "cpus_online": 8}
    other = campaign(tmp_path / "other", seed=3, hosts={"": stronger})
    found = compared(debian, other, by=["os"])
    assert {d.fact for d in found.differences if d.warning} == {"cpu model", "cpus online"}
    (of,) = [each.of for each in found.warnings if each.kind == "other machine"]
    assert of == "cpu model and cpus online"


def test_of_one_system_there_is_nothing_to_compare(debian: Path, tmp_path: Path) -> None:
    newer = campaign(tmp_path / "newer", seed=3, hosts={"": {**HOST, "kernel": "6.19.1"}})
    with pytest.raises(UserError, match="all cases ran on one operating system: Debian") as refused:
        compared(debian, newer, by=["os"])
    assert refused.value.remedy == "Leave --by os out. The machines differ by kernel."
    assert len(compared(debian, newer, by=["kernel"]).pairs) == 2
    with pytest.raises(UserError, match="all cases ran on one operating system: Debian") as refused:
        select([str(debian)], ["os"], None)
    assert refused.value.remedy == "Leave --by os out."


def test_a_result_that_does_not_say_is_named_so(debian: Path, tmp_path: Path) -> None:
    bare = {name: value for name, value in HOST.items() if name != "os"}
    first = campaign(tmp_path / "first", seed=3, hosts={"": bare})
    second = campaign(tmp_path / "second", seed=4, hosts={"": bare})
    found = compared(debian, first, by=["os"])
    assert found.candidates[0].name == "first (not recorded)"
    with pytest.raises(UserError, match="no case records its operating system"):
        compared(first, second, by=["os"])


def test_nodes_of_one_campaign_are_compared_by_their_system(tmp_path: Path) -> None:
    mixed = on_nodes(tmp_path / "mixed", ("a", "a"), ("b", "b"), ("a", "b"))
    found = compared(mixed, by=["os"])
    names = [found.baseline.name, *(side.name for side in found.candidates)]
    assert names == [DEBIAN, FEDORA, f"{DEBIAN} → {FEDORA}"]
    assert [pair.candidate_case for pair in found.pairs] == ["udp-b-b", "udp-a-b"]
    assert found.pairs[0].paired and found.pairs[0].differs["writer_on"] == ("a", "b")
    kernels = {(d.baseline, d.candidate_value) for d in found.differences if d.fact == "kernel"}
    assert kernels == {("6.18.0", "6.8.5")}
    systems = {case.id: case.os for case in summarise(Result(mixed)).cases}
    assert systems == {"udp-a-a": DEBIAN, "udp-b-b": FEDORA, "udp-a-b": f"{DEBIAN} → {FEDORA}"}


def test_nodes_of_one_system_are_one_side(tmp_path: Path) -> None:
    alike = on_nodes(tmp_path / "alike", ("a", "a"), ("b", "b"), hosts={**NODES, "b": HOST})
    with pytest.raises(UserError, match="all cases ran on one operating system: Debian"):
        compared(alike, by=["os"])


def test_a_campaign_that_went_on_elsewhere_ran_on_both(debian: Path, tmp_path: Path) -> None:
    moved = {"utc": "2025-01-01T13:00:00Z", "first_order": 4, "host": OTHER}
    build = Builder(tmp_path / "moved", seed=3)
    campaign(tmp_path / "moved", seed=3, build=build, resumptions=[moved])
    orders = {row["order"] for row in build.rows}
    assert min(orders) < 4 <= max(orders)
    cases = summarise(Result(tmp_path / "moved")).cases
    assert {case.os for case in cases} <= {DEBIAN, FEDORA, f"{DEBIAN}, then {FEDORA}"}
    assert f"{DEBIAN}, then {FEDORA}" in {case.os for case in cases}


def test_a_parameter_beside_the_system_is_compared_with_it(tmp_path: Path) -> None:
    """And a further campaign of the baseline is still the same experiment."""
    both = campaign(
        tmp_path / "both", seed=1, cases=[{"adapter": "udp", "size": s} for s in (64, 96)]
    )
    other = campaign(tmp_path / "other", seed=2, cases=[{"adapter": "udp"}], hosts={"": OTHER})
    found = compared(f"{both}#udp-64-same", other, by=["os"])
    assert [pair.baseline_case for pair in found.pairs] == ["udp-64-same"]
