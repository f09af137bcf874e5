"""`busmark bus peek` and `inject`: samples of Busmark's own types, and of those that their writers
and readers announce (type discovery)."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from busmark import files
from busmark.cli.live.values import plural
from busmark.cli.options import TIME, Amount
from busmark.cli.output import echo
from busmark.errors import MOST_SHOWN, UserError, refused
from busmark.plugins.bus.commands.found import WAIT, need_list
from busmark.plugins.bus.commands.options import attached, attachment, print_line

if TYPE_CHECKING:
    from busmark.plugins.bus.attachment import Attachment
    from busmark.plugins.bus.caller import Caller, Message

FLAGS = {
    1: "warm-up",
    2: "probe",
    4: "last",
    8: "checked",
    16: "control",
    32: "start",
    64: "resent",
    128: "answer",
}
"""Bits of a sample's header."""
BODY_BYTES = 64
WORDS_SHOWN = 16
"""Bytes of a body on a line."""
ELEMENTS_SHOWN = 16
"""Elements of a list on a line."""


@click.command(epilog="Example: busmark bus peek busmark_bus_7_ping --adapter cyclonedds --count 3")
@click.argument("topic")
@click.option("--count", metavar="N", type=click.IntRange(1), help="Stop after this many samples.")
@click.option(
    "--for",
    "seconds",
    metavar="TIME",
    type=TIME,
    help="Stop after this time; default: when interrupted.",
)
@WAIT
@click.option("--json", "as_json", is_flag=True, help="Print samples as lines of JSON.")
@attached
def peek(
    topic: str,
    count: int | None,
    seconds: float | None,
    wait_s: float,
    as_json: bool,
    **options: Any,
) -> None:
    """Show samples of a topic: header, size and the start of the body of Busmark's types, each
    member of any other.

    Reads as one more reader, best effort, so that no writer waits for it; but the middleware sends
    to it, too. A foreign type is fetched from who announces it (type discovery, DDS-XTypes), by
    Cyclone DDS's Python package. Exit code 1 if no sample came.
    """
    from busmark.plugins.bus import foreign
    from busmark.plugins.bus.caller import Caller

    bus = attachment(options)
    need_list(bus)
    with Caller.on(bus) as caller:
        with _somebody():
            writers = _endpoints(caller, topic, "writer", wait_s)
        if is_ours(writers):
            _join(caller, bus, topic, writers)
            shown = _show(caller, count, seconds, as_json)
            writers = []
    if writers:
        shown = _show_foreign(foreign.read(bus, topic, wait_s, count, seconds), as_json)
    if not shown:
        echo("no sample came", err=True)
    sys.exit(0 if shown else 1)


def begin_peek(caller: Caller, bus: Attachment, topic: str, wait_s: float) -> None:
    """Ask for samples of this topic: from now on the caller hears them, as messages `sample`.

    Raises:
        Nobody: no writer of it was found.
        UserError: its type is foreign, or its writers cannot all be met.
    """
    _join(caller, bus, topic, _endpoints(caller, topic, "writer", wait_s))


def _join(caller: Caller, bus: Attachment, topic: str, offered: list[Message]) -> None:
    payload, keyed = payload_on(topic, offered)
    # What every one of these writers can offer.
    qos = {"reliable": False, "keep_all": False, **_common(topic, offered)}
    words = {"reliable": "best_effort", "keep_all": "keep_last"}
    caller.ask(
        {
            "peek": {
                "topic": topic,
                "payload": payload,
                "keyed": keyed,
                "qos": {**_declared(bus, qos, words), "depth": 64},
            }
        }
    )


def _show(caller: Caller, count: int | None, seconds: float | None, as_json: bool) -> int:
    """Show samples until there are enough or the time is over; return how many."""
    end = None if seconds is None else time.monotonic() + seconds
    shown = 0
    while (count is None or shown < count) and (end is None or time.monotonic() < end):
        left = 3600.0 if end is None else max(end - time.monotonic(), 0.001)
        message = caller.text("sample", left)
        if message is None:
            continue
        shown += 1
        print_line(json.dumps(message) if as_json else _line(message))
    return shown


def _show_foreign(samples: Iterator[Message], as_json: bool) -> int:
    """Show samples of a foreign type until they end; return how many."""
    shown = 0
    for shown, sample in enumerate(samples, 1):
        text = f"{moment(sample['at_realtime_ns'])}  #{shown}  {brief(sample['value'])}"
        print_line(json.dumps(sample) if as_json else text)
    return shown


def brief(value: Any) -> str:
    """Return a value as JSON, but of long lists the start only, and how long they are."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(k)}: {brief(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        more = [f"… {len(value):,} in all"] if len(value) > ELEMENTS_SHOWN else []
        return f"[{', '.join([*map(brief, value[:ELEMENTS_SHOWN]), *more])}]"
    return json.dumps(value, ensure_ascii=False)


def _line(message: Message) -> str:
    sample = message["sample"]
    flags = words_of_flags(sample["flags"])
    body = words_of_body(sample, WORDS_SHOWN)
    parts = [
        f"writer {sample['writer']}",
        f"seq {sample['seq']}",
        f"{sample['bytes']:,} bytes",
        *([", ".join(flags)] if flags else []),
        *([body] if body else []),
    ]
    return f"{moment(message['at_realtime_ns'])}  #{sample['number']}  " + ", ".join(parts)


def moment(at_realtime_ns: int) -> str:
    """Return the time of the day, with milliseconds."""
    clock = time.strftime("%H:%M:%S", time.localtime(at_realtime_ns / 1e9))
    return f"{clock}.{at_realtime_ns % 1_000_000_000 // 1_000_000:03d}"


def words_of_flags(flags: int) -> list[str]:
    """Return what a sample's header says of it."""
    return [word for bit, word in FLAGS.items() if flags & bit]


def words_of_body(sample: Message, most: int) -> str:
    """Return the first bytes of the body in hexadecimal, `most` of them at most."""
    body = " ".join(f"{byte:02x}" for byte in sample["body"][:most])
    return body + (" …" if sample["bytes"] > most else "")


@click.command(
    epilog="Example: busmark bus inject plant_state --adapter cyclonedds name=p7 position.x=1.5"
)
@click.argument("topic")
@click.argument("members", nargs=-1, metavar="[MEMBER=VALUE]...")
@click.option(
    "--value",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A value of a foreign type as JSON; MEMBER=VALUE takes precedence.",
)
@click.option(
    "--size",
    type=Amount("size", most=1 << 24),
    metavar="SIZE",
    help=f"Size of the body, of a type of Busmark's; default: {BODY_BYTES}.",
)
@click.option(
    "--count",
    default=1,
    show_default=True,
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Samples, one after the other.",
)
@WAIT
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@attached
def inject(
    topic: str,
    members: tuple[str, ...],
    file: Path | None,
    size: int | None,
    count: int,
    wait_s: float,
    as_json: bool,
    **options: Any,
) -> None:
    """Write samples on a topic that somebody reads.

    A foreign type is fetched from who announces it (type discovery, DDS-XTypes). Members that are
    not given have the type's defaults: 0, empty, the first enumerator. What reads the topic acts on
    it.

    Samples of Busmark's types bear a cookie of their own: participants that measure count them as
    foreign traffic, and no figure has them. Exit code 1 if nobody reads the topic.
    """
    from busmark.plugins.bus import foreign
    from busmark.plugins.bus.caller import Caller

    bus = attachment(options)
    need_list(bus)
    given = _value(file), _members(members)
    with Caller.on(bus) as caller, _somebody():
        readers = _endpoints(caller, topic, "reader", wait_s)
        if is_ours(readers):
            if any(given):
                raise UserError(
                    f"{readers[0]['type_name']} is a type of Busmark's: its body has no members",
                    where=topic,
                    remedy="Give --size.",
                )
            size = BODY_BYTES if size is None else size
            message, words = _injected(caller, bus, topic, readers, size, count)
            readers = []
    if readers:
        if size is not None:
            text = f"is of {readers[0]['type_name']}, and only bodies of Busmark's have a size"
            raise UserError(f"the topic {text}", where="--size", remedy="Give its members.")
        message = foreign.write(bus, topic, wait_s, *given, count)
        words = _of_foreign(message)
    if as_json:
        echo(json.dumps(message))
    elif message is not None:
        echo(words)
    sys.exit(0 if message is not None else 2)


def _members(words: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the members that are given, each with its text."""
    found = []
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise UserError(f"{word!r} is not MEMBER=VALUE", where="MEMBER=VALUE")
        found.append((name, text))
    return found


def _value(file: Path | None) -> Message:
    """Return the value in a file.

    Raises:
        UserError: it cannot be read, or is no object of JSON.
    """
    if file is None:
        return {}
    with refused("cannot be read", file, "Name a JSON file."):
        content = files.content(file, files.SMALL)
    try:
        value = json.loads(content)
    except ValueError as error:
        raise UserError(f"is not JSON: {error}", where=str(file)) from None
    if not isinstance(value, dict):
        raise UserError("is no object of JSON", where=str(file))
    return value


def _of_foreign(message: Message) -> str:
    what = f"{plural(message['written'], 'sample')} of {message['type_name']}"
    readers = plural(message["readers"], "reader")
    late = "" if message["acknowledged"] else ", not all of which have acknowledged"
    return f"{what} written to {readers}{late}: {brief(message['value'])}"


def injected(
    caller: Caller, bus: Attachment, topic: str, size: int, count: int, wait_s: float
) -> tuple[Message | None, str]:
    """Write these samples; return the message about it, or None, and a sentence.

    Raises:
        Nobody: no reader of the topic was found.
        UserError: its type is foreign, or its readers cannot all be met.
    """
    readers = _endpoints(caller, topic, "reader", wait_s)
    return _injected(caller, bus, topic, readers, size, count)


def _injected(
    caller: Caller, bus: Attachment, topic: str, readers: list[Message], size: int, count: int
) -> tuple[Message | None, str]:
    payload, keyed = payload_on(topic, readers)
    caller.ask(
        {
            "inject": {
                "topic": topic,
                "payload": payload,
                "keyed": keyed,
                "size": size,
                "count": count,
                "readers": len(readers),
                "qos": _of_writer(bus, topic, readers),
            }
        }
    )
    message = caller.text("injected")
    if message is None:
        return None, "it is not known whether they were written"
    found = message["readers"] if message["readers"] is not None else len(readers)
    what = f"{plural(message['injected'], 'sample')} of {plural(size, 'byte')}"
    return message, f"{what} written to {plural(found, 'reader')}"


def is_ours(endpoints: list[Message]) -> bool:
    """Return whether the type of some of these is Busmark's."""
    from busmark.plugins.bus.found import payload_of

    return any(payload_of(one["type_name"]) is not None for one in endpoints)


class Nobody(UserError):
    """Nobody writes, or reads, a topic. Exit code 1."""


@contextmanager
def _somebody() -> Iterator[None]:
    """End the command with exit code 1 where nobody is there."""
    try:
        yield
    except Nobody as error:
        echo(str(error), err=True)
        sys.exit(1)


def _endpoints(caller: Caller, topic: str, kind: str, wait_s: float) -> list[Message]:
    """Return the endpoints of this kind on the topic, when no more have come for a while.

    Raises:
        Nobody: there are none.
    """
    from busmark.plugins.bus.found import LOOK_S, QUIET_S

    end = time.monotonic() + wait_s
    found: list[Message] = []
    since = time.monotonic()
    while time.monotonic() < end:
        seen = [
            one
            for one in caller.entities()["entities"]
            if one["topic"] == topic and one["kind"] == kind
        ]
        if {one["key"] for one in seen} != {one["key"] for one in found}:
            found, since = seen, time.monotonic()
        if found and time.monotonic() - since >= QUIET_S / 2:
            break
        time.sleep(LOOK_S)
    if not found:
        raise Nobody(
            f"no {kind} of topic {topic} was found within {wait_s:g} s: {_others(caller, kind)}",
            remedy=caller.attachment.elsewhere(),
        )
    return found


def _others(caller: Caller, kind: str) -> str:
    """Return which topics have such ends, but for those by which participants are driven."""
    from busmark.plugins.bus.found import CONTROL

    seen = caller.entities()["entities"]
    topics = sorted({one["topic"] for one in seen if one["kind"] == kind} - CONTROL)
    if not topics:
        return f"no topic here has a {kind}"
    more = f" and {len(topics) - MOST_SHOWN} more" if len(topics) > MOST_SHOWN else ""
    return f"there are {kind}s of {', '.join(topics[:MOST_SHOWN])}{more}"


def payload_on(topic: str, endpoints: list[Message]) -> tuple[str, bool]:
    """Return the payload kind of these endpoints of a topic, and whether it has a key.

    Raises:
        UserError: the type is not Busmark's.
    """
    from busmark.plugins.bus.found import payload_of

    types = sorted({one["type_name"] for one in endpoints})
    kinds = {payload_of(name) for name in types}
    if len(kinds) != 1 or None in kinds:
        raise UserError(
            f"topic {topic} has the type {' and '.join(types)}: only Busmark's own types are read "
            "and written here",
            where="TOPIC",
            remedy="`busmark bus peek` and `inject` read and write foreign types.",
        )
    kind = kinds.pop()
    assert kind is not None
    return kind


def _common(topic: str, endpoints: list[Message]) -> dict[str, Any]:
    """Return the policies by which both sides must agree."""
    found: dict[str, Any] = {}
    for name in ("partition", "ownership_strength"):
        values = {(one["qos"] or {}).get(name) for one in endpoints}
        if name == "ownership_strength":
            values = {None if value is None else 0 for value in values}
        if len(values) > 1:
            raise UserError(
                f"endpoints of topic {topic} differ in {name}: they cannot all be met",
                where="TOPIC",
            )
        value = values.pop()
        if value is not None:
            found[name] = value.split(",")[0] if name == "partition" else value
    return found


def _declared(bus: Attachment, qos: dict[str, Any], words: dict[str, str]) -> dict[str, Any]:
    """Return those policies that the adapter has."""
    known = bus.offers()
    return {key: value for key, value in qos.items() if words.get(key, key) in known}


def _of_writer(bus: Attachment, topic: str, readers: list[Message]) -> dict[str, Any]:
    """Return the QoS that satisfies all of these readers."""
    from busmark.model.parameters import QOS

    asked = [one["qos"] or {} for one in readers]
    qos: dict[str, Any] = {"keep_all": False, **_common(topic, readers)}
    words = {"keep_all": "keep_last"}
    for name, word in (("reliable", "reliable"), ("transient_local", "transient_local")):
        if any(one.get(name) for one in asked):
            qos[name], words[name] = True, word
    for each in (policy for policy in QOS if policy.unless_asked is not None):
        times = [one[each.setting] for one in asked if one.get(each.setting) is not None]
        if times:
            qos[each.setting], words[each.setting] = min(times), str(each.needs)
    if any(one.get("order_by_source") for one in asked):
        qos["order_by_source"], words["order_by_source"] = True, "order_by_source"
    return {**_declared(bus, qos, words), "depth": 64}
