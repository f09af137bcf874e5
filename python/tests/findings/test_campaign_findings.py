"""A campaign's findings: none where nothing is wrong, one for each rule, the worst first."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import LATENCY, THROUGHPUT, Planted, clean

from busmark.findings import campaign_findings, combine, host_findings
from busmark.store import Finding


def test_a_clean_campaign_has_no_findings(campaign: Planted) -> None:
    assert campaign.case("a", clean(1)).case("b", clean(2)).findings() == []


def test_thirty_clean_cases_raise_no_false_alarm(campaign: Planted) -> None:
    for seed in range(30):
        campaign.case(f"c{seed:02d}", clean(seed, rounds=5))
    assert campaign.findings() == []


def test_an_unsupported_case_is_not_examined(campaign: Planted) -> None:
    campaign.case("a")
    campaign.cases[0] = campaign.cases[0].model_copy(update={"status": "unsupported"})
    assert campaign.findings() == []


@settings(max_examples=30, deadline=None)
@given(
    values=st.lists(
        st.lists(st.integers(-(10**9), 10**11), min_size=1, max_size=60), min_size=1, max_size=4
    ),
    test=st.sampled_from(["latency", "throughput"]),
    rate=st.sampled_from([None, 100.0]),
)
def test_no_rule_breaks_on_any_latencies(
    tmp_path_factory: object, values: list[list[int]], test: str, rate: float | None
) -> None:
    directory = tmp_path_factory.mktemp("any") / "result"  # type: ignore[attr-defined]
    planted = Planted(directory)
    series = [np.array(round_values, dtype=np.float64) for round_values in values]
    planted.case("a", series, {**LATENCY, "test": test, "rate_hz": rate})
    for finding in campaign_findings(planted.result()):
        assert "could not be made" not in finding.title, finding.evidence
        assert finding.evidence and finding.remedy and finding.cases == ["a"]


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
    kept = [f.evidence for f in combine(*nodes) if f.id == "machine"]
    assert kept == ["node lab1: virtual machine (KVM)", "node lab2: virtual machine (KVM)"]
