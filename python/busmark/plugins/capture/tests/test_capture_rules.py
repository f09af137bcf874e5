"""Rules about captures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from planted import Planted, params


@pytest.fixture
def campaign(tmp_path: Path) -> Planted:
    return Planted(tmp_path / "result")


def test_packets_missing_in_a_capture_are_counted(campaign: Planted) -> None:
    campaign.case("a", params=params("udp"), rows=3, captured=1000, capture_dropped=[0, 250, 250])
    (finding,) = campaign.findings_of("capture-dropped")
    assert finding.severity == "warning"
    assert "500 packets (20 %)" in finding.evidence and "2 rounds" in finding.evidence


def test_a_complete_capture_and_none_are_no_finding(campaign: Planted) -> None:
    campaign.case("a", params=params("udp"), rows=3, captured=1000, capture_dropped=0)
    campaign.case("b", params=params("udp"), rows=3)
    assert campaign.findings_of("capture-dropped") == []


def test_a_transport_without_packets_is_named(campaign: Planted) -> None:
    campaign.scenario = {"capture": {"filter": "auto"}}
    campaign.case("a", params=params("uds"), rows=3)
    campaign.case("b", params=params("udp"), rows=3, captured=10, capture_dropped=0)
    (finding,) = campaign.findings_of("capture-nothing")
    assert finding.cases == ["a"] and "transport stream: local" in finding.evidence


def test_who_asks_for_no_capture_misses_none(campaign: Planted) -> None:
    campaign.case("a", params=params("uds"), rows=3)
    assert campaign.findings_of("capture-nothing") == []


def large(campaign: Planted, security: str, packets: int, **matrix: Any) -> Planted:
    asked = params("cyclonedds", test="throughput", size=40_000, security=security, **matrix)
    return campaign.case(
        "a", params=asked, rows=2, received=2000, wire_packets=packets, wire_bytes=2000 * 41_000
    )


def test_fragments_that_are_protected_one_by_one_are_counted(campaign: Planted) -> None:
    (finding,) = large(campaign, "rtps_encrypt", 60_000).findings_of("small-fragments")
    assert finding.severity == "note"
    assert "30.0 packets of 1,367 B" in finding.evidence.replace("\u202f", ",")
    assert "2 captured rounds" in finding.evidence


@pytest.mark.parametrize(("security", "packets"), [("data_encrypt", 60_000), ("none", 60_000),
                                                   ("rtps_encrypt", 4000)])  # fmt: skip
def test_payloads_protected_whole_and_large_packets_are_no_finding(
    campaign: Planted, security: str, packets: int
) -> None:
    assert large(campaign, security, packets).findings_of("small-fragments") == []


def secured(campaign: Planted, *window_packets: int, security: str = "rtps_encrypt") -> Planted:
    asked = params("cyclonedds", security=security)
    campaign.case("a", params=asked, rows=len(window_packets), captured=100)
    for number, packets in enumerate(window_packets):
        campaign.wire("a", number, data=50, handshake=packets)
    return campaign


def test_a_handshake_within_the_measured_time_is_found(campaign: Planted) -> None:
    (finding,) = secured(campaign, 0, 12, 6).findings_of("handshake-in-measurement")
    assert finding.severity == "warning" and finding.cases == ["a"]
    assert "18 packets" in finding.evidence and "2 of 3 captured rounds" in finding.evidence


def test_handshakes_before_it_and_of_plain_cases_are_no_finding(campaign: Planted) -> None:
    assert secured(campaign, 0, 0).findings_of("handshake-in-measurement") == []


def test_a_plain_case_has_no_handshake(campaign: Planted) -> None:
    assert secured(campaign, 5, security="none").findings_of("handshake-in-measurement") == []
