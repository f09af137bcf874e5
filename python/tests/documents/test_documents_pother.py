"""The Pother slides: cases as they state them, verdicts on planted figures, tables."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from busmark.estimate.rounds import LegOfRound, RoundDiscovery
from documents_campaigns import latency, planned, told

from busmark.documents import Repetition, repetition
from busmark.documents.pother_2008 import stated

MOOD = (1.0, 1.02, 0.98, 1.01)

MEANS = {"send source": 2e3, "send arrival": 36e3, "echo source": 2e3, "echo arrival": 46e3,
         "trip": 340e3, "inter-arrival": 1034e3}  # fmt: skip
"""A little below what is printed there, ns."""


def legs(trip: float, jitter: float, others: float = 1.0) -> dict[str, LegOfRound]:
    """Legs of a round with this average trip and deviation; `others` times as long as there."""
    means = {name: mean * others for name, mean in MEANS.items()} | {"trip": trip}
    found = {name: LegOfRound(count=1000, mean_ns=mean, std_ns=0.01 * mean, max_ns=1.1 * mean)
             for name, mean in means.items()}  # fmt: skip
    found["trip"] = LegOfRound(
        count=1000, mean_ns=trip, std_ns=jitter, max_ns=trip + 3.5 * jitter * others
    )
    return found


def discovered(creation: float, first: float, lost: float) -> dict[str, Any]:
    """A round of a discovery test; µs."""
    found = RoundDiscovery(
        creation_ns=creation * 1e3, own_match_ns=None, peer_match_ns=None, lost_before=lost
    )
    return {"first_sample_ns": first * 1e3, "discovery": found}


def discovered_as_there(p: Mapping[str, Any], mood: float) -> dict[str, Any]:
    """What the slides have of this case; beside others it takes longer with each."""
    where = stated.BETWEEN if p["writer_on"] != p["reader_on"] else stated.WITHIN
    of = {(each.where, each.new, each.creates): each for each in stated.CLUSTER}
    there = of[where, p["new"], p["creates"]]
    slow = mood * (1 + p["existing"] / 100)
    return discovered(there.creation * slow, there.discovery * slow, 0.0)


def discovered_otherwise(p: Mapping[str, Any], mood: float) -> dict[str, Any]:
    """Late, with losses, later alone than with a participant and beside few than beside many."""
    slow = mood * (2.0 if p["creates"] == "entity" else 1.0) / (1 + p["existing"] / 100)
    return discovered(1000.0 * slow, 3000.0 * slow, 2.0)


def as_there(p: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A world in which the slides' statements hold."""
    high, real_time = p["qos"].get("transport_priority") == 100, p["fifo"] == 30
    if p["test"] == "throughput":
        overload = not p["rate_hz"] and p["qos"].get("history") == "keep_last"
        read = {"theoretical_per_s": 8e4, "samples_per_s": 7.99e4}
        return {"expected": 1000, "received": 700 if overload else 1000, **read}
    if p["test"] == "discovery":
        return discovered_as_there(p, MOOD[number])
    trip, jitter = (316e3, 7.5e3) if real_time else (338e3, 7.6e3)
    if p.get("flows") and not high:
        trip, jitter = (323e3, 33e3) if real_time else (340e3, 50e3)
    mood = MOOD[number]
    return {"median_ns": trip, "latency": latency(trip, legs=legs(trip * mood, jitter * mood))}  # type: ignore[arg-type]


def otherwise(p: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A world in which none of it holds."""
    high, real_time = p["qos"].get("transport_priority") == 100, p["fifo"] == 30
    if p["test"] == "throughput":
        read = {"theoretical_per_s": 8e4, "samples_per_s": 7e4}
        return {"expected": 1000, "received": 900 if p["rate_hz"] else 1000, **read}
    if p["test"] == "discovery":
        return discovered_otherwise(p, MOOD[number])
    trip, jitter = (100e3, 20e3) if real_time else (60e3, 10e3)
    if p.get("flows") and high:
        trip, jitter = 1.5 * trip, 1.5 * jitter
    mood = MOOD[number]
    return {"median_ns": trip, "latency": latency(trip, legs=legs(trip * mood, jitter * mood, 3.0))}  # type: ignore[arg-type]


PARTS = ("", "throughput-", "discovery-", "scalability-", "determinism-")


def compared(name: str, figures: Any) -> Repetition:
    found = repetition(told(f"pother-2008/{name}", figures))
    assert found is not None
    return found


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("size", ["quick", "full"])
def test_every_check_agrees_where_it_holds(part: str, size: str) -> None:
    found = compared(part + size, as_there)
    answered = [(check.name, e) for answer in found.answers for check, e in answer.lines]
    assert answered
    wrong = {(name, e.verdict, e.reason) for name, e in answered if e.verdict != "agrees"}
    # Adapters that are not in the scenario, and nodes that only a lab has.
    assert {reason.partition(":")[0] for *_, reason in wrong} <= {"this campaign has no such case"}
    assert {name for name, *_ in wrong} == {
        name for name, _ in answered if lacks(part + size, name)
    }


def lacks(scenario: str, check: str) -> bool:
    """Whether a scenario has no case for a check."""
    adapter = check.rpartition(", ")[2]
    if adapter not in planned(f"pother-2008/{scenario}")[0].adapters:
        return True
    if scenario == "scalability-quick" and adapter == "zerodds":
        return False
    return scenario == "discovery-quick" and "between nodes" in check


@pytest.mark.parametrize("part", PARTS)
def test_no_check_agrees_where_none_holds(part: str) -> None:
    found = compared(f"{part}quick", otherwise)
    agreeing = [c.name for a in found.answers for c, e in a.lines if e.verdict == "agrees"]
    assert agreeing == []


def test_each_scenario_is_asked_its_own_statements() -> None:
    for part, name in zip(
        ("latency", "throughput", "discovery", "scalability", "determinism"), PARTS, strict=True
    ):
        found = compared(f"{name}quick", as_there)
        assert {answer.statement.part for answer in found.answers} == {part}
        assert part not in {statement.part for statement in found.not_asked}


def test_determinism_has_each_class_at_each_priority_beside_real_time_traffic() -> None:
    scenario, cases = planned("pother-2008/determinism-quick")
    for adapter in ("cyclonedds", "fastdds", "rti", "zerodds"):
        found = {
            (c.params.fifo, c.params.qos.get("transport_priority", 0))
            for c in cases if c.params.adapter == adapter
        }  # fmt: skip
        assert found == set(product((0, 30), (0, 100)))
    for case in cases:
        assert (case.params.rate_hz, case.params.size) == (stated.RATE_HZ, 0)
        assert {p.fifo for p in case.params.participants} == {30}
        (flow,) = case.params.flows
        assert not flow.qos.get("transport_priority")
    assert scenario.measure.echo_source


def test_discovery_has_each_kind_of_the_slides_and_up_to_1600_endpoints() -> None:
    _, cases = planned("pother-2008/discovery-full")
    for adapter in ("cyclonedds", "fastdds"):
        mine = [case.params.stated() for case in cases if case.params.adapter == adapter]
        kinds = {
            (p["new"], p["creates"], p["writer_on"] != p["reader_on"])
            for p in mine if not p["existing"] and not p["link_loss"]
        }  # fmt: skip
        assert kinds == {(e.new, e.creates, e.between_nodes) for e in stated.CLUSTER}
        assert {p["existing"] for p in mine} == {0, 100, 200, 400, 800, 1600}
        assert {(p["rate_hz"], p["size"]) for p in mine} == {(stated.RATE_HZ, 40)}


def test_the_largest_system_is_that_of_the_slides_and_its_throughput_as_calculated_there() -> None:
    _, cases = planned("pother-2008/scalability-full")
    (whole, *_) = (c.params.stated() for c in cases if c.params.applications == stated.APPLICATIONS)
    assert len(whole["writer_on"].split("+")) == stated.NODES
    assert whole["topics"] * whole["writers"] == stated.WRITERS
    assert whole["topics"] * whole["readers"] == stated.READERS
    assert (whole["size"], whole["rate_hz"]) == (stated.SIZE, stated.EACH_HZ)
    reader = stated.NODES * stated.APPLICATIONS * stated.SIZE * stated.EACH_HZ / 1e3
    application = reader * stated.READERS
    node = application * stated.APPLICATIONS
    assert [*stated.CALCULATED_KB_PER_S.values()] == [
        reader, application, node, node * stated.NODES
    ]  # fmt: skip


def test_stated_counts_are_shares_of_all_rounded_down() -> None:
    for output in stated.OUTPUTS:
        for line in output.lines:
            whole = output.of(line.leg).count
            assert line.count == whole * round(line.percent * 10) // 1000, line
            assert line.least <= line.average <= line.greatest
