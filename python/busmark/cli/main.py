"""`busmark`: the table of commands and the way they end."""

from __future__ import annotations

import importlib
import sys

import click

from busmark import __version__
from busmark.errors import UserError

COMMANDS = {
    "quickstart": "Measure what this machine has, in a few minutes, and write a report.",
    "plan": "Show the cases of a scenario, what is unsupported and why, and the time it takes.",
    "run": "Run the campaign of a scenario.",
    "show": "Show results in the terminal, or as JSON.",
    "report": "Write reports from stored results.",
    "compare": "Compare results with a baseline: faster, slower, equivalent, or cannot tell.",
    "import": "Import results of other tools: RTI Perftest, ddsperf, sockperf and more.",
    "predict": "Fit models to results, and predict latency and loss.",
    "adapters": "List the adapters here and what each can do.",
    "adapter": "Check an adapter against the contract.",
    "lab": "Emulate a network of several nodes on this machine.",
    "load": "Load CPUs, disk or network at a set level.",
    "type": "Compile a type of your own into the DDS adapters.",
    "doctor": "Say what is wrong with this machine for measuring, and how to put it right.",
    "completion": "Print the completion script of a shell.",
}
"""Name and one line; the command itself is `busmark.cli.NAME.command`."""

MODULES = {"import": "import_results"}
"""Of commands whose name cannot be a module's."""


class Lazy(click.Group):
    """A group that imports a command only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"busmark.cli.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Names the nearest command for one that does not exist."""
        import difflib

        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.command(
    cls=Lazy,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: busmark quickstart",
)
@click.version_option(__version__, prog_name="busmark")
def busmark() -> None:
    """Measure how publish/subscribe middleware performs, the same way for every vendor.

    Exit codes: 0 done, 1 a criterion or comparison not met, 2 could not.
    """


def main() -> None:
    """Entry point: prints errors and exits."""
    try:
        busmark(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except UserError as error:
        click.echo(f"busmark: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output has gone, as with `busmark show | head`.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"busmark: {where}{error.strerror or error}", err=True)
        sys.exit(2)
