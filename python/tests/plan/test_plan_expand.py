"""The matrix becomes cases; what cannot run is named with its reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_adapters import adapter, unusable

from busmark.errors import UserError
from busmark.plan import expand
from busmark.scenario import Scenario
from busmark.store import Case


def cases(matrix: dict[str, Any], *, also: list[dict[str, Any]] | None = None,
          **changes: Any) -> list[Case]:  # fmt: skip
    scenario = Scenario.model_validate(
        {"name": "x", "matrix": {"adapter": "paper", **matrix}, "also": also or []}
    )
    return expand(scenario, {"paper": adapter(**changes)})


def test_every_list_is_a_dimension() -> None:
    found = cases({"size": [1, 2, 3], "wait": ["listener", "poll"], "rate_hz": [0, 10]})
    points = {(c.params.size, c.params.wait, c.params.rate_hz) for c in found}
    assert len(found) == len(points) == 12


def test_defaults_become_what_they_stand_for() -> None:
    (case,) = cases({})
    assert case.params.transport == "fast"
    assert case.params.wait == "listener"
    assert case.params.arrivals == "closed" and case.params.rate_hz is None
    assert case.params.deployment == "separate"
    assert case.params.qos == {"reliability": "reliable", "history": "keep_last", "depth": 1}


def existing(matrix: dict[str, Any], *also: dict[str, Any]) -> list[tuple[str, int | None]]:
    """Test and endpoints that are there, of each case."""
    found = cases(matrix, also=[*also], features=["matched"])
    return [(case.params.test, case.params.existing) for case in found]


def test_further_matrices_have_their_own_endpoints_that_are_there() -> None:
    discovery = {"test": "discovery", "existing": [0, 7]}
    assert existing(discovery, {"existing": [10, 20]}) == [
        ("discovery", n) for n in (0, 7, 10, 20)
    ]  # fmt: skip
    # What is inherited bears on a test without discovery no more than on one in the same matrix.
    assert existing(discovery, {"test": "latency"})[2:] == [("latency", None)]
    assert existing({**discovery, "test": ["discovery", "latency"]})[2:] == [("latency", None)]
    of_others = existing({"test": "latency"}, {**discovery, "existing": 10})
    assert of_others == [("latency", None), ("discovery", 10)]
    assert existing({"existing": [5, 6]}, {"test": "discovery"})[1:] == [
        ("discovery", 5), ("discovery", 6)
    ]  # fmt: skip


def test_a_stream_keeps_all_where_it_can() -> None:
    (case,) = cases({"test": "throughput"})
    assert case.params.qos == {"reliability": "reliable", "history": "keep_all"}
    (case,) = cases({"test": "throughput", "qos": {"reliability": "best_effort"}})
    assert case.params.qos == {"reliability": "best_effort"}
    (case,) = cases({"test": "throughput"}, qos=[])
    assert case.params.qos == {}


@pytest.mark.parametrize(
    ("named", "settled"),
    [
        ({}, {"reliability": "best_effort", "history": "keep_last", "depth": 5}),
        (
            {"reliability": "reliable"},
            {"reliability": "reliable", "history": "keep_last", "depth": 5},
        ),
        ({"history": "keep_all"}, {"reliability": "best_effort", "history": "keep_all"}),
        ({"depth": 7}, {"reliability": "best_effort", "history": "keep_last", "depth": 7}),
    ],
)
def test_a_policy_that_is_named_goes_before_a_profile_of_ros(
    named: dict[str, Any], settled: dict[str, Any]
) -> None:
    offered = ["reliable", "best_effort", "keep_last", "keep_all"]
    (case,) = cases({"qos": {"profile": "sensor_data", **named}}, qos=offered)
    assert case.params.qos == settled


def test_an_adapter_within_one_process_hosts_both_ends_in_one() -> None:
    (case,) = cases({}, reach=["process"])
    assert case.params.deployment == "one"


def test_options_are_dimensions_of_their_adapter_only() -> None:
    scenario = Scenario.model_validate({
        "name": "x",
        "matrix": {"adapter": ["paper", "other"], "option": {"paper": {"nodelay": [True, False]}}},
    })  # fmt: skip
    found = expand(scenario, {"paper": adapter(), "other": adapter("other")})
    assert [(c.params.adapter, c.params.settings) for c in found] == [
        ("paper", {"nodelay": "true"}), ("paper", {"nodelay": "false"}), ("other", {}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ({"transport": "pigeon"}, "no transport pigeon: the adapter offers fast, slow"),
        (
            {"payload": "struct", "size": 16},
            "no payload struct: the adapter offers octet, long, empty",
        ),
        ({"wait": "waitset"}, "no wait waitset: the adapter offers listener, poll"),
        ({"size": 1001}, "size 1001 B: at most 1000 B"),
        ({"size": 6, "payload": "long"}, "size 6 B is not a whole number of 4-byte elements"),
        ({"qos": {"deadline_s": 1}}, "no QoS deadline_s = 1: the adapter does not offer it"),
        ({"qos": {"durability": "volatile"}}, "no QoS durability = volatile"),
        ({"qos": {"destination_order": "source"}}, "no QoS destination_order = source"),
        ({"option": {"paper": {"colour": "red"}}}, "option colour: there are nodelay"),
        ({"placement": "4711"}, "placement 4711: CPU 4711 is not among those here"),
    ],
)
def test_what_the_adapter_cannot_do_is_unsupported(matrix: dict[str, Any], reason: str) -> None:
    (case,) = cases(matrix)
    assert case.status == "unsupported"
    assert case.reason is not None and case.reason.startswith(reason)


def test_an_adapter_that_cannot_be_used_says_why() -> None:
    scenario = Scenario.model_validate({"name": "x", "matrix": {"adapter": "broken"}})
    (case,) = expand(scenario, {"broken": unusable("broken", "crashed while loading")})
    assert (case.status, case.reason) == ("unsupported", "crashed while loading")


def test_a_transport_that_never_leaves_a_process_gets_one() -> None:
    offers = {"transports": ["fast", "near"], "carriers": {"fast": "udp", "near": "memory"}}
    (case,) = cases({"transport": "near"}, **offers)
    assert (case.status, case.params.deployment) == ("planned", "one")
    (case,) = cases({"transport": "fast"}, **offers)
    assert case.params.deployment == "separate"
    (case,) = cases({"transport": "near", "placement": "0+1"}, **offers)
    assert case.reason == "placement 0+1: transport near works within one process only"


def test_a_matrix_beyond_all_bounds_is_refused_without_being_made() -> None:
    sizes, rates = list(range(10_000)), [float(rate) for rate in range(1, 1000)]
    with pytest.raises(UserError, match="9990000 cases, at most 10000"):
        cases({"size": sizes, "rate_hz": rates})


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    sizes=st.lists(st.integers(0, 2000), min_size=1, max_size=4),
    payloads=st.lists(st.sampled_from(["octet", "long", "struct", "empty"]), min_size=1),
    rates=st.lists(st.sampled_from([0.0, 0.5, 10.0, 10.0001, 1e9]), min_size=1, max_size=3),
    placements=st.lists(st.sampled_from(["same", "free", "0", "0+0"]), min_size=1, max_size=3),
)
def test_cases_have_names_of_their_own_that_are_fit_for_files(
    sizes: list[int], payloads: list[str], rates: list[float], placements: list[str]
) -> None:
    found = cases({"size": sizes, "payload": payloads, "rate_hz": rates, "placement": placements})
    names = [case.id for case in found]
    assert len(set(names)) == len(names)
    assert all("/" not in name and "+" not in name for name in names)
    assert [name[:3] for name in names] == [f"{index:03d}" for index in range(len(names))]


def of_type(file: Path, payloads: list[str], name: str = "paper", **matrix: Any) -> str | None:
    """Why a case with a type of the user's cannot run."""
    document = {
        "name": "x",
        "measure": {"body_file": str(file)},
        "matrix": {"adapter": name, "payload": "type", "size": "file", **matrix},
    }
    (case,) = expand(Scenario.model_validate(document), {name: adapter(name, payloads=payloads)})
    return case.reason


def test_a_type_of_the_users_needs_a_library_that_was_compiled_with_it(tmp_path: Path) -> None:
    value = tmp_path / "value.cdr"
    value.write_bytes(bytes(12))
    assert of_type(value, ["octet", "type"]) is None
    assert of_type(value, ["octet"]) == (
        "payload type: not compiled with a type of yours: busmark type build"
    )
    never = of_type(value, ["octet"], "rustdds")
    assert never is not None and "no IDL compiler" in never


def test_a_type_of_the_users_has_the_size_of_its_value(tmp_path: Path) -> None:
    value = tmp_path / "value.cdr"
    value.write_bytes(bytes(12))
    assert of_type(value, ["octet", "type"], size=12) is None
    for size in (8, "uniform(1, 4)"):
        reason = of_type(value, ["octet", "type"], size=size)
        assert reason == 'payload type: needs size = "file", and the value in measure.body_file'


def test_a_word_that_chooses_no_case_is_an_error_that_names_one() -> None:
    asked = Scenario.model_validate(
        {"name": "x", "matrix": {"adapter": "paper"}, "only": ["paper", "zenoh"]}
    )
    with pytest.raises(UserError, match="'zenoh' chooses none of 1 cases") as refused:
        expand(asked, {"paper": adapter()})
    assert "000-latency-paper" in refused.value.remedy


def test_the_other_side_can_have_a_transport_of_its_own() -> None:
    scenario = Scenario.model_validate({
        "name": "x",
        "matrix": {"adapter": "paper", "peer": "stone", "transport": "slow",
                   "peer_transport": ["same", "slate"]},
    })  # fmt: skip
    here = {
        "paper": adapter(transports=["slow"]),
        "stone": adapter("stone", transports=["slate", "slow"]),
    }
    found = [(case.params.transport, case.params.peer_transport) for case in expand(scenario, here)]
    assert found == [("slow", "slow"), ("slow", "slate")]
