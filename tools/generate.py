"""Writes everything that is generated: JSON Schemas and reference pages.

    python tools/generate.py            # writes what has changed
    python tools/generate.py --check    # writes nothing; exit code 1 names what is stale

The pages come from the code itself: pydantic models, click commands, columns, rules, and what the
adapters of this repository declare. The worker must be built, and adapters that were never recorded
(`make adapters`); others that are missing are named and stay as they were recorded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from busmark.errors import UserError
from busmark.plugins.papers.repetition import DOCUMENTS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from tools.pages import (
    adapters,
    clauses,
    cli,
    coverage,
    findings,
    frames,
    metrics,
    packs,
    protocol,
    result,
    scenario,
    schemas,
)

ROOT = Path(__file__).resolve().parents[1]

GENERATED: dict[str, Callable[[], str]] = {
    "schemas/scenario.schema.json": schemas.scenario_json,
    "schemas/control.schema.json": schemas.control_json,
    "python/busmark/control/protocol.py": protocol.module,
    "schemas/result.schema.json": schemas.result_json,
    "schemas/adapter.schema.json": schemas.adapter_json,
    "schemas/prediction.schema.json": schemas.prediction_json,
    "schemas/comparison.schema.json": schemas.comparison_json,
    "schemas/events.schema.json": schemas.events_json,
    "schemas/listing.schema.json": schemas.listing_json,
    "schemas/history.schema.json": schemas.history_json,
    "schemas/tracked.schema.json": schemas.tracked_json,
    "schemas/manifest.schema.json": schemas.manifest_json,
    "schemas/bus.schema.json": schemas.bus_json,
    "schemas/recording.schema.json": schemas.recording_json,
    "schemas/capture.schema.json": schemas.capture_json,
    "schemas/explain.schema.json": schemas.explain_json,
    "docs/reference/scenario.md": scenario.page,
    "docs/reference/result.md": result.page,
    "docs/reference/python.md": frames.page,
    "docs/reference/cli.md": cli.page,
    "docs/reference/findings.md": findings.page,
    "docs/reference/adapters.json": adapters.record,
    "docs/reference/adapters.md": adapters.page,
    "docs/reference/clauses.md": clauses.page,
    "docs/reference/metrics.md": metrics.page,
    "docs/reference/coverage.md": coverage.page,
    **{
        f"python/busmark/plugins/papers/scenarios/{name}/README.md": partial(packs.page, name)
        for name in DOCUMENTS
    },
}
"""File and what gives its text."""


def stale(root: Path = ROOT) -> dict[str, str]:
    """Return the files that are missing or differ from their generated text, with this text."""
    wanted = {name: make() for name, make in GENERATED.items()}
    return {name: text for name, text in wanted.items() if _text(root / name) != text}


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def main() -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="write nothing, say what is stale")
    check = parser.parse_args().check
    try:
        changes = stale()
    except UserError as error:
        print(f"generate: {error}", file=sys.stderr)
        return 2
    if missing := adapters.not_built():
        print(f"generate: not built here, kept as recorded: {', '.join(missing)}", file=sys.stderr)
    for name, text in changes.items():
        if check:
            print(f"stale: {name}: run `make generate`", file=sys.stderr)
            continue
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"written: {name}")
    return 1 if check and changes else 0


if __name__ == "__main__":
    sys.exit(main())
