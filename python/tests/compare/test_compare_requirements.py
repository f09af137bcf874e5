"""What results say to requirements: real results, and some whose answer is known."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from seams import command as busmark
from synthetic_campaign import Builder

from busmark.errors import UserError

RECORDED = Path(__file__).resolve().parent.parent / "oracles" / "results"


@pytest.fixture(scope="module")
def required_result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write five rounds of 2,000 pings at 10 µs, of which 1 % take 1 ms; and a null adapter."""
    build = Builder(tmp_path_factory.mktemp("required") / "result")
    rng = np.random.default_rng(33)
    for name, adapter in (("udp-64", "udp"), ("null-64", "null")):
        case = build.case(name, adapter=adapter)
        for number in range(5):
            values = rng.normal(20_000.0, 500.0, 2000)
            values[rng.permutation(2000)[:20]] = 2e6
            build.pings(case, number, values)
    return build.finish()


def judged(result: Path, *requirements: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit code of `show`, and its results of the requirements."""
    options = [word for each in requirements for word in ("--require", each)]
    ended = CliRunner().invoke(busmark, ["show", str(result), *options, "--json"])
    if ended.exception and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return ended.exit_code, json.loads(ended.stdout)["requirements"]


@pytest.mark.parametrize(
    ("requirement", "verdict", "value"),
    [
        ("median(half_round_trip) <= 20us", "met", 0.01),
        ("median(half_round_trip) <= 5us", "missed", 1.0),
        ("p90(half_round_trip) <= 100us", "met", 0.01),
        ("p99.9(half_round_trip) <= 100us", "missed", 0.01),
        ("p99(half_round_trip) <= 100us", "undecided", 0.01),
        ("p99(half_round_trip) <= 2ms", "met", 0.0),
        ("p99(round_trip) <= 3ms", "met", 0.0),
        ("later(100us) <= 5%", "met", 0.01),
        ("later(100us) <= 0.1%", "missed", 0.01),
        ("later(2ms) <= 0", "met", 0.0),
        ("mean(half_round_trip) <= 1ms", "met", None),
        ("mean(latency) <= 1ms", "met", None),
        ("loss <= 0", "met", 0.0),
        ("loss <= 1%", "met", 0.0),
        ("p98(half_round_trip) <= 20us", "met", 0.01),
        ("discovery <= 1s", "undecided", None),
    ],
)
def test_a_known_answer(
    required_result: Path, requirement: str, verdict: str, value: float | None
) -> None:
    code, (found,) = judged(required_result, requirement)
    assert found["verdict"] == verdict, found
    assert found["case"] == "udp-64", "the null adapter is not judged"
    assert code == (0 if verdict == "met" else 1)
    if value is not None:
        assert found["value"] == pytest.approx(value, abs=1e-9)
        assert found["low"] <= found["value"] <= found["high"]


@pytest.fixture(scope="module")
def rising(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write rounds in which latencies are 1, 2, 3 … 2,000 µs one way: of pings at 1 kHz, and of
    probes in a stream, whose echoes take as long."""
    build = Builder(tmp_path_factory.mktemp("rising") / "result")
    pings = build.case("pings", arrivals="constant", rate_hz=1000.0)
    stream = build.case("stream", test="throughput")
    micros = np.arange(1.0, 2001.0) * 1000
    for number in range(3):
        build.pings(pings, number, 2 * micros)
        build.probes(stream, number, micros, 0)
    return build.finish()


@pytest.mark.parametrize(
    ("requirement", "share"),
    [
        ("median(half_round_trip) <= 1500us where test=throughput", 0.25),
        ("median(round_trip) <= 3ms where test=throughput", 0.25),
        ("median(one_way) <= 1500us where test=throughput", 0.25),
        ("median(latency) <= 1500us where test=throughput", 0.25),
        ("median(half_round_trip) <= 1500us where test=latency", 0.25),
        ("median(round_trip) <= 3ms where test=latency", 0.25),
        # Later than the period, and than 0.5 ms.
        ("late(100%, 0.5ms) <= 60% where test=latency", 0.5),
        ("late(10%, 1.5ms) <= 60% where test=latency", 0.25),
    ],
)
def test_a_limit_is_on_the_latency_that_it_names(
    rising: Path, requirement: str, share: float
) -> None:
    _, (found,) = judged(rising, requirement)
    assert found["value"] == pytest.approx(share), found


@pytest.mark.parametrize(
    ("requirement", "cases"),
    [
        ("goodput >= 10M", {"stream": "missed", "pings": "not applicable"}),
        ("p99(one_way) <= 1s", {"stream": "met", "pings": "not applicable"}),
        ("late <= 100%", {"stream": "not applicable", "pings": "met"}),
    ],
)
def test_what_a_case_cannot_have_is_neither_met_nor_undecided(
    rising: Path, requirement: str, cases: dict[str, str]
) -> None:
    code, found = judged(rising, requirement)
    assert {one["case"]: one["verdict"] for one in found} == cases
    assert code == ("missed" in cases.values()), "what is not applicable does not fail"
    assert all(one["reason"] and not one["fails"] for one in found if one["value"] is None)
    text = CliRunner().invoke(busmark, ["show", str(rising), "--require", requirement]).stdout
    assert "1 not applicable" in text and "undecided" not in text.partition("Answer")[0]


@pytest.mark.parametrize("requirement", ["goodput >= 1k", "one_way <= 1ms", "late <= 1%"])
def test_what_no_case_can_have_is_refused(required_result: Path, requirement: str) -> None:
    ended = CliRunner().invoke(busmark, ["show", str(required_result), "--require", requirement])
    assert isinstance(ended.exception, UserError)
    assert "no case can have it" in str(ended.exception) and "throughput" in str(ended.exception)


def test_a_percentile_stands_beside_the_share_with_its_interval(required_result: Path) -> None:
    """1 % of the pings take 1 ms: p98 of all is some 10 µs."""
    _, (found,) = judged(required_result, "p98(latency) <= 20us")
    assert found["requirement"] == "p98(latency) <= 20 µs"
    assert found["figure"] == "samples later than 20 µs" and found["later_ns"] == 20e3
    low, value, high = (found[f"percentile_{end}ns"] for end in ("low_", "", "high_"))
    assert 10e3 < low <= value <= high < 12e3


def test_the_percentile_agrees_with_the_share(rising: Path) -> None:
    """The median of 1, 2, 3 … 2,000 µs is 1 ms, and a quarter is later than 1.5 ms."""
    where = "where test=latency"
    for limit in ("900us", "1100us", "1500us"):
        _, (found,) = judged(rising, f"median(half_round_trip) <= {limit} {where}")
        later = found["percentile_ns"] > found["later_ns"]
        assert later == (found["value"] > found["limit"]), found


def test_one_requirement_twice_is_judged_once(required_result: Path) -> None:
    again = ("latency <= 2ms", "median.latency<=0.002s", "median(latency) <= 2 ms")
    _, found = judged(required_result, *again)
    assert [one["requirement"] for one in found] == ["median(latency) <= 2 ms"]


def test_rounds_that_would_decide_it_are_as_many_as_narrow_the_interval_to_the_limit(
    required_result: Path,
) -> None:
    _, (found,) = judged(required_result, "mean(half_round_trip) <= 1s")
    reach = found["high"] - found["value"]
    limit = found["value"] + reach / 2.5
    _, (found,) = judged(required_result, f"mean(half_round_trip) <= {limit:.6f}ns")
    # An interval narrows with the root of the rounds: 6.25 times as many as five.
    assert (found["verdict"], found["more_rounds"]) == ("undecided", 32 - 5)


def test_the_null_adapter_is_judged_where_it_is_named(required_result: Path) -> None:
    code, (found,) = judged(required_result, "median(half_round_trip) <= 20us where adapter=null")
    assert (code, found["case"]) == (0, "null-64")


def test_undecided_says_what_would_decide_it(tmp_path: Path) -> None:
    with tarfile.open(RECORDED / "closed-loop.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    code, found = judged(tmp_path / "result", "p99(half_round_trip) <= 200us")
    assert code == 1 and {each["verdict"] for each in found} == {"met", "undecided"}
    undecided = [each for each in found if each["verdict"] == "undecided"]
    assert all(each["more_rounds"] > 0 and "more round" in each["reason"] for each in undecided)
    assert all(each["count"] == 1800 and each["rounds"] == 3 for each in found)


def test_all_mistakes_are_shown_at_once_and_nothing_is_printed(required_result: Path) -> None:
    ended = CliRunner().invoke(
        busmark, ["show", str(required_result), "--require", "loss <= 1% where adapter=tcp",
                  "--require", "cpu <= 1 where wait=pol"]
    )  # fmt: skip
    text = str(ended.exception)
    assert ended.stdout == "" and "adapter = tcp" in text and "wait" in text
