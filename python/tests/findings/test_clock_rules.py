"""Nodes whose clocks nothing keeps right."""

from __future__ import annotations

from typing import Any

from planted import LATENCY, Planted, clean

from busmark.host import clock_sync

FREE = clock_sync("kernel maxerror: 16000000\nkernel status: 64")
KEPT = clock_sync("kernel maxerror: 900\nkernel status: 8193\ndaemon chronyd")
SILENT = clock_sync("chrony-absent chronyc is not installed")


def plant(campaign: Planted, qos: dict[str, Any] | None = None, **clocks: Any) -> Planted:
    """A case between nodes, each with a clock of its own."""
    campaign.hosts = {
        name: {"clock_id": f"clock of {name}", "clock_sync": sync} for name, sync in clocks.items()
    }
    return campaign.case("c", clean(1), {**LATENCY, "network": "nodes", "qos": qos or {}})


def test_clocks_that_run_free_are_named(campaign: Planted) -> None:
    (found,) = plant(campaign, left=FREE, right=KEPT).found("clock-undisciplined")
    assert found.severity == "note"
    assert found.evidence == "1 node of 2: left (no daemon for it runs)"


def test_it_is_worse_where_the_qos_goes_by_times_of_day(campaign: Planted) -> None:
    qos = {"lifespan_s": 0.5, "destination_order": "source"}
    (found,) = plant(campaign, qos, left=FREE, right=FREE).found("clock-undisciplined")
    assert found.severity == "warning"
    assert "lifespan and destination order by source time stamp" in found.evidence


def test_clocks_that_are_kept_or_silent_are_no_finding(campaign: Planted) -> None:
    plant(campaign, left=KEPT, right=SILENT, old=None)
    assert campaign.found("clock-undisciplined") == []


def test_nodes_with_one_clock_need_no_discipline(campaign: Planted) -> None:
    plant(campaign, left=FREE, right=FREE)
    for host in campaign.hosts.values():
        host["clock_id"] = "one"
    assert campaign.found("clock-undisciplined") == []
