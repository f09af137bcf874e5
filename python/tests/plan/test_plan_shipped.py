"""Every scenario that ships has the plan that it had when it was written down.

The adapters are on paper, so that the plan depends on scenario and planner alone. Who changes a
plan on purpose writes it down again: `python python/tests/plan/test_plan_shipped.py`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from plan_adapters import adapter

from busmark.adapters import resolve
from busmark.plan import expand
from busmark.plan.refusals import check_asked
from busmark.scenario import find, load, shipped

RECORDED = Path(__file__).with_name("shipped_plans.json")

ABLE: dict[str, Any] = {
    "transports": ["udp", "shm", "tcp", "unicast", "shipped"],
    "payloads": ["empty", "octet", "char", "short", "float", "long", "struct", "any"],
    "waits": ["listener", "waitset", "poll"],
    "reach": ["process", "host", "network"],
    "qos": ["reliable", "best_effort", "keep_last", "keep_all", "transient_local", "lifespan"],
    "max_body_bytes": 1 << 30,
    "options": [
        {"key": key}
        for key in (
            "agents",
            "number_best_effort",
            "implementation",
            "data_sharing",
            "loan",
            "discovery",
            "shm_segment_bytes",
        )
    ],
}

SERVED = {
    "features": ["server"],
    "options": [each for each in ABLE["options"] if each["key"] != "discovery"],
}
"""What DDS-XRCE has besides: its participants meet at an agent, always."""


def plan(name: str) -> dict[str, Any]:
    """Return how many cases of each status there are on two CPUs with all tools for background
    load, and a digest of all they say."""
    cpus = patch("os.sched_getaffinity", return_value={0, 1})
    # Without a library here, the last of the alternatives is taken.
    none = patch.object(sys.modules[resolve.__module__], "libraries", return_value={})
    with cpus, none, patch("shutil.which", return_value="/bin/true"):
        return _plan(name)


def _plan(name: str) -> dict[str, Any]:
    scenario, *_ = load(find(Path(name)))
    names = {n for _, m in scenario.matrices for n in (*m.adapter, *m.peer)} - {"same"}
    of_xrce = {name: SERVED if "xrce" in name else {} for name in names}
    adapters = {name: adapter(name, **{**ABLE, **of_xrce[name]}) for name in sorted(names)}
    cases = expand(scenario, adapters)
    check_asked(scenario, cases)
    text = "\n".join(
        json.dumps([case.id, case.status, case.params.declared()], sort_keys=True, default=str)
        for case in cases
    )
    counts = {
        status: sum(c.status == status for c in cases) for status in ("planned", "unsupported")
    }
    return {**counts, "sha256": hashlib.sha256(text.encode()).hexdigest()}


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_scenario_has_the_plan_that_it_had(name: str) -> None:
    assert plan(name) == json.loads(RECORDED.read_text("utf-8"))[name]


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_scenario_measures_the_floor_or_says_why_not(name: str) -> None:
    scenario, text = load(find(Path(name)))
    with patch("os.sched_getaffinity", return_value={0, 1}):
        null = adapter("null", **ABLE | {"transports": ["memory"], "reach": ["process"]})
        others = {n for _, m in scenario.matrices for n in (*m.adapter, *m.peer)} - {"same"}
        cases = expand(scenario, {n: adapter(n, **ABLE) for n in others} | {"null": null})
    floors = [case for case in cases if case.params.adapter == "null"]
    assert {case.status for case in floors} <= {"planned"}
    assert bool(floors) is not ("# No floor (null adapter): " in text)


if __name__ == "__main__":
    found = {name: plan(name) for name in shipped()}
    RECORDED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
