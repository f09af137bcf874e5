"""Rules that look at the system's counters."""

from __future__ import annotations

import pytest
from planted import LATENCY, THROUGHPUT, Planted

TCP = {**LATENCY, "adapter": "tcp", "transport": "tcp"}


def test_segments_sent_again_are_told_with_their_number(campaign: Planted) -> None:
    campaign.case("a", params=TCP, rows=3, tcp_retransmits=[0, 4, 1])
    (finding,) = campaign.found("tcp-retransmits")
    assert finding.severity == "warning"
    assert "5 segments sent again in 2 of 3 rounds" in finding.evidence


@pytest.mark.parametrize("params", [THROUGHPUT, {**TCP, "link_loss": "1%"}])
def test_retransmits_of_others_or_on_purpose_are_no_finding(
    campaign: Planted, params: dict[str, object]
) -> None:
    campaign.case("a", params=params, rows=3, tcp_retransmits=4)
    assert campaign.found("tcp-retransmits") == []


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


def test_swapping_is_told_by_direction(campaign: Planted) -> None:
    campaign.case("a", rows=1).system("a", 0, swap_in_pages=[3, 4], swap_out_pages=[0, 1])
    (finding,) = campaign.found("swapped")
    assert "7 pages came from swap and 1 went there in 1 round" in finding.evidence


def test_a_cpu_limit_is_told_by_periods_and_time(campaign: Planted) -> None:
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
