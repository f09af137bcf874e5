"""`busmark`: the table of commands and the way they end."""

from __future__ import annotations

import errno
import os
import pkgutil
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import click

from busmark import __version__, platform, plugin
from busmark.cli.output import discard, echo, lenient, outputs_exist, print_error, unread
from busmark.errors import UserError

Room = Literal["campaign", "tables", "none"]
"""Resources that a command needs, and that are looked for before any library is loaded: a campaign;
libraries for tables, which end the process, or wait for ever, where they may not reserve what they
ask for."""


@dataclass(frozen=True)
class LazyCommand:
    """A command, or a group of commands, which is imported when it is used."""

    group: str
    """Heading of the help under which it is listed."""
    target: str
    """`module:function`; a module of this package without the package's name."""
    help: str
    room: Room = "tables"


MEASURE, LOOK, MIDDLEWARE, PLUG_INS = GROUPS = ("Measure", "Look", "Middleware", "Plug-ins")

COMMANDS = {
    "quickstart": LazyCommand(
        MEASURE,
        "quickstart:command",
        "Measure what this machine has, in minutes; write a report.",
        "campaign",
    ),
    "latency": LazyCommand(
        MEASURE, "one_line:latency", "Compare the latency of adapters, in one line.", "campaign"
    ),
    "throughput": LazyCommand(
        MEASURE,
        "one_line:throughput",
        "Compare the throughput of adapters, in one line.",
        "campaign",
    ),
    "service": LazyCommand(
        MEASURE,
        "one_line:service",
        "Compare the response times of services, in one line.",
        "campaign",
    ),
    "interop": LazyCommand(
        MEASURE,
        "one_line:interop",
        "See which DDS vendors talk to each other, in one line.",
        "campaign",
    ),
    "run": LazyCommand(MEASURE, "run:command", "Run the campaign of a scenario file.", "campaign"),
    "plan": LazyCommand(
        MEASURE, "plan:command", "Show the cases of a scenario, and the time it takes."
    ),
    "init": LazyCommand(MEASURE, "init:command", "Write a scenario from five questions."),
    "show": LazyCommand(LOOK, "show:command", "Show a result in the terminal, or as JSON."),
    "report": LazyCommand(
        LOOK, "report:command", "Write reports: page, charts, workbook, notebook, CSV."
    ),
    "list": LazyCommand(LOOK, "list_results:command", "List results, this folder's first."),
    "compare": LazyCommand(
        LOOK, "compare:command", "Compare results with a baseline; gate on the ratio."
    ),
    "ab": LazyCommand(
        LOOK, "ab:command", "Measure two sides interleaved, and compare them: for CI."
    ),
    "history": LazyCommand(
        LOOK, "history:command", "Keep results over commits, and find regressions."
    ),
    "adapters": LazyCommand(
        MIDDLEWARE, "adapters:command", "List the adapters here, and what each can do."
    ),
    "adapter": LazyCommand(MIDDLEWARE, "adapter:command", "Check an adapter, or begin a new one."),
    "doctor": LazyCommand(MIDDLEWARE, "doctor:command", "Check this machine, and suggest fixes."),
    "load": LazyCommand(
        MIDDLEWARE, "load:command", "Load CPUs, disk or network at a set level.", "none"
    ),
    "plugins": LazyCommand(
        MIDDLEWARE, "plugins:command", "List the plug-ins, and whether they are on."
    ),
    "completion": LazyCommand(
        MIDDLEWARE, "completion:command", "Print the completion script of a shell.", "none"
    ),
}
"""Commands of the core by name, in the order of the help; plug-ins' come last."""


def all_commands() -> dict[str, LazyCommand]:
    """Return all commands by name, without importing any."""
    return COMMANDS | {
        each.name: LazyCommand(
            PLUG_INS if each.group == "plug-ins" else each.group[:1].upper() + each.group[1:],
            each.function,
            each.summary,
            "tables" if each.tables else "none",
        )
        for _, each in _added()
    }


def _added() -> list[tuple[plugin.InstalledPlugin, plugin.Command]]:
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
        return list(all_commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command; None: there is none of this name."""
        found = all_commands().get(cmd_name)
        if found is None:
            return None
        if found.room == "campaign":
            check_room()
        elif found.room == "tables":
            check_memory("tables")
        if cmd_name not in COMMANDS:
            return _of_plugin(cmd_name)
        command: click.Command = pkgutil.resolve_name(f"busmark.cli.{found.target}")
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse words that no text can hold, before anything is done with them."""
        for word in args:
            try:
                word.encode()
            except UnicodeEncodeError:
                raise UserError(
                    "is not UTF-8 text",
                    where=repr(os.fsencode(word))[1:],
                    remedy="Rename the file or folder, or name it by a link that is.",
                ) from None
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Where the reader of what it prints has gone, it ends with 0: nothing has
        failed."""
        ending = None
        with unread():
            try:
                return super().invoke(ctx)
            except SystemExit as left:
                ending = left
        if ending:
            raise ending
        return None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups of commands, without importing any, and the options behind them."""
        commands = all_commands()
        width = max(map(len, commands)) + 2
        groups = dict.fromkeys([*GROUPS, *(each.group for each in commands.values())])
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
        """Return the command of a name; suggest one for any other name."""
        # Whatever the command is, a faulty plug-in is reported.
        commands = all_commands()
        wanted = args[0] if args else ""
        if wanted and not wanted.startswith("-") and wanted not in commands:
            if owner := plugin.switched_off(
                lambda each: wanted in [command.name for command in each.commands]
            ):
                raise plugin.absent(owner, wanted)
            raise click.UsageError(f"no command {wanted!r}. {_meant(wanted)}".rstrip(), ctx)
        return super().resolve_command(ctx, args)


def _meant(name: str) -> str:
    names = {below: f"{group} {below}" for group, below in _subcommands()}
    names |= {each: each for each in all_commands()}
    near = get_close_matches(name, names, n=1)
    return f"Did you mean {names[near[0]]}?" if near else "`busmark --help` lists all commands."


def _subcommands() -> Iterator[tuple[str, str]]:
    """Yield the commands of each group, with it; importing all takes a moment."""
    context = click.Context(busmark)
    for name in all_commands():
        with suppress(UserError):
            group = busmark.get_command(context, name)
            if isinstance(group, click.Group):
                yield from ((name, below) for below in group.list_commands(context))


def _of_plugin(name: str) -> click.Command | None:
    """Return the command of the one plug-in that has it; None: there is none of this name.

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
    epilog="Example: busmark latency cyclonedds tcp --size 64,1k --rate 100Hz",
)
@click.version_option(__version__, prog_name="busmark")
def busmark() -> None:
    """Measure how publish/subscribe middleware performs, alike for every vendor. Exit codes: 0
    done, 1 limit not met, 2 usage or input, 130 interrupted.
    """


def main() -> None:
    """Run the program, as its entry point: print errors, and exit."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    heard = outputs_exist()
    lenient()
    prepare_libraries()
    try:
        if not heard:
            raise UserError(
                "it is closed, and what the command prints would be lost",
                where="standard output",
                remedy="Leave `>&-` out, or write `>/dev/null`.",
            )
        busmark(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except (click.Abort, KeyboardInterrupt):
        echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        # How the command is typed, below what is wrong with its line; help has it anyway.
        context = error.ctx if isinstance(error, click.UsageError) else None
        if context and context.parent and not isinstance(error, click.exceptions.NoArgsIsHelpError):
            echo((context.command.epilog or "").replace("\b\n", ""), err=True)
        sys.exit(2)
    except UserError as error:
        print_error(error)
        sys.exit(2)
    except BaseException as error:
        _cannot(error)


def _cannot(error: BaseException) -> None:
    """Print the error, unless it is an exit, and exit with 2; 1 is for a criterion not met."""
    if isinstance(error, SystemExit | GeneratorExit):
        raise error
    if text := explained_by_limit(error):
        echo(f"busmark: {text}", err=True)
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        echo(f"busmark: {where}{error.strerror or error}", err=True)
    else:
        traceback.print_exception(error)
        echo(
            "busmark: this is a fault of Busmark: please report it with the lines above.", err=True
        )
    discard()
    sys.exit(2)


# Limits of the system under which a campaign cannot run: reported before it begins, and where one
# is met on the way.

ADDRESS_SPACE = {"tables": 3 << 30, "campaign": 4 << 30}
"""Bytes that `ulimit -v` must leave, by what a command needs room for: libraries for tables reserve
far more than they use, and end the process where they cannot. `show` was seen to need 2,930 MiB,
`run` 3,906 MiB."""
TASKS = 24
"""Processes and threads of a small campaign besides two for each CPU, which tables use."""

AGAIN = "Raise the limit. Finished rounds are kept; continue with `busmark run --resume --out DIR`."


def check_room() -> None:
    """Raise a `UserError` where there is no room for a campaign."""
    check_memory("campaign")
    wanted = TASKS + 2 * (os.cpu_count() or 1)
    where, left = tasks_left()
    if left is not None and left < wanted:
        raise UserError(
            f"{left} more processes and threads may be started, about {wanted} are needed",
            where=where,
            remedy="Raise the limit, or end what else runs under it.",
        )


def check_memory(room: Literal["campaign", "tables"]) -> None:
    """Raise a `UserError` where there is no room for the libraries, or no /proc, by which open
    tables are read and processes are found."""
    if not platform.PROCESSES.joinpath("self").exists():
        raise UserError(
            "is not mounted, and Busmark needs it",
            where=str(platform.PROCESSES),
            remedy="Type: mount -t proc proc /proc",
        )
    least = ADDRESS_SPACE[room]
    soft = platform.soft_limit(platform.ADDRESS_SPACE)
    if soft is not None and soft < least:
        raise UserError(
            f"{soft >> 20} MiB of memory may be addressed, at least {least >> 20} MiB are needed",
            where="ulimit -v",
            remedy="Raise the limit, or limit the memory of a control group instead.",
        )


def tasks_left() -> tuple[str, int | None]:
    """Return the tightest limit of processes, and how many more it allows; None: none is known."""
    found = platform.tasks_left_in_groups()
    # A superuser is under no such limit.
    soft = platform.soft_limit(platform.PROCESSES_OF_USER)
    if soft is not None and os.geteuid() != 0:
        found.append(("ulimit -u", soft - platform.tasks_of_user()))
    return min(found, key=lambda each: each[1], default=("", None))


def explained_by_limit(error: BaseException) -> UserError | None:
    """Return the same error in words, if a limit of the system is behind it, else None."""
    chain: list[BaseException] = []
    here: BaseException | None = error
    while here is not None and here not in chain:
        chain.append(here)
        here = here.__cause__ or here.__context__
    if any(map(_no_task, chain)):
        where, left = tasks_left()
        shown = "" if left is None else f" ({max(left, 0)} left)"
        return UserError(
            f"the system starts no more processes or threads{shown}", where=where, remedy=AGAIN
        )
    if any(map(_no_memory, chain)):
        return UserError("the system gives no more memory", remedy=AGAIN)
    return None


def _no_task(error: BaseException) -> bool:
    text = str(error)
    # Panics of polars and other Rust code are not an `Exception`.
    panic = type(error).__name__ == "PanicException" and "WouldBlock" in text
    thread = isinstance(error, RuntimeError) and "can't start new thread" in text
    return panic or thread or (isinstance(error, OSError) and error.errno == errno.EAGAIN)


def _no_memory(error: BaseException) -> bool:
    # The loader's words, of a library that does not fit in.
    library = isinstance(error, ImportError) and (
        "failed to map segment" in str(error) or "annot allocate memory" in str(error)
    )
    return (
        library
        or isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
    )


NUMPY = ("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_SKX")
"""Sorting, which is a good part of the analysis, takes six times as long with AVX-512 as with AVX2
on AMD's Zen 4, and is hardly slower without it elsewhere. The same set of instructions everywhere
also gives the same last digit. The second name is for numpy before 2.4; each version knows one of
them, and silently ignores what a machine does not have."""


def prepare_libraries() -> None:
    """Set up memory and numpy before any library is imported; a variable that is set stays."""
    os.environ.setdefault(*NUMPY)
    platform.keep_memory()
