"""Sentences over several workloads, and the lines they rest on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats as reference
from synthetic_campaign import Builder

from busmark.analysis import Campaign, summarise
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
    medians = [np.median([a.median_ns for a in campaign.case(case).attempts]) for case in fit.cases]
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
    campaign = sweep(tmp_path, {"udp": (10_000, 0.5), "tcp": (14_000, 2.0)})
    sentences = [answer.sentence for answer in campaign.answers]
    assert sentences[0] == (
        "On one CPU, UDP socket has the lowest median RTT/2 in all 4 workloads."
    )
    assert sentences[1].startswith("On one CPU, the median RTT/2 grows with the size: by 0.2")
    assert "ns/B with UDP socket and 1.0" in sentences[1]
    assert sentences[2].startswith("At 64 B on one CPU, the lowest median RTT/2 is that of UDP")


def test_curves_that_cross_have_a_best_each(tmp_path: Path) -> None:
    campaign = sweep(tmp_path, {"udp": (10_000, 4.0), "tcp": (14_000, 0.5)})
    assert campaign.answers[0].sentence == (
        "On one CPU, TCP socket has the lowest median RTT/2 in 2 of 4 workloads; UDP socket in 2."
    )


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
    campaign = sweep(tmp_path, {"udp": (10_000, 1.0), "tcp": (10_000, 1.0)})
    assert campaign.answers[0].sentence == (
        "On one CPU, in none of 4 workloads can the lowest median RTT/2 be named."
    )


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
    assert answers[-1].sentence == "5 further workloads could be compared; the tables have them."
