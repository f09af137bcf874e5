"""Which case stands beside which, what is left out, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from compare_results import Builder, campaign, compared

from busmark.compare import Comparison
from busmark.errors import UserError


def pairs(comparison: Comparison) -> list[tuple[str, str]]:
    return [(pair.baseline_case, pair.candidate_case) for pair in comparison.pairs]


def test_cases_are_matched_on_parameters_and_not_on_names(tmp_path: Path, place: Path) -> None:
    cases = [{"id": "x", "adapter": "cyclonedds"}, {"id": "y", "adapter": "udp"}]
    campaign(tmp_path / "other", seed=8, cases=cases)
    comparison = compared(place / "base", tmp_path / "other")
    assert pairs(comparison) == [("udp-64-same", "y"), ("cyclonedds-64-same", "x")]


def test_cases_on_one_side_only_are_listed_with_the_nearest(tmp_path: Path, place: Path) -> None:
    cases = [{"adapter": "udp"}, {"adapter": "udp", "size": 128}]
    campaign(tmp_path / "other", seed=8, cases=cases)
    comparison = compared(place / "base", tmp_path / "other")
    assert pairs(comparison) == [("udp-64-same", "udp-64-same")]
    found = {(left.side, left.case): left.reason for left in comparison.left_out}
    assert set(found) == {("base", "cyclonedds-64-same"), ("other", "udp-128-same")}
    assert (
        "no counterpart in other; udp-64-same differs in adapter"
        in found["base", "cyclonedds-64-same"]
    )


def test_failed_and_unsupported_cases_are_listed_with_their_reason(tmp_path: Path) -> None:
    for seed in (1, 2):
        build = Builder(tmp_path / f"s{seed}", seed=seed)
        build.case("zenoh", "unsupported", "zenoh does not declare security", adapter="zenoh")
        build.case("fastdds", adapter="fastdds")
        build.row("fastdds", 0, "failed", reason="the responder ended with signal 11")
        campaign(build.directory, seed=seed, build=build)
    comparison = compared(tmp_path / "s1", tmp_path / "s2")
    assert len(comparison.pairs) == 2
    reasons = {left.case: left.reason for left in comparison.left_out}
    assert reasons == {
        "zenoh": "unsupported in s1: zenoh does not declare security",
        "fastdds": "failed in s1: 1 round failed: the responder ended with signal 11",
    }


def test_another_length_of_the_measurement_is_no_other_experiment(
    tmp_path: Path, place: Path
) -> None:
    cases = [{"adapter": "udp", "duration_s": 4.0}]
    campaign(tmp_path / "longer", seed=8, cases=cases)
    comparison = compared(place / "base", tmp_path / "longer")
    assert pairs(comparison) == [("udp-64-same", "udp-64-same")]
    found = {d.fact: (d.baseline, d.candidate_value, d.warning) for d in comparison.differences}
    assert found["duration"] == ("2 s", "4 s", True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 128}, "size (64 B, 128 B)"),
        ({"payload": "struct"}, "payload (octet, struct)"),
        ({"placement": "different"}, "placement (same, different)"),
        (
            {"rate_hz": 1000.0, "arrivals": "constant"},
            "arrivals (as fast as possible, at constant intervals)",
        ),
        ({"qos": {"reliability": "best_effort"}}, "qos.reliability (reliable, best effort)"),
        ({"settings": {"nodelay": "false"}}, "settings.nodelay"),
        ({"test": "throughput"}, "test (latency, throughput)"),
    ],
)
def test_another_experiment_is_refused_and_reported_in_what(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    campaign(tmp_path / "a", seed=1, cases=[{"adapter": "udp"}])
    campaign(tmp_path / "b", seed=2, cases=[{"adapter": "udp", **change}])
    with pytest.raises(UserError, match="not the same experiment") as refused:
        compared(tmp_path / "a", tmp_path / "b")
    assert message in refused.value.message


def test_force_compares_cases_of_one_name_and_tells_what_differs(tmp_path: Path) -> None:
    campaign(tmp_path / "a", seed=1, cases=[{"id": "x", "adapter": "udp"}])
    campaign(tmp_path / "b", seed=2, cases=[{"id": "x", "adapter": "udp", "size": 128}])
    comparison = compared(tmp_path / "a", tmp_path / "b", force=True)
    assert pairs(comparison) == [("x", "x")]
    assert comparison.pairs[0].differs == {"size": (64, 128)}


def test_force_does_not_compare_a_latency_with_a_throughput(tmp_path: Path) -> None:
    campaign(tmp_path / "a", seed=1, cases=[{"id": "x", "adapter": "udp"}])
    build = Builder(tmp_path / "b", seed=2)
    build.case("x", test="throughput", adapter="udp")
    build.stream("x", 0, 1000.0, 64)
    build.finish(cookie="b")
    with pytest.raises(UserError, match="not the same experiment"):
        compared(tmp_path / "a", tmp_path / "b", force=True)
    with pytest.raises(UserError, match=r"test \(latency, throughput\)"):
        compared(f"{tmp_path}/a#x", f"{tmp_path}/b#x", force=True)


def test_two_named_cases_may_differ_in_choices(place: Path) -> None:
    comparison = compared(f"{place}/base#udp-64-same", f"{place}/slow#cyclonedds-64-same")
    assert pairs(comparison) == [("udp-64-same", "cyclonedds-64-same")]
    assert comparison.pairs[0].differs == {"adapter": ("udp", "cyclonedds")}
    assert comparison.baseline.name == "base#udp-64-same"


def test_two_named_cases_of_one_campaign_are_compared_round_by_round(place: Path) -> None:
    comparison = compared(f"{place}/base#udp-64-same", f"{place}/base#cyclonedds-64-same")
    assert comparison.pairs[0].paired
    assert not comparison.warnings


def test_values_of_a_parameter_are_compared_within_one_campaign(tmp_path: Path) -> None:
    cases = [
        {"adapter": adapter, "transport": transport, "size": size, "settings": settings}
        for size in (64, 128)
        for adapter, transport, settings in (
            ("null", "memory", {}), ("udp", "udp", {}), ("tcp", "tcp", {"nodelay": "true"}),
        )
    ]  # fmt: skip
    campaign(tmp_path / "all", cases=cases)
    comparison = compared(tmp_path / "all", by=["adapter"], baseline="adapter=tcp")
    assert comparison.baseline.name == "tcp"
    assert pairs(comparison) == [("tcp-64-same", "udp-64-same"), ("tcp-128-same", "udp-128-same")]
    assert all(pair.paired for pair in comparison.pairs)
    assert {pair.label for pair in comparison.pairs} == {""}
    assert compared(tmp_path / "all", by=["adapter"], baseline="udp").candidates[0].name == "tcp"


def test_a_choice_that_both_adapters_vary_is_matched_on(tmp_path: Path) -> None:
    cases = [
        {"id": f"{adapter}-{reliability}", "adapter": adapter, "transport": adapter,
         "qos": {"reliability": reliability}}
        for adapter in ("cyclonedds", "fastdds")
        for reliability in ("reliable", "best_effort")
    ]  # fmt: skip
    campaign(tmp_path / "all", cases=cases)
    assert pairs(compared(tmp_path / "all", by=["adapter"])) == [
        ("cyclonedds-reliable", "fastdds-reliable"),
        ("cyclonedds-best_effort", "fastdds-best_effort"),
    ]


def test_what_is_alike_but_for_the_transport_is_matched_by_it_first(tmp_path: Path) -> None:
    cases = [
        {"id": f"{adapter}-{transport}", "adapter": adapter, "transport": transport}
        for adapter in ("cyclonedds", "fastdds")
        for transport in ("udp", "shm")
    ]
    campaign(tmp_path / "all", cases=cases)
    comparison = compared(tmp_path / "all", by=["adapter"])
    assert pairs(comparison) == [
        ("cyclonedds-udp", "fastdds-udp"),
        ("cyclonedds-shm", "fastdds-shm"),
    ]
    both = compared(tmp_path / "all", by=["adapter", "transport"])
    assert [side.name for side in both.candidates] == [
        "cyclonedds · shm", "fastdds · udp", "fastdds · shm",
    ]  # fmt: skip


def test_an_adapter_is_known_by_the_name_that_it_declares(tmp_path: Path) -> None:
    for seed, path in ((1, "./old/lib.so"), (2, "./new/lib.so")):
        build = Builder(tmp_path / f"s{seed}", seed=seed)
        campaign(build.directory, seed=seed, cases=[{"id": "x", "adapter": path}], build=build)
        file = build.directory / "manifest.json"
        manifest = json.loads(file.read_text())
        manifest["adapters"][path] |= {"name": "mine", "version": f"{seed}.0"}
        file.write_text(json.dumps(manifest))
    comparison = compared(tmp_path / "s1", tmp_path / "s2")
    assert pairs(comparison) == [("x", "x")]
    found = {d.fact: (d.baseline, d.candidate_value, d.warning) for d in comparison.differences}
    assert found["version of ./old/lib.so"] == ("1.0", "2.0", False)


@pytest.mark.parametrize(
    ("sides", "by", "baseline", "message", "remedy"),
    [
        (["base", "base"], [], None, "one campaign twice", "--by PARAMETER"),
        (["base"], [], None, "nothing to compare it with", "--by adapter"),
        (["base", "elsewhere"], [], None, "no such result directory", ""),
        (["base#udp-65-same", "slow"], [], None, "no case 'udp-65-same'", "udp-64-same"),
        (["base"], ["adaptr"], None, "no parameter is called 'adaptr'", "adapter"),
        (["base"], ["size"], None, "all cases have size=64", "adapter"),
        (["base"], ["adapter"], "adapter=zenoh", "no case has adapter=zenoh", "adapter=udp"),
        (["base", "slow"], [], "udp", "the first of them is the baseline", "--by"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    place: Path, sides: list[str], by: list[str], baseline: str | None, message: str, remedy: str
) -> None:
    with pytest.raises(UserError, match=message) as refused:
        compared(*[f"{place}/{side}" for side in sides], by=by, baseline=baseline)
    assert remedy in refused.value.remedy


def vendors(directory: Path) -> Path:
    """Write two adapters whose defaults differ, in latency and in throughput."""
    build = Builder(directory)
    own = {
        "cyclonedds": {"reliability": "reliable", "history": "keep_last", "depth": 1},
        "udp": {"reliability": "best_effort"},
    }
    rng = np.random.default_rng(1)
    for adapter, qos in own.items():
        for size in (64, 1024):
            case = build.case(
                f"{adapter}-{size}", adapter=adapter, transport=adapter, size=size, qos=qos
            )
            for number in range(3):
                build.pings(case, number, rng.normal(10_000, 100, 300))
        of_stream = {**qos, "history": "keep_all"} if adapter == "cyclonedds" else qos
        case = build.case(
            f"{adapter}-flood", test="throughput", adapter=adapter, transport=adapter, qos=of_stream
        )
        for number in range(3):
            build.stream(case, number, 1000.0 + number, 64)
    return build.finish()


def test_what_vendors_defaults_make_of_qos_is_of_the_adapter(tmp_path: Path) -> None:
    found = compared(vendors(tmp_path / "all"), by=["adapter"])
    assert pairs(found) == [
        ("cyclonedds-64", "udp-64"), ("cyclonedds-1024", "udp-1024"),
        ("cyclonedds-flood", "udp-flood"),
    ]  # fmt: skip
    assert found.pairs[0].differs["qos.history"] == ("keep_last", None)


def test_a_depth_follows_the_history(tmp_path: Path) -> None:
    build = Builder(tmp_path / "all")
    for history in ("keep_last", "keep_all"):
        qos = {"history": history, **({"depth": 1} if history == "keep_last" else {})}
        case = build.case(history, qos=qos)
        for number in range(3):
            build.pings(case, number, np.full(100, 8000.0 + number))
    found = compared(build.finish(), by=["qos.history"])
    assert pairs(found) == [("keep_last", "keep_all")]
    assert found.pairs[0].differs == {"qos.depth": (1, None)}
