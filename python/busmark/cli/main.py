"""`busmark`: the table of commands and the way they end."""

from __future__ import annotations

import pkgutil
import signal
import sys
import traceback
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import click

from busmark import __version__, plugin
from busmark.cli import libraries, room
from busmark.cli.output import echo, lenient, print_error
from busmark.errors import UserError

Room = Literal["campaign", "tables", "none"]
"""What a command needs room for, looked for before any library is loaded: a campaign; libraries for
tables, which end the process, or wait for ever, where they may not reserve what they ask for."""


@dataclass(frozen=True)
class Command:
    """A command, or a group of commands, which is imported when it is used."""

    group: str
    """Heading of the help under which it is listed; empty: it is not listed."""
    target: str
    """`module:function`; a module of this package without the package's name."""
    help: str
    room: Room = "tables"


MEASURE, LOOK, MIDDLEWARE, PLUG_INS = GROUPS = ("Measure", "Look", "Middleware", "Plug-ins")

COMMANDS = {
    "quickstart": Command(
        MEASURE,
        "quickstart:command",
        "Measure what this machine has, in minutes; write a report.",
        "campaign",
    ),
    "latency": Command(
        MEASURE, "one_line:latency", "Compare the latency of adapters, in one line.", "campaign"
    ),
    "throughput": Command(
        MEASURE,
        "one_line:throughput",
        "Compare the throughput of adapters, in one line.",
        "campaign",
    ),
    "interop": Command(
        MEASURE,
        "one_line:interop",
        "See which DDS vendors talk to each other, in one line.",
        "campaign",
    ),
    "run": Command(MEASURE, "run:command", "Run the campaign of a scenario file.", "campaign"),
    "plan": Command(
        MEASURE, "plan:command", "Show the cases of a scenario, and the time it takes."
    ),
    "init": Command(MEASURE, "init:command", "Write a scenario from five questions."),
    "show": Command(LOOK, "show:command", "Show a result in the terminal, or as JSON."),
    "report": Command(
        LOOK, "report:command", "Write reports: page, charts, workbook, notebook, CSV."
    ),
    "list": Command(LOOK, "list_results:command", "List results, newest first."),
    "compare": Command(
        LOOK, "compare:command", "Compare results with a baseline; gate on the ratio."
    ),
    "ab": Command(LOOK, "ab:command", "Measure two sides interleaved, and compare them: for CI."),
    "history": Command(LOOK, "history:command", "Keep results over commits, and find regressions."),
    "adapters": Command(
        MIDDLEWARE, "adapters:command", "List the adapters here, and what each can do."
    ),
    "adapter": Command(MIDDLEWARE, "adapter:command", "Check an adapter, or begin a new one."),
    "doctor": Command(MIDDLEWARE, "doctor:command", "Check this machine, and suggest fixes."),
    "load": Command(
        MIDDLEWARE, "load:command", "Load CPUs, disk or network at a set level.", "none"
    ),
    "plugins": Command(
        MIDDLEWARE, "plugins:command", "List the plug-ins, and whether they are on."
    ),
    "completion": Command(
        "", "completion:command", "Print the completion script of a shell.", "none"
    ),
}
"""Those of the core by name, in the order of the help; plug-ins' come last."""

ALIASES = {
    "track": "history",
    "participant": "bus participant", "watch": "bus watch", "spot": "bus spot",
    "errors": "bus errors", "record": "bus record", "replay": "bus replay",
}  # fmt: skip
"""Names of earlier versions, and what they are called now."""


def known() -> dict[str, Command]:
    """Return all commands by name, without importing any."""
    return COMMANDS | {
        each.name: Command(
            PLUG_INS if each.group == "plug-ins" else each.group[:1].upper() + each.group[1:],
            each.function,
            each.summary,
            "tables" if each.tables else "none",
        )
        for _, each in _added()
    }


def _added() -> list[tuple[plugin.Installed, plugin.Command]]:
    """Return the commands of plug-ins; none has the name of one of the core's."""
    found = []
    for of, command in plugin.commands():
        if command.name in COMMANDS:
            plugin.complain(of, f"busmark has a command `{command.name}` already")
        else:
            found.append((of, command))
    return found


class Lazy(click.Group):
    """A group that imports a command only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names but the earlier ones, in the order of the help."""
        return list(known())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command; None: there is none of this name."""
        found = known().get(cmd_name)
        if found is None:
            return None
        if found.room == "campaign":
            room.check()
        elif found.room == "tables":
            room.check_memory()
        if cmd_name not in COMMANDS:
            return _of_plugin(cmd_name)
        command: click.Command = pkgutil.resolve_name(f"busmark.cli.{found.target}")
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups of commands, without importing any, and the options behind them."""
        commands = known()
        width = max(map(len, commands)) + 2
        groups = dict.fromkeys([*GROUPS, *(each.group for each in commands.values() if each.group)])
        for group in groups:
            formatter.write(f"\n{group}:\n" if group == MEASURE else f"{group}:\n")
            for name, command in commands.items():
                if command.group == group:
                    formatter.write(f"  {name:{width}}{command.help}\n")
        formatter.write(
            "Options: -h, --help; --version. Each command has --help, with an example.\n"
        )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take earlier names for the present ones, and suggest one for a name that is neither."""
        name = args[0] if args else ""
        # Whatever the command is, a faulty plug-in is reported.
        commands = known()
        if now := ALIASES.get(name):
            if not ctx.resilient_parsing:
                echo(f"busmark: `busmark {name}` is now `busmark {now}`", err=True)
            args = [*now.split(), *args[1:]]
        wanted = args[0] if args else ""
        if wanted and not wanted.startswith("-") and wanted not in commands:
            if owner := plugin.switched_off(lambda each: wanted in _names(each)):
                raise plugin.absent(owner, wanted)
            raise click.UsageError(f"no command {wanted!r}. {_meant(wanted)}".rstrip(), ctx)
        return super().resolve_command(ctx, args)


def _meant(name: str) -> str:
    near = get_close_matches(name, [*known(), *ALIASES], n=1)
    if not near:
        return "`busmark --help` lists all commands."
    return f"Did you mean {ALIASES.get(near[0], near[0])}?"


def _names(of: plugin.Plugin) -> list[str]:
    return [command.name for command in of.commands]


def _of_plugin(name: str) -> click.Command | None:
    """The command of the one plug-in that has it.

    Raises:
        UserError: several have it, or it cannot be imported.
    """
    found = [(of, command) for of, command in _added() if command.name == name]
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
    epilog="\b\nExamples: busmark quickstart\n"
    "          busmark latency cyclonedds tcp --size 64,1k --rate 100Hz\n",
)
@click.version_option(__version__, prog_name="busmark")
def busmark() -> None:
    """Measure how publish/subscribe middleware performs, the same way for every vendor. Exit codes:
    0 done, 1 a criterion or comparison not met, 2 usage or input error, 130 interrupted.
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
        _show_example(error)
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


def _show_example(error: click.ClickException) -> None:
    """Print how the command is typed, below what is wrong with its line; help has it anyway."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context and context.parent and not isinstance(error, click.exceptions.NoArgsIsHelpError):
        echo((context.command.epilog or "").replace("\b\n", ""), err=True)


def _cannot(error: BaseException) -> None:
    """Ends with the code for what could not be done; 1 would mean that a criterion was not met."""
    if isinstance(error, SystemExit | GeneratorExit):
        raise error
    if text := room.explained(error):
        echo(f"busmark: {text}", err=True)
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        echo(f"busmark: {where}{error.strerror or error}", err=True)
    else:
        traceback.print_exception(error)
        echo("busmark: this is a fault of Busmark: please report it with the lines above.",
                   err=True)  # fmt: skip
    sys.exit(2)
