"""Rules that look at the raw latencies, each with a planted problem and without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from planted import CAPABILITIES, MS, THROUGHPUT, Planted, Series, clean, params

from busmark.store import Finding


def delayed(share: float, at_ns: float, seed: int = 1, rounds: int = 3) -> list[Series]:
    """Clean latencies of which a random `share` lies at `at_ns` within a tenth of a millisecond."""
    generator = np.random.default_rng(seed)
    series = clean(seed, rounds=rounds)
    for one in series:
        chosen = generator.random(one.size) < share
        one[chosen] = at_ns + 0.1 * MS * generator.standard_normal(int(chosen.sum()))
    return series


def stalled() -> list[Series]:
    """Clean latencies; the last samples of one round, sent every millisecond, waited together."""
    series = clean(1)
    series[-1][-200:] = np.repeat([72 * MS, 88 * MS], 100) - np.tile(np.arange(100) * 0.2 * MS, 2)
    return series


class TestNagle:
    def test_fires_on_a_two_percent_cluster_at_40_ms(self, campaign: Planted) -> None:
        campaign.adapters["tcp"] = CAPABILITIES["tcp"]
        case = params(settings={"nodelay": "false"})
        (finding,) = campaign.case("a", delayed(0.02, 40 * MS), case).found("nagle-delayed-ack")
        assert finding.severity == "warning"
        assert "40.0 ms" in finding.evidence and "median of the rest is 20." in finding.evidence
        assert "tcp.nodelay = true" in finding.remedy

    @pytest.mark.parametrize("middle_ms", [40.0, 44.0, 48.0, 80.0, 88.0])
    def test_fires_when_every_sample_pays(self, campaign: Planted, middle_ms: float) -> None:
        slow = clean(1, median_ns=middle_ms * MS)
        steady = [middle_ms * MS + (one - middle_ms * MS) / 20 for one in slow]
        (finding,) = campaign.case("a", steady).found("nagle-delayed-ack")
        assert "100 % of" in finding.evidence

    @pytest.mark.parametrize(
        "series",
        [
            delayed(0.002, 40 * MS),
            delayed(0.02, 20 * MS),
            delayed(0.02, 200 * MS),
            clean(1, median_ns=60 * MS),
            stalled(),
        ],
        ids=[
            "too rare",
            "below the window",
            "above the window",
            "a slow path",
            "one stall",
        ],
    )
    def test_is_silent_on(self, campaign: Planted, series: list[Series]) -> None:
        assert campaign.case("a", series).found("nagle-delayed-ack") == []


def sawtooth(period_ns: float, each: int) -> Series:
    """Latencies of samples of which so many are kept back and arrive together."""
    return (each - np.arange(4000) % each) * period_ns


class TestNagleAtARate:
    LEFT_ON = params("tcp", rate_hz=1000, settings={"nodelay": "false"})

    def found(self, campaign: Planted, case: dict[str, Any], each: int) -> list[Finding]:
        campaign.adapters["tcp"] = CAPABILITIES["tcp"]
        series = [sawtooth(MS, each) for _ in range(3)]
        campaign.case("a", series, case, period_ns=int(MS))
        assert campaign.found("bimodal") == []
        return campaign.found("nagle-delayed-ack")

    def test_samples_that_collect_are_named_with_the_option(self, campaign: Planted) -> None:
        (finding,) = self.found(campaign, self.LEFT_ON, 32)
        assert "97 % of the samples" in finding.evidence and "3 of 3" in finding.evidence
        assert "`tcp.nodelay = true`" in finding.remedy


class TestBimodal:
    def test_names_both_locations_and_shares(self, campaign: Planted) -> None:
        (finding,) = campaign.case("a", delayed(0.3, 5 * MS)).found("bimodal")
        assert finding.severity == "warning"
        assert (
            "20.2 µs" in finding.evidence
            and "5.0" in finding.evidence
            and "3 of 3 rounds" in finding.evidence
        )
        assert "(30 %" in finding.evidence or "(31 %" in finding.evidence

    def test_modes_that_take_turns_are_called_so(self, campaign: Planted) -> None:
        series = [one * np.tile([1.0, 2.0], one.size // 2) for one in clean(1)]
        (finding,) = campaign.case("a", series).found("bimodal")
        assert "turns" in finding.evidence

    @pytest.mark.parametrize(
        "series",
        [
            delayed(0.02, 5 * MS),
            delayed(0.3, 5 * MS, rounds=1) + clean(2, rounds=4),
            clean(1, rounds=2) + clean(2, rounds=2, median_ns=5 * MS),
            [np.concatenate([a, b * 3]) for a, b in zip(clean(1), clean(2), strict=True)],
            [scale * one for scale, one in zip((1, 4, 30, 110), delayed(0.3, 60_000, rounds=4),
                                               strict=True)],
        ],
        ids=["a tail", "few rounds", "rounds that differ", "one after the other",
             "modes elsewhere in each round"],
    )  # fmt: skip
    def test_is_silent_on(self, campaign: Planted, series: list[Series]) -> None:
        assert campaign.case("a", series).found("bimodal") == []

    @pytest.mark.parametrize(("step", "apart", "fires"), [
        (1, 15, False), (1, 150, True), (100, 250, False), (100, 400, True),
        (1, 110, False),
    ])  # fmt: skip
    def test_modes_as_near_as_readings_of_the_clock_are_none(
        self, campaign: Planted, step: int, apart: int, fires: bool
    ) -> None:
        campaign.hosts[""] = {"clock_step_ns": step}
        generator = np.random.default_rng(4)
        series = [
            generator.choice([600.0, 600.0 + apart], 4000) + generator.integers(-1, 2, 4000)
            for _ in range(3)
        ]
        assert bool(campaign.case("a", series).found("bimodal")) == fires


class TestNonStationary:
    @pytest.mark.parametrize(("slope", "word"), [(0.3, "rises"), (-0.3, "falls")])
    def test_fires_on_a_trend(self, campaign: Planted, slope: float, word: str) -> None:
        series = [one * np.linspace(1, 1 + slope, one.size) for one in clean(1)]
        (finding,) = campaign.case("a", series).found("non-stationary")
        assert word in finding.evidence and "3 of 3 rounds" in finding.evidence

    def test_a_small_trend_is_silent(self, campaign: Planted) -> None:
        series = [one * np.linspace(1, 1.03, one.size) for one in clean(1)]
        assert campaign.case("a", series).found("non-stationary") == []


class TestRoundsDisagree:
    def test_names_the_rounds(self, campaign: Planted) -> None:
        series = [*clean(1, rounds=2), *clean(2, rounds=1, median_ns=50_000)]
        (finding,) = campaign.case("a", series).found("rounds-disagree")
        assert "49.8 µs" in finding.evidence and "in round 2" in finding.evidence
        assert "ratio 2.5" in finding.evidence


class TestCounts:
    def test_p99_left_out_is_a_note(self, campaign: Planted) -> None:
        (finding,) = campaign.case("a", clean(1, samples=500)).found("too-few-samples")
        assert finding.severity == "note" and "500 samples" in finding.evidence

    def test_p99_left_out_for_samples_that_are_alike_is_a_note(self, campaign: Planted) -> None:
        # Of 2000 samples 100 in a row are slow, in every round.
        series = clean(1)
        for one in series:
            one[700:800] *= 5
        (finding,) = campaign.case("a", series).found("too-few-samples")
        assert finding.severity == "note" and "too alike" in finding.title
        assert campaign.case("b", clean(2)).found("too-few-samples")[0].cases == ["a"]

    def test_no_median_is_an_error(self, campaign: Planted) -> None:
        (finding,) = campaign.case("a", clean(1, samples=12)).found("too-few-samples")
        assert finding.severity == "error"

    def test_few_probes_of_a_stream_are_a_note(self, campaign: Planted) -> None:
        campaign.case("a", clean(1, samples=12), params=THROUGHPUT, role="transmitter")
        (finding,) = campaign.found("too-few-samples")
        assert finding.severity == "note"

    def test_two_rounds_give_a_wide_interval_and_one_gives_none(self, campaign: Planted) -> None:
        campaign.case("a", clean(1, rounds=2)).case("b", clean(1, rounds=1))
        by_case = {found.cases[0]: found for found in campaign.found("too-few-rounds")}
        assert {found.severity for found in by_case.values()} == {"warning"}
        assert "2 usable rounds" in by_case["a"].evidence
        assert by_case["a"].title == "Two rounds give very wide intervals"
        assert "no stated uncertainty" not in by_case["a"].cause
        assert by_case["b"].title == "One round gives no interval"

    @pytest.mark.parametrize(("target", "fires"), [(0.0, False), (0.01, True), (0.5, False)])
    def test_an_interval_wider_than_asked_for(
        self, campaign: Planted, target: float, fires: bool
    ) -> None:
        campaign.scenario = {"rounds": {"target": target}}
        campaign.case("a", clean(1), statistic_value=[100.0, 104.0, 96.0], statistic_variance=0.0)
        found = campaign.found("target-missed")
        assert bool(found) == fires
        # Of 100, 104, 96: half their range, and 0.813 ranges beyond.
        assert not fires or "half-width 10.5% of the figure after 3 rounds" in found[0].evidence

    def test_marked_rounds_do_not_count(self, campaign: Planted) -> None:
        campaign.case("a", clean(1, rounds=4), status=["ok", "ok", "marked", "failed"])
        assert len(campaign.found("too-few-rounds")) == 1


def test_a_sample_read_before_it_was_sent_is_an_error(campaign: Planted) -> None:
    series = clean(1)
    series[1][7] = -3_000.0
    (finding,) = campaign.case("a", series).found("clock-order")
    assert finding.severity == "error"
    assert "1 of 6" in finding.evidence and "\N{MINUS SIGN}3.00 µs" in finding.evidence


def test_a_damaged_file_of_samples_is_an_error(campaign: Planted) -> None:
    result = campaign.case("a", clean(1)).result()
    next((result.directory / "samples").iterdir()).write_bytes(b"PAR1")
    (finding,) = campaign.found("samples-unreadable")
    assert finding.severity == "error" and "1 round" in finding.evidence
