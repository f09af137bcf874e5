"""Rules that look at the table of rounds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from planted import LATENCY, THROUGHPUT, Planted, clean, params

RELIABLE = {"qos": {"reliability": "reliable", "history": "keep_last", "depth": 1}}


def stream(**qos: Any) -> dict[str, Any]:
    """A stream of DDS with this QoS."""
    return params("cyclonedds", test="throughput", placement="different", qos=qos)


class TestLoss:
    def test_reliable_keep_all_is_an_error(self, campaign: Planted) -> None:
        case = stream(reliability="reliable", history="keep_all")
        campaign.case("a", params=case, rows=3, lost=[0, 10, 5])
        (finding,) = campaign.found("loss-under-reliable")
        assert finding.severity == "error"
        assert "15 of 6\N{NARROW NO-BREAK SPACE}000 samples lost (0.250 %)" in finding.evidence

    def test_keep_last_may_overwrite(self, campaign: Planted) -> None:
        campaign.case("a", params=stream(history="keep_last"), rows=3, lost=1)
        (finding,) = campaign.found("loss-under-reliable")
        assert finding.severity == "warning" and "keep-last" in finding.title

    def test_a_closed_loop_overwrites_nothing(self, campaign: Planted) -> None:
        campaign.case("a", clean(1), params("cyclonedds"), lost=1)
        assert campaign.found("loss-under-reliable")[0].severity == "error"

    def test_what_a_hopeless_rate_left_in_queues_is_late(self, campaign: Planted) -> None:
        behind = "reached 67 185/s of 2 000 000/s (criteria.min_rate)"
        campaign.case("a", params=params("tcp", test="throughput"), rows=2, lost=[5000, 0],
                      status=["marked", "ok"], reason=[behind, None])  # fmt: skip
        assert campaign.found("loss-under-reliable") == []

    def test_a_stream_loses_nothing(self, campaign: Planted) -> None:
        campaign.case("a", params=params("tcp", test="throughput"), rows=3, lost=1)
        assert campaign.found("loss-under-reliable")[0].severity == "error"

    @pytest.mark.parametrize(
        "case",
        [
            THROUGHPUT,
            stream(reliability="best_effort"),
            stream(lifespan_s=0.001),
            stream(time_based_filter_s=0.01),
            params("cyclonedds", test="throughput", publishers=2, qos={"ownership_strength": 1}),
        ],
        ids=["sockets", "best effort", "lifespan", "time-based filter", "exclusive ownership"],
    )
    def test_is_silent_where_loss_is_allowed(self, campaign: Planted, case: dict[str, Any]) -> None:
        campaign.case("a", params=case, rows=3, lost=1)
        assert campaign.found("loss-under-reliable") == []

    def test_one_writer_alone_owns_what_it_writes(self, campaign: Planted) -> None:
        campaign.case("a", params=stream(ownership_strength=1), rows=3, lost=1)
        assert campaign.found("loss-under-reliable")[0].severity == "error"

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


class TestUnacknowledgedBatches:
    def test_are_counted(self, campaign: Planted) -> None:
        params = {**THROUGHPUT, "batch": 4000}
        campaign.case(
            "a", params=params, rows=3, batches=[3, 4, 2], batches_unacknowledged=[1, 0, 2]
        )
        (finding,) = campaign.found("unacknowledged-batches")
        assert finding.severity == "warning"
        assert "3 of 12 batches of 4\N{NARROW NO-BREAK SPACE}000 samples (25 %)" in finding.evidence

    def test_are_no_finding_where_there_are_none(self, campaign: Planted) -> None:
        campaign.case("a", params={**THROUGHPUT, "batch": 50}, rows=3, batches=5,
                      batches_unacknowledged=0)  # fmt: skip
        campaign.case("b", params=THROUGHPUT, rows=3)
        assert campaign.found("unacknowledged-batches") == []


@pytest.mark.parametrize(
    ("rule", "columns", "evidence"),
    [
        (
            "udp-drops",
            {"udp_socket_drops": [0, 7, 5], "lost": 4},
            "12 datagrams dropped at sockets of the participants in 2 of 3 rounds",
        ),
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


def test_a_recorder_that_is_full_after_the_time_cut_nothing_short(campaign: Planted) -> None:
    campaign.case("a", clean(1), ended="recorder_full", measured_s=2.49)
    assert campaign.found("recorder-full") == []


@pytest.mark.parametrize(("samples", "severity"), [(99_999, "warning"), (100_000, "note")])
def test_a_full_recorder_with_samples_enough_is_a_note(
    campaign: Planted, samples: int, severity: str
) -> None:
    campaign.case("a", clean(1), ended="recorder_full", samples=samples, measured_s=0.8)
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


def test_a_rate_that_no_round_reached_is_found_where_all_are_marked(campaign: Planted) -> None:
    params = {**THROUGHPUT, "rate_hz": 1000.0}
    campaign.case("a", params=params, rows=3, status="marked", written_per_s=500.0, senders=1)
    assert "50 %" in campaign.found("rate-not-held")[0].evidence


@pytest.mark.parametrize(("achieved", "fires"), [(0.46, False), (0.4, True)])
def test_a_load_that_was_not_there(campaign: Planted, achieved: float, fires: bool) -> None:
    params = {**THROUGHPUT, "load": "cpu 50%"}
    campaign.case(
        "a", params=params, rows=3, load_cpu_asked=0.5, load_cpu_achieved=[0.5, achieved, 0.5]
    )
    findings = campaign.found("load-missed")
    assert bool(findings) == fires
    assert not fires or (
        findings[0].evidence
        == "a: cpu 50%: 80 % of it was there in the worst of 3 rounds, too little in 1 round"
    )


def test_of_two_loads_the_one_that_was_not_there_is_named(campaign: Planted) -> None:
    params = {**THROUGHPUT, "load": "cpu 50%+net 5mbit"}
    campaign.case("a", params=params, rows=2, load_cpu_asked=0.5, load_cpu_achieved=0.5,
                  load_net_asked=5e6, load_net_achieved=1e6)  # fmt: skip
    (finding,) = campaign.found("load-missed")
    assert finding.evidence == (
        "a: net 5mbit: 20 % of it was there in the worst of 2 rounds, too little in 2 rounds"
    )


def test_a_load_without_a_limit_is_never_missed(campaign: Planted) -> None:
    params = {**THROUGHPUT, "load": "net max"}
    campaign.case("a", params=params, rows=2, load_net_achieved=1.0)
    assert campaign.found("load-missed") == []


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


def test_figures_of_several_phases_are_reported_as_such(campaign: Planted) -> None:
    asked = params("cyclonedds", rate_hz=10.0, timeline=[{"at_s": 0.5, "rate_hz": 5.0}])
    campaign.case("a", clean(1), asked)
    (finding,) = campaign.found("several-phases")
    assert finding.severity == "note" and "at 0.5 s rate_hz = 5" in finding.evidence


def test_figures_of_rounds_that_are_the_same_all_along_are_not(campaign: Planted) -> None:
    campaign.case("a", clean(1), params("cyclonedds", rate_hz=10.0))
    assert campaign.found("several-phases") == []


def test_loss_after_a_lifespan_was_set_is_as_asked(campaign: Planted) -> None:
    change = {"at_s": 0.5, "qos": {"lifespan_s": 0.01}}
    lossy = {"qos": {"reliability": ["reliable"], "history": ["keep_all"]}}
    for case, timeline in (("a", [change]), ("b", [{"at_s": 0.5, "rate_hz": 5.0}])):
        asked = params("cyclonedds", rate_hz=10.0, timeline=timeline, **lossy)
        assert asked["changes"]
        campaign.case(case, clean(1), asked, lost=3, received=1997)
    (finding,) = campaign.found("loss-under-reliable")
    assert finding.cases == ["b"]


def test_what_ran_beside_rounds_is_reported_once_with_its_rounds(campaign: Planted) -> None:
    campaign.case("a", clean(1)).case("b", clean(1))
    late = "counters were first read after the measurement had begun"
    ends = [
        {"event": "round_ends", "case": "a", "round": 0, "companions": {"counters": [late]}},
        {"event": "round_ends", "case": "a", "round": 1, "companions": {"counters": [late]}},
        {"event": "round_ends", "case": "b", "round": 0, "companions": {}},
        {"event": "round_ends", "case": "b", "round": 1, "companions": "damaged"},
        {"event": "round_ends", "case": "b", "round": 2},
    ]
    lines = "\n".join(json.dumps(event) for event in ends) + '\n[1]\n{"event": "round_'
    (campaign.directory / "events.jsonl").write_text(lines)
    (finding,) = campaign.found("companion-trouble")
    assert finding.severity == "note" and finding.cases == ["a"]
    assert f"counters, 2 rounds: {late}" in finding.evidence


MIB = 1 << 20


class TestMemory:
    def grows(self, campaign: Planted, *each: list[int], recorded: int | None = None) -> Planted:
        """Rounds of 2 s in which the sender has so many MiB at every quarter of a second."""
        campaign.case("a", params=THROUGHPUT, rows=len(each), measured_s=2.0)
        for number, memory in enumerate(each):
            campaign.system(
                "a", number, interval=list(range(len(memory))), scope=["process"],
                participant=["active"], process=[100],
                start_ns=[i * 250_000_000 for i in range(len(memory))], duration_ns=[250_000_000],
                rss_bytes=[value * MIB for value in memory], recorder_bytes=[recorded],
            )  # fmt: skip
        return campaign

    def test_what_grows_in_every_round_is_found(self, campaign: Planted) -> None:
        rises = [20, 20, 20, 20, 30, 50, 70, 90]
        self.grows(campaign, rises, rises, recorded=10 * MIB)
        (finding,) = campaign.found("memory-grows")
        assert finding.severity == "note"
        assert "active grew from 10 MiB to 80 MiB" in finding.evidence

    @pytest.mark.parametrize(
        "rounds",
        [
            ([20, 20, 20, 20, 30, 50, 70, 90], [20] * 8),
            ([20, 40, 60, 80, 80, 80, 80, 80],) * 2,
            ([20, 20, 20, 20, 20, 20, 64, 64],) * 2,
            ([20, 20, 20, 20, 20, 21, 22, 23],) * 2,
        ],
        ids=["in one round", "in the first half", "in one piece", "by little"],
    )
    def test_what_does_not_go_on_is_not(
        self, campaign: Planted, rounds: tuple[list[int], list[int]]
    ) -> None:
        assert self.grows(campaign, *rounds).found("memory-grows") == []
