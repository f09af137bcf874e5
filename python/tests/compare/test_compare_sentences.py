"""The sentences at the end of a one-line command are true for the data beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compare_results import Builder
from synthetic_campaign import samples_around

from busmark.analysis import Campaign, summarise
from busmark.analysis.figures import Figure
from busmark.compare import compare, select
from busmark.report.comparison.sentences import Group, groups, pairs_that_work, ratio_text
from busmark.store import Result

NUMBER = r"\d+(?:\.\d+)?"
RATIO = re.compile(rf"({NUMBER}) \[({NUMBER}), ({NUMBER})\] ×")

Micros = Mapping[str, float]
NONE: dict[str, Any] = {}


def measured(
    folder: Path, micros: Micros, *, spread: float = 0.003, rounds: int = 8, tails: Micros = NONE,
    findings: Iterable[Mapping[str, Any]] = (), lost: Mapping[str, int] = NONE, **params: Any,
) -> tuple[Campaign, Path]:  # fmt: skip
    """One campaign with a latency case of each adapter, around so many µs."""
    rng = np.random.default_rng(5)
    build = Builder(folder / "result")
    for adapter in micros:
        build.case(adapter, adapter=adapter, **params)
    for number in range(rounds):
        for adapter, typical in micros.items():
            median = typical * 1000 * rng.normal(1, spread)
            sample = samples_around(median, 2000, rng, 0.0)
            sample[:: max(1, round(1 / 0.02))] *= tails.get(adapter, 1.0)
            build.pings(adapter, number, sample, lost=lost.get(adapter, 0))
    build.findings += [dict(finding) for finding in findings]
    place = build.finish()
    return summarise(Result(place)), place


def told(campaign: Campaign, place: Path, *by: str) -> list[Group]:
    by = by or ("adapter",)
    return groups(compare(select([str(place)], by, None), by=by), campaign)


def sentence(campaign: Campaign, place: Path) -> str:
    ((only,),) = [group.sentences for group in told(campaign, place)]
    return only


def ratio(text: str) -> tuple[float, float, float]:
    found = RATIO.search(text)
    assert found, text
    value, low, high = (float(part) for part in found.groups())
    return value, low, high


def says(said: str, before: str, factor: float, after: str) -> bool:
    """Whether it says this with about this ratio."""
    value, low, high = ratio(said)
    about = value == pytest.approx(factor, rel=0.03) and low <= value <= high
    return (
        about
        and re.search(f"{re.escape(before)} {RATIO.pattern} {re.escape(after)}", said) is not None
    )


def test_the_faster_one_is_named_with_the_ratio_of_the_medians(tmp_path: Path) -> None:
    found = measured(tmp_path, {"fastdds": 40, "cyclonedds": 30})
    said = sentence(*found)
    assert said.startswith("64 B on one CPU: Cyclone DDS is 1.")
    assert "× faster than Fast DDS" in said
    value, low, high = ratio(said)
    assert low <= 40 / 30 <= high and low <= value <= high and low > 1


def test_the_order_of_naming_does_not_change_who_is_faster(tmp_path: Path) -> None:
    said = sentence(*measured(tmp_path, {"cyclonedds": 30, "fastdds": 40}))
    assert says(said, "Cyclone DDS is", 4 / 3, "faster than Fast DDS")


def test_the_title_names_the_statistic_and_how_often_it_was_measured(tmp_path: Path) -> None:
    (group,) = told(*measured(tmp_path, {"cyclonedds": 30, "fastdds": 40}))
    assert group.title == "Median RTT/2 (8 rounds each, interleaved; 95 % intervals)"


def test_sentences_of_one_figure_stand_together_whatever_rounds_are_left(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    build = Builder(tmp_path / "result")
    for size, rounds in ((64, 6), (128, 4)):
        for adapter in ("cyclonedds", "fastdds"):
            case = build.case(f"{adapter}-{size}", adapter=adapter, size=size)
            for number in range(rounds):
                build.pings(case, number, samples_around(10_000, 1500, rng, 0.0))
    place = build.finish()
    (group,) = told(summarise(Result(place)), place)
    assert group.title == "Median RTT/2 (4 to 6 rounds each, interleaved; 95 % intervals)"
    assert len(group.sentences) == 2


@pytest.mark.parametrize("order", [("udp", "cyclonedds"), ("cyclonedds", "udp")])
def test_a_baseline_is_no_winner_over_a_middleware(tmp_path: Path, order: tuple[str, str]) -> None:
    micros = {"udp": 10.0, "cyclonedds": 30.0}
    said = sentence(*measured(tmp_path, {name: micros[name] for name in order}))
    assert says(said, "Cyclone DDS is", 3, "slower than UDP socket")


def test_a_middleware_may_win_over_a_baseline(tmp_path: Path) -> None:
    said = sentence(*measured(tmp_path, {"udp": 30, "cyclonedds": 10}))
    assert says(said, "Cyclone DDS is", 3, "faster than UDP socket")


def test_two_baselines_are_compared_with_each_other(tmp_path: Path) -> None:
    said = sentence(*measured(tmp_path, {"udp": 10, "tcp": 20}))
    assert says(said, "UDP socket is", 2, "faster than TCP socket")


def test_the_floor_is_in_no_sentence(tmp_path: Path) -> None:
    found = measured(tmp_path, {"cyclonedds": 30, "null": 0.2, "fastdds": 40})
    ((only,),) = [group.sentences for group in told(*found)]
    assert "null" not in only and "floor" not in only


def test_without_a_difference_nobody_is_faster(tmp_path: Path) -> None:
    found = measured(tmp_path, {"cyclonedds": 30, "fastdds": 30.6}, spread=0.1)
    said = sentence(*found)
    assert "undecided: Fast DDS against Cyclone DDS" in said
    assert said.endswith("the interval includes 1.")
    _, low, high = ratio(said)
    assert low <= 1 <= high
    assert "faster" not in said and "slower" not in said


def test_what_is_the_same_is_equivalent(tmp_path: Path) -> None:
    found = measured(tmp_path, {"cyclonedds": 30, "fastdds": 30}, spread=0.001, rounds=20)
    assert "are equivalent within 2 %" in sentence(*found)


@pytest.mark.parametrize(
    ("low", "value", "high", "text"),
    [
        (1.30, 1.34, 1.38, "1.34 [1.30, 1.38] ×"),
        (1.0004, 1.02, 1.04, "1.0200 [1.0004, 1.0400] ×"),
        (1.0, 1.01, 1.02, "1.01 [1.00, 1.02] ×"),
        (0.98, 0.99, 0.9996, "0.9900 [0.9800, 0.9996] ×"),
        (120.4, 150.2, 180.9, "150 [120, 181] ×"),
        (19.32, 25.21, 88.05, "25.2 [19.3, 88.0] ×"),
        (
            71.6,
            1878.59,
            5732.06,
            "1\N{NARROW NO-BREAK SPACE}879 [72, 5\N{NARROW NO-BREAK SPACE}732] ×",
        ),
        (0.4, 150.2, 300.1, "150.2 [0.4, 300.1] ×"),
        (None, 1.5, None, "1.50 ×"),
    ],
)
def test_a_limit_beside_1_or_0_never_reads_as_that(
    low: float | None, value: float, high: float | None, text: str
) -> None:
    figure = Figure(
        value=value, low=low, high=high, confidence=0.95, unit="1", count=100, rounds=5
    )  # fmt: skip
    assert ratio_text(figure) == text


FINDING = {
    "id": "corrupted", "title": "Samples arrived with another content", "cause": "c",
    "evidence": "e", "remedy": "r",
}  # fmt: skip


@pytest.mark.parametrize("cases", [["fastdds"], []])
def test_an_error_among_the_findings_forbids_a_winner(tmp_path: Path, cases: list[str]) -> None:
    finding = {**FINDING, "severity": "error", "cases": cases}
    said = sentence(*measured(tmp_path, {"cyclonedds": 30, "fastdds": 60}, findings=[finding]))
    assert "undecided: " in said and "samples arrived with another content" in said
    assert "faster" not in said and "slower" not in said


def test_an_error_about_other_cases_forbids_nothing(tmp_path: Path) -> None:
    finding = {**FINDING, "severity": "error", "cases": ["zenoh"]}
    found = measured(
        tmp_path, {"cyclonedds": 30, "fastdds": 60, "zenoh": 90}, findings=[finding]
    )  # fmt: skip
    ((first, second),) = [group.sentences for group in told(*found)]
    assert "faster than Fast DDS" in first and "undecided" in second


def test_warnings_about_the_cases_stand_below_the_sentences(tmp_path: Path) -> None:
    warnings = [
        {**FINDING, "severity": "warning", "cases": ["fastdds"]},
        {**FINDING, "severity": "warning", "cases": ["another"], "title": "Elsewhere"},
        {**FINDING, "severity": "note", "cases": ["fastdds"], "title": "A note"},
    ]
    found = measured(tmp_path, {"cyclonedds": 30, "fastdds": 60}, findings=warnings)
    (group,) = told(*found)
    assert group.warning.startswith("1 finding above may distort these figures: Samples arrived")
    assert "faster" in group.sentences[0]


def test_a_tail_that_is_worse_is_said_beside_a_median_that_is_better(tmp_path: Path) -> None:
    found = measured(tmp_path, {"fastdds": 40, "cyclonedds": 30}, tails={"cyclonedds": 20.0})
    said = sentence(*found)
    main, _, tail = said.partition("; by p99 ")
    assert "faster" in main and "slower" in tail and ratio(tail)[1] > 1


def test_who_loses_more_is_no_winner(tmp_path: Path) -> None:
    found = measured(
        tmp_path, {"fastdds": 40, "cyclonedds": 30}, lost={"cyclonedds": 400}, rate_hz=1000.0,
        arrivals="constant",
    )  # fmt: skip
    said = sentence(*found)
    assert "undecided: Cyclone DDS loses more samples than Fast DDS" in said
    assert "20 % against 0 %" in said


def streams(folder: Path, per_s: Mapping[str, float]) -> tuple[Campaign, Path]:
    rng = np.random.default_rng(2)
    build = Builder(folder / "result")
    for adapter in per_s:
        build.case(adapter, test="throughput", adapter=adapter, size=1024)
    for number in range(8):
        for adapter, rate in per_s.items():
            build.stream(adapter, number, rate * rng.normal(1, 0.003), 1024)
    place = build.finish()
    return summarise(Result(place)), place


def test_goodput_is_told_as_how_much_is_carried(tmp_path: Path) -> None:
    found = streams(tmp_path, {"cyclonedds": 1e5, "fastdds": 2e5})
    (group,) = told(*found)
    assert group.title.startswith("Goodput (8 rounds each")
    (said,) = group.sentences
    assert says(said, "Fast DDS carries", 2, "as much as Cyclone DDS")


def test_a_baseline_that_carries_more_is_the_subject(tmp_path: Path) -> None:
    (group,) = told(*streams(tmp_path, {"udp": 2e5, "cyclonedds": 1e5}))
    assert says(group.sentences[0], "UDP socket carries", 2, "as much as Cyclone DDS")


def test_values_of_one_adapter_are_told_apart(tmp_path: Path) -> None:
    build = Builder(tmp_path / "result")
    rng = np.random.default_rng(1)
    for placement in ("same", "different"):
        build.case(placement, adapter="udp", placement=placement)
    for number in range(6):
        for placement, median in (("same", 10_000), ("different", 20_000)):
            build.pings(placement, number, samples_around(median, 1500, rng, 0.0))
    place = build.finish()
    (group,) = told(summarise(Result(place)), place, "placement")
    (said,) = group.sentences
    assert says(said, "UDP socket (same) is", 2, "faster than UDP socket (different)")
    assert said.startswith("64 B: "), "no placement that only one of both has"


def pairs(folder: Path) -> tuple[Campaign, Path]:
    """Two vendors, each with each."""
    rng = np.random.default_rng(1)
    build = Builder(folder / "result")
    vendors = ("cyclonedds", "fastdds")
    both = {(one, other): 1.0 + (one != other) for one in vendors for other in vendors}
    for one, other in both:
        peer = {} if one == other else {
            "peer": other, "peer_transport": "udp", "peer_wait": "listener",
        }  # fmt: skip
        build.case(f"{one}-{other}", adapter=one, **peer)
    for number in range(6):
        for (one, other), factor in both.items():
            sample = samples_around(10_000 * factor, 1500, rng, 0.0)
            build.pings(f"{one}-{other}", number, sample)
    place = build.finish()
    return summarise(Result(place)), place


def test_pairs_of_vendors_are_compared_with_the_first_pair(tmp_path: Path) -> None:
    campaign, place = pairs(tmp_path)
    (group,) = told(campaign, place, "adapter", "peer")
    assert len(group.sentences) == 3, "every pair but the first, mixed ones too"
    mixed = [s for s in group.sentences if "Cyclone DDS → Fast DDS" in s]
    assert says(mixed[0], "Cyclone DDS → itself is", 2, "faster than Cyclone DDS → Fast DDS")
    (works,) = pairs_that_work(campaign)
    assert works == "latency, 64 B on one CPU: 4 of 4 pairs exchange all samples"


def test_sides_that_are_pairs_are_named_by_both_vendors(tmp_path: Path) -> None:
    _, place = pairs(tmp_path)
    names = [side.name for side in select([str(place)], ["adapter", "peer"], None)]
    assert names[:2] == ["cyclonedds · cyclonedds", "cyclonedds · fastdds"]
