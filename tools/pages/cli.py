"""docs/reference/cli.md: every command with its own help."""

from __future__ import annotations

import click
from tools.pages import markdown as md

from busmark.cli.habits import HABITS, Habit
from busmark.cli.main import all_commands, busmark
from busmark.model import units

WIDTH = 96

COMMON = """\
Exit codes: 0 done; 1 a criterion not met (a round failed or was marked, an adapter does not
conform, `doctor` found a warning or an error, `compare --fail-if` found one); 2 usage or
input error (a mistake in the scenario, a missing file); 130 interrupted.

Progress goes to standard error, results to standard output. On a terminal progress is a [live
screen](../tasks/watch-a-run.md), elsewhere one line per round. Wherever the directory of a result
is expected, a [name](../tasks/name-results.md) will do, such as `@last`.

## Units

Sizes, rates, times and shares are typed with a unit wherever they stand: options, `--set`, values
of scenario files, requirements. A unit of another kind is an error (`64kHz` as a size).

{units}
Behind a size `k`, `M` and `G` are powers of 1024, as in ddsperf and iperf3: `64k` are 65,536 bytes.
`kB`, `MB` and `GB` are powers of 1000, `KiB`, `MiB` and `GiB` of 1024. Behind all else `k` and `M`
are powers of 1000: `10kHz` are 10,000 samples per second. RTI Perftest and sockperf take plain
bytes, which work too.

## Options of other tools

Options that other tools and earlier versions have are no options of Busmark's, but it knows them:
`--dataLen 1024 --pubRate 100` behind `busmark latency udp` is answered by the whole line to type,
`busmark latency udp --size 1k --rate 100Hz`.

{habits}
## Environment

| Variable | Meaning |
| --- | --- |
| `BUSMARK_ADAPTER_PATH` | Folders with adapter libraries, separated by colons, searched first. |
| `BUSMARK_PLUGINS` | Plug-ins that are switched off: `-bus,-capture`. |
| `BUSMARK_WORKER` | The worker's executable, instead of the one that is found. |
| `BUSMARK_BUS`, `BUSMARK_CHECK`, `BUSMARK_FORWARDER`, `BUSMARK_PACKETS` | The same of the others. |
| `XDG_STATE_HOME` | Links to results are in `busmark/results` there; default: `~/.local/state`. |
"""


def page() -> str:
    """Return the page as Markdown."""
    parts = [
        md.head("Command line", "the commands' own help"),
        COMMON.replace("{units}", _units()).replace("{habits}", _habits()),
        md.table(
            ("Command", "What it does"),
            [
                (f"[`busmark {name}`](#busmark-{name})", each.help)
                for name, each in all_commands().items()
            ],
        ),
    ]
    root = _context(busmark, "busmark", None)
    for name in all_commands():
        command = busmark.get_command(root, name)
        assert command is not None
        parts += _sections(command, name, root)
    return "\n".join(parts)


def _units() -> str:
    rows = [
        (each.words.partition(" ")[2], md.code(each.example), ", ".join(filter(None, each.units)))
        for each in units.KINDS.values()
    ]
    return md.table(("Kind", "Such as", "Units"), rows)


def _habits() -> str:
    rows = [(_codes(each.commands), each.tool, _codes(each.names), _ours(each)) for each in HABITS]
    return md.table(("Behind `busmark`", "Tool", "Option there", "Here"), rows)


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(map(md.code, names))


def _ours(habit: Habit) -> str:
    """Return what to type, or what to do."""
    if not habit.option:
        return habit.why
    value = (habit.value or "").replace("{}", "N")
    if habit.option.startswith("--set "):
        return md.code(f"{habit.option}={value or 'N'}")
    return md.code(f"{habit.option} {value}".strip())


def _sections(command: click.Command, name: str, parent: click.Context) -> list[str]:
    context = _context(command, name, parent)
    sections = [f"## {context.command_path}\n", md.block(command.get_help(context), "text")]
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            child = command.get_command(context, sub)
            assert child is not None
            sections += _sections(child, sub, context)
    return sections


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    """Return a context of fixed width, so that the page does not depend on the terminal."""
    settings = {**command.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH}
    return click.Context(command, info_name=name, parent=parent, **settings)
