"""`busmark bus entities`, `peek`, `inject`: what is on a bus, foreign programs included."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from busmark.cli.documents import show_rows
from busmark.cli.options import TIME, Amount
from busmark.cli.output import echo
from busmark.plugins.bus.commands.options import attached, attachment, print_line

if TYPE_CHECKING:
    from busmark.adapters import Adapter
    from busmark.plugins.bus.attachment import Attachment
    from busmark.plugins.bus.caller import Caller, Message
    from busmark.plugins.bus.found import BusContents, Owner

WAIT_S = 10.0
"""Time for discovery by default."""
WAIT = click.option(
    "--wait",
    "wait_s",
    default=f"{WAIT_S:g}s",
    show_default=True,
    metavar="TIME",
    type=Amount("time", 0.5, 600),
    help="How long discovery is awaited at most.",
)


@click.command(epilog="Example: busmark bus entities --adapter cyclonedds --topic 'rt/*'")
@WAIT
@click.option("--topic", metavar="PATTERN", help="Only writers and readers on these topics.")
@click.option("--foreign", is_flag=True, help="Only what is not Busmark's.")
@click.option(
    "--all", "everything", is_flag=True, help="The topics by which participants are driven, too."
)
@click.option("--follow", is_flag=True, help="Then show what comes and goes, until interrupted.")
@click.option("--for", "seconds", metavar="TIME", type=TIME, help="Stop following after this time.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON: everything, and with --follow a line for each change.",
)
@attached
def entities(
    wait_s: float,
    topic: str | None,
    foreign: bool,
    everything: bool,
    follow: bool,
    seconds: float | None,
    as_json: bool,
    **options: Any,
) -> None:
    """List participants, writers and readers on the bus, with topics, types and QoS.

    Participants of Busmark's are shown with their applications and tests, foreign programs with
    what they announce. Nothing of them is changed; they see this command as one more participant.
    Exit code 1 if nobody else is there.
    """
    from busmark.plugins.bus.caller import Caller
    from busmark.plugins.bus.found import look

    bus = attachment(options)
    need_list(bus)
    shown = Filter(topic, foreign, everything)
    with Caller.on(bus) as caller:
        found = look(caller, wait_s)
        follow |= seconds is not None
        _print(found, shown, as_json, wait_s, in_lines=follow)
        if len(found.participants) <= 1 and (elsewhere := bus.elsewhere()):
            echo(f"Nobody else was found. {elsewhere}", err=True)
        if follow:
            _follow(caller, found, shown, as_json, seconds)
    sys.exit(0 if len(found.participants) > 1 else 1)


def need_list(bus: Attachment) -> None:
    """Raise a `UserError` for an adapter that does not list what is on the bus."""
    from busmark.adapters import available
    from busmark.errors import UserError

    if lists(bus):
        return
    able = [one.name for one in available() if one.usable and _lists(one)]
    raise UserError(
        f"{bus.adapter} does not list what is on the bus",
        where="--adapter",
        remedy=f"These do: {', '.join(able) or 'none that is usable here'}. Vendors of DDS see "
        "each other on the same domain.",
    )


def lists(bus: Attachment) -> bool:
    """Return whether its adapter lists what is on the bus."""
    from busmark.adapters import resolve

    return _lists(resolve([bus.adapter])[bus.adapter])


def _lists(adapter: Adapter) -> bool:
    """Return whether it lists entities; True if it cannot be used here, which it says itself."""
    return adapter.capabilities is None or "entities" in adapter.capabilities["features"]


class Filter:
    """The writers and readers that are shown."""

    def __init__(self, topic: str | None, foreign: bool, everything: bool) -> None:
        self.topic, self.foreign, self.everything = topic, foreign, everything

    def endpoints(self, found: BusContents) -> list[Message]:
        from busmark.plugins.bus.found import CONTROL, on_topic

        owners = found.owners()
        shown = on_topic(found.endpoints, self.topic) if self.topic else found.endpoints
        return [
            one
            for one in shown
            if self.everything
            or self.topic
            or one["topic"] not in CONTROL
            or owners[one["participant"]].what == "foreign"
            if not self.foreign or owners[one["participant"]].what == "foreign"
        ]

    def participants(self, found: BusContents) -> list[Message]:
        owners = found.owners()
        there = {one["participant"] for one in self.endpoints(found)}
        return [
            one
            for one in found.participants
            if (not self.foreign or owners[one["key"]].what == "foreign")
            and (not self.topic or one["key"] in there)
        ]


def _print(
    found: BusContents, shown: Filter, as_json: bool, wait_s: float, *, in_lines: bool
) -> None:
    from busmark.plugins.bus.found import as_json as document

    if as_json:
        kept = {one["key"] for one in (*shown.participants(found), *shown.endpoints(found))}
        text = document(found)
        for name in ("participants", "endpoints"):
            text[name] = [one for one in text[name] if one["key"] in kept]
        print_line(json.dumps(text, indent=None if in_lines else 2))
        return
    heads = ("participant", "whose", "vendor", "host", "process", "writers", "readers")
    show_rows("Participants", heads, _participants(found, shown))
    owners = found.owners()
    rows = [_endpoint(one, owners[one["participant"]]) for one in shown.endpoints(found)]
    if rows:
        show_rows("Writers and readers", ("topic", "end", "type", "whose", "test", "QoS"), rows)
    left_out = len(found.endpoints) - len(shown.endpoints(found))
    if left_out and not shown.topic and not shown.foreign:
        echo(f"{left_out} writers and readers by which participants are driven: --all shows them")
    if not found.settled:
        echo(
            f"discovery was still under way after {wait_s:g} s: --wait {2 * wait_s:g} shows more",
            err=True,
        )


def _participants(found: BusContents, shown: Filter) -> Iterator[tuple[str, ...]]:
    from busmark.plugins.bus.found import vendor

    owners = found.owners()
    for one in sorted(shown.participants(found), key=lambda one: rank(owners[one["key"]])):
        owner = owners[one["key"]]
        counts = [
            sum(e["participant"] == one["key"] and e["kind"] == kind for e in found.endpoints)
            for kind in ("writer", "reader")
        ]
        tests = ", ".join(f"{test['kind']} {test['test']}" for test in owner.tests)
        yield (
            short(one["key"]),
            owner.words() + (f": {tests}" if tests else ""),
            vendor(one["vendor"]) or "—",
            one["host"] or "—",
            one["process"] or one["name"] or "—",
            *map(str, counts),
        )


def rank(owner: Owner) -> tuple[int, int, str]:
    """Return a sort key: ours come first, then commands, foreign ones, and this command itself."""
    ranks = {"application": 0, "foreign": 2, "this command": 3}
    return ranks.get(owner.what, 1), owner.app or 0, owner.key


def short(key: str) -> str:
    """Return the part of an RTPS key that tells participants apart; any other key unchanged."""
    return f"{key[4:12]}…{key[16:24]}" if len(key) == 32 else key


def _endpoint(one: Message, owner: Owner) -> tuple[str, ...]:
    from busmark.plugins.bus.found import test_of

    test = test_of(one, owner)
    return (
        one["topic"],
        one["kind"],
        one["type_name"],
        whose(owner),
        "—" if test is None else str(test),
        announced(one) or "—",
    )


def whose(owner: Owner) -> str:
    """Return the owner, such as `app 3 (group 1)`; one that is no application with its key."""
    words = owner.words()
    return words if owner.what == "application" else f"{words} {short(owner.key)}"


def announced(endpoint: Message) -> str:
    """Return the QoS of a writer or reader in words, as far as it is known."""
    from busmark.plugins.bus.found import qos_words

    return "; ".join(filter(None, (qos_words(endpoint["qos"]), endpoint["more"])))


def _follow(
    caller: Caller, found: BusContents, shown: Filter, as_json: bool, seconds: float | None
) -> None:
    from busmark.plugins.bus.found import following

    end = None if seconds is None else time.monotonic() + seconds
    before = found
    for now in following(caller, found):
        for sign, one, whole in changes(before, now, shown):
            _change(sign, one, whole, as_json)
        before = now
        if end is not None and time.monotonic() >= end:
            break


def changes(
    before: BusContents, now: BusContents, shown: Filter
) -> Iterator[tuple[str, Message, BusContents]]:
    """Yield what came and what went: `+` or `-`, what, and where it is described."""
    for sign, one, other in (("-", before, now), ("+", now, before)):
        known = {entity["key"] for entity in other.entities}
        for entity in (*shown.participants(one), *shown.endpoints(one)):
            if entity["key"] not in known:
                yield sign, entity, one


def _change(sign: str, one: Message, found: BusContents, as_json: bool) -> None:
    from busmark.plugins.bus.found import as_json as document
    from busmark.plugins.bus.found import vendor

    if as_json:
        text = document(found)
        entity = next(
            e for e in (*text["participants"], *text["endpoints"]) if e["key"] == one["key"]
        )
        change = "came" if sign == "+" else "went"
        print_line(
            json.dumps(
                {
                    "change": change,
                    "at_realtime_ns": found.at_realtime_ns,
                    "kind": one["kind"],
                    **entity,
                }
            )
        )
    else:
        owner = found.owners()[one["participant"]]
        if one["kind"] == "participant":
            words = [
                owner.words(),
                vendor(one["vendor"]),
                one["host"],
                one["process"],
                short(one["key"]),
            ]
        else:
            topic, _, type_name, who, _, qos = _endpoint(one, owner)
            words = [topic, type_name, who, qos]
        moment = time.strftime("%H:%M:%S", time.localtime(found.at_realtime_ns / 1e9))
        print_line(f"{moment}  {sign} {one['kind']}: {', '.join(filter(None, words))}")
