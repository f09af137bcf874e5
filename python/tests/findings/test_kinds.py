"""Findings as they are shown: each kind once, with what it says of every case."""

from __future__ import annotations

from planted import THROUGHPUT, Planted, clean

from busmark.findings.kinds import by_case, kinds
from busmark.findings.registry import rules
from busmark.findings.rule import GROUPS
from busmark.model.quantities import OF_CASES
from busmark.model.statistics import POOLED, STATISTICS
from busmark.store.manifest import Finding


def finding(rule: str, title: str, severity: str, *cases: str, **further: object) -> Finding:
    return Finding.model_validate({
        "id": rule, "severity": severity, "title": title, "cause": "c", "evidence": "e",
        "remedy": "r", "cases": cases, **further,
    })  # fmt: skip


def test_findings_of_one_title_are_one_kind_and_the_worst_comes_first() -> None:
    found = kinds([
        finding("bimodal", "two modes", "note", "a", "b", remedy="pin"),
        finding("bimodal", "two modes", "warning", "c"),
        finding("udp-drops", "dropped", "note", "a"),
    ])  # fmt: skip
    assert [(kind.title, kind.severity, kind.cases) for kind in found] == [
        ("two modes", "warning", ["c", "a", "b"]), ("dropped", "note", ["a"]),
    ]  # fmt: skip
    assert found[0].where(40) == "in 3 of 40 cases, a warning in 1"
    assert found[1].where(40) == "in 1 of 40 cases"
    assert found[0].remedies == ["r", "pin"]


def test_marks_tell_severity_without_colour_and_what_is_of_no_case_has_no_letter() -> None:
    found = kinds([
        finding("corrupted", "x", "error", "a"), finding("few-cpus", "y", "note"),
        finding("bimodal", "z", "warning", "a"), finding("smt", "n", "note", "a"),
    ])  # fmt: skip
    assert [kind.mark for kind in found] == ["!!a", "", "!b", "c"]


def test_every_case_has_each_kind_once_by_its_own_severity() -> None:
    found = by_case(kinds([
        finding("udp-drops", "dropped", "note", "a", "c"),
        finding("bimodal", "two modes", "warning", "c"),
        finding("bimodal", "two modes", "note", "a"),
    ]))  # fmt: skip
    assert set(found) == {"a", "c"}
    assert (found["a"].count, found["a"].severity) == (2, "note")
    assert (found["c"].count, found["c"].severity) == (2, "warning")
    assert [flag.mark for flag in found["c"].flags] == ["!b", "a"]
    assert [flag.mark for flag in found["a"].flags] == ["a", "b"]


def test_anchors_are_the_rules_names_and_never_twice_the_same() -> None:
    found = kinds([
        finding("rounds-disagree", "on the median", "warning", "a"),
        finding("rounds-disagree", "on the throughput", "warning", "b"),
    ])  # fmt: skip
    assert [kind.anchor for kind in found] == [
        "finding-rounds-disagree", "finding-rounds-disagree-2",
    ]  # fmt: skip


def test_each_case_keeps_its_own_evidence(campaign: Planted) -> None:
    for name, drops in (("a", 3), ("b", 50)):
        campaign.case(name, params=THROUGHPUT, rows=3, udp_socket_drops=drops, lost=drops)
    (kind,) = (kind for kind in kinds(campaign.findings()) if kind.findings[0].id == "udp-drops")
    assert kind.worst[0] == "b" and kind.worst[1].startswith("150 datagrams dropped")
    assert kind.flags()["a"].evidence.startswith("9 datagrams dropped")
    assert kind.flags()["b"].evidence == kind.worst[1]


def test_evidence_of_a_single_case_is_that_case_s(campaign: Planted) -> None:
    campaign.case("a", params=THROUGHPUT, rows=3, udp_socket_drops=1, lost=1)
    (kind,) = kinds(campaign.found("udp-drops"))
    assert kind.flags()["a"].evidence == kind.worst[1]
    assert kind.flags()["a"].evidence.startswith("3 datagrams dropped")


def test_an_older_result_has_the_figures_of_the_rule_and_the_evidence_of_the_worst() -> None:
    stored = finding(
        "rounds-disagree", "Rounds disagree on the median", "warning", "a", "b",
        evidence="2 of 9 cases; the worst is b: ratio 1.9",
    )  # fmt: skip
    (kind,) = kinds([stored])
    assert kind.flags()["a"].concerns == ("median",)
    assert kind.flags()["a"].evidence == ""
    assert kind.flags()["b"].evidence == "ratio 1.9"
    assert kind.worst == ("b", "ratio 1.9")


def test_what_a_rule_of_an_older_busmark_rarely_found_concerns_the_whole_row() -> None:
    """Its other titles are of other figures."""
    stored = finding("rounds-disagree", "Rounds disagree on the throughput", "warning", "a")
    (kind,) = kinds([stored])
    assert kind.flags()["a"].concerns == ()


def test_a_finding_of_no_rule_of_ours_concerns_the_whole_row() -> None:
    (kind,) = kinds([finding("imported-clock", "t", "note", "a")])
    assert kind.flags()["a"].concerns == ()


def test_rules_name_figures_that_exist() -> None:
    known = {figure.key for figure in (*STATISTICS, *POOLED, *OF_CASES)} | set(GROUPS)
    for rule in rules().values():
        assert set(rule.concerns) <= known, rule.id


def test_observations_may_name_other_figures_than_their_rule(campaign: Planted) -> None:
    campaign.case("a", params=THROUGHPUT, rows=3, samples_per_s=[100.0, 200.0, 100.0])
    (found,) = campaign.found("rounds-disagree")
    assert found.concerns == ["goodput_mbit_per_s", "samples_per_s"]
    campaign.case("b", [*clean(1, rounds=2), *clean(2, rounds=1, median_ns=40_000.0)])
    on_median = next(f for f in campaign.found("rounds-disagree") if f.cases == ["b"])
    assert on_median.concerns == ["median"]
