"""Simulates campaigns with known answers and records how often the intervals hold them.

    python tools/truth.py                       # 1,000 campaigns of each kind; some minutes
    python tools/truth.py --campaigns 100       # a rough look
    python tools/truth.py --only added          # one part; the others stay as they are recorded

Writes docs/reference/coverage.json, of which `make generate` makes docs/reference/coverage.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from tools.simulate.added import ADDED_TO, WAYS, added
from tools.simulate.coverage import SETTINGS, coverage
from tools.simulate.gates import ROUNDS as GATE_ROUNDS
from tools.simulate.gates import SOURCES, gated
from tools.simulate.histories import STEPS, VARYING, watched
from tools.simulate.laws import LAWS
from tools.simulate.power import NOISES, ROUNDS, power

SEED = 20_250_101
HISTORIES = 10
"""Campaigns for each simulated history, which takes as long as some hundred of them."""

RECORD = Path(__file__).resolve().parents[1] / "docs" / "reference" / "coverage.json"

Part = Callable[[], list[Any]]


def parts(campaigns: int, seed: int) -> dict[str, list[Part]]:
    """Return pieces of work, each with a seed of its own, so that none depends on another."""
    covering: list[Part] = [
        partial(coverage, law, *setting, campaigns, (seed, 0, i, j))
        for i, law in enumerate(LAWS)
        for j, setting in enumerate(SETTINGS)
    ]
    telling: list[Part] = [
        partial(power, noise, rounds, campaigns, (seed, 1, i, rounds))
        for i, noise in enumerate(NOISES)
        for rounds in ROUNDS
    ]
    adding: list[Part] = [
        partial(added, law, way, campaigns, (seed, 2, i, j))
        for i, law in enumerate(ADDED_TO)
        for j, way in enumerate(WAYS)
    ]
    watching: list[Part] = [
        partial(watched, varying, step, max(1, campaigns // HISTORIES), (seed, 3, i, j))
        for i, varying in enumerate(VARYING)
        for j, step in enumerate(STEPS)
    ]
    gating: list[Part] = [
        partial(gated, source, rounds, campaigns, (seed, 4, i, rounds))
        for i, source in enumerate(SOURCES)
        for rounds in GATE_ROUNDS
    ]
    return {
        "coverage": covering,
        "power": telling,
        "added": adding,
        "histories": watching,
        "gate": gating,
    }


def main() -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--campaigns", type=int, default=1000, help="of each kind")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", choices=tuple(parts(1, SEED)))
    parser.add_argument("--out", type=Path, default=RECORD)
    given = parser.parse_args()
    kept = json.loads(given.out.read_text(encoding="utf-8")) if given.only else {}
    record = {**kept, "seed": given.seed, "confidence": 0.95}
    if not given.only:
        record["campaigns"] = given.campaigns
    with ProcessPoolExecutor(given.jobs) as pool:
        for name, work in parts(given.campaigns, given.seed).items():
            if given.only not in (None, name):
                continue
            record[name] = []
            begun = [pool.submit(part) for part in work]
            for number, done in enumerate(begun, 1):
                record[name] += [asdict(row) for row in done.result()]
                print(f"{name}: {number} of {len(begun)}", file=sys.stderr)
    given.out.write_text(_json(record), encoding="utf-8")
    return 0


def _json(record: dict[str, Any]) -> str:
    """Return the record as JSON, with one row of a table on each line."""
    lines = []
    for key, value in record.items():
        text = json.dumps(value)
        if isinstance(value, list):
            text = "[\n" + ",\n".join(f"    {json.dumps(row)}" for row in value) + "\n  ]"
        lines.append(f'  "{key}": {text}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
