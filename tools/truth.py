"""Simulates campaigns with known answers and records how often the intervals hold them.

    python tools/truth.py                       # 1,000 campaigns of each kind; some minutes
    python tools/truth.py --campaigns 100       # a rough look

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

from tools.simulate.coverage import SETTINGS, coverage
from tools.simulate.laws import LAWS
from tools.simulate.power import NOISES, ROUNDS, power

SEED = 20_250_101
RECORD = Path(__file__).resolve().parents[1] / "docs" / "reference" / "coverage.json"


def parts(campaigns: int, seed: int) -> list[Callable[[], list[Any]]]:
    """Pieces of work, each with a seed of its own, so that none depends on another."""
    covering = [
        partial(coverage, law, *setting, campaigns, (seed, 0, i, j))
        for i, law in enumerate(LAWS)
        for j, setting in enumerate(SETTINGS)
    ]
    telling = [
        partial(power, noise, rounds, campaigns, (seed, 1, i, rounds))
        for i, noise in enumerate(NOISES)
        for rounds in ROUNDS
    ]
    return [*covering, *telling]


def main() -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--campaigns", type=int, default=1000, help="of each kind")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=RECORD)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        work = [pool.submit(part) for part in parts(given.campaigns, given.seed)]
        found = []
        for number, done in enumerate(work, 1):
            found.append(done.result())
            print(f"{number} of {len(work)}", file=sys.stderr)
    split = len(LAWS) * len(SETTINGS)
    record = {
        "seed": given.seed,
        "campaigns": given.campaigns,
        "confidence": 0.95,
        "coverage": [asdict(row) for part in found[:split] for row in part],
        "power": [asdict(row) for part in found[split:] for row in part],
    }
    given.out.write_text(_json(record), encoding="utf-8")
    return 0


def _json(record: dict[str, Any]) -> str:
    """One row of a table on each line."""
    lines = []
    for key, value in record.items():
        text = json.dumps(value)
        if isinstance(value, list):
            text = "[\n" + ",\n".join(f"    {json.dumps(row)}" for row in value) + "\n  ]"
        lines.append(f'  "{key}": {text}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
