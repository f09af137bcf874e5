"""`busmark bus`: a participant that is driven over the middleware itself, and orders to such."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.documents import show_rows
from busmark.cli.options import POLICY, TIME, Amount
from busmark.cli.output import echo
from busmark.plugins.bus.commands import replay
from busmark.plugins.bus.commands.found import entities
from busmark.plugins.bus.commands.options import (
    NUMBER,
    TEST,
    address,
    addressed,
    attached,
    attachment,
    defined,
    print_line,
    print_message,
)
from busmark.plugins.bus.commands.orders import (
    Order,
    heard_ns,
    set_order,
    start_order,
    stop_order,
    stopped,
)
from busmark.plugins.bus.commands.record import export, record
from busmark.plugins.bus.commands.samples import inject, peek
from busmark.plugins.bus.commands.screens import errors, spot, watch
from busmark.plugins.bus.commands.traffic import traffic
from busmark.plugins.bus.words import (
    KINDS,
    OTHER_END,
    discoveries,
    failed_at,
    members,
    segments,
    tests,
)

if TYPE_CHECKING:
    from busmark.plugins.bus.caller import Caller, Message


@click.command(epilog="Example: busmark bus participant --adapter cyclonedds --app 3 --group 1")
@click.option(
    "--app",
    required=True,
    type=NUMBER,
    help="Number of this application, which nobody else on the bus has.",
)
@click.option("--group", type=NUMBER, help="Number of its group.")
@click.option("--cpu", metavar="N[,N]", help="CPUs to run on; default: any.")
@click.option(
    "--fifo",
    type=click.IntRange(1, 99),
    metavar="PRIORITY",
    help="Run under SCHED_FIFO: the middleware's threads, and tests that name no "
    "priority of their own.",
)
@click.option("--json", "as_json", is_flag=True, help="Print its messages as lines of JSON.")
@attached
def participant(
    app: int, group: int | None, cpu: str | None, fifo: int | None, as_json: bool, **options: Any
) -> None:
    """Join the middleware as a participant that is driven over its own topics.

    There is no controller: `busmark bus` starts tests on it, changes and stops them, from anywhere
    on the same domain. It takes part until it is interrupted.
    """
    from busmark.errors import UserError
    from busmark.plugins.bus.attachment import GOING_S, Ending, process

    extra = ["--app", str(app)]
    extra += ["--group", str(group)] if group is not None else []
    extra += ["--cpu", cpu] if cpu else []
    extra += ["--fifo", str(fifo)] if fifo else []
    stopped: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _: stopped.append(got))
    ends: float | None = None
    with process("member", attachment(options), extra) as member:
        while True:
            message = member.next(0.2)
            if stopped and ends is None:
                member.ask_to_go()
                ends = time.monotonic() + GOING_S
            if ends is not None and time.monotonic() > ends:
                raise UserError("the participant does not end: it is killed")
            if isinstance(message, Ending):
                if message.why:
                    raise UserError(message.why)
                sys.exit(0)
            if message is None:
                continue
            print_message(message, as_json)


@click.group(name="bus", epilog="Example: busmark bus list --adapter cyclonedds")
def command() -> None:
    """Drive, watch and record participants over the topics of the middleware itself.

    `busmark bus participant` joins as one; `start`, `set` and `stop` drive tests on it.
    """


@command.command(name="list", epilog="Example: busmark bus list --adapter cyclonedds")
@click.option(
    "--wait",
    "wait_s",
    default="5s",
    show_default=True,
    metavar="TIME",
    type=Amount("time", 0.1, 600),
    help="How long the first answer is awaited.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
@addressed
@attached
def list_(
    wait_s: float,
    as_json: bool,
    app: int | None,
    group: int | None,
    everybody: bool,
    **options: Any,
) -> None:
    """List who is on the bus, and the tests that they have."""
    from busmark.plugins.bus.caller import Caller

    order = Order(address(app, group, everybody, by_default="all"), {"cmd": "list"})
    with Caller.on(attachment(options)) as caller:
        answers = [text for text in order.answers(caller, wait_s) if text["ok"]]
        if not answers:
            echo(f"busmark: {order.silence(caller)}", err=True)
    if as_json:
        echo(json.dumps([{**a["result"], **_named(a)} for a in answers], indent=2))
    elif answers:
        heads = ("app", "group", "adapter", "transport", "host", "process", "tests")
        show_rows("On the bus", heads, members(answers))
        if rows := tests(answers):
            of_tests = ("app", "test", "kind", "state", "size, B", "rate, Hz", "ends", "from app")
            show_rows("Tests", of_tests, rows)
        _twice(answers)
    sys.exit(0 if answers else 2)


@command.command(epilog="Example: busmark bus discovery --adapter cyclonedds --follow")
@click.option(
    "--follow", is_flag=True, help="Then show what is found from now on, until interrupted."
)
@click.option("--for", "seconds", metavar="TIME", type=TIME, help="Stop following after this time.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON: each test, and with --follow a line per change.",
)
@addressed
@attached
def discovery(
    follow: bool,
    seconds: float | None,
    as_json: bool,
    app: int | None,
    group: int | None,
    everybody: bool,
    **options: Any,
) -> None:
    """Show how the tests of participants came to be found.

    For each test: how long its writers and readers took to be made, when they had found all their
    counterparts, when the first sample of each application came, and how many were lost before it.
    Times count from the moment at which the ends of the test were there.
    """
    from busmark.plugins.bus.caller import Caller

    follow |= seconds is not None
    order = Order(address(app, group, everybody, by_default="all"), {"cmd": "list"})
    with Caller.on(attachment(options), live=follow) as caller:
        answers = [text for text in order.answers(caller) if text["ok"]]
        if not answers:
            echo(f"busmark: {order.silence(caller)}", err=True)
            sys.exit(2)
        if as_json:
            _print_discovery(answers, in_lines=follow)
        elif rows := discoveries(answers):
            heads = (
                "app",
                "test",
                "kind",
                "made, ms",
                "counterparts",
                "matched, ms",
                "first of app",
                "after, ms",
                "lost before",
                "sent earlier",
            )
            show_rows("Discovery", heads, rows)
        elif not follow:
            echo("Nobody has a test; `busmark bus start` begins one.")
        if follow:
            _follow_discovery(caller, order, seconds, answers, as_json)
    sys.exit(0)


def _print_discovery(answers: list[Message], *, in_lines: bool) -> None:
    lines = [
        {**_named(answer), "test": test["test"], "kind": test["kind"], **test["discovery"]}
        for answer in answers
        for test in answer["result"]["tests"]
    ]
    for one in lines if in_lines else [lines]:
        print_line(json.dumps(one, indent=None if in_lines else 2))


def _follow_discovery(
    caller: Caller, order: Order, seconds: float | None, answers: list[Message], as_json: bool
) -> None:
    """Print what those who are meant discover after they have answered."""
    answered = {answer["instance"]: answer["at_realtime_ns"] for answer in answers}
    for message in caller.messages(seconds):
        event = message.get("event") if message.get("news") == "event" else None
        if not event or event.get("event") != "discovery" or not order.means(message):
            continue
        if message["at_realtime_ns"] < answered.get(message["instance"], 0):
            continue
        if as_json:
            kind = {"test": message["test"], "kind": message["kind"]}
            found = {key: value for key, value in event.items() if key != "event"}
            print_line(json.dumps({**_named(message), **kind, **found}))
        else:
            print_message(message, as_json)


def _named(answer: Message) -> Message:
    return {key: answer[key] for key in ("app", "group", "instance")}


def _twice(answers: list[Message]) -> None:
    numbers = [answer["app"] for answer in answers]
    for number in sorted({n for n in numbers if numbers.count(n) > 1}):
        echo(
            f"application {number} is on the bus {numbers.count(number)} times: end all but one",
            err=True,
        )


@command.command(
    epilog="Example: busmark bus start transceiver --adapter cyclonedds --app 3 "
    "--test 7 --from 4 --rate 1kHz"
)
@click.argument("kind", type=click.Choice(KINDS))
@defined
@click.option("--follow", is_flag=True, help="Show live figures until the test ends.")
@click.option("--json", "as_json", is_flag=True, help="Print messages as lines of JSON.")
@addressed
@attached
def start(follow: bool, as_json: bool, **options: Any) -> None:
    """Start a test on participants.

    A transceiver measures round trips to transponders, a transmitter sends a stream to receivers.
    Start what answers or receives first: a transceiver or transmitter waits for it, and begins
    when it is there.
    """
    from busmark.plugins.bus.caller import Caller

    bus = attachment(options)
    order = start_order(**options, bus=bus)
    with Caller.on(bus, live=follow) as caller:
        answers = _ordered(caller, order, order.answers(caller), as_json)
        started = {answer["instance"]: heard_ns(answer) for answer in answers if answer["ok"]}
        if follow and started:
            definition = order.task["definition"]
            well = _follow(caller, started, definition["test"], definition["kind"], as_json)
            sys.exit(_code(answers) if well else 2)
    sys.exit(_code(answers))


@command.command(
    name="set",
    epilog="Example: busmark bus set --adapter cyclonedds --app 3 "
    "--test 7 --rate 100 --qos lifespan_s:0.1",
)
@click.option("--test", required=True, type=TEST)
@click.option("--kind", type=click.Choice(KINDS), help="Where there are several of this number.")
@click.option(
    "--rate",
    "rate_hz",
    metavar="RATE",
    type=Amount("rate", zero=False),
    help="Samples per second from now on.",
)
@click.option("--pause/--resume", "paused", default=None, help="Stop sending; continue.")
@click.option(
    "--qos",
    default="",
    metavar="POLICIES",
    type=POLICY,
    help="lifespan_s, deadline_s, latency_budget_s, transport_priority, partition and "
    "others, as far as the adapter can change them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answers as lines of JSON.")
@addressed
@attached
def set_(as_json: bool, **options: Any) -> None:
    """Change a test while it runs: its rate, a pause, its QoS.

    QoS that endpoints in use cannot change is refused by name, and then nothing changes.
    """
    from busmark.plugins.bus.caller import Caller

    bus = attachment(options)
    order = set_order(**options)
    with Caller.on(bus) as caller:
        answers = _ordered(caller, order, order.answers(caller), as_json)
    sys.exit(_code(answers))


@command.command(epilog="Example: busmark bus stop --adapter cyclonedds --app 3 --test 7")
@click.option("--test", type=TEST, help="Default: every test.")
@click.option("--kind", type=click.Choice(KINDS), help="Only of this kind.")
@click.option("--json", "as_json", is_flag=True, help="Print messages as lines of JSON.")
@addressed
@attached
def stop(as_json: bool, **options: Any) -> None:
    """End tests, and show what they measured."""
    from busmark.plugins.bus.caller import Caller

    bus = attachment(options)
    order = stop_order(**options)
    with Caller.on(bus) as caller:
        answers = _ordered(caller, order, stopped(caller, order), as_json)
    sys.exit(_code(answers))


def _ordered(
    caller: Caller, order: Order, lines: Iterable[Message], as_json: bool
) -> list[Message]:
    """Show the answers to an order, and what was measured; return the answers."""
    answers: list[Message] = []
    for message in lines:
        if message.get("news") == "ended":
            _result(message, as_json)
            continue
        answers.append(message)
        print_message(message, as_json, err=not message["ok"])
    if not answers:
        echo(f"busmark: {order.silence(caller)}", err=True)
    elif all("none" in (answer.get("result") or {}) for answer in answers):
        echo(
            "busmark: nobody has this test, and nothing has changed; `busmark bus list` shows "
            "the tests of everybody",
            err=True,
        )
    return answers


def _code(answers: Iterable[Message]) -> int:
    """Return 2 for an order that somebody could not carry out, or that concerned nobody; else 0."""
    lines = list(answers)
    done = [answer for answer in lines if "none" not in (answer.get("result") or {})]
    return 0 if done and all(answer["ok"] for answer in lines) else 2


def _follow(caller: Caller, started: dict[int, int], test: int, kind: str, as_json: bool) -> bool:
    """Show what these participants, which heard the order at these times, report of this test until
    it has ended on all of them; return whether it ended on each as it should, and did not fail at
    an other end meanwhile."""
    left, well = set(started), True
    for message in caller.messages():
        news = message.get("news")
        begun_ns = started.get(message.get("instance", 0))
        if begun_ns is None:
            # A receiver that refuses what comes: the transmitter itself ends as if all were well.
            if failed_at(message, test, OTHER_END[kind], min(started.values())):
                print_message(message, as_json)
                well = False
            continue
        if message["at_realtime_ns"] < begun_ns:
            continue
        if news == "left":
            well &= message["instance"] not in left
            left.discard(message["instance"])
            print_message(message, as_json)
        elif (message.get("test"), message.get("kind")) == (test, kind):
            _result(message, as_json) if news == "ended" else print_message(message, as_json)
            if news == "ended":
                left.discard(message["instance"])
                well &= not message.get("error")
        if not left:
            break
    return well


def _result(message: Message, as_json: bool) -> None:
    print_message(message, as_json)
    rows = [] if as_json else list(segments(message))
    if rows:
        heads = ("segment, µs", "best", "count", "min", "mean", "max", "deviation")
        show_rows("", heads, rows)


for each in (entities, peek, inject, traffic, watch, spot, errors, record, export, participant):
    command.add_command(each)
command.add_command(replay.command, "replay")
