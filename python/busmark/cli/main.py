"""`busmark`: the table of commands and the way they end."""

from __future__ import annotations

import importlib
import signal
import sys
import traceback
from typing import Any

import click

from busmark import __version__, plugin
from busmark.cli import libraries, room
from busmark.cli.output import echo, lenient, print_error
from busmark.errors import UserError, nearest

COMMANDS = {
    "quickstart": "Measure what this machine has, in a few minutes, and write a report.",
    "latency": "Compare the latency of adapters, in one line.",
    "throughput": "Compare the throughput of adapters, in one line.",
    "interop": "See which DDS vendors talk to each other, in one line.",
    "init": "Write a scenario from five questions.",
    "plan": "Show the cases of a scenario, which are unsupported and why, and the time it takes.",
    "run": "Run the campaign of a scenario.",
    "list": "List results, newest first: name, start, machine, cases, state.",
    "show": "Show results in the terminal, or as JSON.",
    "report": "Write reports from stored results.",
    "ab": "Measure two sides with their rounds interleaved, and compare them: the gate for CI.",
    "compare": "Compare results with a baseline: faster, slower, equivalent, or undecided.",
    "track": "Keep results over commits, and find the commits where values changed.",
    "adapters": "List the adapters here and what each can do.",
    "adapter": "Check an adapter against the contract.",
    "load": "Load CPUs, disk or network at a set level.",
    "plugins": "List the plug-ins here, with their versions and whether they are used.",
    "doctor": "Check this machine for problems and suggest fixes.",
    "completion": "Print the completion script of a shell.",
}
"""Name and one line; the command itself is `busmark.cli.NAME.command`."""

CAMPAIGNS = frozenset({"run", "quickstart", "latency", "throughput", "interop"})
"""Commands that need room for a campaign; it is looked for before any library is loaded."""

SMALL = frozenset({"completion", "load"})
"""Commands that load no library for tables, which ends the process, or waits for ever, where it may
not reserve what it asks for."""

MODULES = {"list": "list_results"}
"""Modules of commands whose name is a type of Python."""


def added() -> list[tuple[plugin.Installed, plugin.Command]]:
    """Return the commands of plug-ins; none has the name of one of the core's."""
    found = []
    for of, command in plugin.commands():
        if command.name in COMMANDS:
            plugin.complain(of, f"busmark has a command `{command.name}` already")
        else:
            found.append((of, command))
    return found


def summaries() -> dict[str, str]:
    """Return name and one line of every command; plug-ins come last."""
    return COMMANDS | {command.name: command.summary for _, command in added()}


class Lazy(click.Group):
    """A group that imports a command only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, the core's in the order of `COMMANDS`."""
        return list(summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None."""
        if cmd_name not in COMMANDS:
            return _of_plugin(cmd_name)
        if cmd_name in CAMPAIGNS:
            room.check()
        elif cmd_name not in SMALL:
            room.check_memory()
        module = importlib.import_module(f"busmark.cli.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The lists of commands by group, without importing any."""
        groups = {"commands": list(COMMANDS.items())}
        for _, command in added():
            groups.setdefault(command.group, []).append((command.name, command.summary))
        for group, rows in groups.items():
            with formatter.section(group[:1].upper() + group[1:]):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Names the nearest command for one that does not exist."""
        name = args[0] if args else ""
        # Whatever the command is, a faulty plug-in is reported.
        known = summaries()
        if name and not name.startswith("-") and name not in known:
            if owner := plugin.switched_off(lambda each: name in _names(each)):
                raise plugin.absent(owner, name)
            raise click.UsageError(f"no command {name!r}. {nearest(name, known)}".rstrip(), ctx)
        return super().resolve_command(ctx, args)


def _names(of: plugin.Plugin) -> list[str]:
    return [command.name for command in of.commands]


def _of_plugin(name: str) -> click.Command | None:
    """The command of the one plug-in that has it.

    Raises:
        UserError: several have it, or it cannot be imported.
    """
    found = [(of, command) for of, command in added() if command.name == name]
    if not found:
        return None
    if len(found) > 1:
        raise UserError(
            f"{' and '.join(f'{of.name} ({of.where} {of.version})' for of, _ in found)} "
            "each have a command of this name",
            where=name,
            remedy=f"Switch one off: {plugin.SWITCH}=-{found[-1][0].name}",
        )
    ((of, command),) = found
    if command.tables:
        room.check_memory()
    try:
        loaded: click.Command = plugin.load(command.function)
    except Exception as error:
        if of.own:
            raise
        raise plugin.unusable(of, command.function, error, name) from error
    return loaded


SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""Settings of the context that reads a command line."""


@click.command(
    cls=Lazy,
    context_settings=SETTINGS,
    epilog="\b\nExamples:\n  busmark quickstart\n  busmark latency cyclonedds tcp --size 64,1024\n",
)
@click.version_option(__version__, prog_name="busmark")
def busmark() -> None:
    """Measure how publish/subscribe middleware performs, the same way for every vendor.

    Exit codes: 0 done, 1 a criterion or comparison not met, 2 usage or input error, 130
    interrupted.
    """


def main() -> None:
    """Entry point: prints errors and exits."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    lenient()
    libraries.prepare()
    try:
        busmark(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except (click.Abort, KeyboardInterrupt):
        echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except UserError as error:
        print_error(error)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output has gone, as with `busmark show | head`.
        sys.stderr.close()
        sys.exit(0)
    except BaseException as error:
        _cannot(error)


def _cannot(error: BaseException) -> None:
    """Ends with the code for what could not be done; 1 would mean that a criterion was not met."""
    if isinstance(error, SystemExit | GeneratorExit):
        raise error
    if told := room.explained(error):
        echo(f"busmark: {told}", err=True)
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        echo(f"busmark: {where}{error.strerror or error}", err=True)
    else:
        traceback.print_exception(error)
        echo("busmark: this is a fault of Busmark: please report it with the lines above.",
                   err=True)  # fmt: skip
    sys.exit(2)
