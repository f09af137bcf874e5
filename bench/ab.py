"""Whether the gate that the documentation shows decides: `busmark ab` with the shipped scenario.

    python bench/ab.py --identical 20 --slower 10 --stalled 10 --out FOLDER

The library is Cyclone DDS, on both sides the same. A change is planted into the candidate by a
library that is preloaded into its participants (`plant/plant.c`): 10 % of the median of a first
run, or a stall of 1 ms in one of a hundred samples each way, 2 % of the round trips. Identical
sides have to end with exit code 0, planted changes with 1, the slower one by the median and the
stalls by p99. Ends with exit code 1 where a run does not; each is a line of FOLDER/ab.jsonl.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BUSMARK = [sys.executable, "-m", "busmark"]
ADAPTER = "cyclonedds"
MEDIAN, TAIL = "median.latency > 1.05", "p99.latency > 1.2"
GATE = ["--fail-if", MEDIAN, "--fail-if", TAIL]
STALL = {"PLANT_STALL_NS": 1_000_000, "PLANT_EVERY": 100}
EXPECTED = {"identical": None, "slower": MEDIAN, "stalled": TAIL}
"""Criterion by which each kind of run has to fail; None: none."""


def preloaded(folder: Path) -> Path:
    """Build the library that slows what is sent."""
    library = folder / "plant.so"
    flags = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC"]
    source = str(HERE / "plant" / "plant.c")
    subprocess.run(["cc", *flags, "-o", str(library), source, "-ldl"], check=True)
    return library.resolve()


def run(folder: Path, name: str, candidate: str) -> dict[str, Any]:
    """Run the gate once; return its exit code, its time and the document of its comparison."""
    began = time.monotonic()
    command = [*BUSMARK, "ab", ADAPTER, candidate, *GATE, "--json", "--out", str(folder / name)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    took = time.monotonic() - began
    if ended.returncode not in (0, 1):
        raise SystemExit(f"{name}: busmark ab ended with exit code {ended.returncode}")
    return {
        "name": name,
        "code": ended.returncode,
        "took_s": round(took, 1),
        **json.loads(ended.stdout),
    }


def summary(document: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the part of a run that is kept: outcomes, and whether it ended as it should."""
    outcomes: dict[str, list[str]] = {}
    for judged in document["criteria"]:
        outcomes.setdefault(judged["criterion"], []).append(judged["outcome"])
    expected = EXPECTED[kind]
    right = document["code"] == 0
    if expected is not None:
        right = document["code"] == 1 and "missed" in outcomes[expected]
    return {
        "kind": kind,
        "name": document["name"],
        "code": document["code"],
        "right": right,
        "took_s": document["took_s"],
        "outcomes": outcomes,
    }


def tenth_ns(document: dict[str, Any]) -> int:
    """Return a tenth of the lowest median RTT/2 of any case, ns: the delay of one way."""
    medians = [
        change["baseline"]["value"]
        for pair in document["pairs"]
        if pair["test"] == "latency"
        for change in pair["changes"]
        if change["name"] == "median.latency"
    ]
    return int(min(medians) / 10)


def main() -> int:
    """Run all, and count the runs that do not end as they should."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for kind, runs in (("identical", 20), ("slower", 10), ("stalled", 10)):
        parser.add_argument(f"--{kind}", type=int, default=runs, metavar="RUNS")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    library = preloaded(asked.out)
    tenth = tenth_ns(run(asked.out, "first", ADAPTER)) if asked.slower else 0
    plants = {"identical": {}, "slower": {"PLANT_DELAY_NS": tenth}, "stalled": STALL}
    found = []
    for kind, plant in plants.items():
        variables = {"LD_PRELOAD": library, **plant} if plant else {}
        candidate = " ".join(
            [ADAPTER, *(f"env:{name}={value}" for name, value in variables.items())]
        )
        for number in range(getattr(asked, kind)):
            one = summary(run(asked.out, f"{kind}-{number:02}", candidate), kind)
            with (asked.out / "ab.jsonl").open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(one) + "\n")
            print(json.dumps(one), flush=True)
            found.append(one)
    wrong = sum(not one["right"] for one in found)
    print(f"{len(found)} runs, {wrong} of them not as they should end")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
