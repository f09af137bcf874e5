"""`busmark run`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from busmark.cli.options import around, opens, requires, wide
from busmark.cli.places import Target


class WithScenarios(click.Command):
    """A command whose help names the shipped scenarios; they are looked up when it is asked for."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the text of the command, then the names."""
        from busmark.scenario.load import shipped

        super().format_help_text(ctx, formatter)
        formatter.write_paragraph()
        # A line each: a name that is broken at its hyphen cannot be copied.
        formatter.write("  Shipped scenarios:\n")
        formatter.write("".join(f"    {name}\n" for name in shipped()))


@click.command(
    cls=WithScenarios,
    epilog="Example: busmark run scenarios/quickstart.toml --set measure.duration_s=1",
)
@click.argument("scenario", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out", type=Target(), help="Directory for the result; @NAME is busmark-results/NAME."
)
@click.option(
    "--resume",
    is_flag=True,
    is_eager=True,
    help="Complete an unfinished result in --out DIRECTORY, such as @last.",
)
@click.option(
    "--marked",
    is_flag=True,
    help="With --resume: also repeat marked rounds. The marked ones stay, and do not count.",
)
@click.option(
    "--node",
    "nodes",
    multiple=True,
    metavar="NAME=PREFIX",
    help="Add a node, or reach one by another command, such as lab1='ssh lab1'.",
)
@click.option(
    "--only",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only cases whose name contains this word or matches this pattern, such as '*udp*1024B'.",
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a key.")
@requires
@around
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print events as lines of JSON, as they come (schema: events).",
)
@click.option(
    "--watch", is_flag=True, help="Show the campaign on the whole screen: a line for each case."
)
@wide
@opens
def command(
    scenario: Path | None,
    out: Path | None,
    resume: bool,
    marked: bool,
    nodes: tuple[str, ...],
    patterns: tuple[str, ...],
    settings: tuple[str, ...],
    requirements: tuple[str, ...],
    undecided: str,
    prepare: tuple[str, ...],
    conclude: tuple[str, ...],
    as_json: bool,
    watch: bool,
    open_it: bool,
) -> None:
    """Run the campaign of SCENARIO and write a result directory with its report.

    SCENARIO is a file, - for standard input, or the name of a shipped scenario; the name of a
    folder of scenarios stands for its `quick`.

    Ctrl-C keeps the finished rounds; --resume continues later and repeats failed rounds, with
    --marked also those that missed a criterion; with --node it reaches a node of the campaign by
    another command. Exit code 1 if a round failed or did not meet the scenario's criteria, or if a
    requirement is missed or undecided.
    """
    from busmark.adapters import misnamed
    from busmark.cli.conduct import Ending, conduct
    from busmark.scenario import load
    from busmark.scenario.load import around as commands
    from busmark.scenario.load import only, required

    if scenario is None and not resume:
        raise click.UsageError("name a SCENARIO file, or --resume with --out")
    if marked and not resume:
        raise click.UsageError("--marked repeats rounds of a result: name it by --resume --out DIR")
    asked = [*settings, *required(requirements, undecided), *commands(prepare, conclude)]
    if scenario is None and (asked or patterns):
        raise click.UsageError(
            "--set, --only, --require, --prepare and --conclude change a SCENARIO; name one, or "
            "leave them out"
        )
    if watch:
        sys.exit(_watched(scenario, out, resume, marked, nodes, patterns, asked, as_json, open_it))
    asked += only(patterns)
    loaded, text = load(scenario, asked, list(nodes), misnamed) if scenario else (None, "")
    sys.exit(
        conduct(
            loaded,
            text,
            out,
            go_on=resume,
            marked=marked,
            nodes=nodes,
            as_json=as_json,
            ending=Ending(open_it=open_it),
        )
    )


def _watched(
    scenario: Path | None,
    out: Path | None,
    resume: bool,
    marked: bool,
    nodes: tuple[str, ...],
    patterns: tuple[str, ...],
    settings: Sequence[str],
    as_json: bool,
    open_it: bool,
) -> int:
    """Hand the same options to the process that runs the campaign; return the exit code."""
    from busmark.cli.live.campaign_run import conduct_watched

    if as_json:
        raise click.UsageError("--watch paints the terminal, --json prints lines: name one")
    if str(scenario) == "-":
        raise click.UsageError("--watch needs standard input for keys: name a SCENARIO file")
    arguments = [str(scenario)] if scenario is not None else []
    arguments += ["--out", str(out)] if out is not None else []
    arguments += ["--resume"] if resume else []
    arguments += ["--marked"] if marked else []
    for option, values in (("--node", nodes), ("--only", patterns), ("--set", settings)):
        arguments += [word for each in values for word in (option, each)]
    arguments += ["--open"] if open_it else []
    return conduct_watched(arguments)
