"""What `busmark latency`, `throughput`, `service` and `interop` share: a line becomes a scenario
file, which is run."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.habits import WithHabits
from busmark.cli.options import ADAPTER, AROUND, POLICY, REQUIRING, Words, opens, wide
from busmark.cli.output import echo
from busmark.cli.places import Target
from busmark.errors import UserError

if TYPE_CHECKING:
    from busmark.scenario import Scenario


BASELINE = "baseline"
"""Family of adapters."""

SIZE = click.option(
    "--size", metavar="SIZE", help="Body sizes, such as 64,1k,1MiB; default: 64, for throughput 1k."
)

OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.argument("adapters", nargs=-1, metavar="ADAPTER...", type=ADAPTER),
    SIZE,
    click.option("--rate", metavar="RATE", help="Samples per second, such as 100Hz,10kHz; 0, "
                 "the default: as fast as possible."),
    click.option("--placement", metavar="WHERE", type=Words("same", "different", "free"),
                 help="same: all on one CPU; different, the default: one CPU each; free: "
                 "the scheduler chooses; or CPU numbers: 0+1."),
    click.option("--transport", metavar="NAME", help="Transport of the adapters; see `busmark "
                 "adapters NAME`."),
    click.option("--qos", metavar="POLICIES", type=POLICY, help="Policies, such as "
                 "reliable,keep_last:1; others as KEY:VALUE, such as deadline_s:0.1."),
    click.option("--rounds", metavar="N", help="Rounds per case, each in fresh processes; default: "
                 "10, for interop 3."),
    click.option("--to", metavar="+-SHARE", help="Add rounds until the 95 % intervals are this "
                 "narrow, such as +-2%; 200 rounds at most."),
    click.option("--duration", metavar="TIME", help="Time measured in each round, such as 2s; "
                 "default: 0.5s, or what --rate or --to needs."),
    *REQUIRING,
    *AROUND,
    click.option("--set", "settings", multiple=True, metavar="KEY=VALUE",
                 help="Set any other key of a scenario, such as matrix.wait=poll."),
    click.option("--save", type=click.Path(path_type=Path, dir_okay=False),
                 help="Also write an equivalent scenario to this file."),
    click.option("--out", type=Target(), help="Directory for the result, or @NAME."),
    wide,
    opens,
)  # fmt: skip
"""Options of these commands, in the order of the help."""

OF_SERVICE: tuple[Callable[[Any], Any], ...] = (
    click.option("--clients", metavar="N", help="Clients, each a process of its own, such as "
                 "1,10; default: 1."),
    click.option("--outstanding", metavar="N", help="Requests of each client that wait for a "
                 "response at a time; default: 1. At a --rate there is no such limit."),
    click.option("--response", metavar="SIZE", help="Body sizes of responses; default: as of "
                 "requests."),
    click.option("--server-time", metavar="TIME", help="How long the server works on a request, "
                 "such as 0,2ms; default: 0."),
    click.option("--server-threads", metavar="N", help="Threads of the server, each of which "
                 "takes a request, works and responds; default: 1."),
)  # fmt: skip
"""Options that only `busmark service` has, before the others."""


def of_one_line(test: str, text: str, *examples: str) -> click.Command:
    """Make the command of this name; `text` is its help."""

    def command(adapters: tuple[str, ...], **given: Any) -> None:
        measure(test, adapters, given)

    own = OF_SERVICE if test == "service" else ()
    place = next(i for i, each in enumerate(OPTIONS) if each is SIZE) + 1
    for option in reversed((*OPTIONS[:place], *own, *OPTIONS[place:])):
        command = option(command)
    shown = "".join(f"  busmark {test} {example}\n" for example in examples)
    made = click.command(cls=WithHabits, name=test, help=text, epilog=f"\b\nExamples:\n{shown}")
    return made(command)


def measure(test: str, adapters: Sequence[str], given: dict[str, Any]) -> None:
    """Run the line; end the command with the exit code."""
    from busmark.cli.conduct import INTERRUPTED, Ending, conduct
    from busmark.control.campaign_run import default_directory
    from busmark.scenario.load import around, required

    asked = required(given.pop("requirements"), given.pop("undecided"))
    commands = around(given.pop("prepare"), given.pop("conclude"))
    settings = [*given.pop("settings"), *asked, *commands]
    save = given.pop("save")
    out, open_it = given.pop("out"), given.pop("open_it")
    scenario, text = scenario_of(test, adapters, given, settings, save)
    by = compared_by(scenario)
    out = out or default_directory(scenario.name)

    ending = Ending(open_it=open_it, again=_again(out, by) if by else "")
    code = conduct(
        scenario,
        text,
        out,
        go_on=False,
        ending=ending,
        begun=(lambda: _save(text, save)) if save else None,
    )
    if code == INTERRUPTED and by:
        echo(f"Then compare with: {_again(out, by)}", err=True)
    sys.exit(code)


def scenario_of(
    test: str,
    adapters: Sequence[str],
    given: dict[str, str | None],
    settings: Sequence[str] = (),
    save: Path | None = None,
) -> tuple[Scenario, str]:
    """Return the scenario of a line, and the text of an equivalent file.

    Raises:
        UserError: all that is wrong with the line.
    """
    import tomllib

    from busmark.adapters import adapter_facts, misnamed
    from busmark.errors import Several, UserError, together
    from busmark.scenario.line import OPTIONS as KEYS
    from busmark.scenario.line import read, written
    from busmark.scenario.load import applied, validated

    facts = adapter_facts().values()
    plain = [each.name for each in facts if each.family == BASELINE]
    interop = {each.name: each.interop for each in facts if each.interop}
    line, wrong = read(test, adapters, given, plain, interop)
    wrong += misnamed(line.adapters, "ADAPTER")
    wrong += not_writable(save, f"--save {save}")
    tables = line.tables()
    changed = [
        ([*KEYS[name][1]], f"--{name.replace('_', '-')} {text}")
        for name, text in given.items()
        if text
    ]
    changed.append((["matrix", "adapter"], "ADAPTER"))

    def tried(action: Callable[[], Any]) -> Any:
        try:
            return action()
        except UserError as error:
            wrong.extend(error.errors if isinstance(error, Several) else [error])

    changed += tried(lambda: applied(tables, settings)) or []
    lines = [
        word
        for name, value in given.items()
        if value
        for word in (f"--{name.replace('_', '-')}", value)
    ]
    lines += [word for setting in settings for word in ("--set", setting)]
    text = written(tables, shlex.join(["busmark", test, *line.adapters, *lines]))
    scenario = None
    if line.adapters:
        data = tomllib.loads(text)
        scenario = tried(lambda: validated(data, text, f"busmark {test}", changed))
    if wrong:
        raise together(wrong, "nothing was measured")
    assert scenario is not None
    return scenario, text


def not_writable(save: Path | None, where: str) -> list[UserError]:
    """Return why a scenario cannot be written there; a file that is there is somebody's work."""
    from busmark import files
    from busmark.errors import UserError, refused

    if save is None:
        return []
    if save.exists():
        what, remedy = "is already there", "Name another file, or remove it."
        return [UserError(what, where=where, remedy=remedy)]
    try:
        with refused("cannot be written", where, "Make its folder, or name another file."):
            files.writable(save)
    except UserError as error:
        return [error]
    return []


def _save(text: str, path: Path) -> None:
    from busmark import files

    files.write(path, text, typed=True)
    echo(f"Scenario: {path}", err=True)


def compared_by(scenario: Scenario) -> list[str]:
    """Return what is compared: vendors of both sides, adapters, or of one adapter what was given
    several values; nothing where there is one of everything but sizes and rates."""
    matrix = scenario.matrix
    if matrix.peer != ["same"]:
        return ["adapter", "peer"]
    if len(set(matrix.adapter)) > 1:
        return ["adapter"]
    if any(each.adapter != matrix.adapter for each in scenario.also):
        return ["adapter"]
    names = ("transport", "profile", "wait", "placement")
    by = [name for name in names if len(getattr(matrix, name)) > 1]
    policies = type(matrix.qos).model_fields
    return by + [f"qos.{name}" for name in policies if len(getattr(matrix.qos, name)) > 1]


def _again(out: Path, by: Sequence[str]) -> str:
    return f"busmark compare {shlex.quote(str(out))} --by {','.join(by)}"


latency = of_one_line(
    "latency",
    """\
Measure the latency of each ADAPTER, and say which is faster and by how much.

The others are compared with the best, by the median of half the round trip. Rounds are
interleaved. With a single ADAPTER, the values of --placement, --transport or --qos are compared.
Baselines, such as tcp, have no QoS: beside a middleware, --qos does not apply to them. Exit code 1
if a round failed.
""",
    "cyclonedds tcp --size 64,1k --rate 100Hz",
    "udp --placement same,different --rate 1kHz --duration 2s",
    "cyclonedds --qos reliable,best_effort --to +-2%",
)
throughput = of_one_line(
    "throughput",
    """\
Measure how much each ADAPTER carries, and say which carries more and by how much.

The others are compared with the best, by goodput. Rounds are interleaved. With a single
ADAPTER, the values of --placement, --transport or --qos are compared. Baselines, such as tcp, have
no QoS: beside a middleware, --qos does not apply to them. Exit code 1 if a round failed.
""",
    "cyclonedds tcp --size 1k,16k",
    "cyclonedds --qos reliable,best_effort",
)
service = of_one_line(
    "service",
    """\
Measure how long a client of each ADAPTER waits for its answer, and how often it gets none.

Services, RPC, request and reply: the others are compared with the best, by the median response
time, from when a request was to be sent to its response in the client's hands. Adapters without
services of their own are measured by two topics, which the table says. Rounds are interleaved. Exit
code 1 if a round failed.
""",
    "zenoh nats tcp --clients 1,10 --size 64,1k",
    "cyclonedds --rate 100Hz --server-time 2ms --duration 5s",
)
interop = of_one_line(
    "interop",
    """\
See whether writers of each ADAPTER reach readers of every other, and at what cost.

Every pair is measured, including each ADAPTER with itself: latency, and throughput at full speed.
Received bodies are checked against what was written. The other pairs are compared with the best.
Exit code 1 if a pair does not work.
""",
    "cyclonedds fastdds",
    "cyclonedds dustdds --size 64,64k --rounds 5",
)
