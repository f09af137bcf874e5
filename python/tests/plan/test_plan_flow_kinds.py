"""Flows of the scenario's own of every kind: what may be said, and what comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from plan_adapters import adapter

from busmark.errors import UserError
from busmark.plan import Flow, expand, flows
from busmark.scenario import Scenario, load
from busmark.store import Case

NETWORK = {"reach": ["process", "host", "network"]}


def case(flow: dict[str, Any], matrix: dict[str, Any] | None = None, count: int = 2) -> Case:
    """Case with a flow from `a` to `b`, of which there are `count`."""
    asked = Scenario.model_validate({
        "name": "x", "matrix": {"adapter": "paper", **(matrix or {})},
        "flow": [{"name": "f", "writers": ["a"], "readers": ["b"], **flow}],
        "participant": [{"name": "a"}, {"name": "b", "count": count}],
    })  # fmt: skip
    (found,) = expand(asked, {"paper": adapter(**NETWORK)})
    return found


def own(found: Case) -> Flow:
    return next(flow for flow in flows(found.params).flows if flow.own)


def test_a_plain_stream_says_what_it_said_before_there_were_kinds() -> None:
    (given,) = case({"rate_hz": 10.0}).params.flows
    assert sorted(given.model_dump()) == [
        "arrivals", "name", "payload", "qos", "rate_hz", "readers", "size", "writers",
    ]  # fmt: skip


def test_pings_keep_what_pings_of_a_matrix_keep() -> None:
    """One ping is under way in a closed loop; at a rate those that wait must not be overwritten."""
    closed, paced = (own(case({"kind": "pings", **rate})).qos for rate in ({}, {"rate_hz": 100}))
    assert closed == {"reliability": "reliable", "history": "keep_last", "depth": 2}
    assert paced == {"reliability": "reliable", "history": "keep_all"}


@pytest.mark.parametrize(
    ("flow", "words"),
    [
        ({}, "rate_hz: a stream needs a rate; 0 is full speed"),
        ({"kind": "batches", "batch": 5, "rate_hz": 1}, "batches follow each other"),
        ({"kind": "batches"}, "batch: batches need the number of their samples"),
        ({"kind": "pings", "batch": 5}, 'batch: goes with kind = "batches" alone'),
        ({"rate_hz": 1, "batch_ack": "each"}, "batch_ack: goes with kind"),
        ({"kind": "pings", "probe_every": 5}, "probe_every: goes with a stream alone"),
        ({"kind": "pings", "arrivals": "poisson"}, 'arrivals = "poisson" needs a rate_hz'),
        ({"rate_hz": 0, "arrivals": "poisson"}, 'arrivals = "poisson" needs a rate_hz'),
        ({"rate_hz": 1, "echo": ["b1"]}, "echo: nothing of this stream is echoed"),
        ({"rate_hz": 1, "probe_every": 9, "echo": ["b1", "b2"]}, "one reader echoes probes"),
        ({"rate_hz": 1, "probe_every": 9, "echo": ["b"]}, "'b' stands for 2"),
        ({"kind": "batches", "batch": 5, "echo": ["b1"]}, "all readers acknowledge"),
        ({"kind": "pings", "echo": ["a"]}, "echo: 'a' is none of its readers"),
        ({"kind": "ping"}, "kind"),
    ],
)
def test_what_does_not_go_together_is_refused_by_file_and_key(
    tmp_path: Path, flow: dict[str, Any], words: str
) -> None:
    lines = [f"{key} = {_toml(value)}" for key, value in flow.items()]
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "x"\n[matrix]\nadapter = "tcp"\n[[participant]]\nname = "a"\n'
        '[[participant]]\nname = "b"\ncount = 2\n'
        '[[flow]]\nname = "f"\nwriters = ["a"]\nreaders = ["b"]\n' + "\n".join(lines) + "\n"
    )
    with pytest.raises(UserError) as refused:
        load(path)
    text = str(refused.value)
    assert words in text and "own.toml" in text and "flow" in text


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def test_an_echo_that_the_case_does_not_have_is_unsupported() -> None:
    found = case({"kind": "pings", "readers": ["passive", "b"], "echo": ["passive2"]})
    assert found.status == "unsupported"
    assert "the case has no participant passive2" in str(found.reason)
    two = case(
        {"rate_hz": 1, "probe_every": 5, "readers": ["b", "passive"], "echo": ["passive"]},
        {"subscribers": 2},
    )
    assert two.status == "unsupported" and "one reader echoes probes" in str(two.reason)
