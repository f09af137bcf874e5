"""Names of cases carry every parameter that varies."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from plan_adapters import adapter

from busmark.plan import expand
from busmark.scenario import Scenario


def names(matrix: dict[str, Any], *, also: list[dict[str, Any]] | None = None) -> list[str]:
    """Names without the number by which each is unique anyway."""
    scenario = Scenario.model_validate(
        {"name": "x", "matrix": {"adapter": "paper", **matrix}, "also": also or []}
    )
    paper = [adapter("paper"), adapter("other", qos=["best_effort"], options=[])]
    return [case.id[4:] for case in expand(scenario, {each.name: each for each in paper})]


def test_qos_that_varies_is_in_the_name() -> None:
    found = names({"qos": {"reliability": ["reliable", "best_effort"],
                           "history": ["keep_last", "keep_all"]}})  # fmt: skip
    assert found == [
        "latency-paper-64B-reliable-keeplast", "latency-paper-64B-reliable-keepall",
        "latency-paper-64B-besteffort-keeplast", "latency-paper-64B-besteffort-keepall",
    ]  # fmt: skip


def test_qos_with_numbers_has_its_name_and_unit() -> None:
    found = names({"qos": {"lifespan_s": [0, 0.5, 10], "depth": [1, 5]}})
    assert found[0] == "latency-paper-64B-depth1"
    assert found[-1] == "latency-paper-64B-depth5-lifespan10s"


def test_what_only_another_adapter_or_test_has_is_not_in_the_name() -> None:
    found = names({"adapter": ["paper", "other"], "test": ["latency", "throughput"]})
    assert found == ["latency-paper-64B", "latency-other-64B", "throughput-paper-64B",
                     "throughput-other-64B"]  # fmt: skip


def test_a_depth_that_nobody_chose_is_not_in_the_name() -> None:
    found = names({"subscribers": [1, 3]})
    assert found == ["latency-paper-64B-1subscribers", "latency-paper-64B-3subscribers"]


def test_a_name_that_would_be_too_long_for_a_file_is_cut_and_still_its_own() -> None:
    parts = ["/".join(["domain"] * 40) + last for last in ("a", "b")]
    found = names({"qos": {"partition": parts}})
    assert len(set(found)) == 2 and all(len(name) <= 160 for name in found)


@settings(deadline=None, derandomize=True, max_examples=80)
@given(
    rates=st.lists(st.sampled_from([0.0, 0.25, 1e6, 1e6 + 1, 1e9]), min_size=1, max_size=3),
    arrivals=st.lists(st.sampled_from(["constant", "poisson"]), min_size=1, max_size=2),
    reliability=st.lists(
        st.sampled_from(["default", "reliable", "best_effort"]), min_size=1, max_size=2
    ),
    durability=st.lists(st.sampled_from(["default", "transient_local"]), min_size=1, max_size=2),
    depth=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    nodelay=st.lists(st.sampled_from(["true", "false"]), min_size=1, max_size=2),
)
def test_no_two_cases_have_one_name(
    rates: list[float], arrivals: list[str], reliability: list[str], durability: list[str],
    depth: list[int], nodelay: list[str],
) -> None:  # fmt: skip
    qos = {"reliability": reliability, "durability": durability, "depth": depth,
           "history": ["keep_last"]}  # fmt: skip
    found = names({"rate_hz": rates, "arrivals": arrivals, "qos": qos,
                   "option": {"paper.nodelay": nodelay}})  # fmt: skip
    assert len(set(found)) == len(found)


def test_a_default_and_what_it_stands_for_are_one_case() -> None:
    asked = {"reliability": ["default", "reliable"], "history": ["keep_last"]}
    assert names({"qos": asked}) == ["latency-paper-64B"]
