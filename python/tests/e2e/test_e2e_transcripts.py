"""What workers are commanded in a round of each kind is what it was when it was written down, and
follows the schema, like all that they answer.

`BUSMARK_FREEZE=1 pytest python/tests/e2e/test_e2e_transcripts.py` writes it down again; who does so
says why in `python/tests/oracles/differences.md`.
"""

from __future__ import annotations

import json
import lzma
import os
import subprocess
from difflib import unified_diff
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import HERE, Lab, need_adapters, real_worker
from jsonschema import Draft202012Validator
from test_e2e_worker_faults import put_stand_in

from busmark.plan import run_identity
from busmark.store import Result

ORACLES = HERE.parent / "oracles"
FROZEN = ORACLES / "transcripts.json.xz"
SCENARIOS = ("kinds", "phases")
"""A case of each kind of flow; changes in the middle of a round."""
PASSING = frozenset({"id", "cookie", "run_dir", "locators", "writer_locators", "sent", "limit_s"})
"""Keys whose values are another's in each run."""


def settled(value: Any, run: str) -> Any:
    """Return a command without what differs from run to run; topics end with the run's identity."""
    if isinstance(value, dict):
        known = {key: each for key, each in value.items() if key not in PASSING}
        return {key.replace(f"_{run}", ""): settled(each, run) for key, each in known.items()}
    if isinstance(value, list):
        return [settled(each, run) for each in value]
    if not isinstance(value, str):
        return value
    return Path(value).name if value.startswith("/") else value.replace(f"_{run}", "")


def transcripts(lab: Lab, name: str) -> list[str]:
    """Return the commands to each worker of a round of each case, sorted as texts."""
    record = lab.folder / "record"
    record.mkdir()
    ended = lab.busmark(
        "run", ORACLES / "scenarios" / f"{name}.toml", "--out", name, "--set", "rounds.min=1",
        "--set", "rounds.max=1", "--set", "criteria.min_rate=0", "--set", "criteria.min_load=0",
        variables={**put_stand_in(lab), "STAND_IN_RECORD": record},
    )  # fmt: skip
    assert ended.code == 0, ended.text
    found, run = [], run_identity(int(Result(lab.folder / name).manifest.cookie, 16))
    for path in record.iterdir():
        lines = list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
        assert_by_schema(lines)
        # What one end has seen is passed on to the other when it happens.
        asked = [settled(line["message"], run) for line in lines
                 if line["kind"] == "request" and "sighting" not in line["message"]]  # fmt: skip
        if asked:
            found.append(json.dumps(asked, sort_keys=True))
    return sorted(found)


@cache
def shapes() -> dict[str, Draft202012Validator]:
    """Return the validators of messages, by the name of a message."""
    schema = json.loads(subprocess.check_output([str(real_worker()), "schema"]))
    return {
        name: Draft202012Validator({**shape, "$defs": schema["$defs"]})
        for name, shape in schema["properties"].items()
    }


def assert_by_schema(lines: list[dict[str, Any]]) -> None:
    """Check that everything that crosses the pipe of a worker follows the schema."""
    asked = {}
    for kind, message in (line.values() for line in lines):
        shapes()[kind].validate(message)
        if kind == "request":
            asked[message["id"]] = f"{message['cmd']}_result"
        elif kind == "reply" and "result" in message and asked[message["id"]] in shapes():
            shapes()[asked[message["id"]]].validate(message["result"])


@pytest.mark.parametrize("name", SCENARIOS)
def test_workers_are_commanded_as_they_were(lab: Lab, name: str) -> None:
    need_adapters("udp", "tcp", "cyclonedds")
    found = transcripts(lab, name)
    known = json.loads(lzma.decompress(FROZEN.read_bytes())) if FROZEN.exists() else {}
    if os.environ.get("BUSMARK_FREEZE"):
        known = {**{each: known.get(each, []) for each in SCENARIOS}, name: found}
        FROZEN.write_bytes(lzma.compress(json.dumps(known, indent=0).encode(), preset=9))
    assert found == known[name], "\n".join(
        line
        for before, now in zip(known[name], found, strict=False)
        for line in unified_diff(_lines(before), _lines(now), "before", "now", n=1, lineterm="")
    )


def _lines(transcript: str) -> list[str]:
    """Return the lines of a transcript for a difference that can be read."""
    return json.dumps(json.loads(transcript), indent=1).splitlines()
