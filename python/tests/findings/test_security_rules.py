"""Rules about secured cases."""

from __future__ import annotations

from typing import Any

import pytest
from planted import ADAPTERS, Planted, params

from busmark.findings import plan_findings
from busmark.store import Case


def planned(security: str, **host: Any) -> list[str]:
    case = Case(id="a", params=params("cyclonedds", security=security), status="planned")
    return [each.id for each in plan_findings([case], host, ADAPTERS)]


@pytest.mark.parametrize("security", ["rtps_encrypt", "data_encrypt", "tls"])
def test_encryption_without_instructions_for_it_is_reported_before_the_run(security: str) -> None:
    assert planned(security, aes_instructions=False) == ["no-aes-instructions"]
    assert planned(security, aes_instructions=True) == []
    assert planned(security) == []


@pytest.mark.parametrize("security", ["none", "authentication"])
def test_where_no_sample_is_protected_they_are_not_missed(security: str) -> None:
    assert planned(security, aes_instructions=False) == []


def large(campaign: Planted, security: str, packets: int, **matrix: Any) -> Planted:
    asked = params("cyclonedds", test="throughput", size=40_000, security=security, **matrix)
    return campaign.case("a", params=asked, rows=2, received=2000, wire_packets=packets,
                         wire_bytes=2000 * 41_000)  # fmt: skip


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
