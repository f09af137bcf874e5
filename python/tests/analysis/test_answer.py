"""Sentences over several workloads, and the lines they rest on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats as reference
from synthetic_campaign import Builder

from busmark.analysis import Campaign, summarise
from busmark.analysis.words.costs import costs
from busmark.store import Result

SIZES = (64, 1024, 4096, 16384)


def sweep(directory: Path, slopes: dict[str, tuple[float, float]], rounds: int = 5) -> Campaign:
    """Round trips of overhead + slope · size (ns), by adapter, at four sizes."""
    rng = np.random.default_rng(3)
    build = Builder(directory)
    for size in SIZES:
        for adapter, (overhead, slope) in slopes.items():
            case = build.case(f"{adapter}-{size}", adapter=adapter, transport=adapter, size=size)
            for number in range(rounds):
                median = (overhead + slope * size) * rng.normal(1, 0.002)
                build.pings(case, number, np.rint(rng.normal(median, 50, 400)))
    return summarise(Result(build.finish()))


def test_the_line_through_the_sizes_is_that_of_theil_and_sen(tmp_path: Path) -> None:
    campaign = sweep(tmp_path, {"udp": (10_000, 0.5)})
    (fit,) = campaign.fits
    medians = [np.median([*campaign.case(case).round_medians.values()]) for case in fit.cases]
    expected = reference.theilslopes(medians, SIZES, method="joint")
    assert fit.slope.value == pytest.approx(expected.slope)
    assert fit.overhead.value == pytest.approx(expected.intercept)
    assert fit.slope.low is not None and fit.slope.high is not None
    assert fit.slope.low < 0.25 < fit.slope.high
    drawn = fit.overhead.value + fit.slope.value * np.array(fit.at_bytes)
    assert fit.value_ns == pytest.approx(drawn, abs=0.1)
    assert (fit.at_bytes[0], fit.at_bytes[-1]) == (64, 16384)


def test_two_sizes_make_no_line(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for size in SIZES[:2]:
        case = build.case(f"udp-{size}", size=size)
        for number in range(3):
            build.pings(case, number, np.full(100, 8000.0 + size))
    assert summarise(Result(build.finish())).fits == []


def test_the_best_over_all_workloads_and_the_growth_are_told_first(tmp_path: Path) -> None:
    campaign = sweep(tmp_path, {"fastdds": (10_000, 0.5), "zenoh": (14_000, 2.0)})
    sentences = [answer.sentence for answer in campaign.answers]
    assert sentences[0].startswith("Fast DDS is fastest in all 4 latency workloads, 1.4")
    assert sentences[0].endswith(" × faster than the next.")
    assert sentences[1].startswith("On one CPU, the median RTT/2 grows with the size: by 0.2")
    assert "ns/B with Fast DDS and 1.0" in sentences[1]
    assert sentences[2].startswith("Fastest at 64 B on one CPU: Fast DDS, 5.0")
    assert "faster than Zenoh" in sentences[2]


def test_curves_that_cross_have_a_best_each(tmp_path: Path) -> None:
    campaign = sweep(tmp_path, {"fastdds": (10_000, 4.0), "zenoh": (14_000, 0.5)})
    first = campaign.answers[0].sentence
    assert first.startswith("Fast DDS is fastest in 2 of 4 latency workloads, ")
    assert first.endswith("; Zenoh in 2.")


def test_rates_that_are_carried_are_told_instead_of_a_greatest_goodput(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for rate in (1000, 2000, 4000):
        for adapter, carries in (("udp", 1.0), ("tcp", 0.5 if rate > 2000 else 1.0)):
            case = build.case(
                f"{adapter}-{rate}", test="throughput", adapter=adapter, rate_hz=rate, size=1000
            )
            for number in range(3):
                build.stream(case, number, rate * carries * (1 + number / 1e6), 1000)
    (answer,) = summarise(Result(build.finish())).answers
    assert answer.sentence == (
        "On one CPU, 99 % or more of what is specified arrives: with UDP socket at all rates up to "
        "32.0 Mbit/s, with TCP socket up to 16.0 Mbit/s."
    )


def test_streams_are_ranked_by_what_the_scenario_asks_for(tmp_path: Path) -> None:
    """At a rate all carry the same; one-way latency tells them apart, if it is asked for."""
    for answer, figure in (("latency", "one_way"), ("goodput", None)):
        build = Builder(tmp_path / answer)
        rng = np.random.default_rng(5)
        for adapter, median in (("fastdds", 20_000), ("zenoh", 30_000)):
            case = build.case(
                adapter, test="throughput", adapter=adapter, rate_hz=100.0, size=1000
            )  # fmt: skip
            for number in range(5):
                build.probes(case, number, rng.normal(median, 200, 500), lost=2)
        scenario = {"name": "x", "answer": answer}
        found = summarise(Result(build.finish(scenario=scenario)))
        assert [each.figure for each in found.standings] == ([figure] if figure else [])
        kinds = {case.headline.kind for case in found.cases if case.headline}
        assert kinds == {figure or "throughput"}
        if figure:
            lead = found.answers[0].sentence
            assert lead.startswith(
                "Fastest one way at 1\N{NARROW NO-BREAK SPACE}000 B on one CPU: Fast DDS, 20.0"
            ), lead
            (standing,) = found.standings
            ratio = standing.others[0].to_leader
            assert ratio and ratio.ratio and ratio.ratio.value == pytest.approx(1.5, rel=0.01)


def test_rates_of_several_workloads_are_not_taken_for_one(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    for rate in (1000, 2000, 4000):
        for loss, carries in (("", 1.0), ("5%", 0.95)):
            case = build.case(
                f"{rate}{loss}", test="throughput", rate_hz=rate, size=1000, link_loss=loss or None
            )
            for number in range(3):
                build.stream(case, number, rate * carries, 1000)
    told = [answer.sentence for answer in summarise(Result(build.finish())).answers]
    assert not any("of what is specified arrives" in sentence for sentence in told)


def test_what_cannot_be_told_apart_has_no_best(tmp_path: Path) -> None:
    campaign = sweep(tmp_path, {"fastdds": (10_000, 1.0), "zenoh": (10_000, 1.0)})
    first = campaign.answers[0].sentence
    assert first.startswith("Tie for fastest in all 4 latency workloads: ")
    assert "Fast DDS" in first and "Zenoh" in first


def test_baselines_alone_are_compared_as_such(tmp_path: Path) -> None:
    campaign = sweep(tmp_path, {"udp": (10_000, 0.5), "tcp": (14_000, 2.0)})
    first, _, single, *_ = (answer.sentence for answer in campaign.answers)
    assert first.startswith("Baselines only: UDP socket is fastest in all 4 latency workloads")
    assert single.startswith("Fastest baseline at 64 B on one CPU: UDP socket, ")


def test_sentences_without_room_are_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    build = Builder(tmp_path)
    for rate in range(1, 13):
        for adapter in ("udp", "tcp"):
            case = build.case(f"{adapter}-{rate}", adapter=adapter, rate_hz=100 * rate)
            for number in range(3):
                build.pings(case, number, np.rint(rng.normal(9000, 200, 200)))
    answers = summarise(Result(build.finish())).answers
    assert len(answers) == 9
    assert answers[-1].sentence == "7 more comparisons in the tables."


def told(directory: Path, rounds: dict[str, list[float]], findings: object = ()) -> list[str]:
    """The answer to medians by adapter and round (ns of the round trip)."""
    build = Builder(directory)
    for adapter, medians in rounds.items():
        case = build.case(adapter, adapter=adapter, transport=adapter)
        for number, median in enumerate(medians):
            build.pings(case, number, np.full(200, median))
    build.findings += findings  # type: ignore[operator]
    return [answer.sentence for answer in summarise(Result(build.finish())).answers]


def test_a_lower_one_without_an_interval_leaves_no_fastest(tmp_path: Path) -> None:
    (sentence,) = told(tmp_path, {"fastdds": [56_000, 56_400, 55_800], "zenoh": [49_000]})
    assert sentence.startswith(
        "No fastest can be named at 64 B on one CPU: Zenoh, 24.5 µs, is not compared (one round "
        "gives no interval); Fast DDS: 28.0 µs"
    )
    assert "Fastest" not in sentence


def test_one_that_is_hardly_known_does_not_make_all_alike(tmp_path: Path) -> None:
    medians = {
        "cyclonedds": [10_200.0, 10_300.0, 10_400.0],
        "fastdds": [9000.0, 13_600.0, 21_500.0],
        "zenoh": [20_700.0, 20_800.0, 20_900.0],
    }
    (sentence,) = told(tmp_path, medians)
    assert sentence.startswith(
        "Undecided which is fastest at 64 B on one CPU: Cyclone DDS (5.15 µs) and "
        "Fast DDS (6.80 µs) ("
    )
    assert "Zenoh is 2.02 [" in sentence and "slower than the first" in sentence


def test_an_answer_from_spoilt_rounds_says_so(tmp_path: Path) -> None:
    finding = {
        "id": "rate-not-held", "severity": "warning", "title": "The rate was not held",
        "cause": "", "evidence": "", "remedy": "", "cases": ["fastdds"],
    }  # fmt: skip
    medians = {"fastdds": [8000.0, 8010.0, 8020.0], "zenoh": [9000.0, 9010.0, 9020.0]}
    (sentence,) = told(tmp_path, medians, [finding, {**finding, "severity": "note", "title": "X"}])
    assert sentence.endswith("; but the rate was not held (Fast DDS).")


def test_a_win_needs_that_nobody_without_an_interval_is_better(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    build = Builder(tmp_path)
    for size in SIZES:
        for adapter, median, rounds in (
            ("fastdds", 9000, 4),
            ("tcp", 12_000, 4),
            ("zenoh", 5000, 1),
        ):
            case = build.case(f"{adapter}-{size}", adapter=adapter, transport=adapter, size=size)
            for number in range(rounds):
                build.pings(case, number, np.rint(rng.normal(median, 50, 200)))
    sentences = [answer.sentence for answer in summarise(Result(build.finish())).answers]
    assert not any("is fastest" in sentence or "Fastest" in sentence for sentence in sentences)
    assert any("No fastest can be named" in sentence for sentence in sentences)


def test_what_discovers_slowly_is_slower_and_carries_nothing(tmp_path: Path) -> None:
    builder = Builder(tmp_path)
    for adapter, factor in (("fastdds", 1.0), ("cyclonedds", 1.0), ("dustdds", 16.0)):
        case = builder.case(adapter, test="discovery", adapter=adapter, size=64)
        for number in range(6):
            # Two whose lead changes with the round.
            ahead = 1.02 if (adapter == "fastdds") == bool(number % 2) else 1.0
            builder.row(case, number, repetitions=30, undiscovered=0,
                        first_sample_ns=1e7 * factor * ahead)  # fmt: skip
    (sentence,) = [
        answer.sentence for answer in summarise(Result(builder.finish())).answers
        if "in discovery" in answer.sentence
    ]  # fmt: skip
    assert sentence.startswith("Tie for fastest in discovery at 64 B on one CPU: ")
    assert "dustdds is 16" in sentence and "× slower than the first" in sentence
    assert "carries" not in sentence


def test_what_security_costs_is_told_from_the_most_that_is_protected(tmp_path: Path) -> None:
    builder = Builder(tmp_path)
    # Not in the order of what they protect.
    for profile, factor in (("none", 1), ("all", 3), ("data_sign", 2), ("authentication", 1)):
        case = builder.case(profile, adapter="fastdds", size=64, security=profile)
        stream = builder.case(f"{profile}-stream", test="throughput", adapter="fastdds", size=64,
                              security=profile)  # fmt: skip
        for number in range(6):
            builder.pings(case, number, 20_000.0 * factor * (1 + number / 50) + np.arange(500))
            builder.stream(stream, number, 60_000 * (1 + number / 50) / factor, 64)
    told = [
        sentence.sentence.partition(" × the ")[0].split(" [")[0]
        for sentence in costs(summarise(Result(builder.finish())).effects)["security"]
    ]
    assert [each.rpartition(" ")[0] for each in told] == [
        "All protected costs", "No security carries", "Data signed costs", "No security carries",
    ]  # fmt: skip


@pytest.mark.parametrize("sizes", [(64, 256), (64, 128, 256)])
def test_a_middleware_is_not_taken_for_one_of_its_rows(
    tmp_path: Path, sizes: tuple[int, ...]
) -> None:
    """Two of its rows tie at the smaller sizes; at 256 B one of them is the fastest."""
    builder = Builder(tmp_path)
    for size in sizes:
        for profile in ("none", "access_control", "all"):
            for adapter, own in (("fastdds", 1.0), ("cyclonedds", 4.0)):
                case = builder.case(f"{adapter}-{profile}-{size}", adapter=adapter, size=size,
                                    security=profile)  # fmt: skip
                slower = profile == "all" or (profile == "access_control" and size == 256)
                median = 20_000 * own * (1.5 if slower else 1.0)
                for number in range(6):
                    builder.pings(case, number, median * (1 + number / 50) + np.arange(500))
    found = [answer.sentence for answer in summarise(Result(builder.finish())).answers]
    (sentence,) = [each for each in found if "latency workloads" in each]
    several, one = len(sizes) - 1, "Fast DDS · no security"
    assert sentence.startswith(f"Several rows of Fast DDS are fastest in {several} of ")
    assert sentence.endswith(f"; {one} in 1.")
