"""Many batches, each in a process of its own, so that one that dies takes nothing with it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "docs" / "reference" / "mutations.json"
KINDS = ("manifest", "tables", "imports", "scenarios", "protocol", "security", "idl")
READING = tuple(
    f"read-{what}" for what in ("scenario", "answer", "manifest", "table", "import", "document")
)
"""What only reads, a hundred times as fast."""

SEED = 20_250_101
BATCH, BATCH_OF_READING = 5000, 100_000
"""Inputs of one process: its start takes as long as hundreds of them."""
FOLDER = "BUSMARK_MUTATE_FOLDER"
"""Variable of the environment: where batches make temporary folders, if not at the usual place."""
MEMORY = "/dev/shm"
"""For temporary folders: every result is made durable when it is written. Not for the tests, beside
which the contract's suite looks there for what adapters leave."""
LONGEST_S = 10.0
MOST_BYTES = 1 << 30

PROGRAM = "import sys; sys.path[:0] = sys.argv[1:3]; " \
    "from tools.mutations.batch import main; main(*sys.argv[3:])"  # fmt: skip


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[*KINDS, *READING], metavar="KIND")
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--parts", type=Path)
    asked = parser.parse_args()
    if os.access(MEMORY, os.W_OK):
        os.environ.setdefault(FOLDER, MEMORY)
    parts = Parts(asked.parts)
    found = outcome(asked.kinds, asked.inputs, asked.seed, asked.first, asked.jobs, parts)
    print(json.dumps(found, indent=1))
    if asked.record:
        record(found, asked.seed)
    return 0 if all(met(one) for one in found.values()) else 1


def met(found: dict[str, Any]) -> bool:
    """No fault, no long wait, no great memory."""
    return (
        not found["faults"]
        and found["slowest_s"] <= LONGEST_S
        and found["peak_bytes"] <= MOST_BYTES
    )


class Parts:
    """Outcomes of batches in a file, so that hours of work can be resumed: a batch that met the
    requirements is not run again."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        lines = path.read_text().splitlines() if path and path.exists() else []
        self._known = {tuple(key): found for key, found in map(json.loads, lines) if met(found)}

    def of(self, *key: Any) -> dict[str, Any]:
        """Identity of this batch: kind, seed, first input and their number."""
        found: dict[str, Any] = self._known.get(key) or _batch(*key)
        if key not in self._known and self._path:
            with self._lock, self._path.open("a") as file:
                file.write(json.dumps([key, found]) + "\n")
        self._known[key] = found
        return found


def outcome(
    kinds: list[str], inputs: int, seed: int = SEED, first: int = 0, jobs: int = 2,
    known: Parts | None = None,
) -> Any:  # fmt: skip
    """Outcomes of the inputs, by kind."""
    known = known or Parts()
    batches = [
        (kind, seed, start, min(size, first + inputs - start))
        for kind in kinds
        for size in [BATCH_OF_READING if kind in READING else BATCH]
        for start in range(first, first + inputs, size)
    ]
    with ThreadPoolExecutor(jobs) as pool:
        parts = list(pool.map(lambda one: (one[0], known.of(*one)), batches))
    return {kind: _together([part for of, part in parts if of == kind]) for kind in kinds}


def _batch(kind: str, seed: int, first: int, count: int) -> dict[str, Any]:
    """One process. If it dies, what is left is run by another, after the input at which it did."""
    with tempfile.TemporaryDirectory(prefix="busmark-mutate-") as name:
        place = Path(name) / "progress"
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(ROOT), str(ROOT / "python"), kind, str(seed),
             str(first), str(count)],
            env={**os.environ, "BUSMARK_MUTATE_PROGRESS": str(place), "POLARS_MAX_THREADS": "1"},
            capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        took = time.monotonic() - began
        if done.returncode == 0:
            return {**json.loads(done.stdout), "took_s": took}
        if not place.exists():
            raise RuntimeError(f"no input was reached: {done.stderr[-2000:]}")
        at = int(place.read_text()) + 1
    found = {"count": 1, "first": at, "error": done.stderr[-2000:]}
    dead: dict[str, Any] = {
        "inputs": at - first + 1, "refused": 0, "slowest_s": 0.0, "slowest": at, "peak_bytes": 0,
        "faults": {f"the process ended by {done.returncode}": found}, "took_s": took,
    }  # fmt: skip
    left = first + count - at - 1
    return _together([dead, *([_batch(kind, seed, at + 1, left)] if left > 0 else [])])


def _together(parts: list[dict[str, Any]]) -> dict[str, Any]:
    slowest = max(parts, key=lambda part: part["slowest_s"])
    faults: dict[str, dict[str, Any]] = {}
    for part in parts:
        for where, text in part["faults"].items():
            if where in faults:
                faults[where]["count"] += text["count"]
            else:
                faults[where] = dict(text)
    return {
        "inputs": sum(part["inputs"] for part in parts),
        "refused": sum(part["refused"] for part in parts),
        "slowest_s": slowest["slowest_s"],
        "slowest": slowest["slowest"],
        "peak_bytes": max(part["peak_bytes"] for part in parts),
        "took_s": round(sum(part["took_s"] for part in parts), 1),
        "faults": faults,
    }


def record(found: dict[str, Any], seed: int) -> None:
    """Keeps the outcome; of kinds that were not run, the one before."""
    known = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    known |= {kind: {"seed": seed, **one} for kind, one in found.items()}
    RECORD.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
