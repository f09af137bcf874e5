"""Rules that look at the table of rounds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from planted import LATENCY, THROUGHPUT, Planted, clean

RELIABLE = {"qos": {"reliability": "reliable"}}


class TestLoss:
    def test_reliable_keep_all_is_an_error(self, campaign: Planted) -> None:
        params = {**THROUGHPUT, "qos": {"reliability": "reliable", "history": "keep_all"}}
        campaign.case("a", params=params, rows=3, lost=[0, 10, 5])
        (finding,) = campaign.found("loss-under-reliable")
        assert finding.severity == "error"
        assert "15 of 6\N{NARROW NO-BREAK SPACE}000 samples lost (0.250 %)" in finding.evidence

    def test_keep_last_may_overwrite(self, campaign: Planted) -> None:
        campaign.case("a", params={**THROUGHPUT, **RELIABLE}, rows=3, lost=1)
        (finding,) = campaign.found("loss-under-reliable")
        assert finding.severity == "warning" and "keep-last" in finding.title

    def test_an_infinite_lifespan_excuses_nothing(self, campaign: Planted) -> None:
        qos = {"reliability": "reliable", "history": "keep_all", "lifespan": "infinite"}
        campaign.case("a", params={**THROUGHPUT, "qos": qos}, rows=3, lost=1)
        assert campaign.found("loss-under-reliable")[0].severity == "error"

    def test_a_closed_loop_overwrites_nothing(self, campaign: Planted) -> None:
        campaign.case("a", clean(1), {**LATENCY, "adapter": "x", **RELIABLE}, lost=1)
        assert campaign.found("loss-under-reliable")[0].severity == "error"

    def test_a_stream_loses_nothing(self, campaign: Planted) -> None:
        campaign.case("a", params={**THROUGHPUT, "adapter": "tcp"}, rows=3, lost=1)
        assert campaign.found("loss-under-reliable")[0].severity == "error"

    @pytest.mark.parametrize(
        "qos",
        [
            {},
            {"reliability": "best_effort"},
            '{"reliability": "best-effort"}',
            {"reliability": "reliable", "lifespan_ns": 1},
        ],
    )
    def test_is_silent_where_loss_is_allowed(self, campaign: Planted, qos: Any) -> None:
        campaign.case("a", params={**THROUGHPUT, "qos": qos}, rows=3, lost=1)
        assert campaign.found("loss-under-reliable") == []

    def test_faults_on_purpose_are_not_findings(self, campaign: Planted) -> None:
        campaign.adapters["udp"] = {"features": ["faults"]}
        params = {**THROUGHPUT, **RELIABLE}
        campaign.case("a", params=params, rows=3, lost=1, duplicated=1, corrupted=1)
        assert campaign.findings() == []


def test_reliable_duplicates_are_an_error(campaign: Planted) -> None:
    campaign.case("a", params={**THROUGHPUT, **RELIABLE}, rows=3, duplicated=2, out_of_order=1)
    (finding,) = campaign.found("duplicates-or-reorder")
    assert finding.severity == "error" and "6 duplicated and 3 out of order" in finding.evidence


def test_best_effort_disorder_is_a_note(campaign: Planted) -> None:
    campaign.case("a", params=THROUGHPUT, rows=3, out_of_order=1)
    assert [f.severity for f in campaign.found("duplicates-or-reorder")] == ["note"]


class TestSaturatedCore:
    @pytest.mark.parametrize(
        ("changes", "severity"),
        [
            ({"rate_hz": 1000.0}, "warning"),
            ({}, "note"),
            ({"placement": "same", "rate_hz": 1000.0}, "note"),
            ({"wait": "poll", "rate_hz": 1000.0}, "note"),
        ],
        ids=["rate", "full speed", "same CPU", "polling"],
    )
    def test_is_as_bad_as_it_is(
        self, campaign: Planted, changes: dict[str, Any], severity: str
    ) -> None:
        campaign.case("a", params={**THROUGHPUT, **changes}, rows=3, cpu_busy=[0.5, 0.97, 0.99])
        (finding,) = campaign.found("saturated-core")
        assert finding.severity == severity
        assert "99 % of the time" in finding.evidence and "2 of 3 rounds" in finding.evidence

    def test_a_closed_loop_may_be_busy(self, campaign: Planted) -> None:
        assert campaign.case("a", clean(1), cpu_busy=1.0).found("saturated-core") == []

    def test_time_to_spare_is_silent(self, campaign: Planted) -> None:
        campaign.case("a", params={**THROUGHPUT, "rate_hz": 1000.0}, rows=3, cpu_busy=0.9)
        assert campaign.found("saturated-core") == []


@pytest.mark.parametrize(
    ("rule", "columns", "evidence"),
    [
        ("udp-drops", {"udp_rcvbuf_errors": [0, 7, 5]}, "12 datagrams dropped in 2 of 3 rounds"),
        ("foreign-traffic", {"foreign": [0, 0, 4]}, "4 foreign samples in 1 of 3 rounds"),
        ("corrupted", {"corrupted": [1, 0, 0]}, "1 of 6"),
        ("steal-time", {"steal": [0.0, 0.025, 0.0]}, "2.50 % of a CPU's time"),
        (
            "recorder-full",
            {"ended": ["duration", "recorder_full", "duration"], "measured_s": 0.8},
            "1 of 3 rounds, after 0.80 s of 2 s",
        ),
    ],
)
def test_a_count_that_is_not_zero_fires(
    campaign: Planted, rule: str, columns: dict[str, Any], evidence: str
) -> None:
    (finding,) = campaign.case("a", clean(1), **columns).found(rule)
    assert evidence in finding.evidence


@pytest.mark.parametrize(("samples", "severity"), [(99_999, "warning"), (100_000, "note")])
def test_a_full_recorder_with_samples_enough_is_a_note(
    campaign: Planted, samples: int, severity: str
) -> None:
    campaign.case("a", clean(1), ended="recorder_full", samples=samples)
    assert [finding.severity for finding in campaign.found("recorder-full")] == [severity]


def test_absent_counts_are_silent(campaign: Planted) -> None:
    absent: dict[str, Any] = dict.fromkeys(
        ("udp_rcvbuf_errors", "foreign", "corrupted", "lost", "sent", "cpu_busy", "ended", "steal")
    )
    assert campaign.case("a", clean(1), **absent).findings() == []


def test_goodput_of_rounds_that_disagree(campaign: Planted) -> None:
    campaign.case("a", params=THROUGHPUT, rows=3, samples_per_s=[1000.0, 1100.0, 1300.0])
    (finding,) = campaign.found("rounds-disagree")
    assert "ratio 1.30" in finding.evidence


def test_goodput_of_rounds_that_agree(campaign: Planted) -> None:
    campaign.case("a", params=THROUGHPUT, rows=3, samples_per_s=[1000.0, 1050.0, 1100.0])
    assert campaign.findings() == []


@pytest.mark.parametrize(("written", "fires"), [(1900.0, False), (1500.0, True)])
def test_a_rate_that_is_not_reached(campaign: Planted, written: float, fires: bool) -> None:
    params = {**THROUGHPUT, "rate_hz": 1000.0}
    campaign.case("a", params=params, rows=3, written_per_s=written, senders=2)
    findings = campaign.found("rate-not-held")
    assert bool(findings) == fires
    assert not fires or "75 %" in findings[0].evidence


def test_free_placement_is_named(campaign: Planted) -> None:
    campaign.case("a", clean(1), {**LATENCY, "placement": "free"}).case("b", clean(2))
    (finding,) = campaign.found("unpinned")
    assert finding.cases == ["a"]


class TestRoundsLost:
    def test_some(self, campaign: Planted) -> None:
        states = ["ok", "ok", "ok", "marked", "failed", "failed"]
        reasons = [None, None, None, "lost samples", "no match", "no match"]
        campaign.case("a", params=THROUGHPUT, rows=6, status=states, reason=reasons)
        (finding,) = campaign.found("rounds-lost")
        assert finding.severity == "warning"
        assert "3 of 6 rounds: 2 failed (no match), 1 marked (lost samples)" in finding.evidence

    def test_all(self, campaign: Planted) -> None:
        campaign.case("a", params=THROUGHPUT, rows=2, status="failed")
        (finding,) = campaign.found("rounds-lost")
        assert finding.severity == "error" and "no reason recorded" in finding.evidence

    def test_repeated_with_success(self, campaign: Planted) -> None:
        campaign.case("a", clean(1))
        campaign.rows[0]["attempt"] = 1
        event = {"event": "round_failed", "case": "a", "round": 0, "reason": "crashed"}
        lines = json.dumps(event) + "\n" + '{"event": "round_'
        (campaign.directory / "events.jsonl").write_text(lines)
        (finding,) = campaign.findings()
        assert finding.id == "rounds-lost" and finding.severity == "note"
        assert "1 further attempt: 1 failed (crashed)" in finding.evidence

    def test_never_begun(self, campaign: Planted) -> None:
        (finding,) = campaign.case("a").findings()
        assert finding.title == "Cases were not measured"
