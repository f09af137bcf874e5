"""Busmark against bare loops and peers, side by side and interleaved in one run.

Writes `results.json`, a row per comparison, and from it `RESULTS.md`.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from awake import awake
from busmark import files
from busmark.temporary import run_directory
from catalogue import Group, groups
from contestants import Contestants
from machine import machine, now, software
from render import annotate, load_notes, render
from session import Record, interleave

HERE = Path(__file__).resolve().parent
WARMUP_SHARE = 0.15
"""Share of the measured time."""


def chosen(only: str | None) -> list[Group]:
    """Return the groups with a row whose identifier matches."""
    found = [
        group
        for group in groups()
        if any(re.search(only or "", group.identifier(row)) for row in group.rows)
    ]
    if not found:
        raise click.UsageError(f"no comparison matches {only!r}")
    return found


def measure(
    selected: list[Group], *, rounds: int, further: int, seconds: float, seed: int
) -> dict[str, Any]:
    """Run everything; return the content of the results file.

    Groups with a row that the planned rounds cannot decide get further ones, a block of as many
    rounds at a time, so that a verdict is looked at seldom.
    """
    begun, begin, warmup_s = now(), time.monotonic(), seconds * WARMUP_SHARE
    host = machine()
    with run_directory() as folder:
        contestants = Contestants(seconds, warmup_s, folder)
        try:
            records = [prepare(group, contestants) for group in selected]
            interleave(records, contestants.measure, range(rounds), seed)
            for first in range(rounds, rounds + further, rounds):
                if not (open_ := [record for record in records if record.undecided]):
                    break
                block = range(first, min(first + rounds, rounds + further))
                interleave(open_, contestants.measure, block, seed)
            rows = [
                row for record in records for row in record.rows(contestants.settings(record.group))
            ]
        finally:
            contestants.close()
    return {
        "begun_utc": begun,
        "length_s": round(time.monotonic() - begin, 1),
        "rounds": rounds,
        "further": further,
        "seconds": seconds,
        "warmup_s": warmup_s,
        "seed": seed,
        "only": None,
        "machine": host,
        "software": software(),
        "rows": rows,
    }


def prepare(group: Group, contestants: Contestants) -> Record:
    """Make an empty record that knows which contestants cannot take part."""
    reasons = {name: contestants.unavailable(name, group) for name in group.contestants}
    return Record(group, {name: reason for name, reason in reasons.items() if reason})


def store(results: dict[str, Any], out: Path) -> None:
    """Write both files, with the current notes."""
    annotate(results, load_notes(HERE / "notes.toml"))
    files.write(out, json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    files.write(out.with_name("RESULTS.md"), render(results))


def summary(rows: list[dict[str, Any]]) -> str:
    """List the targets that were not met, and count the ones that were."""
    judged = [row for row in rows if row["target"] is not None]
    missed = [f"{row['verdict']}: {row['id']}" for row in judged if not row["met"]]
    return "\n".join([*missed, f"{len(judged) - len(missed)} of {len(judged)} targets met"])


@click.command(
    epilog="Example: python bench/run.py --rounds 3 --only latency/udp --out /tmp/r.json"
)
@click.option("--rounds", default=10, show_default=True, type=click.IntRange(1))
@click.option(
    "--further",
    default=40,
    show_default=True,
    type=click.IntRange(0),
    help="Most further rounds of groups that these cannot decide.",
)
@click.option(
    "--seconds",
    default=0.3,
    show_default=True,
    type=click.FloatRange(0.05, 60),
    help="Measured time of each contestant in each round.",
)
@click.option("--only", metavar="REGEX", help="Comparisons whose identifier matches.")
@click.option("--seed", default=1, show_default=True, help="Seed of the order.")
@click.option(
    "--out",
    default=HERE / "results.json",
    type=click.Path(path_type=Path),
    help="The results; RESULTS.md is written beside them.",
)
@click.option(
    "--awake",
    "keep_awake",
    is_flag=True,
    help="A loop of the idle class on each CPU, so that none halts.",
)
@click.option("--render-only", is_flag=True, help="Only write RESULTS.md again, with the notes.")
def main(
    rounds: int,
    further: int,
    seconds: float,
    only: str | None,
    seed: int,
    out: Path,
    keep_awake: bool,
    render_only: bool,
) -> None:
    """Measure Busmark beside bare loops and peers. Alone on the machine, please."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    if render_only:
        results = json.loads(out.read_text(encoding="utf-8"))
    else:
        selected = chosen(only)
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("a"):
            pass
        with awake() if keep_awake else nullcontext():
            results = measure(selected, rounds=rounds, further=further, seconds=seconds, seed=seed)
        results |= {"only": only, "awake": keep_awake}
    store(results, out)
    click.echo(summary(results["rows"]))


if __name__ == "__main__":
    main()
