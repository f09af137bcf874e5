"""`busmark bus replay`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.documents import show_rows
from busmark.cli.options import ADAPTER, Amount
from busmark.cli.output import echo, say
from busmark.plugins.bus.commands.options import LAST_NUMBER, print_line

if TYPE_CHECKING:
    from busmark.plugins.bus.attachment import Attachment
    from busmark.plugins.bus.recording.model import Header
    from busmark.plugins.bus.recording.reader import Session
    from busmark.plugins.bus.recording.replay import GivenOrder, Player, Replay
    from busmark.plugins.bus.recording.score import Options, Score

MS = 1e3


def pair(text: str) -> tuple[int, int]:
    """Read a number of the recording and the one that takes its place, such as 3=7."""
    then, equals, now = text.partition("=")
    if not (equals and then.isdecimal() and now.isdecimal() and int(now) <= LAST_NUMBER):
        raise click.BadParameter(f"{text!r}: write two numbers up to {LAST_NUMBER}, such as 3=7")
    return int(then), int(now)


def filtered(text: str) -> tuple[str, str]:
    """Read a condition on the orders that are replayed, such as app=3."""
    from busmark.plugins.bus.recording.score import FILTERS

    key, equals, wanted = text.partition("=")
    if not equals or key not in FILTERS:
        raise click.BadParameter(f"{text!r}: write KEY=VALUE; keys are {', '.join(FILTERS)}")
    return key, wanted


@click.command(epilog="Example: busmark bus replay session.jsonl --speed 2")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--speed",
    default=1.0,
    show_default=True,
    metavar="FACTOR",
    type=click.FloatRange(0.01, 1000),
    help="Divides times between orders, and durations.",
)
@click.option(
    "--only",
    multiple=True,
    type=filtered,
    metavar="KEY=VALUE",
    help="Only orders with this app, group, test, kind or cmd.",
)
@click.option(
    "--map",
    "apps",
    multiple=True,
    type=pair,
    metavar="THEN=NOW",
    help="Another application takes the place of one; may be repeated.",
)
@click.option(
    "--map-group",
    "groups",
    multiple=True,
    type=pair,
    metavar="THEN=NOW",
    help="Another group takes the place of one; may be repeated.",
)
@click.option(
    "--wait",
    "wait_s",
    default="30s",
    show_default=True,
    metavar="TIME",
    type=Amount("time", 0, 86_400),
    help="How long participants that are needed are awaited.",
)
@click.option(
    "--leave-running",
    is_flag=True,
    help="Do not stop tests that still run at the end of the recording.",
)
@click.option("--dry-run", is_flag=True, help="List what it would do; the bus is not joined.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.option(
    "--adapter", metavar="NAME", type=ADAPTER, help="Default, for this and all below: as recorded."
)
@click.option("--transport", metavar="NAME")
@click.option("--domain", type=click.IntRange(0, 230))
@click.option("--interface", metavar="NAME", help="Network interface of all traffic.")
@click.option("--address", metavar="IP", help="Address of that interface.")
@click.option("--profile", type=click.Choice(["default", "tuned"]))
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="An adapter option.")
def command(
    file: Path,
    speed: float,
    only: tuple[tuple[str, str], ...],
    apps: tuple[tuple[int, int], ...],
    groups: tuple[tuple[int, int], ...],
    wait_s: float,
    leave_running: bool,
    dry_run: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Give the orders of a recording again, at the same or scaled times.

    It waits for the participants that the recording needs, and says at the end how far the times
    were off, and where answers differ. Exit code 1 if they do.
    """
    from busmark.plugins.bus.recording import Reader
    from busmark.plugins.bus.recording.reader import session
    from busmark.plugins.bus.recording.score import Options, score

    reader = Reader(file)
    played = session(reader)
    wanted = Options(speed, _once(apps, "--map"), _once(groups, "--map-group"), only)
    what = score(played, wanted)
    if not as_json:
        _say_recording(reader.header, played, what, wanted)
    if dry_run:
        _dry_run(what, as_json)
        return
    bus = _attachment(reader.header, options, as_json)
    outcome = _played(bus, what, wait_s, leave_running, as_json)
    if as_json:
        echo(json.dumps(_document(outcome), indent=2, ensure_ascii=False))
    else:
        _say_outcome(outcome)
    sys.exit(1 if outcome.differences else 0)


def _once(pairs: tuple[tuple[int, int], ...], option: str) -> dict[int, int]:
    thens = [then for then, _ in pairs]
    if len(set(thens)) < len(thens):
        raise click.UsageError(f"{option} names a number of the recording twice")
    return dict(pairs)


def _attachment(header: Header, options: dict[str, Any], quiet: bool) -> Attachment:
    """Return the bus of the recording, with the changes that the options name."""
    from busmark.errors import UserError
    from busmark.plugins.bus.attachment import Attachment, completed

    if options["interface"] or options["address"]:
        network = completed(options["interface"], options["address"])
        options = {**options, **dict(zip(("interface", "address"), network, strict=True))}
    given = {key: value for key, value in options.items() if value not in (None, ())}
    recorded: dict[str, Any] = {
        "domain": header.domain,
        "interface": header.interface,
        "address": header.address,
    }
    adapter = given.get("adapter", header.adapter)
    if "/" in adapter and "adapter" not in given:
        # A recording is data; whoever replays it decides which code is loaded.
        raise UserError(
            f"was recorded with the library {adapter}, which is not loaded by itself",
            where="the recording",
            remedy="Name it, or another adapter, with --adapter.",
        )
    if adapter == header.adapter:
        own = {
            "transport": header.transport,
            "profile": header.profile,
            "settings": tuple(header.settings),
        }
        recorded |= own
    elif not quiet:
        say(
            f"orders are given through {adapter}, with its own transport, profile and options; "
            f"it was recorded with {header.adapter}"
        )
    return Attachment(**{"adapter": adapter, **recorded, **given})


def _say_recording(header: Header, played: Session, what: Score, wanted: Options) -> None:
    times = "" if wanted.speed == 1 else f", at {wanted.speed:g} times the speed"
    say(
        f"recorded {header.utc[:19]}Z on {header.host} with {header.adapter}, domain "
        f"{header.domain}: {played.messages:,} messages in {played.length_s:,.1f} s, "
        f"{len(what.steps)} orders to replay{times}"
    )
    if played.cut:
        say("the recording has no end: the recorder was killed, or has not ended yet", err=True)
    if played.unreadable:
        say(f"{played.unreadable:,} messages of it cannot be read, and are left out", err=True)
    for app in sorted(played.twice):
        say(
            f"application {app} was on the bus twice when it was recorded: the answers of one of "
            "them are compared",
            err=True,
        )
    for reason in what.left_out:
        say(f"left out: {reason}", err=True)


def _dry_run(what: Score, as_json: bool) -> None:
    from busmark.plugins.bus.recording.replay import order_text, target_text

    if as_json:
        orders = [
            {"planned_s": s.planned_s, "line": s.line, "to": s.to, "do": s.task} for s in what.steps
        ]
        needed = [{"app": app, "group": group} for app, group in sorted(what.needed.items())]
        echo(
            json.dumps(
                {
                    "orders": orders,
                    "needed": needed,
                    "ends_s": what.ends_s,
                    "left_out": what.left_out,
                },
                indent=2,
                ensure_ascii=False,
            )
        )
        return
    rows = [
        (
            str(number),
            f"{step.planned_s:,.3f}",
            target_text(step.to),
            order_text(step.task),
            "before" if step.line is None else str(step.line),
        )
        for number, step in enumerate(what.steps, 1)
    ]
    show_rows("Would be ordered", ("no.", "planned, s", "to", "order", "line"), rows)
    needs = [
        f"application {app}" + ("" if group is None else f" of group {group}")
        for app, group in sorted(what.needed.items())
    ]
    say(f"needs {', '.join(needs) or 'no participant'}")


def _played(
    bus: Attachment, what: Score, wait_s: float, leave_running: bool, as_json: bool
) -> Replay:
    from busmark.plugins.bus.caller import Caller
    from busmark.plugins.bus.recording.replay import Player

    with Caller.on(bus) as caller:
        player = Player(caller, what)
        player.gather(wait_s, lambda names: say(f"waiting for {names}", err=True))
        for note in player.notes:
            say(note, err=True)
        if not as_json:
            for app, adapter in sorted(player.replay.adapters.items()):
                say(f"tests of application {app} run on {adapter}")
        try:
            player.play((lambda _: None) if as_json else _say_given)
        finally:
            _end(player, leave_running, as_json)
    return player.replay


def _end(player: Player, leave_running: bool, as_json: bool) -> None:
    if leave_running:
        return
    player.stop()
    if player.replay.stopped and not as_json:
        names = ", ".join(
            f"{kind} {test} of app {app}" for app, (test, kind) in player.replay.stopped
        )
        say(f"stopped at the end, for they still ran: {names}")


def _say_given(given: GivenOrder) -> None:
    from busmark.plugins.bus.recording.replay import order_text, target_text

    sent = "" if given.sent_s is None else f"{given.sent_s:9.3f} s"
    refused = f"  not given: {given.refused}" if given.refused else ""
    to = target_text(given.step.to)
    print_line(f"{sent or '        —  '}  {to}: {order_text(given.step.task)}{refused}")


def _say_outcome(replay: Replay) -> None:
    from busmark.plugins.bus.recording.replay import order_text, target_text

    rows = [
        (
            str(number),
            target_text(each.step.to),
            order_text(each.step.task),
            f"{each.step.planned_s:,.3f}",
            "—" if each.sent_s is None else f"{each.sent_s:,.3f}",
            "—" if each.off_s is None else f"{each.off_s * MS:+,.3f}",
        )
        for number, each in enumerate(replay.given, 1)
    ]
    show_rows("Orders", ("no.", "to", "order", "planned, s", "sent, s", "off by, ms"), rows)
    if off := replay.off:
        say(
            f"times were off by {off.median_s * MS:,.3f} ms (median), at most "
            f"{off.max_s * MS:,.3f} ms; n = {off.n}"
        )
    answers = sum(len(each.answers) for each in replay.given)
    found = replay.differences
    if not found:
        say(
            f"no differences: {answers:,} answers and {len(replay.ended):,} ends of tests "
            "agree with the recording"
        )
        return
    say(f"{len(found)} differences from the recording:")
    for difference in found:
        say(f"  {difference}")


def _document(replay: Replay) -> dict[str, Any]:
    off = replay.off
    return {
        "orders": [
            {
                "planned_s": each.step.planned_s,
                "sent_s": each.sent_s,
                "off_s": each.off_s,
                "line": each.step.line,
                "to": each.step.to,
                "do": each.step.task,
                "refused": each.refused or None,
                "answered": sorted(each.answers),
            }
            for each in replay.given
        ],
        "off": off and {"median_s": off.median_s, "max_s": off.max_s, "n": off.n},
        "adapters": [
            {"app": app, "adapter": adapter} for app, adapter in sorted(replay.adapters.items())
        ],
        "stopped": [
            {"app": app, "test": test, "kind": kind} for app, (test, kind) in replay.stopped
        ],
        "differences": replay.differences,
    }
