"""Applications that all write to all."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter
from pydantic import ValidationError

from busmark.plan import Flows, expand, flows
from busmark.scenario import Scenario
from busmark.store import Case

NETWORK = {"reach": ["process", "host", "network"]}


def cases(matrix: dict[str, Any], nodes: int = 4, **scenario: Any) -> list[Case]:
    asked = Scenario.model_validate({
        "name": "x", "lab": {"nodes": nodes},
        "matrix": {"adapter": "paper", "test": "throughput", "placement": "free", **matrix},
        **scenario,
    })  # fmt: skip
    return expand(asked, {"paper": adapter(**NETWORK)})


def pairs(found: Flows) -> int:
    return sum(len(flow.writers) * len(flow.readers) for flow in found.flows)


def test_the_documents_numbers() -> None:
    """4 nodes × 10 applications × (10 writers + 30 readers): 80 kB/s to 96 MB/s."""
    (case,) = cases({"applications": 10, "topics": 10, "readers": 3, "rate_hz": 2, "size": 1000})
    assert case.status == "planned", case.reason
    found = flows(case.params)
    assert len(found.participants) == 40
    writers = [end for flow in found.flows for end in flow.writers]
    readers = [end for flow in found.flows for end in flow.readers]
    assert (len(found.flows), len(writers), len(readers)) == (10, 400, 1200)
    assert len(found.ends) == 1600 and pairs(found) == 48_000
    heard = {flow.rate_hz * len(flow.writers) * flow.size for flow in found.flows}
    assert heard == {80_000.0}
    for own in found.participants:
        assert sum(end.participant == own for end in writers) == 10
        assert sum(end.participant == own for end in readers) == 30


def test_names_say_how_many_there_are_and_where() -> None:
    found = cases(
        {"applications": [1, 5], "applications_on": ["n1+n2", "n1+n2+n3"], "rate_hz": 2.0},
        nodes=3,
    )
    assert [case.id for case in found] == [
        "000-throughput-paper-64B-1applications-n1andn2-n1andn2",
        "001-throughput-paper-64B-1applications-n1andn2andn3-n1andn2andn3",
        "002-throughput-paper-64B-5applications-n1andn2-n1andn2",
        "003-throughput-paper-64B-5applications-n1andn2andn3-n1andn2andn3",
    ]
    assert [len(flows(case.params).participants) for case in found] == [2, 3, 10, 15]


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ({"test": "latency"}, 'test = "throughput"'),
        ({"publishers": 3}, "publishers = 1"),
        ({"topology": "bidirectional"}, 'topology = "one_way"'),
        ({"batch": 10}, "batch = 0"),
        ({"writer_on": "n2"}, "applications_on, not writer_on"),
        ({"applications_on": "n9"}, "there is no node 'n9'"),
        ({"applications": 0, "applications_on": "n1"}, "applications_on needs applications"),
    ],
)
def test_what_contradicts_applications_is_refused(matrix: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        cases({"applications": 2, **matrix})


def test_their_nodes_need_nodes() -> None:
    with pytest.raises(ValidationError, match="there is no \\[lab\\]"):
        cases({"applications": 2, "applications_on": "n1"}, nodes=0)


def test_counters_of_many_pairs_have_longer_intervals() -> None:
    """48,000 pairs over twice ten seconds: counters of 0.24 s are as many as fit, so 0.5 s."""
    asked = {"applications": 10, "topics": 10, "readers": 3, "rate_hz": 2, "size": 1000}
    few, many = (
        cases({**asked, "applications": applications}, measure={"duration_s": 10.0})[0].params
        for applications in (1, 10)
    )
    assert (few.interval_s, many.interval_s) == (0.1, 0.5)
