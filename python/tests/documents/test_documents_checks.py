"""Checks on campaigns whose truth is known."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from busmark.estimate.capacity import specified_mbit_per_s
from busmark.estimate.case import CaseSummary
from documents_campaigns import MOOD, campaign, case
from hypothesis import given
from hypothesis import strategies as st

from busmark.documents.along import Bend
from busmark.documents.checks import Convergence, Ratio, Trend, delivered, share
from busmark.documents.claim import ABOVE, ALL, BELOW, Claim, about, alike
from busmark.documents.evidence import Check, Evidence, evidence
from busmark.documents.select import asks, cases
from busmark.documents.values import headline
from busmark.model.parameters import Parameters
from busmark.stats import Estimate

factors = st.floats(0.1, 10).filter(lambda x: abs(x - 1) > 1e-6)


def throughput(adapter: str, mbit: float | list[float | None], **more: Any) -> CaseSummary:
    """A throughput case with this goodput, in every round times the round's mood."""
    params = {
        "test": "throughput", "adapter": adapter, "payload": "octet", "size": 1024,
        "publishers": 1, "subscribers": 1, "topology": "one_way", "rate_hz": None,
        "link_rate": None, "load": None, "qos": {"reliability": "reliable"}, **more,
    }  # fmt: skip
    known = mbit if isinstance(mbit, list) else [mbit * mood for mood in MOOD]
    return case(f"{adapter}-{more}", params, known)


def asked(check: Check, *found: CaseSummary) -> Evidence:
    return evidence(check, campaign(found))


A, B = cases(adapter="a"), cases(adapter="b")


@given(factors)
def test_a_ratio_is_that_of_the_cases_whatever_happened_to_each_round(factor: float) -> None:
    both = throughput("a", 100 * factor), throughput("b", 100)
    found = asked(Ratio("", A, B, ABOVE), *both)
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(factor)
    assert found.verdict == ("agrees" if factor > 1 else "disagrees")
    assert asked(Ratio("", A, B, BELOW), *both).verdict != found.verdict


@given(st.lists(factors, min_size=2, max_size=6, unique=True))
def test_cases_pair_with_those_of_their_size_and_weigh_the_same(by_size: list[float]) -> None:
    sizes = [2**n for n, _ in enumerate(by_size)]
    of = [throughput("a", 50 * f, size=s) for s, f in zip(sizes, by_size, strict=True)]
    to = [throughput("b", 50, size=s) for s in reversed([*sizes, 1 << 20])]
    found = asked(Ratio("", A, B, ABOVE), *of, *to)
    product = 1.0
    for factor in by_size:
        product *= factor
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(product ** (1 / len(by_size)))
    assert [pair.ratio().value for pair in found.pairs] == pytest.approx(by_size)


def test_cases_of_other_qos_do_not_pair_unless_that_does_not_matter() -> None:
    of = throughput("a", 2, qos={"reliability": "best_effort"})
    to = throughput("b", 1)
    assert asked(Ratio("", A, B, ABOVE), of, to).reason == "no two cases are otherwise alike"
    found = asked(Ratio("", A, B, ABOVE, alike_in=("size",)), of, to)
    assert found.verdict == "agrees"


def test_little_difference_must_hold_for_each_pair() -> None:
    to = [throughput("b", 10, size=size) for size in (64, 128)]
    near = [throughput("a", 10.5, size=64), throughput("a", 9.6, size=128)]
    apart = [throughput("a", 20, size=64), throughput("a", 5, size=128)]
    check = Ratio("", A, B, alike(1.25))
    assert asked(check, *near, *to).verdict == "agrees"
    found = asked(check, *apart, *to)
    assert found.ratio is not None and found.ratio.value == pytest.approx(1)
    assert found.verdict == "disagrees"


def test_noise_that_hides_the_difference_cannot_be_told() -> None:
    of, to = throughput("a", [10, 21, 9, 20]), throughput("b", [20, 10, 19, 11])
    assert asked(Ratio("", A, B, ABOVE), of, to).verdict == "undecided"


def test_one_round_gives_no_verdict() -> None:
    found = asked(Ratio("", A, B, ABOVE), throughput("a", [9.0]), throughput("b", [1.0]))
    assert (found.verdict, found.reason) == ("undecided", "one round gives no interval")


@given(st.lists(st.integers(0, 600), min_size=1, max_size=6))
def test_one_lost_sample_disproves_that_none_was(lost: list[int]) -> None:
    sent = [1000.0 + n for n in range(len(lost))]
    of = throughput("a", [one - gone for one, gone in zip(sent, lost, strict=True)])
    found = asked(Ratio("", A, B, ALL), of, throughput("b", [*sent]))
    assert found.verdict == ("disagrees" if any(lost) else "agrees")


def test_failed_rounds_are_left_out_on_both_sides() -> None:
    of, to = throughput("a", [30, None, 30, 30]), throughput("b", [10, 10, None, 10])
    found = asked(Ratio("", A, B, ABOVE), of, to)
    assert found.pairs[0].rounds == [0, 3]
    assert found.ratio is not None and found.ratio.value == pytest.approx(3)


def test_pairs_without_common_rounds_do_not_take_the_rest_with_them() -> None:
    of = [throughput("a", 30.0, size=64), throughput("a", [None, None, None, 30.0], size=128)]
    to = [throughput("b", 10.0, size=64), throughput("b", 10.0, size=128)]
    found = asked(Ratio("", A, B, ABOVE), *of, *to)
    assert found.ratio is not None and found.ratio.rounds == 4
    assert found.verdict == "agrees"


def test_what_is_missing_is_told_why() -> None:
    here = throughput("a", 1)
    nowhere = asked(Ratio("", A, B, ABOVE), here)
    assert nowhere.reason == "this campaign has no such case: adapter b"
    params = {**here.params.stated(), "adapter": "b"}
    without = case("b", params, [], "unsupported")
    assert asked(Ratio("", A, B, ABOVE), here, without).reason == "no such library"


@given(factors, factors)
def test_a_trend_is_the_first_ratio_over_the_last(first: float, last: float) -> None:
    of = [throughput("a", 10 * f, subscribers=n) for n, f in ((1, first), (3, 1.0), (5, last))]
    to = [throughput("b", 10, subscribers=n) for n in (5, 3, 1)]
    found = asked(Trend("", A, B, "subscribers", ABOVE), *of, *to)
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(first / last)


@pytest.mark.parametrize(
    ("first", "last", "verdict"),
    [(1.5, 1.1, "agrees"), (0.5, 0.9, "agrees"), (1.2, 0.5, "disagrees"), (1.1, 1.5, "disagrees")],
)
def test_two_converge_where_their_distance_shrinks_whichever_is_ahead(
    first: float, last: float, verdict: str
) -> None:
    of = [throughput("a", 10 * f, size=size) for size, f in ((64, first), (4096, last))]
    to = [throughput("b", 10, size=size) for size in (64, 4096)]
    found = asked(Convergence("", A, B, "size", ABOVE), *of, *to)
    assert found.verdict == verdict
    assert found.ratio is not None
    distance = max(first, 1 / first) / max(last, 1 / last)
    assert found.ratio.value == pytest.approx(distance)


def test_who_has_no_lead_cannot_lose_one() -> None:
    of = [throughput("a", 10 * f, subscribers=n) for n, f in ((1, 0.9), (5, 0.8))]
    to = [throughput("b", 10, subscribers=n) for n in (1, 5)]
    found = asked(Convergence("", A, B, "subscribers", ABOVE, lead=True), *of, *to)
    assert (found.verdict, found.ratio) == ("undecided", None)
    assert found.reason == "no lead at the least value of subscribers that could narrow"


def test_the_interval_that_is_shown_is_the_one_that_decides() -> None:
    sizes = (64, 128, 256, 512)
    of = [throughput("a", [14, 13.2, 14.2, 13.1], size=size) for size in sizes]
    to = [throughput("b", [10, 10, 10, 10], size=size) for size in sizes]
    found = asked(Ratio("", A, B, alike(1.25)), *of, *to)
    assert found.confidence == pytest.approx(0.99)
    assert found.ratio is not None and found.ratio.low is not None
    shown = [found.ratio, *(ratio for _, ratio in found.ratios)]
    assert {ratio.confidence for ratio in shown} == {found.confidence}
    outside = any(ratio.low > 1.25 for ratio in shown if ratio.low is not None)
    assert found.verdict == ("disagrees" if outside else "undecided")
    assert found.verdict == "undecided"
    # At 95 % they lie outside: the page must not show these beside that verdict.
    assert all((pair.ratio().low or 0) > 1.25 for pair in found.pairs)


@given(st.floats(-2, 2), factors)
def test_a_bend_is_1_on_a_power_law_and_shows_the_dip_at_its_size(power: float, dip: float) -> None:
    sizes = (512, 1024, 2048)
    straight = [throughput("a", 10 * (size / 512) ** power, size=size) for size in sizes]
    assert [b.size / a.size for a, b in pairwise(straight) if a.size and b.size] == [2, 2]
    found = asked(Bend("", A, 1024, about(1.0, 1.0001)), *straight)
    assert found.verdict == "agrees"
    dipped = [straight[0], throughput("a", 10 * 2**power * dip, size=1024), straight[2]]
    found = asked(Bend("", A, 1024, BELOW), *dipped)
    assert found.ratio is not None and found.ratio.value == pytest.approx(dip)


def test_a_share_is_of_what_was_specified_for_one_node() -> None:
    both = throughput("a", [16.0, 16.0], topology="bidirectional", rate_hz=1000.0, size=1000)
    assert headline(both) == {0: 8.0, 1: 8.0}
    found = asked(share("", A, specified_mbit_per_s, alike(1.01)), both)
    assert found.verdict == "agrees"
    two = throughput("a", [16.0, 16.0], subscribers=2, rate_hz=1000.0, size=1000)
    assert asked(share("", A, specified_mbit_per_s, alike(1.01)), two).verdict == "agrees"
    linked = throughput("a", 1.0, rate_hz=1000.0, size=1000, link_rate="10mbit")
    assert asks(0.7, 0.9)(linked)
    assert not asks(0.8001, 2)(linked)
    assert not asks(0, 2)(throughput("a", 1.0))


@pytest.mark.parametrize("lost", ["publishers", "writers", "topics", "subscribers", "readers"])
def test_a_number_that_a_damaged_manifest_lacks_counts_as_one(lost: str) -> None:
    counts = dict.fromkeys(("publishers", "writers", "topics", "subscribers", "readers"), 2)
    params = {"rate_hz": 1000.0, "size": 125, **counts, lost: None}
    assert specified_mbit_per_s(Parameters.model_validate(params)) == 16.0


def test_a_single_lost_sample_is_not_all() -> None:
    whole = throughput("a", 1.0)
    assert asked(delivered("", A, ALL), whole).verdict == "agrees"
    lossy = [a.model_copy(update={"received": 999}) for a in whole.attempts]
    assert asked(
        delivered("", A, ALL), whole.model_copy(update={"attempts": lossy})
    ).verdict == "disagrees"  # fmt: skip


def test_where_nothing_arrived_all_was_lost() -> None:
    whole = throughput("a", [0.0] * len(MOOD))
    nothing = [a.model_copy(update={"received": 0}) for a in whole.attempts]
    found = asked(delivered("", A, ALL), whole.model_copy(update={"attempts": nothing}))
    assert (found.verdict, found.ratio) == ("disagrees", None)
    assert found.reason == f"in {len(nothing)} rounds nothing arrived"
    some = [*whole.attempts[1:], nothing[0]]
    assert asked(
        delivered("", A, ALL), whole.model_copy(update={"attempts": some})
    ).verdict == "disagrees"  # fmt: skip


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.5, 1), st.floats(1, 2))
def test_a_verdict_needs_the_whole_interval(a: float, b: float, low: float, high: float) -> None:
    first, last = sorted((a, b))
    claim = Claim(low, high)
    verdict = claim.verdict(Estimate((first + last) / 2, first, last, 0.95, 3, 3))
    inside = low <= first and last <= high
    outside = last < low or first > high
    assert verdict == ("agrees" if inside else "disagrees" if outside else "undecided")


def test_selections_of_several_values_pair_value_by_value() -> None:
    counts = (1, 5)
    of = [throughput("a", 30.0 / n, subscribers=n) for n in counts]
    to = [throughput("b", 10.0 / n, subscribers=n) for n in reversed(counts)]
    several = (cases(adapter="a", subscribers=counts), cases(adapter="b", subscribers=counts))
    found = asked(Ratio("", *several, ABOVE), *of, *to)
    assert [pair.ratio().value for pair in found.pairs] == pytest.approx([3, 3])
