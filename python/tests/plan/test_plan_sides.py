"""Cases with another vendor on the other side, several endpoints, keys, filters and sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_adapters import adapter, unusable

from busmark.plan import Flow, expand, flows
from busmark.scenario import Scenario
from busmark.store import Case


def cases(matrix: dict[str, Any], measure: dict[str, Any] | None = None,
          **of_stone: Any) -> list[Case]:  # fmt: skip
    scenario = Scenario.model_validate(
        {"name": "x", "measure": measure or {}, "matrix": {"adapter": "paper", **matrix}}
    )
    stone = adapter("stone", **of_stone)
    known = {"paper": adapter(), "stone": stone, "gone": unusable("gone", "gone is not built here")}
    return expand(scenario, known)


def test_a_matrix_of_peers_has_every_pair_once() -> None:
    found = cases({"adapter": ["paper", "stone"], "peer": ["paper", "stone", "same"]})
    pairs = [(c.params.adapter, c.params.peer) for c in found]
    assert sorted(pairs, key=str) == sorted(
        [("paper", None), ("paper", "stone"), ("stone", "paper"), ("stone", None)], key=str
    )


def test_the_other_side_has_its_own_defaults() -> None:
    (case,) = cases({"peer": "stone"}, transports=["slow", "fast"], waits=["poll"])
    assert case.params.transport == "fast" and case.params.peer_transport == "slow"
    assert case.params.wait == "listener" and case.params.peer_wait == "poll"
    assert case.params.deployment == "separate"
    (subscriber,) = flows(case.params).subscribers
    assert (subscriber.transport, subscriber.wait) == ("slow", "poll")


def test_what_the_other_side_lacks_makes_a_pair_unsupported() -> None:
    (case,) = cases({"peer": "stone", "transport": "fast"}, transports=["slow"])
    assert case.status == "unsupported" and "transport fast" in str(case.reason)
    (case,) = cases({"peer": "stone", "qos": {"lifespan_s": 1.0}}, qos=["reliable"])
    assert case.status == "unsupported" and "lifespan" in str(case.reason)
    (case,) = cases({"peer": "gone"})
    assert case.status == "unsupported"


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ({"instances": 4}, "keyed topics"),
        ({"test": "throughput", "filter_below": 2}, "filters by content"),
        ({"writers": 2}, "latency"),
        ({"readers": 2}, "latency"),
    ],
)
def test_what_cannot_be_says_so(matrix: dict[str, Any], reason: str) -> None:
    (case,) = cases(matrix)
    assert case.status == "unsupported" and reason in str(case.reason)


@given(
    sent=st.integers(0, 5000),
    instances=st.integers(1, 50),
    below=st.integers(0, 60),
)
def test_what_a_filter_admits_is_counted_as_if_one_by_one(
    sent: int, instances: int, below: int
) -> None:
    flow = Flow(
        name="stream", topic="there", writers=[], readers=[], rate_hz=0.0, arrivals="constant",
        payload="octet", size=64, qos={}, instances=instances, filter_below=below,
    )  # fmt: skip
    expected = sum(seq % instances < below for seq in range(sent)) if below else sent
    assert flow.admitted(sent) == expected


def test_a_distribution_is_reported_by_its_mean() -> None:
    (case,) = cases({"size": "uniform(100, 300)"})
    assert case.params.size == 200 and case.params.size_distribution == "uniform(100, 300)"


def test_a_body_has_the_size_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "body"
    file.write_bytes(b"x" * 777)
    (case,) = cases({"size": "file"}, {"body_file": str(file)})
    assert case.params.size == 777 and case.params.body_file == str(file)
    (case,) = cases({"size": 64, "payload": "long"}, {"body_file": str(file)})
    assert case.status == "unsupported" and "octet" in str(case.reason)
