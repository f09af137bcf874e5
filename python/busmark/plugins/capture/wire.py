"""What passed the wire in a round: its samples on every hop, and what packets were for; by
`busmark-packets`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from busmark.adapters import packets as program
from busmark.plan import run_identity
from busmark.store.columns import WARM_UP, polars_schema

HEADER_BYTES = 64
"""Bytes of a sample before its body."""


class Undecodable(Exception):
    """A capture cannot be decoded; says why."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A file of packets of a round."""

    path: Path
    interface: str
    node: str | None
    """Node on which it was captured; None: this machine."""
    offset_ns: int | None
    """CLOCK_REALTIME minus CLOCK_MONOTONIC there, in this round; None: not known."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """A capture that was decoded: its table and its summary."""

    capture: Capture
    table: Path
    """Rows that carry samples, as Arrow IPC."""
    summary: dict[str, Any]

    @property
    def fault(self) -> str | None:
        """Return why reading ended before the end of the file."""
        found = self.summary["fault"]
        return f"{found['what']} (at byte {found['offset']})" if found else None


def command(
    capture: Capture,
    table: Path,
    cookie: int,
    window: tuple[int, int],
    sample_bytes: Mapping[int, int],
) -> list[str]:
    """Return what decodes it.

    Args:
        window: times by CLOCK_REALTIME for which costs are counted apart.
        sample_bytes: header and body of all samples of a writer, where they are all alike.
    """
    sizes = [
        word
        for writer, length in sample_bytes.items()
        for word in ("--sample-bytes", f"{writer}:{length}")
    ]
    return [
        str(program()),
        "--cookie",
        f"{cookie:016x}",
        "--topic",
        run_identity(cookie),
        "--window",
        f"{window[0]}:{window[1]}",
        *sizes,
        "--samples-only",
        "--table",
        str(table),
        "--",
        str(capture.path),
    ]


def decoded(capture: Capture, table: Path, returncode: int, said: str, errors: str) -> Decoding:
    """Return what the command has found.

    Raises:
        Undecodable: it has failed.
    """
    if returncode != 0:
        last = errors.strip().splitlines()[-1:] or [f"it ended with {returncode}"]
        raise Undecodable(last[0].removeprefix("busmark-packets: "))
    try:
        summary = json.loads(said)
    except ValueError:
        raise Undecodable("what it printed is no summary") from None
    return Decoding(capture, table, summary)


def end_text(flow: Mapping[str, Any], end: str) -> str:
    """Return address and port of an end of a flow."""
    address, port = flow[end], flow[f"{end}_port"]
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def reverse_flows(flows: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Return the opposite flow of each of a summary."""
    return opposites(
        (
            (flow["interface"], flow["transport"]),
            *((flow[end], flow[f"{end}_port"]) for end in ("source", "destination")),
        )
        for flow in flows
    )


def opposites(flows: Iterable[tuple[Any, ...]]) -> dict[int, int]:
    """Return the opposite of each flow, which is where it is, its source and its destination; where
    a connection was opened again, the one of the same time."""
    found: dict[int, int] = {}
    waiting: dict[tuple[Any, ...], int] = {}
    for number, (place, source, destination) in enumerate(flows):
        other = waiting.pop((place, destination, source), None)
        if other is None:
            waiting[place, source, destination] = number
        else:
            found[number], found[other] = other, number
    return found


MOST = 2_000_000
"""Passages of a round that are kept: the first ones."""
COLUMNS = (
    "packet",
    "time_ns",
    "begun_ns",
    "flow",
    "protocol",
    "source",
    "writer",
    "first_seq",
    "fragment",
    "repeated",
    "carrying_packets",
    "carrying_bytes",
    "sample_writer",
    "sample_seq",
    "sample_flags",
    "kind",
    "stream",
    "last_seq",
    "stream_end",
)
"""Columns that are read of samples in the table."""
ANSWERS = (
    "time_ns",
    "flow",
    "kind",
    "source",
    "destination",
    "writer",
    "reader",
    "stream",
    "first_seq",
    "acked",
)
"""Columns that are read of confirmations."""
CONFIRMED = ("confirmed_ns", "acknowledged_ns")
PROTOCOLS = {"rtps": "rtps", "xrce": "xrce", "busmark": "busmark"}
"""Protocols that are read; samples in others are found by their header alone."""
WHOLE = ("flow", "source", "writer", "first_seq")
"""Columns in which the fragments of one sample of RTPS agree."""
KEY = ("hop", "sample_writer", "sample_seq", "answered", "warm_up")


def passages(found: Sequence[Decoding], flow_of: Callable[[int], str | None]) -> pl.DataFrame:
    """Make the rows of the table `hops` but for case and round, in the order of time. `flow_of`
    names the flow of the case to which a writer belongs."""
    hops: list[dict[str, Any]] = []
    frames = [_of_capture(each, hops) for each in found]
    schema = polars_schema("hops")
    if not hops:
        return pl.DataFrame(schema=schema)
    rows = pl.concat(frames).sort("time_ns", maintain_order=True)
    again = pl.int_range(pl.len(), dtype=pl.Int64).over(KEY)
    writers = rows["sample_writer"].unique().to_list()
    named = pl.DataFrame(
        {"sample_writer": writers, "named": [flow_of(writer) for writer in writers]},
        schema={"sample_writer": rows.schema["sample_writer"], "named": pl.String()},
    )
    whole = (
        rows.with_columns(again.alias("repeated"))
        .join(named, on="sample_writer", how="left", maintain_order="left")
        .join(
            pl.DataFrame(hops, infer_schema_length=None),
            on="hop",
            how="left",
            maintain_order="left",
        )
        .with_columns(
            flow="named",
            writer="sample_writer",
            seq="sample_seq",
            begun_ns=pl.col("begun_ns") - pl.col("offset_ns"),
            time_ns=pl.col("time_ns") - pl.col("offset_ns"),
            **{name: pl.col(name) - pl.col("offset_ns") for name in CONFIRMED},
        )
    )
    absent = [pl.lit(None).alias(name) for name in schema if name not in whole.columns]
    return whole.with_columns(absent).select(
        pl.col(name).cast(kind) for name, kind in schema.items()
    )


def _of_capture(found: Decoding, hops: list[dict[str, Any]]) -> pl.DataFrame:
    """Return the passages in one file, each with the number of its hop; add these hops."""
    table = pl.scan_ipc(found.table)
    carries = pl.col("sample_seq").is_not_null() | (pl.col("fragment").is_not_null())
    rows = table.filter(carries).select(COLUMNS).head(MOST).collect()
    answers = table.filter(~carries | pl.col("acked").is_not_null()).select(ANSWERS)
    rows = confirmed(rows, answers.head(MOST).collect(), found.summary)
    first = len(hops)
    hops += _hops(found, first)
    # Several rows of a packet share it.
    sharing = pl.len().over("flow", "packet")
    rows = rows.with_columns(
        sharing=sharing,
        share=pl.col("carrying_bytes") / sharing,
        begun_ns=pl.min_horizontal("begun_ns", "time_ns"),
        protocol=pl.col("protocol").replace_strict(
            {
                number: PROTOCOLS.get(name, "other")
                for number, name in enumerate(found.summary["protocols"])
            },
            return_dtype=pl.String,
        ),
    )
    whole = rows.filter(pl.col("fragment").is_null()).select(
        *_shared(pl.col("carrying_packets"), pl.col("share"), pl.col("sharing"))
    )
    pieces = _put_together(rows.filter(pl.col("fragment").is_not_null()))
    both = pl.concat([whole, pieces])
    return both.with_columns(
        hop=pl.col("flow").cast(pl.Int64) + first,
        warm_up=pl.col("sample_flags") & WARM_UP != 0,
        answered=pl.when(pl.col("sample_flags") > 0xFFFF).then(pl.col("sample_flags") // 0x10000),
    ).drop("flow")


def _shared(packets: pl.Expr, share: pl.Expr, sharing: pl.Expr) -> list[pl.Expr]:
    return [
        pl.col(
            "flow",
            "protocol",
            "packet",
            "time_ns",
            "begun_ns",
            "sample_writer",
            "sample_seq",
            "sample_flags",
            *CONFIRMED,
        ),
        packets.cast(pl.Int64).alias("packets"),
        share.cast(pl.Float64).alias("wire_bytes"),
        sharing.cast(pl.Int64).alias("sharing"),
    ]


def _put_together(rows: pl.DataFrame) -> pl.DataFrame:
    """Put together samples in fragments of RTPS: one passage of the fragments that came first, and
    one of those that came again. A sample whose first fragment is not there is not recognised."""
    named = (
        rows.filter(pl.col("sample_seq").is_not_null())
        .unique(WHOLE, keep="first")
        .select(*WHOLE, pl.col("sample_writer", "sample_seq", "sample_flags"))
    )
    again = pl.col("repeated").fill_null(value=False)
    gathered = (
        rows.drop("sample_writer", "sample_seq", "sample_flags", "repeated")
        .with_columns(again=rows.select(again).to_series())
        .group_by(*WHOLE, "again", maintain_order=True)
        .agg(
            pl.col("protocol").first(),
            pl.col("packet").last(),
            pl.col("time_ns").max(),
            pl.col("begun_ns").min(),
            pl.col(*CONFIRMED).max(),
            # Each fragment in a packet has the same number.
            (pl.col("carrying_packets") / pl.col("sharing")).sum().ceil().alias("carrying_packets"),
            pl.col("share").sum(),
            pl.lit(1).alias("sharing"),
        )
    )
    return gathered.join(named, on=WHOLE, how="inner", maintain_order="left").select(
        *_shared(pl.col("carrying_packets"), pl.col("share"), pl.col("sharing"))
    )


def _hops(found: Decoding, first: int) -> list[dict[str, Any]]:
    capture = found.capture
    return [
        {
            "hop": first + number,
            "node": capture.node,
            "interface": capture.interface,
            "transport": flow["transport"],
            "source": end_text(flow, "source"),
            "destination": end_text(flow, "destination"),
            "offset_ns": capture.offset_ns,
        }
        for number, flow in enumerate(found.summary["flows"])
    ]


ROW = "row"


def confirmed(
    rows: pl.DataFrame, answers: pl.DataFrame, summary: Mapping[str, Any]
) -> pl.DataFrame:
    """Add `confirmed_ns` and `acknowledged_ns` to the rows of samples; `answers` are rows with an
    ACKNACK, or with what TCP acknowledges.

    Where RTPS has several readers, the confirmation of the last one counts.
    """
    back = pl.DataFrame(
        list(reverse_flows(summary["flows"]).items()),
        schema={"flow": rows.schema["flow"], "back": rows.schema["flow"]},
        orient="row",
    )
    numbered = rows.with_row_index(ROW).join(back, on="flow", how="left", maintain_order="left")
    by_number = numbered.with_columns(wanted=pl.col("last_seq") + 1)
    kinds = {
        (number // 256, kind): int(number)
        for number, kind in ((int(text), kind) for text, kind in summary["kinds"].items())
    }
    rtps, xrce = kinds.get((0, "ACKNACK")), kinds.get((1, "ACKNACK"))
    ends = by_number.filter(pl.col("stream_end").is_not_null()).with_columns(wanted="stream_end")
    found = {
        "confirmed_ns": pl.concat(
            [
                _by_readers(by_number, answers.filter(pl.col("kind") == rtps)),
                _first(
                    by_number.with_columns(flow="back"),
                    answers.filter(pl.col("kind") == xrce).with_columns(reached="first_seq"),
                    ("flow", "stream"),
                ),
            ]
        ),
        "acknowledged_ns": _first(
            ends.with_columns(flow="back"), answers.with_columns(reached="acked"), ("flow",)
        ),
    }
    for name, times in found.items():
        last = times.group_by(ROW).agg(pl.col("confirmed").max().alias(name))
        numbered = numbered.join(last, on=ROW, how="left", maintain_order="left")
    return numbered.drop(ROW, "back")


def _by_readers(samples: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """Find each reader's first answer; an ACKNACK is for the writer's prefix and number."""
    own = (
        answers.drop_nulls("destination")
        .with_columns(reached="first_seq", from_reader=pl.struct("source", "reader").rank("dense"))
        .with_columns(source="destination")
    )
    of_rtps = samples.filter(pl.col("source").is_not_null())
    each = [
        _first(of_rtps, group, ("source", "writer")) for _, group in own.group_by("from_reader")
    ]
    return pl.concat(each) if each else _first(of_rtps.clear(), own.clear(), ("source", "writer"))


def _first(samples: pl.DataFrame, answers: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    """Find for each sample the first answer after it that has reached what the sample wants."""
    steps = (
        answers.drop_nulls([*by, "reached"])
        .sort("time_ns")
        .with_columns(pl.col("reached").cast(pl.Int64).cum_max().over(by))
        .unique([*by, "reached"], keep="first", maintain_order=True)
        .sort("reached")
        .select(*by, "reached", confirmed="time_ns")
    )
    wanting = (
        samples.drop_nulls([*by, "wanted"])
        .with_columns(pl.col("wanted").cast(pl.Int64))
        .sort("wanted")
        .select(ROW, *by, "wanted", sent_ns=pl.coalesce("begun_ns", "time_ns"))
    )
    joined = wanting.join_asof(
        steps,
        left_on="wanted",
        right_on="reached",
        by=list(by),
        strategy="forward",
        check_sortedness=False,
    )
    # What was confirmed before it was sent belongs to a clock that was set, or to another session.
    return joined.filter(pl.col("confirmed") >= pl.col("sent_ns")).select(ROW, "confirmed")


PURPOSES = {
    "data": "a sample, or a piece of one, for the first time, whatever else is in the packet",
    "retransmission": "samples, or bytes of TCP, that went the same way before",
    "handshake": "participants of DDS authenticate each other, and exchange keys",
    "discovery": "discovery and liveliness of DDS",
    "heartbeat": "heartbeats of DDS and DDS-XRCE without a sample",
    "acknowledgement": "acknowledgements of DDS and DDS-XRCE, and requests for what is missing",
    "gap": "gaps of DDS alone",
    "encrypted": "submessages of DDS that cannot be read, for they are encrypted",
    "tcp_acknowledgement": "segments of TCP that only acknowledge",
    "other": "anything else, such as connections, subscriptions and answers of brokers",
    "foreign": "RTPS from and to participants that are not the run's, for they announce topics of "
    "their own; no cost of it",
    "unattributed": "connections without a sample of the run, that share no address and port with "
    "one that has some; no cost of it",
}
"""A packet is counted once, by the first of these that it has."""
LOOPBACK = ("127.", "::1")
COUNTS = ("packets", "wire_bytes", "window_packets", "window_wire_bytes")


def costs(found: Sequence[Decoding]) -> dict[str, dict[str, int]]:
    """Sum packets and bytes of all captures of a round by purpose, in the window and altogether.
    What was captured at both ends of a link is counted at the end that has more of it."""
    flows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for each in found:
        own: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for flow in each.summary["flows"]:
            own.setdefault(_key(each, flow), []).append(flow)
        for key, same in own.items():
            # Connections between the same ends one after the other are several flows.
            merged = {"packets": sum(flow["packets"] for flow in same), "flows": same}
            if key not in flows or flows[key]["packets"] < merged["packets"]:
                flows[key] = merged
    total: dict[str, dict[str, int]] = {}
    for flow in (one for merged in flows.values() for one in merged["flows"]):
        for purpose, counts in flow["costs"].items():
            sums = total.setdefault(purpose, dict.fromkeys(COUNTS, 0))
            for name in COUNTS:
                sums[name] += counts[name]
    return {purpose: total[purpose] for purpose in PURPOSES if purpose in total}


def _key(found: Decoding, flow: dict[str, Any]) -> tuple[Any, ...]:
    ends = tuple(
        flow[name] for name in ("source", "source_port", "destination", "destination_port")
    )
    # Addresses of loopback mean another end on each node.
    local = flow["source"].startswith(LOOPBACK) or flow["transport"] == "serial"
    return (flow["transport"], *ends, found.capture.node if local else None)
