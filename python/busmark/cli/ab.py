"""`busmark ab`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from busmark.cli.habits import WithHabits
from busmark.cli.judgement import Judgement, judged
from busmark.cli.options import around
from busmark.cli.places import Target

SCENARIO = Path("ab")
"""The shipped scenario that is the default."""

BASELINE, CANDIDATE = "baseline", "candidate"


@click.command(
    cls=WithHabits,
    epilog="Example: busmark ab ./old/libbusmark_udp.so ./new/libbusmark_udp.so "
    "--fail-if 'median.latency > 1.05' --fail-if 'p99.latency > 1.2'",
)
@click.argument("baseline")
@click.argument("candidate")
@click.option(
    "--scenario",
    "scenario",
    type=click.Path(path_type=Path),
    default=SCENARIO,
    help="What to measure: a file, or a shipped scenario; default: ab, latency at "
    "two sizes and a stream.",
)
@click.option("--out", type=Target(), help="Directory for the result, or @NAME.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a key of the scenario, such as rounds.min=30.",
)
@around
@judged
def command(
    baseline: str,
    candidate: str,
    scenario: Path,
    out: Path | None,
    settings: tuple[str, ...],
    prepare: tuple[str, ...],
    conclude: tuple[str, ...],
    **options: Any,
) -> None:
    """Measure BASELINE and CANDIDATE in one campaign, their rounds interleaved, and compare them.

    A slow minute affects both sides alike, so a change in the program can be distinguished from a
    change in the machine: this is the gate to use in CI. Each side is an adapter or a library, with
    options, environment and command as needed: 'udp receive_buffer_bytes=65536 env:NAME=VALUE --
    nice -n 5'. `as-is` in place of the adapter stands for the adapter that the scenario names.

    Ctrl-C keeps the finished rounds; `busmark run --resume --out DIR` continues later, and `busmark
    compare DIR --by side` compares. Exit code 1 if a criterion fails or a round failed.
    """
    from busmark.adapters import misnamed
    from busmark.cli.conduct import INTERRUPTED, Ending, conduct, report
    from busmark.cli.output import echo
    from busmark.compare import compare, select
    from busmark.control.campaign_run import default_directory
    from busmark.errors import UserError
    from busmark.scenario import load, parse_side
    from busmark.scenario.load import around as commands

    judgement = Judgement.from_options(options)
    gate = judgement.gate()
    sides = {
        BASELINE: parse_side(baseline, "BASELINE"),
        CANDIDATE: parse_side(candidate, "CANDIDATE"),
    }
    loaded, text = load(scenario, [*settings, *commands(prepare, conclude)], misnamed=misnamed)
    if loaded.sides:
        raise UserError(
            "the scenario has sides of its own",
            where=str(scenario),
            remedy="Take [sides] out, or use `busmark run` and `busmark compare DIR --by side`.",
        )
    loaded = loaded.with_sides(sides)
    out = out or default_directory(f"ab {loaded.name}")
    code = conduct(loaded, text, out, go_on=False, ending=Ending(shown=False))
    by = ["side"]
    try:
        if code != INTERRUPTED:
            found = compare(
                select([str(out)], by, f"side={BASELINE}"),
                by=by,
                equivalent=judgement.equivalent,
                gate=gate,
            )
            code = judgement.present(found) or code
    finally:
        # Behind the gate, which is read first.
        if not judgement.as_json:
            echo("")
            report(out)
    sys.exit(code)
