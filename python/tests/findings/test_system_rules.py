"""Rules that look at the system's counters."""

from __future__ import annotations

import pytest
from planted import LATENCY, THROUGHPUT, Planted

TCP = LATENCY


def test_drops_are_added_up_over_intervals_rounds_and_places(campaign: Planted) -> None:
    campaign.case("a", params=THROUGHPUT, rows=2, lost=3)
    campaign.system("a", 0, rx_drops=[2, None, 1], softnet_drops=[0, 5, None])
    campaign.system("a", 1, rx_drops=[1], tx_drops=[0])
    (finding,) = campaign.found("packets-dropped")
    assert finding.severity == "warning"
    assert (
        "5 by the backlog of a CPU, 4 by an interface in receiving in 2 rounds" in finding.evidence
    )
    assert "sending" not in finding.evidence


def test_drops_without_a_lost_sample_are_a_note(campaign: Planted) -> None:
    campaign.case("a", params=THROUGHPUT, rows=1).system("a", 0, rx_drops=[2])
    assert campaign.found("packets-dropped")[0].severity == "note"


@pytest.mark.parametrize(("faults", "severity"), [(0, "note"), (5, "warning")])
def test_swapping_of_others_is_a_note(campaign: Planted, faults: int, severity: str) -> None:
    campaign.case("a", rows=1).system(
        "a", 0, scope=["host", "process", "process"], participant=[None, "active", "counters"],
        swap_in_pages=[3, None, None], swap_out_pages=[0, None, None],
        major_faults=[None, faults, 9],
    )  # fmt: skip
    (finding,) = campaign.found("swapped")
    assert finding.severity == severity
    text = f"waited for a disk {faults} times" if faults else "no participant waited for a disk"
    assert text in finding.evidence


@pytest.mark.parametrize(("cpu", "fires"), [("0", True), ("1", False)])
def test_time_is_stolen_from_participants(campaign: Planted, cpu: str, fires: bool) -> None:
    """The hypervisor took a tenth of one CPU; participants run on CPU 0."""
    campaign.case("a", rows=1, cpus="0;0", steal=0.1)
    campaign.system(
        "a", 0, scope=["cpu", "cpu", "thread", "thread"],
        name=[cpu, "1" if cpu == "0" else "0", "t", "t"],
        participant=[None, None, "passive", "active"], interval=[0], process=[None, None, 1, 2],
        thread=[None, None, 1, 2], start_ns=[0], duration_ns=[2 * 10**9],
        steal_ns=[2 * 10**8, 0, None, None], run_ns=[None, None, 1, 1],
        user_ns=[0, 0, None, None], system_ns=[0, 0, None, None],
    )  # fmt: skip
    assert bool(campaign.found("steal-time")) == fires


def test_a_cpu_limit_is_reported_by_periods_and_time(campaign: Planted) -> None:
    campaign.case("a", rows=2)
    campaign.system("a", 0, throttled=[2, 1], throttled_ns=[40_000_000, 2_000_000])
    campaign.system("a", 1, throttled=[0], throttled_ns=[0])
    (finding,) = campaign.found("cpu-limit")
    assert "held back in 3 periods of 1 of 2 rounds, 42 ms" in finding.evidence


def test_counters_that_are_absent_or_zero_say_nothing(campaign: Planted) -> None:
    campaign.case("a", params=TCP, rows=2)
    campaign.system("a", 0, rx_drops=[None, 0], swap_in_pages=[None], throttled=[None])
    (campaign.directory / "system" / "a.r001.parquet").write_bytes(b"PAR1")
    ids = {finding.id for finding in campaign.findings()}
    assert ids.isdisjoint({"packets-dropped", "swapped", "cpu-limit", "tcp-retransmits"})


WHOLE = {
    "scope": ["interface", "interface"], "interval": [0, 1], "start_ns": [0, 1_000_000_000],
    "duration_ns": [1_000_000_000, 1_000_000_000],
}  # fmt: skip
"""Counters of an interface over the whole of a round."""


def test_bodies_that_no_interface_sent_are_reported(campaign: Planted) -> None:
    params = {**TCP, "test": "throughput", "size": 16_384}
    campaign.case("a", params=params, rows=2, received=1000)
    campaign.system("a", 0, **WHOLE, tx_bytes=[100_000, 200_000])
    campaign.system("a", 1, **WHOLE, tx_bytes=[17_000_000, None])
    (finding,) = campaign.found("bytes-on-wire")
    assert finding.severity == "error"
    assert "300\u202f000 B were sent by all interfaces in 1 round" in finding.evidence
    assert "16\u202f384\u202f000 B of bodies arrived" in finding.evidence


@pytest.mark.parametrize("transport", ["shm", "default", None])
def test_bodies_that_need_no_interface_are_no_finding(
    campaign: Planted, transport: str | None
) -> None:
    params = {**TCP, "transport": transport, "size": 16_384}
    campaign.case("a", params=params, rows=1, received=1000)
    campaign.system("a", 0, **WHOLE, tx_bytes=[0, 0])
    assert campaign.found("bytes-on-wire") == []


def test_bytes_of_a_gap_between_counters_are_not_missed(campaign: Planted) -> None:
    params = {**TCP, "test": "throughput", "size": 16_384}
    campaign.case("a", params=params, rows=1, received=1000)
    half = {**WHOLE, "duration_ns": [500_000_000, 500_000_000]}
    campaign.system("a", 0, **half, tx_bytes=[1000, 1000])
    assert campaign.found("bytes-on-wire") == []
