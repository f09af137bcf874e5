"""Rules that look at the table of rounds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from planted import LATENCY, THROUGHPUT, Planted, Planting, clean, finds, params

RELIABLE = {"qos": {"reliability": "reliable", "history": "keep_last", "depth": 1}}


def stream(**qos: Any) -> dict[str, Any]:
    """Return the parameters of a stream of DDS with this QoS."""
    return params("cyclonedds", test="throughput", placement="different", qos=qos)


BEHIND = "reached 67 185/s of 2 000 000/s (criteria.min_rate)"
TCP = params("tcp", test="throughput")
PACED = {**THROUGHPUT, "rate_hz": 1000.0}

LOSS, DISORDER, FULL = "loss-under-reliable", "duplicates-or-reorder", "recorder-full"
LENGTH = "round-length"
BATCHES, HELD, MISSED = "unacknowledged-batches", "rate-not-held", "load-missed"
PLANTED: dict[str, Planting] = {
    "reliable and keep-all lose nothing": (
        LOSS, stream(reliability="reliable", history="keep_all"), {"lost": [0, 10, 5]}, "error",
        "15 of 6 000 samples lost (0.25 %)"),
    "keep-last may overwrite": (
        "overwritten", stream(history="keep_last"), {"lost": 1}, "warning",
        "3 of 6 000 samples not read"),
    "what keep-last overwrites is no loss": (LOSS, stream(history="keep_last"), {"lost": 1}, None,
                                             ""),
    "a closed loop overwrites nothing": (LOSS, params("cyclonedds"), {"lost": 1}, "error", ""),
    "what a hopeless rate left in queues is late": (
        LOSS, TCP, {"lost": [5000, 0, 0], "status": ["marked", "ok", "ok"],
                    "reason": [BEHIND, None, None]}, None, ""),
    "TCP loses nothing": (LOSS, TCP, {"lost": 1}, "error", ""),
    "one writer alone owns what it writes": (
        LOSS, stream(ownership_strength=1), {"lost": 1}, "error", ""),
    "datagrams may be lost": (LOSS, THROUGHPUT, {"lost": 1}, None, ""),
    "best effort may lose": (LOSS, stream(reliability="best_effort"), {"lost": 1}, None, ""),
    "a lifespan may end": (LOSS, stream(lifespan_s=0.001), {"lost": 1}, None, ""),
    "a time-based filter leaves out": (
        LOSS, stream(time_based_filter_s=0.01), {"lost": 1}, None, ""),
    "exclusive ownership leaves out": (
        LOSS, params("cyclonedds", test="throughput", publishers=2, qos={"ownership_strength": 1}),
        {"lost": 1}, None, ""),
    "reliable duplicates": (
        DISORDER, {**THROUGHPUT, **RELIABLE}, {"duplicated": 2, "out_of_order": 1}, "error",
        "6 duplicated and 3 out of order"),
    "best-effort disorder": (DISORDER, THROUGHPUT, {"out_of_order": 1}, None, ""),
    "batches without an acknowledgement": (
        BATCHES, {**THROUGHPUT, "batch": 4000},
        {"batches": [3, 4, 2], "batches_unacknowledged": [1, 0, 2]}, "warning",
        "3 of 12 batches of 4 000 samples (25 %)"),
    "batches that were all acknowledged": (
        BATCHES, {**THROUGHPUT, "batch": 50}, {"batches": 5, "batches_unacknowledged": 0}, None,
        ""),
    "a stream without batches": (BATCHES, THROUGHPUT, {}, None, ""),
    "datagrams that sockets dropped": (
        "udp-drops", THROUGHPUT, {"udp_socket_drops": [0, 7, 5], "lost": 4}, "warning",
        "12 datagrams dropped at sockets of the participants in 2 of 3 rounds"),
    "foreign samples": ("foreign-traffic", LATENCY, {"foreign": [0, 0, 4]}, "warning",
                        "4 foreign samples in 1 of 3 rounds"),
    "corrupted samples": ("corrupted", LATENCY, {"corrupted": [1, 0, 0]}, "error", "1 of 6"),
    "stolen time": ("steal-time", LATENCY, {"steal": [0.0, 0.025, 0.0]}, "warning",
                    "2.5 % of a CPU's time"),
    "one step of the counter of stolen time in a short round": (
        "steal-time", LATENCY, {"steal": [0.033, 0.0, 0.033], "measured_s": 0.3}, None, ""),
    "more than a step of it in a short round": (
        "steal-time", LATENCY, {"steal": [0.067, 0.0, 0.0], "measured_s": 0.3}, "warning",
        "6.7 % of a CPU's time"),
    "a full recorder": (
        FULL, LATENCY, {"ended": ["duration", "recorder_full", "duration"], "measured_s": 0.8},
        "warning", "1 of 3 rounds, after 0.80 s of 2 s"),
    "a recorder that is full after the time cut nothing short": (
        FULL, LATENCY, {"ended": "recorder_full", "measured_s": 2.49}, None, ""),
    "a full recorder with too few samples": (
        FULL, LATENCY, {"ended": "recorder_full", "samples": 99_999, "measured_s": 0.8}, "warning",
        ""),
    "a full recorder with samples enough": (
        FULL, LATENCY, {"ended": "recorder_full", "samples": 100_000, "measured_s": 0.8}, "note",
        ""),
    "a batch whose end was lost": (
        LENGTH, {**THROUGHPUT, "batch": 4000}, {"measured_s": [0.012, 2.0, 0.035]}, "warning",
        "measured 12.0 ms to 35.0 ms of 2 s asked for, 0.60 % at the furthest"),
    "a round that ended 26 times later": (
        LENGTH, THROUGHPUT, {"measured_s": [2.0, 52.0, 2.0]}, "warning",
        "measured 52.0 s of 2 s asked for, 2 600 % at the furthest"),
    "a round that its samples ended": (
        LENGTH, LATENCY, {"measured_s": 0.1, "ended": "samples"}, None, ""),
    "a recorder that was full is another matter": (
        LENGTH, LATENCY, {"measured_s": 0.1, "ended": "recorder_full"}, None, ""),
    "a writer that fell behind": (
        LENGTH, PACED, {"measured_s": 9.0, "ended": "late"}, "warning", "9.0"),
    "a slow rate has its last sample a gap before the end": (
        LENGTH, {**THROUGHPUT, "rate_hz": 0.6}, {"measured_s": 0.001}, None, ""),
    "of the length that the run chose": (
        LENGTH, LATENCY, {"measured_s": 0.5, "chosen_s": 0.5}, None, ""),
    "goodput of rounds that disagree": (
        "rounds-disagree", THROUGHPUT, {"samples_per_s": [1000.0, 1100.0, 1300.0]}, "warning",
        "ratio 1.30"),
    "goodput of rounds that agree": (
        "rounds-disagree", THROUGHPUT, {"samples_per_s": [1000.0, 1050.0, 1100.0]}, None, ""),
    "a rate that is held": (HELD, PACED, {"written_per_s": 1900.0, "senders": 2}, None, ""),
    "a rate that is not held": (
        HELD, PACED, {"written_per_s": 1500.0, "senders": 2}, "warning", "75 %"),
    "a rate that no round reached, so that all are marked": (
        HELD, PACED, {"written_per_s": 500.0, "senders": 1, "status": "marked"}, "warning", "50 %"),
    "a load that was there": (
        MISSED, {**THROUGHPUT, "load": "cpu 50%"},
        {"load_cpu_asked": 0.5, "load_cpu_achieved": [0.5, 0.46, 0.5]}, None, ""),
    "a load that was not there": (
        MISSED, {**THROUGHPUT, "load": "cpu 50%"},
        {"load_cpu_asked": 0.5, "load_cpu_achieved": [0.5, 0.4, 0.5]}, "warning",
        "a: cpu 50%: 80 % of it was reached in the worst round, too little in 1 of 3 rounds"),
    "of two loads the one that was not there": (
        MISSED, {**THROUGHPUT, "load": "cpu 50%+net 5mbit"},
        {"load_cpu_asked": 0.5, "load_cpu_achieved": 0.5, "load_net_asked": 5e6,
         "load_net_achieved": 1e6}, "warning",
        "a: net 5mbit: 20 % of it was reached in the worst round, too little in 3 of 3 rounds"),
    "a load without a limit is never missed": (
        MISSED, {**THROUGHPUT, "load": "net max"}, {"load_net_achieved": 1.0}, None, ""),
    "free placement": ("unpinned", {**LATENCY, "placement": "free"}, {}, "warning", ""),
    "rounds that were lost": (
        "rounds-lost", THROUGHPUT, {"status": ["ok", "marked", "failed"],
                                    "reason": [None, "lost samples", "no match"]}, "warning",
        "2 of 3 rounds (67 %): 1 marked (lost samples), 1 failed (no match)"),
    "no round that counts": (
        "rounds-lost", THROUGHPUT, {"status": "failed"}, "error", "no reason recorded"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_rule_finds_what_is_planted_and_nothing_else(campaign: Planted, name: str) -> None:
    finds(campaign, PLANTED[name])


def test_faults_on_purpose_are_not_findings(campaign: Planted) -> None:
    campaign.adapters["udp"] = {"features": ["faults"]}
    params = {**THROUGHPUT, **RELIABLE}
    campaign.case("a", params=params, rows=3, lost=1, duplicated=1, corrupted=1)
    assert campaign.findings() == []


def test_absent_counts_are_silent(campaign: Planted) -> None:
    absent: dict[str, Any] = dict.fromkeys(
        ("udp_rcvbuf_errors", "foreign", "corrupted", "lost", "sent", "cpu_busy", "ended", "steal")
    )
    assert campaign.case("a", clean(1), **absent).findings() == []


class TestRoundsLost:
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


def test_loss_after_a_lifespan_was_set_is_as_asked(campaign: Planted) -> None:
    change = {"at_s": 0.5, "qos": {"lifespan_s": 0.01}}
    lossy = {"qos": {"reliability": ["reliable"], "history": ["keep_all"]}}
    for case, timeline in (("a", [change]), ("b", [{"at_s": 0.5, "rate_hz": 5.0}])):
        asked = params("cyclonedds", rate_hz=10.0, timeline=timeline, **lossy)
        assert asked["changes"]
        campaign.case(case, clean(1), asked, lost=3, received=1997)
    (finding,) = campaign.findings_of("loss-under-reliable")
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
    (finding,) = campaign.findings_of("companion-trouble")
    assert finding.severity == "note" and finding.cases == ["a"]
    assert f"counters, 2 rounds: {late}" in finding.evidence


MIB = 1 << 20


class TestMemory:
    def grows(self, campaign: Planted, *each: list[int], recorded: int | None = None) -> Planted:
        """Plant rounds of 2 s in which the sender has these MiB at every quarter of a second."""
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
        (finding,) = campaign.findings_of("memory-grows")
        assert finding.severity == "note"
        assert "active grew by 70 MiB, from 10 MiB," in finding.evidence

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
        assert self.grows(campaign, *rounds).findings_of("memory-grows") == []
