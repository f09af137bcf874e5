"""`busmark compare`."""

from __future__ import annotations

import sys
from typing import Any

import click

from busmark.cli.habits import WithHabits
from busmark.cli.judgement import Judgement, judged
from busmark.cli.options import names
from busmark.cli.places import CasePlace, unnamed


@click.command(
    cls=WithHabits,
    epilog="Example: busmark compare @last~1 @last --fail-if 'p99.latency > 1.05' --junit gate.xml",
)
@click.argument("sides", nargs=-1, type=CasePlace(), metavar="[BASELINE[#CASE] [DIR[#CASE]]...]")
@click.option(
    "--by",
    multiple=True,
    callback=names,
    metavar="PARAMETER,...",
    help="Parameter to compare by: with one directory, each of its values is a side; "
    "with several, it may differ between them. Also os, kernel, architecture, cpu_model "
    "and hostname of the machines.",
)
@click.option(
    "--baseline",
    metavar="PARAMETER=VALUE",
    help="With --by and one directory: the value that the others are compared with; "
    "default: the first.",
)
@click.option(
    "--repeat",
    "repeats",
    multiple=True,
    metavar="DIR",
    type=CasePlace(),
    help="A further campaign of the baseline: the differences between them widen the "
    "intervals. Can be repeated.",
)
@judged
@click.option(
    "--force",
    is_flag=True,
    help="Compare cases with the same name even if other parameters differ.",
)
def command(
    sides: tuple[str, ...],
    by: list[str],
    baseline: str | None,
    repeats: tuple[str, ...],
    force: bool,
    **options: Any,
) -> None:
    """Compare results with a baseline: ratios with intervals, and a verdict for each case.

    The first directory is the baseline. Cases are matched on all their parameters; DIR#CASE takes
    one of them. Verdicts are faster, slower, equivalent, or undecided.

    A directory may be a name: @last is the newest result of the working directory and those below
    it, @last~1 the one before, @NAME the one in a directory of this name; `busmark list` has all.
    Without any, @last is compared with the last one before it of the same campaign; with --by, its
    own cases are compared.

    Two campaigns differ by more than their rounds show. For a gate, use `busmark ab`, which
    interleaves both sides, or give further campaigns of the baseline with --repeat.

    Exit code 1 if a criterion fails, 2 if the results are not the same experiment.
    """
    from busmark.compare import compare, further, select

    judgement = Judgement.from_options(options)
    gate = judgement.gate()
    sides = sides or unnamed(by)
    chosen = select(sides, by, baseline)
    found = compare(
        chosen,
        by=by,
        equivalent=judgement.equivalent,
        gate=gate,
        force=force,
        repeats=further(repeats, chosen),
    )
    sys.exit(judgement.present(found))
