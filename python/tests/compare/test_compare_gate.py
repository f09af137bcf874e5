"""`busmark compare --fail-if`: a gate that a stall, a loss or a missing case does not pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result
from compare_results import Builder, samples_around
from seams import command as busmark

from busmark.errors import UserError

ROUNDS, SAMPLES = 8, 2000

Change = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def stalls(share: float, block: int = 10) -> Change:
    """Return a change after which this share of the blocks of samples waits for 20 ms."""

    def stall(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        stalled = np.repeat(rng.random(values.size // block) < share, block)
        return np.where(stalled, values + 20e6, values)

    return stall


def alike(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Change nothing."""
    return values


def side(
    directory: Path, seed: int, change: Change = alike, *, sizes: tuple[int, ...] = (64,),
    rounds: int = ROUNDS, lost: int = 0, without: str = "",
) -> Path:  # fmt: skip
    """Write a campaign of UDP; `without` is the status of its last case, which has no samples."""
    rng = np.random.default_rng(seed)
    build = Builder(directory, seed=seed)
    for size in sizes:
        gone = bool(without) and size == sizes[-1]
        status = "unsupported" if gone and without == "unsupported" else "planned"
        case = build.case(f"udp-{size}", status, "too large" if gone else None, size=size)
        for number in range(0 if without == "unsupported" and gone else rounds):
            if gone:
                build.row(case, number, "failed", reason="the responder hung")
                continue
            values = samples_around(20_000 * rng.normal(1, 0.01), SAMPLES, rng, 0.002)
            build.pings(case, number, change(values, rng), lost=lost)
    return build.finish(cookie=f"{seed:016x}")


def busy(directory: Path, slower: float, *, spread: float = 1.0, rounds: int = 8) -> Path:
    """Write a campaign of two sides whose rounds ran in turn, on a machine that is busy with other
    work in some of them; in each round the candidate is `slower`."""
    rng = np.random.default_rng(5)
    build = Builder(directory, seed=5)
    cases = [build.case(f"udp-{name}", side=name) for name in ("baseline", "candidate")]
    for number in range(rounds):
        level = 20_000 * np.exp(spread * rng.normal())
        for case, factor in zip(cases, (1.0, slower), strict=True):
            values = samples_around(factor * level, SAMPLES, rng, 0.002)
            build.pings(case, number, values)
    return build.finish()


def compare(*arguments: Any) -> Result:
    """Run `busmark compare`, which must not raise an exception."""
    return CliRunner().invoke(busmark, ["compare", *map(str, arguments)], catch_exceptions=False)


def judged(result: Result) -> list[dict[str, Any]]:
    """Return the criteria of a comparison printed as JSON."""
    found: list[dict[str, Any]] = json.loads(result.stdout)["criteria"]
    return found


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return side(tmp_path_factory.mktemp("gate") / "base", 1)


@pytest.fixture(scope="module")
def again(base: Path) -> Path:
    return side(base.parent / "again", 3)


@pytest.fixture(scope="module")
def near(base: Path) -> Path:
    return side(base.parent / "near", 6)


@pytest.mark.parametrize("share", [0.05, 0.15, 0.2])
def test_stalls_miss_a_p99_that_may_not_be_stated(base: Path, tmp_path: Path, share: float) -> None:
    stalled = side(tmp_path / "stalled", 2, stalls(share, 100))
    found = compare(base, stalled, "--fail-if", "p99.latency > 1.2", "--json")
    (one,) = judged(found)
    assert (found.exit_code, one["outcome"], one["fails"]) == (1, "failed", True)
    beyond = one["value"]
    assert (one["kind"], one["limit"], one["reason"]) == ("share", 0.01, "beyond the limit")
    assert beyond["low"] > 0.01 and beyond["low"] <= beyond["value"] <= beyond["high"]
    assert beyond["count"] == ROUNDS * SAMPLES and beyond["rounds"] == ROUNDS


def test_a_baseline_of_bursts_does_not_hide_the_stalls(tmp_path: Path) -> None:
    # The baseline's neighbours are so alike that it has no p99 of its own.
    busy = side(tmp_path / "busy", 1, stalls(0.009, 200))
    stalled = side(tmp_path / "stalled", 2, stalls(0.3, 200))
    found = compare(busy, stalled, "--fail-if", "p99.latency > 1.2", "--json")
    (pair,) = json.loads(found.stdout)["pairs"]
    assert next(c for c in pair["changes"] if c["name"] == "p99.latency")["change"] is None
    assert (found.exit_code, judged(found)[0]["outcome"]) == (1, "failed")


def test_lost_samples_are_beyond_every_limit(base: Path, tmp_path: Path) -> None:
    lossy = side(tmp_path / "lossy", 2, lost=SAMPLES // 20)
    for limit in ("p99.latency > 1.5", "p99.latency > 10ms"):
        found = compare(base, lossy, "--fail-if", limit, "--json")
        (one,) = judged(found)
        assert (found.exit_code, one["outcome"]) == (1, "failed"), limit
        assert one["value"]["value"] == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize(
    ("limit", "outcome"),
    [("p99.latency > 1.5", "passed"), ("p99.latency > 1ms", "passed"),
     ("p90.latency > 1us", "failed"), ("p99.round_trip > 1ms", "passed"),
     ("median.latency > 11us", "passed"),
     ("median.latency > 5us", "failed"), ("median.round_trip > 15us", "failed"),
     ("median.round_trip > 25us", "passed")],
)  # fmt: skip
def test_campaigns_that_are_alike(base: Path, again: Path, limit: str, outcome: str) -> None:
    found = compare(base, again, "--fail-if", limit, "--json")
    assert [one["outcome"] for one in judged(found)] == [outcome]
    assert found.exit_code == (outcome == "failed")


@pytest.mark.parametrize(
    ("limit", "undecided", "code"),
    [("p99.latency > 1.001", None, 0), ("p99.latency > 1.001", "fail", 1),
     ("median.latency > 1.0", None, 0), ("median.latency > 1.0", "fail", 1),
     ("p99.latency > {}ns", None, 1), ("p99.latency > {}ns", "pass", 0)],
)  # fmt: skip
def test_what_is_undecided_says_what_could_be_found_and_what_decides_it(
    base: Path, near: Path, tmp_path: Path, limit: str, undecided: str | None, code: int
) -> None:
    if "{}" in limit:
        shown = json.loads(compare(base, near, "--json").stdout)["pairs"][0]["changes"]
        tail = next(change for change in shown if change["name"] == "p99.latency")
        limit = limit.format(tail["candidate"]["value"])
    policy = ["--undecided", undecided] if undecided else []
    found = compare(base, near, "--fail-if", limit, *policy, "--json", "--junit",
                    tmp_path / "gate.xml")  # fmt: skip
    (one,) = judged(found)
    assert (one["outcome"], found.exit_code) == ("undecided", code)
    assert one["reason"] == "interval includes the limit" and one["least"] > one["limit"]
    assert one["more_rounds"] is None or one["more_rounds"] > 0
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == (
        ("1", "0") if code else ("0", "1")
    )


def test_one_round_decides_nothing(base: Path, tmp_path: Path) -> None:
    one = side(tmp_path / "one", 2, stalls(0.2), rounds=1)
    found = compare(base, one, "--fail-if", "p99.latency > 1.2", "--json")
    assert [each["outcome"] for each in judged(found)] == ["undecided"]


@pytest.mark.parametrize(
    ("slower", "rounds", "outcome", "reason"),
    [(1.5, 8, "failed", "rounds beyond the limit"), (1.5, 5, "undecided", ""),
     (1.19, 8, "undecided", "")],
)  # fmt: skip
def test_a_busy_machine_does_not_hide_what_each_pair_of_rounds_shows(
    tmp_path: Path, slower: float, rounds: int, outcome: str, reason: str
) -> None:
    both = busy(tmp_path / "both", slower, rounds=rounds)
    sides = (both, "--by", "side", "--baseline", "side=baseline")
    found = compare(*sides, "--fail-if", "p99.latency > 1.2", "--json")
    (one,) = judged(found)
    # The percentile of all of the baseline's rounds is of the busiest one: the share is uncertain.
    assert one["value"]["low"] < one["limit"] < one["value"]["high"]
    assert (one["outcome"], found.exit_code) == (outcome, int(outcome == "failed"))
    if reason:
        assert (one["reason"], one["detail"]) == (reason, f"{rounds} of {rounds}")
        assert (
            f"{reason} ({rounds} of {rounds})"
            in compare(*sides, "--fail-if", "p99.latency > 1.2").stdout
        )


@pytest.mark.parametrize("sizes", [(64, 100_000), (100_000,)])
@pytest.mark.parametrize("without", ["unsupported", "failed"])
def test_a_case_that_was_not_measured_fails_in_every_form(
    tmp_path: Path, sizes: tuple[int, ...], without: str
) -> None:
    before = side(tmp_path / "before", 1, sizes=sizes)
    after = side(tmp_path / "after", 2, sizes=sizes, without=without)
    files = [x for name in ("junit", "markdown", "html") for x in (f"--{name}", tmp_path / name)]
    gate = ["--fail-if", "median.latency > 3", "--fail-if", "p99.latency > 1s"]
    found = compare(before, after, *gate, *files, "--json")
    outcomes = {one["case"]: one["outcome"] for one in judged(found)}
    assert outcomes.pop("udp-100000") == "not measured"
    assert found.exit_code == 1 and set(outcomes.values()) <= {"passed"}
    for suite in ElementTree.parse(tmp_path / "junit").getroot():
        assert len(suite.findall("testcase")) == len(sizes)
        assert suite.attrib["failures"] == "1"
    assert "udp-100000" in (tmp_path / "markdown").read_text(encoding="utf-8")
    assert "udp-100000" in (tmp_path / "html").read_text(encoding="utf-8")
    assert "not measured" in compare(before, after, *gate).stdout
    assert compare(before, after, *gate, "--missing", "skip").exit_code == 0


def test_a_case_that_is_gone_fails_and_is_counted(tmp_path: Path) -> None:
    before = side(tmp_path / "before", 1, sizes=(64, 1024))
    after = side(tmp_path / "after", 2)
    found = compare(before, after, "--fail-if", "p99.latency > 2", "--json")
    document = json.loads(found.stdout)
    assert found.exit_code == 1 and document["summary"][0]["missing"] == 1
    assert {one["case"]: one["outcome"] for one in document["criteria"]} == {
        "udp-64": "passed", "udp-1024": "not measured",
    }  # fmt: skip
    # What only the candidate has is no case of the baseline.
    assert compare(after, before, "--fail-if", "p99.latency > 2").exit_code == 0
    # Without a criterion nothing fails, but it is said.
    found = compare(before, after)
    sides = found.stdout.partition("Sides")[2].split("\n\n")[0]
    assert found.exit_code == 0 and "Not measured" in sides and sides.split()[-1] == "1"


@pytest.mark.parametrize(
    ("limit", "what"),
    [("p99.latency > 200", "200 has no unit"), ("p99.latency > 5MB", "'MB' is no unit of"),
     ("loss > 5us", "'us' is no unit of loss"), ("p99.discovery > 2", "discovery has no p99"),
     ("p99.throughput > 2", "no quantity 'throughput'"), ("px.latency > 1ms", "no statistic 'px'"),
     ("latencies > 1ms", "no quantity 'latencies'"), ("p99.latency > -1us", "no limit"),
     ("goodput.throughput < 5us", "'us' is no unit of")],
)  # fmt: skip
def test_a_limit_that_cannot_be_is_refused_with_its_place(
    base: Path, tmp_path: Path, limit: str, what: str
) -> None:
    with pytest.raises(UserError) as refused:
        compare(base, base, "--fail-if", limit, "--junit", tmp_path / "gate.xml")
    assert what in refused.value.message and "column" in refused.value.where
    assert refused.value.remedy and not (tmp_path / "gate.xml").exists()


@pytest.mark.parametrize(("number", "x"), [("200x", 200.0), ("99", 99.0), ("1.5x", 1.5)])
def test_a_ratio_may_say_that_it_is_one(base: Path, again: Path, number: str, x: float) -> None:
    found = compare(base, again, "--fail-if", f"median.latency > {number}", "--json")
    assert found.exit_code == 0 and judged(found)[0]["limit"] == x
