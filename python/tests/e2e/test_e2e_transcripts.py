"""What workers are commanded in a round of each kind is what it was when it was written down.

`BUSMARK_FREEZE=1 pytest python/tests/e2e/test_e2e_transcripts.py` writes it down again; who does so
says why in `python/tests/oracles/differences.md`.
"""

from __future__ import annotations

import json
import lzma
import os
import stat
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import HERE, Lab, need_adapters

from busmark.adapters import worker

ORACLES = HERE.parent / "oracles"
FROZEN = ORACLES / "transcripts.json.xz"
ROUNDS = {
    "closed-loop": "udp-unicast-64B-same",
    "open-loop": "tcp-64B-500Hzstream",
    "streams": "udp-unicast-256B-2000Hz",
    "many": "udp",
    "batches": "tcp-64B-each",
    "phases": "udp",
    "discovery": "cyclonedds-udp-64B-writer",
}
"""Scenario, and which of its cases."""
PASSING = frozenset({"id", "cookie", "run_dir", "locators", "writer_locators", "sent", "limit_s"})
"""Keys whose values are another's in each run."""


def settled(value: Any) -> Any:
    """A command without what differs from run to run."""
    if isinstance(value, dict):
        return {key: settled(each) for key, each in value.items() if key not in PASSING}
    if isinstance(value, list):
        return [settled(each) for each in value]
    return Path(value).name if isinstance(value, str) and value.startswith("/") else value


def transcripts(lab: Lab, name: str, only: str) -> list[str]:
    """The commands to each worker of one round, in the order of what the workers are."""
    record = lab.folder / f"record-{name}"
    record.mkdir()
    command = lab.folder / f"worker-{name}"
    command.write_text(f'#!/bin/sh\ntee {record}/$$.jsonl | {worker()} "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    ended = lab.busmark(
        "run", ORACLES / "scenarios" / f"{name}.toml", "--only", only, "--out", name,
        "--set", "rounds.min=1", "--set", "rounds.max=1", "--set", "criteria.min_samples=1",
        "--set", "criteria.min_repetitions=1", variables={"BUSMARK_WORKER": command},
    )  # fmt: skip
    assert ended.code == 0, ended.text
    found = []
    for path in record.iterdir():
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        # What one end has seen is passed on to the other when it happens.
        asked = [settled(line) for line in lines if "sighting" not in line]
        if asked:
            found.append(json.dumps(asked, sort_keys=True))
    return sorted(found)


@pytest.mark.parametrize("name", ROUNDS)
def test_workers_are_commanded_as_they_were(lab: Lab, name: str) -> None:
    need_adapters("udp", "tcp", "cyclonedds")
    found = transcripts(lab, name, ROUNDS[name])
    known = json.loads(lzma.decompress(FROZEN.read_bytes())) if FROZEN.exists() else {}
    if os.environ.get("BUSMARK_FREEZE"):
        known[name] = found
        FROZEN.write_bytes(lzma.compress(json.dumps(known, indent=0).encode(), preset=9))
    assert found == known[name], "\n".join(
        line
        for before, now in zip(known[name], found, strict=False)
        for line in unified_diff(_lines(before), _lines(now), "before", "now", n=1, lineterm="")
    )


def _lines(transcript: str) -> list[str]:
    """For a difference that can be read."""
    return json.dumps(json.loads(transcript), indent=1).splitlines()
