#!/usr/bin/env python3
"""What a capture costs those who are captured: the same cases with and without `capture = true`.

A round runs every case once in each state, in random order, in campaigns of one round each: `off`
has `capture = false`, `no key` does not know of captures at all, `on` has a file of every round. A
ratio compares two campaigns of one round; its 95 % interval is over rounds. `no key`
over `off` is to be 1: what differs there is the noise of this bench.

    .venv/bin/python bench/captured.py
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import polars as pl

from busmark.stats import describe, paired_ratio

STATES = {"off": "capture = false\n", "no key": "", "on": "capture = true\n"}
SCENARIO = """
name = "What a capture costs"
[measure]
duration_s = {seconds}
warmup_s = 0.2
[matrix]
adapter = ["udp", "tcp", "cyclonedds"]
size = 64
placement = "{placement}"
[[also]]
test = "throughput"
[rounds]
min = 1
[run]
domain = {domain}
"""
FIGURE = {"latency": "median_ns", "throughput": "samples_per_s"}


def campaign(state: str, text: str, folder: Path) -> dict[str, float]:
    """Run one campaign and return the figure of each case."""
    (folder / "scenario.toml").write_text(STATES[state] + text)
    out = folder / state.replace(" ", "-")
    ended = subprocess.run(
        [sys.executable, "-m", "busmark", "run", str(folder / "scenario.toml"), "--out", str(out)],
        check=False,
        capture_output=True,
        text=True,
    )
    if ended.returncode not in (0, 1):  # 1: there are findings, of a busy machine for one
        raise click.ClickException(ended.stderr.strip())
    rows = pl.read_parquet(out / "cases.parquet").filter(pl.col("status") == "ok")
    found = {}
    for row in rows.iter_rows(named=True):
        test = row["case"].split("-")[1]
        found[row["case"]] = float(row[FIGURE[test]])
    return found


@click.command()
@click.option("--rounds", default=10, show_default=True)
@click.option("--seconds", default=1.0, show_default=True, help="Length of a measurement.")
@click.option("--placement", default="different", show_default=True)
@click.option("--domain", default=143, show_default=True)
def main(rounds: int, seconds: float, placement: str, domain: int) -> None:
    """Print the ratios of each case's figure, captured over not captured."""
    text = SCENARIO.format(seconds=seconds, placement=placement, domain=domain)
    source = random.Random(1)
    found: dict[str, list[dict[str, float]]] = {}
    try:
        for number in range(rounds):
            for state in source.sample([*STATES], len(STATES)):
                with tempfile.TemporaryDirectory() as folder:
                    for case, figure in campaign(state, text, Path(folder)).items():
                        of = found.setdefault(case, [{} for _ in range(rounds)])
                        of[number][state] = figure
            click.echo(f"round {number + 1} of {rounds}", err=True)
    except KeyboardInterrupt:
        click.echo("interrupted: the rounds until then", err=True)
    for case, figures in sorted(found.items()):
        for state in ("no key", "on"):
            _print(case, state, figures)


def _print(case: str, state: str, rounds: list[dict[str, float]]) -> None:
    """Print the ratio over the rounds that have both states."""
    both = [(each[state], each["off"]) for each in rounds if {state, "off"} <= each.keys()]
    if not both:
        click.echo(f"{case}: {state}: no round has both")
        return
    changed, plain = (list(figures) for figures in zip(*both, strict=True))
    ratio = paired_ratio(changed, plain)
    interval = "" if ratio.low is None else f" [{ratio.low:.3f}, {ratio.high:.3f}]"
    click.echo(
        f"{case}: {state} over off {ratio.value:.3f}{interval}, "
        f"off {describe(plain).median:.4g}, {len(both)} rounds"
    )


if __name__ == "__main__":
    main()
