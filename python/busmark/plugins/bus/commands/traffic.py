"""`busmark bus traffic`: samples of every writer on a bus by their packets, foreign ones included.
Nobody joins for it, and no type need be known."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from busmark import files
from busmark.cli.documents import show_rows
from busmark.cli.options import Amount
from busmark.cli.output import echo
from busmark.errors import refused
from busmark.plugins.bus.commands.found import WAIT, need_list, short
from busmark.plugins.bus.commands.options import attached, attachment
from busmark.plugins.bus.commands.samples import brief

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from busmark.plugins.bus.attachment import Attachment
    from busmark.plugins.bus.caller import Message
    from busmark.plugins.bus.found import BusContents
    from busmark.plugins.own_types.value import Types


NS = 1e9


@dataclass(frozen=True)
class Sent:
    """Samples of one writer that were seen."""

    samples: int
    """Samples with different numbers."""
    rate_hz: float | None
    """Rate from the first to the last of them; None: fewer than two."""
    least_bytes: int
    most_bytes: int
    """Bytes of the smallest and of the largest sample, serialised, without encapsulation."""
    missing: int
    """Numbers between the first and the last that no packet had."""

    last: bytes | None = field(default=None, repr=False)
    """The last whole sample as it was serialised, with its encapsulation, if it was asked for."""


FIGURES = ("samples", "rate_hz", "least_bytes", "most_bytes", "missing")


def sent(captures: Sequence[Path], *, contents: bool = False) -> tuple[float, dict[str, Sent]]:
    """Return the seconds from the first packet of all captures to the last, and their samples by
    the GUIDs of their writers, as `entities` has keys of RTPS; with the last one of each if
    `contents`.

    Raises:
        UserError: a file cannot be read.
    """
    import polars as pl

    from busmark.plugins.capture.reading import read
    from busmark.plugins.capture.samples import all_samples

    parts: dict[str, list[pl.DataFrame]] = {}
    pieces: set[str] = set()
    last: dict[str, bytes] = {}
    times: list[int] = []
    for capture in captures:
        packets = read(capture, contents=contents)
        prefixes = packets.summary["prefixes"]
        for each in all_samples(packets):
            if each.protocol == "rtps" and each.source is not None:
                columns = {"number": each.numbers, "time": each.times, "bytes": each.payload}
                guid = f"{prefixes[each.source]}{each.writer:08x}"
                parts.setdefault(guid, []).append(pl.DataFrame(columns))
                if each.fragmented:
                    pieces.add(guid)
        ends = (packets.summary["first_ns"], packets.summary["last_ns"])
        times += [moment for moment in ends if moment is not None]
        last |= {
            f"{prefixes[one['source']]}{one['writer']:08x}": bytes.fromhex(one["bytes"])
            for one in packets.summary.get("contents", ())
        }
    seconds = (max(times) - min(times)) / NS if times else 0.0
    return seconds, {
        guid: replace(_sent(pl.concat(each), in_pieces=guid in pieces), last=last.get(guid))
        for guid, each in parts.items()
    }


def _sent(copies: pl.DataFrame, *, in_pieces: bool) -> Sent:
    """Count a writer's samples. One goes to each reader that has its own address; the first copy
    counts. In fragments, first and last may have begun before the capture or ended after it."""
    import polars as pl

    each = copies.group_by("number").agg(pl.col("time").min(), pl.col("bytes").max())
    first, last = each.select(begin=pl.col("time").min(), end=pl.col("time").max()).row(0)
    low, high = each.select(low=pl.col("number").min(), high=pl.col("number").max()).row(0)
    inner = each.filter(pl.col("number").is_between(low, high, closed="none"))
    sizes = (inner if in_pieces and inner.height else each)["bytes"]
    least, most = int(sizes.min() or 0), int(sizes.max() or 0)  # type: ignore[arg-type]
    count, span_ns = each.height, last - first
    rate = (count - 1) / (span_ns / NS) if count > 1 and span_ns > 0 else None
    return Sent(count, rate, least, most, high - low + 1 - count)


def writers(found: BusContents, seen: dict[str, Sent]) -> list[Message]:
    """Return the writers that were discovered or seen, with figures of their samples. A writer
    without a packet has 0 samples, one that was not announced no topic."""
    from busmark.plugins.bus.found import as_json

    lines = [one for one in as_json(found)["endpoints"] if one["kind"] == "writer"]
    announced = {one["key"] for one in lines}
    unknown = [
        {
            "key": key,
            "topic": None,
            "type_name": None,
            "whose": "not announced",
            "app": None,
            "group": None,
            "participant": key[:24],
            "qos": None,
        }
        for key in sorted(seen.keys() - announced)
    ]
    nothing = {**dict.fromkeys(FIGURES), "samples": 0}
    counted = {key: {name: getattr(one, name) for name in FIGURES} for key, one in seen.items()}
    return [{**one, **counted.get(one["key"], nothing)} for one in (*lines, *unknown)]


MOST_BYTES = 256 << 20
"""Size of the capture at which it ends."""


@click.command(epilog="Example: busmark bus traffic --adapter cyclonedds --topic 'rt/*'")
@click.option(
    "--for",
    "seconds",
    default="5s",
    show_default=True,
    metavar="TIME",
    type=Amount("time", 0.1, 600),
    help="How long packets are captured.",
)
@click.option(
    "--filter",
    "pattern",
    default="udp or tcp",
    show_default=True,
    metavar="FILTER",
    help="Which packets, as pcap-filter(7) has it.",
)
@click.option("--topic", metavar="PATTERN", help="Only writers on these topics.")
@click.option(
    "--idl",
    "idls",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Show the content of each writer's last sample, where this IDL file has its "
    "type; may be repeated.",
)
@click.option("--foreign", is_flag=True, help="Only what is not Busmark's.")
@WAIT
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@attached
def traffic(
    seconds: float,
    pattern: str,
    topic: str | None,
    idls: tuple[Path, ...],
    foreign: bool,
    wait_s: float,
    as_json: bool,
    **options: Any,
) -> None:
    """List the samples of every writer: topic, type, QoS, count, rate and size.

    Packets of the interface are captured (dumpcap, which may need root), so that foreign programs
    and types that nobody knows are counted too, and no writer has one more reader. Only RTPS over
    UDP or TCP can be seen: what goes through shared memory or is encrypted has no packets here.
    With --idl the last sample of each writer is shown, up to 1 MiB each.

    Exit code 1 if no sample was seen.
    """
    from busmark.plugins.bus.caller import Caller
    from busmark.plugins.bus.found import CONTROL, look, on_topic
    from busmark.plugins.own_types.value import Types
    from busmark.temporary import run_directory

    for idl in idls:
        with refused("cannot be read", idl, "Name an IDL file."):
            files.content(idl, files.SMALL)
    bus = attachment(options)
    need_list(bus)
    with run_directory() as folder:
        types = Types(idls, folder) if idls else None
        with Caller.on(bus) as caller:
            found = look(caller, wait_s)
            captures, dropped = _capture(places(bus, pattern), seconds, folder)
        seconds, seen = sent(captures, contents=types is not None)
        lines = writers(found, seen)
        if types is not None:
            _put_contents(lines, seen, types)
    lines = [one for one in lines if one["topic"] not in CONTROL]
    if topic is not None:
        lines = on_topic([one for one in lines if one["topic"]], topic)
    if foreign:
        lines = [one for one in lines if one["whose"] in ("foreign", "not announced")]
    if as_json:
        echo(
            json.dumps({"seconds": seconds, "dropped_packets": dropped, "writers": lines}, indent=2)
        )
    elif lines:
        heads = ("topic", "type", "whose", "samples seen", "rate, Hz", "size, B", "missing", "QoS")
        show_rows(f"Samples in {seconds:.1f} s", heads, map(_row, lines))
        for one in lines:
            if one.get("content"):
                content = one["content"]
                text = brief(content["value"]) if "value" in content else content["problem"]
                echo(f"{one['topic']} ({one['type_name']}), last sample: {text}")
    else:
        echo("No writer was found.")
    if not any(one["samples"] for one in lines) and (elsewhere := bus.elsewhere()):
        echo(elsewhere, err=True)
    sys.exit(0 if any(one["samples"] for one in lines) else 1)


def places(bus: Attachment, pattern: str) -> list[tuple[str, str]]:
    """Return the interfaces on which packets of the bus pass, each with its filter: what two
    programs of one machine send to the address of an interface passes the loopback."""
    from busmark.plugins.bus.attachment import LOOPBACK

    if bus.interface == LOOPBACK.interface:
        return [(bus.interface, pattern)]
    own = f"host {bus.address}"
    within = (LOOPBACK.interface, f"({pattern}) and {own}" if pattern else own)
    return [(bus.interface, pattern), within]


def _capture(
    places: Sequence[tuple[str, str]], seconds: float, folder: Path
) -> tuple[list[Path], int]:
    """Capture packets of these interfaces in this time; return the files, and how many packets the
    captures dropped.

    Raises:
        UserError: they cannot be captured.
    """
    from busmark.launcher import Start
    from busmark.plugins.capture.dumpcap import Settings, Site, Taking, check, run

    takings = []
    for interface, pattern in places:
        check(interface, pattern, "--filter")
        how = Settings(pattern, 0, MOST_BYTES, ring=False)
        packets, said = (folder / f"traffic.{interface}.{end}" for end in ("pcapng", "txt"))
        takings.append(Taking(Site(Start), interface, how, packets, said))
    run(takings, seconds, "--interface")
    for problem in (each for taking in takings for each in taking.problems):
        echo(problem, err=True)
    dropped = sum(taking.counts.dropped for taking in takings if taking.counts)
    if dropped:
        echo(
            f"{dropped:,} packets were dropped by the capture: missing samples may be among them. "
            "Capture less with --filter",
            err=True,
        )
    return [taking.path for taking in takings], dropped


def _put_contents(lines: list[Message], seen: Mapping[str, Sent], types: Types) -> None:
    """Add `content` to each line: `value` or `problem` where its type is known, else None."""
    last = {key: one.last for key, one in seen.items() if one.last is not None}
    known = [one for one in lines if one["key"] in last and one["type_name"]]
    contents = types.contents([(one["type_name"], last[one["key"]]) for one in known])
    for one in lines:
        one["content"] = None
    for one, content in zip(known, contents, strict=True):
        one["content"] = content or None


def _row(one: Message) -> tuple[str, ...]:
    from busmark.plugins.bus.found import qos_words

    who = f"app {one['app']}" if one["app"] is not None else one["whose"]
    if one["app"] is None:
        who += f" {short(one['participant'])}"
    if not one["samples"]:
        counted = ("0", "—", "—", "—")
    else:
        rate, least, most = one["rate_hz"], one["least_bytes"], one["most_bytes"]
        size = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        counted = (
            f"{one['samples']:,}",
            "—" if rate is None else f"{rate:,.4g}",
            size,
            f"{one['missing']:,}",
        )
    return (
        one["topic"] or "?",
        one["type_name"] or "?",
        who,
        *counted,
        qos_words({**PLAIN, **one["qos"]}) if one["qos"] else "—",
    )


PLAIN = {"depth": 1, "order_by_source": False}
"""Policies that `qos_words` expects, where nothing else is announced."""
