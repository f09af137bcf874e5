"""Options as other tools have them, and what they are called here.

Where an option of RTI Perftest, ddsperf (whose options are words), performance_test, sockperf or
iperf3 is typed, the error is the line as it should be. In the table is what all tools that have
it mean alike; so single letters are not.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import click

from busmark.errors import UserError
from busmark.model import units

ONE_LINE = ("latency", "throughput", "service", "interop")

Tool = Literal["RTI Perftest", "ddsperf", "performance_test", "sockperf", "iperf3"]


@dataclass(frozen=True)
class Habit:
    """An option that Busmark does not have."""

    tool: Tool
    names: tuple[str, ...]
    """Names of the option in that tool."""
    option: str
    """Ours; empty: there is none, and `why` says what to do."""
    kind: str = ""
    """Kind of its amount in `busmark.model.units`; empty: taken as typed."""
    value: str | None = ""
    """What ours has; empty: what is typed there. None: ours is a flag, and so is theirs."""
    why: str = ""
    commands: tuple[str, ...] = ONE_LINE
    """Commands of Busmark for which the option is answered."""


HABITS = (
    Habit("RTI Perftest", ("--dataLen", "-dataLen"), "--size", "size"),
    Habit("RTI Perftest", ("--pubRate", "-pubRate"), "--rate", "rate"),
    Habit("RTI Perftest", ("--executionTime", "-executionTime"), "--duration", "time"),
    Habit("RTI Perftest", ("--bestEffort", "-bestEffort"), "--qos", value="best_effort"),
    Habit("RTI Perftest", ("--latencyTest", "-latencyTest"), "", value=None,
          why="Type `busmark latency`."),
    Habit("RTI Perftest", ("--numSubscribers", "-numSubscribers"), "--set matrix.subscribers"),
    Habit("RTI Perftest", ("--numPublishers", "-numPublishers"), "--set matrix.publishers"),
    Habit("RTI Perftest", ("--batchSize", "-batchSize"), "",
          why="Batches are of samples here: `--set matrix.batch=N` with `busmark throughput`."),
    Habit("RTI Perftest", ("--pub", "-pub", "--sub", "-sub"), "", value=None,
          why="Both ends are started by one command."),
    Habit("ddsperf", ("size",), "--size", "size"),
    Habit("ddsperf", ("ping", "pub"), "--rate", "rate"),
    Habit("ddsperf", ("pong", "sub"), "", value=None,
          why="Both ends are started by one command."),
    Habit("performance_test", ("--max-runtime", "--max_runtime"), "--duration", "time"),
    Habit("performance_test", ("--ignore",), "--set measure.warmup_s", "time"),
    Habit("performance_test", ("--reliable",), "--qos", value="reliable"),
    Habit("performance_test", ("--transient",), "--qos", value="transient_local"),
    Habit("performance_test", ("--keep-last",), "--qos", value="keep_last"),
    Habit("performance_test", ("--history-depth",), "--qos", value="keep_last:{}"),
    Habit("performance_test", ("--num-pub-threads", "--num_pub_threads"),
          "--set matrix.publishers"),
    Habit("performance_test", ("--num-sub-threads", "--num_sub_threads"),
          "--set matrix.subscribers"),
    Habit("performance_test", ("--msg",), "",
          why="Type --size; a type of your own is compiled in by `busmark type build`."),
    Habit("performance_test", ("--communicator",), "",
          why="Name adapters: `busmark adapters` lists them."),
    Habit("sockperf", ("--msg-size",), "--size", "size"),
    Habit("sockperf", ("--mps",), "--rate", "rate"),
    Habit("sockperf", ("--time",), "--duration", "time"),
    Habit("iperf3", ("--length", "--len"), "--size", "size"),
    Habit("iperf3", ("--bitrate", "--bandwidth"), "",
          why="--rate is in samples per second: bits per second divided by 8 × --size."),
    Habit("iperf3", ("--parallel",), "--set matrix.publishers"),
)  # fmt: skip

PREFIX = "--set "


def corrected(
    arguments: Sequence[str], ours: Collection[str] = (), command: str = "latency"
) -> tuple[list[str], list[tuple[str, Habit]]]:
    """Return the line of this command in options of ours, and which others it had. Behind one of
    `ours` is its value, whatever it looks like."""
    known = {name: each for each in HABITS if command in each.commands for name in each.names}
    line: list[str] = []
    found: list[tuple[str, Habit]] = []
    qos: list[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        name, equals, given = word.partition("=")
        habit = known.get(name)
        if habit is None:
            line += [word, *(words[:1] if word in ours else [])]
            words = words[1:] if word in ours else words
            continue
        found.append((name, habit))
        takes = habit.value is not None and (not habit.value or "{}" in habit.value)
        if takes and not equals and (not words or not _fits(words[0], habit.kind)):
            # ddsperf's `ping` alone, at full speed.
            continue
        typed = given if equals or not takes else words.pop(0)
        value = (habit.value or "{}").format(_amount(typed, habit.kind)) if takes else habit.value
        if habit.option == "--qos":
            qos.append(str(value))
        elif habit.option.startswith(PREFIX):
            line += ["--set", f"{habit.option.removeprefix(PREFIX)}={value}"]
        elif habit.option:
            line += [habit.option, str(value)]
    return line + (["--qos", ",".join(qos)] if qos else []), found


def _fits(word: str, kind: str) -> bool:
    return units.begins_with_number(word) if kind else not word.startswith("-")


def _amount(text: str, kind: str) -> str:
    """Return the amount as people type it here; another text unchanged."""
    try:
        return units.short(units.read(text, kind), kind) if kind else text
    except ValueError:
        return text


class WithHabits(click.Command):
    """A command that knows options of other tools and versions, and says what they are here."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the line.

        Raises:
            UserError: it has options of others: what was meant.
        """
        valued = [
            each for each in self.params if isinstance(each, click.Option) and not each.is_flag
        ]
        line, found = corrected(
            args, [name for each in valued for name in each.opts], ctx.info_name or ""
        )
        if found and not ctx.resilient_parsing:
            whose = ", ".join(f"{name} ({habit.tool})" for name, habit in found)
            remedies = [habit.why for _, habit in found if habit.why]
            if any(habit.option for _, habit in found):
                remedies.insert(0, f"You mean `{ctx.command_path} {shlex.join(line)}`.")
            raise UserError(
                f"not {'an option' if len(found) == 1 else 'options'} of `{ctx.command_path}`",
                where=whose,
                remedy=" ".join(dict.fromkeys(remedies)),
            )
        return super().parse_args(ctx, args)
