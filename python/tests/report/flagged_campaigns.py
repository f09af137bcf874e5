"""A campaign with findings on some of its cases."""

from __future__ import annotations

from busmark.compare.campaign import Campaign

from busmark.store.manifest import Finding

TWO_MODES = "Latency has two modes"
STOLEN = "The hypervisor took CPU time away"
DROPPED = "The kernel dropped UDP datagrams"


def finding(rule: str, title: str, severity: str, *cases: str, evidence: str = "") -> Finding:
    return Finding.model_validate({
        "id": rule, "severity": severity, "title": title, "cause": "c", "remedy": f"mend {rule}",
        "evidence": evidence or f"{cases[0]}: seen here", "cases": cases,
    })  # fmt: skip


def flagged_campaign(campaign: Campaign) -> Campaign:
    """Two findings of one title, one on the tail alone, one on the loss, one of no rule of ours."""
    return campaign.model_copy(update={"findings": [
        finding("bimodal", TWO_MODES, "warning", "udp-64-same", "tcp-64-same",
                evidence="2 of 9 cases; the worst is tcp-64-same: two & far"),
        finding("bimodal", TWO_MODES, "note", "uds-64-same"),
        finding("steal-time", STOLEN, "warning", "udp-64-same"),
        finding("udp-drops", DROPPED, "error", "udp-64-same"),
        finding("foreign-rule", "Something else", "note", "udp-64-same"),
    ]})  # fmt: skip
