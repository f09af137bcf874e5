"""One finding for each rule, whatever the number of cases."""

from __future__ import annotations

import subprocess
import sys

import pytest
from planted import THROUGHPUT, Planted, clean

from busmark.findings import combine, host_findings, registry
from busmark.findings.rule import Rule
from busmark.store.manifest import Finding


def test_cases_of_one_rule_are_merged_and_the_worst_is_named(campaign: Planted) -> None:
    for name, drops in (("a", 3), ("b", 50), ("c", 0), ("d", 7)):
        campaign.case(name, params=THROUGHPUT, rows=3, udp_socket_drops=drops, lost=drops)
    (finding,) = campaign.findings()
    assert finding.cases == ["a", "b", "d"]
    assert finding.evidence.startswith("3 of 4 cases; the worst is b: 150 datagrams dropped")


def test_errors_come_first(campaign: Planted) -> None:
    campaign.case("a", clean(1, samples=500, rounds=2), corrupted=1)
    assert [f.severity for f in campaign.findings()] == ["error", "warning", "note"]


def test_a_defect_in_one_rule_leaves_the_others(
    campaign: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_view: object) -> list[object]:
        raise ZeroDivisionError("planted")

    rule = Rule("smt", "t", "c", "r", check_case=broken)  # type: ignore[arg-type]
    monkeypatch.setitem(registry.rules(), "smt", rule)
    campaign.case("a", clean(1), foreign=1)
    findings = {finding.id: finding for finding in campaign.findings()}
    assert set(findings) == {"foreign-traffic", "smt"}
    assert "ZeroDivisionError: planted" in findings["smt"].evidence


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


def test_every_rule_is_complete_and_has_a_name_of_its_own() -> None:
    known = registry.rules()
    assert len(known) == sum(map(len, registry.by_subject().values()))
    for rule in known.values():
        assert rule.title and rule.cause and rule.remedy
        assert rule.check_host or rule.check_plan or rule.check_case or rule.check_campaign
        assert rule.fact is None or rule.check_host
        assert set(rule.explains) <= known.keys() - {rule.id}


def test_the_registry_imports_nothing_heavy() -> None:
    code = (
        "import sys, busmark.findings.registry as r; r.rules(); "
        "print([m for m in ('polars', 'numpy', 'scipy', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
