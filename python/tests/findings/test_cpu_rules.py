"""Rules that ask who used the participants' CPUs: they, or others."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from planted import LATENCY, THROUGHPUT, Planted, clean, params

PACED = {**THROUGHPUT, "rate_hz": 1000.0}
ROUNDS = 3


def used(
    campaign: Planted,
    case: dict[str, Any],
    passive: tuple[float, float],
    active: tuple[float, float],
    busy: tuple[float, ...] = (),
    cpus: str = "1;0",
    **columns: Any,
) -> Planted:
    """A case in all of whose rounds the participants ran and waited so long."""
    columns = {"senders": 1, "written_per_s": 1000.0, **columns}
    campaign.case("a", params=case, rows=ROUNDS, cpus=cpus, **columns)
    for number in range(ROUNDS):
        campaign.cpu_time("a", number, {"passive": passive, "active": active}, busy)
    return campaign


class TestSaturatedCore:
    def test_a_reader_that_never_rests_at_a_rate(self, campaign: Planted) -> None:
        (finding,) = used(campaign, PACED, (0.99, 0.0), (0.3, 0.0)).found("saturated-core")
        assert finding.severity == "warning"
        assert "a thread of passive ran 99 % of the time" in finding.evidence
        assert "3 of 3 rounds" in finding.evidence

    def test_a_writer_that_spins_until_its_next_sample_has_time(self, campaign: Planted) -> None:
        assert used(campaign, PACED, (0.3, 0.0), (1.0, 0.0)).found("saturated-core") == []

    def test_a_writer_that_never_rests_and_is_behind(self, campaign: Planted) -> None:
        used(campaign, PACED, (0.3, 0.0), (1.0, 0.0), written_per_s=700.0)
        (finding,) = campaign.found("saturated-core")
        assert finding.severity == "warning" and "a thread of active" in finding.evidence
        assert finding.explains == ["The intended rate was not reached"]

    def test_full_speed_is_a_note(self, campaign: Planted) -> None:
        (finding,) = used(campaign, THROUGHPUT, (0.6, 0.0), (0.97, 0.0)).found("saturated-core")
        assert finding.severity == "note" and finding.title == "Throughput is limited by one CPU"

    def test_both_on_one_cpu_use_it_up_together(self, campaign: Planted) -> None:
        case = {**THROUGHPUT, "placement": "same"}
        used(campaign, case, (0.5, 0.4), (0.48, 0.5), cpus="1;1")
        (finding,) = campaign.found("saturated-core")
        assert "participants ran on CPU 1 98 % of the time" in finding.evidence
        assert finding.title == "The participants' common CPU is saturated"
        assert "different" in finding.remedy

    def test_other_cpus_are_no_remedy_where_there_are_too_few(self, campaign: Planted) -> None:
        case = {**THROUGHPUT, "placement": "same", "subscribers": 99}
        used(campaign, case, (0.5, 0.4), (0.48, 0.5), cpus="1;1")
        campaign.hosts[""] = {"cpus_allowed": [0, 1]}
        (finding,) = campaign.found("saturated-core")
        assert "different" not in finding.remedy

    @pytest.mark.parametrize(
        "case", [PACED, THROUGHPUT, {**PACED, "placement": "same"}], ids=["rate", "full", "same"]
    )
    def test_what_others_use_is_not_theirs(self, campaign: Planted, case: dict[str, Any]) -> None:
        """8 Hz and 0.16 % of a CPU of their own, on CPUs that others keep full."""
        used(campaign, case, (0.001, 0.4), (0.0006, 0.3), (1.0, 1.0), cpu_busy=1.0)
        assert campaign.found("saturated-core") == []
        assert len(campaign.found("other-load")) == 1

    def test_a_closed_loop_may_be_busy(self, campaign: Planted) -> None:
        assert used(campaign, LATENCY, (1.0, 0.0), (1.0, 0.0)).found("saturated-core") == []

    def test_without_the_schedulers_times_nothing_is_said(self, campaign: Planted) -> None:
        campaign.case("a", params=PACED, rows=3, cpu_busy=1.0, cpus="1;0")
        assert campaign.found("saturated-core") == []


class TestOtherLoad:
    def test_others_on_a_participants_cpu(self, campaign: Planted) -> None:
        used(campaign, LATENCY, (0.2, 0.0), (0.02, 0.3), (0.95, 0.2))
        (finding,) = campaign.found("other-load")
        assert finding.severity == "warning"
        assert "others used 93 % of CPU 0" in finding.evidence
        assert "active ran for 40.0 ms, a thread of it waited for a CPU for 600 ms of 2.00 s" in (
            finding.evidence
        )

    def test_others_that_give_way_are_silent(self, campaign: Planted) -> None:
        used(campaign, LATENCY, (0.3, 0.0), (0.3, 0.01), (0.9, 0.3), cpus="1;0")
        assert campaign.found("other-load") == []

    def test_participants_that_wait_for_each_other_are_no_others(self, campaign: Planted) -> None:
        used(campaign, LATENCY, (0.5, 0.4), (0.45, 0.4), (0.02, 0.99), cpus="1;1")
        assert campaign.found("other-load") == []

    def test_free_participants_meet_others_on_all_cpus(self, campaign: Planted) -> None:
        case = params("udp", placement="free")
        used(campaign, case, (0.2, 0.2), (0.2, 0.2), (0.8, 0.8), cpus="0,1;0,1")
        (finding,) = campaign.found("other-load")
        assert "others used 60 % of CPUs 0, 1" in finding.evidence

    def test_a_cpu_beside_the_participants_is_a_note(self, campaign: Planted) -> None:
        used(campaign, LATENCY, (0.2, 0.1), (0.2, 0.1), (0.9, 0.41), cpus="1;1")
        (finding,) = campaign.found("other-load")
        assert finding.severity == "note" and "of CPU 0, on which no participant" in (
            finding.evidence
        )

    def test_ticks_that_meet_the_same_thread_each_time_are_no_others(
        self, campaign: Planted
    ) -> None:
        campaign.case("a", params=LATENCY, rows=1, cpus="1;0")
        shares = {"passive": (0.05, 0.01), "active": (0.04, 0.03)}
        campaign.cpu_time("a", 0, shares, (0.6, 0.05), idle=0.92)
        assert campaign.found("other-load") == []

    def test_load_that_was_asked_for_is_none(self, campaign: Planted) -> None:
        case = params("udp", load="cpu 50%")
        used(campaign, case, (0.2, 0.3), (0.2, 0.3), (0.9, 0.9))
        assert campaign.found("other-load") == []

    def test_intervals_outside_the_measurement_do_not_count(self, campaign: Planted) -> None:
        campaign.case("a", rows=1, cpus="1;0", measured_s=2.0)
        campaign.cpu_time("a", 0, {"passive": (0.2, 0.0), "active": (0.02, 0.3)}, (0.95, 0.2))
        result = campaign.result()
        path = result.directory / "system" / "a.r000.parquet"
        table = pl.read_parquet(path)
        table.with_columns(pl.col("start_ns") + 2 * 10**9).write_parquet(path)
        assert campaign.found("other-load") == []

    def test_one_long_interval_is_better_than_none(self, campaign: Planted) -> None:
        """The reader of counters had no CPU between its first reading and its last."""
        used(campaign, LATENCY, (0.2, 0.0), (0.02, 0.3), (0.95, 0.2), measured_s=0.2)
        assert len(campaign.found("other-load")) == 1

    def test_it_stands_before_what_it_explains_and_names_it(self, campaign: Planted) -> None:
        series = [*clean(1, rounds=2), *clean(2, rounds=1, median_ns=50_000)]
        campaign.case("a", series, cpus="1;0", corrupted=1)
        for number in range(ROUNDS):
            campaign.cpu_time("a", number, {"passive": (0.2, 0.0), "active": (0.1, 0.3)}, (1, 0.2))
        found = campaign.findings()
        assert [finding.id for finding in found] == ["corrupted", "other-load", "rounds-disagree"]
        assert found[1].explains == ["Rounds disagree on the median"]

    def test_what_explains_an_error_stands_before_it(self, campaign: Planted) -> None:
        case = params("cyclonedds", test="throughput", qos={"history": "keep_all"})
        used(campaign, case, (0.2, 0.0), (0.4, 0.5), (1.0, 0.2), lost=3)
        assert [f.id for f in campaign.findings()] == ["other-load", "loss-under-reliable"]


class TestWritersWaited:
    SLOW = params("fastdds", test="throughput", placement="different",
                  qos={"history": "keep_all", "lifespan_s": 1.0})  # fmt: skip

    def test_a_stream_at_full_speed_that_uses_no_cpu(self, campaign: Planted) -> None:
        used(campaign, self.SLOW, (0.01, 0.0), (0.012, 0.0), written_per_s=66.0)
        (finding,) = campaign.found("writers-waited")
        assert finding.severity == "warning"
        assert "ran 1.2 % of the time" in finding.evidence
        assert "66.0 samples/s" in finding.evidence

    def test_the_longest_write_is_named_where_one_was_recorded(self, campaign: Planted) -> None:
        case = {**self.SLOW}
        campaign.case("a", clean(1), case, role="transmitter", cpus="1;0", written_per_s=66.0)
        campaign.slow_writes("a", 0, np.full(2000, 3_000_000_000))
        campaign.cpu_time("a", 0, {"passive": (0.01, 0.0), "active": (0.01, 0.0)})
        (finding,) = campaign.found("writers-waited")
        assert "the longest recorded write took 3.00 s" in finding.evidence

    @pytest.mark.parametrize(
        ("changes", "shares"),
        [
            ({}, ((0.9, 0.0), (0.3, 0.0))),
            ({}, ((0.1, 0.0), (0.2, 0.5))),
            ({"rate_hz": 100.0}, ((0.01, 0.0), (0.01, 0.0))),
            ({"batch": 100}, ((0.01, 0.0), (0.01, 0.0))),
            ({"link_rate": "10mbit"}, ((0.01, 0.0), (0.01, 0.0))),
        ],
        ids=["a busy reader", "waiting for a CPU", "a rate", "batches", "a slow link"],
    )
    def test_is_silent_where_something_else_is_the_limit(
        self, campaign: Planted, changes: dict[str, Any], shares: Any
    ) -> None:
        used(campaign, {**self.SLOW, **changes}, *shares)
        assert campaign.found("writers-waited") == []
