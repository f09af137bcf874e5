"""One finding for each rule, whatever the number of cases."""

from __future__ import annotations

from planted import THROUGHPUT, Planted, clean

from busmark.findings import combine, host_findings
from busmark.store import Finding


def test_cases_of_one_rule_are_merged_and_the_worst_is_named(campaign: Planted) -> None:
    for name, drops in (("a", 3), ("b", 50), ("c", 0), ("d", 7)):
        campaign.case(name, params=THROUGHPUT, rows=3, udp_socket_drops=drops, lost=drops)
    (finding,) = campaign.findings()
    assert finding.cases == ["a", "b", "d"]
    assert finding.evidence.startswith("3 of 4 cases; the worst is b: 150 datagrams dropped")


def test_errors_come_first(campaign: Planted) -> None:
    campaign.case("a", clean(1, samples=500, rounds=2), corrupted=1)
    assert [f.severity for f in campaign.findings()] == ["error", "warning", "note"]


def test_the_later_of_two_equal_findings_stays() -> None:
    early = Finding(
        id="unpinned", severity="warning", title="t", cause="c", evidence="e1", remedy="r",
        cases=["a"],
    )  # fmt: skip
    late = early.model_copy(update={"evidence": "e2"})
    assert combine([early], [late]) == [late]


def test_findings_of_two_nodes_are_both_kept() -> None:
    profile = {"virtualisation": "KVM"}
    nodes = [host_findings(profile, node=name) for name in ("lab1", "lab2")]
    kept = [f.evidence for f in combine(*nodes) if f.id == "virtual-machine"]
    assert kept == ["node lab1: running under KVM", "node lab2: running under KVM"]
