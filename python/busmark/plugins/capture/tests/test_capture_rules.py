"""Rules about captures."""

from __future__ import annotations

from pathlib import Path

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
