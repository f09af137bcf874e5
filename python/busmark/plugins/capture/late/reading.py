"""Reads the captures of a round of a result."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from busmark.errors import UserError
from busmark.plan import run_identity
from busmark.plugins.capture.late.wire import SCHEMA, File, Flow, Wire
from busmark.plugins.capture.reading import SILENT, decode
from busmark.plugins.capture.wire import end_text
from busmark.store.result import file_stem
from busmark.store.writer import ARTEFACTS
from busmark.temporary import WORK_PREFIX, run_directory

ANSWERED_SHIFT = 16
"""Above these bits of a header's flags is the writer that an answer answers."""


def captures(directory: Path, case: str, number: int) -> list[tuple[Path, str | None, str]]:
    """Return the files of the captures of one round, each with its node and its interface."""
    stem = f"{file_stem(case, number)}.capture."
    found = []
    for path in sorted((directory / ARTEFACTS).glob(f"{glob.escape(stem)}*.pcapng")):
        parts = path.name.removeprefix(stem).removesuffix(".pcapng").split(".", 1)
        node = parts[0] if len(parts) > 1 else None
        found.append((path, node, parts[-1]))
    return found


def read_round(
    files: Sequence[tuple[Path, str | None, str]],
    cookie: str,
    participants: pl.DataFrame,
    node: str | None = None,
    *,
    one_clock: bool = True,
    sample_bytes: Mapping[int, int] | None = None,
) -> Wire:
    """Read the packets of these files.

    Args:
        participants: the round's table, which has a pair of clocks for each host.
        node: on which the samples were recorded; files of other nodes are left out if these have
            another clock.
        sample_bytes: header and body of all samples of a writer, where they are all alike: where
            a sample ends in a stream that no decoder reads.

    Raises:
        UserError: no file can be read, or nobody recorded a pair of clocks.
    """
    rows: list[pl.DataFrame] = []
    flows: list[Flow] = []
    known: list[File] = []
    foreign: set[str] = set()
    for path, where, interface in files:
        if not one_clock and where != node:
            continue
        summary, table = _read(path, cookie, sample_bytes or {})
        shift = _shift(participants, where)
        number = len(known)
        known.append(_file(path, where, interface, summary))
        rows.append(_shaped(table, summary, number, len(flows), shift))
        flows += [_flow(number, each) for each in summary["flows"]]
        foreign |= {summary["prefixes"][index] for index in summary["foreign_prefixes"]}
    if not rows:
        raise UserError("the round has no capture on the host of its samples")
    return Wire(pl.concat(rows), flows, known, foreign)


def read_file(path: Path, agent_ports: Sequence[int], known: pl.DataFrame) -> Wire:
    """Read the packets of a file alone, by its own clock.

    Args:
        known: samples, by the columns that identify them in a row: what a header would say.
    """
    summary, table = _read(path, None, {}, agent_ports)
    kinds = {int(number): name for number, name in summary["kinds"].items()}
    carrying = [number for number, name in kinds.items() if name in CARRYING]
    own = ["sample_writer", "sample_seq"]
    by = [name for name in known.columns if name not in own]
    rows = table.drop(*own).with_row_index("row")
    named = rows.filter(pl.col("kind").is_in(carrying)).select(
        "row", *(pl.col(name).cast(kind) for name, kind in known.schema.items() if name in by)
    )
    found = pl.concat(
        [
            named.join(
                part.unique(key, keep="first", maintain_order=True).select(*key, *own),
                on=key,
                how="inner",
                nulls_equal=True,
            ).select("row", *own)
            for part, key in _keys(known)
        ]
    ).unique("row", keep="first", maintain_order=True)
    table = rows.join(found, on="row", how="left", maintain_order="left").with_columns(
        sample_flags=pl.when(pl.col("sample_seq").is_not_null()).then(0)
    )
    interface = next((each["name"] for each in summary["interfaces"] if each["name"]), "capture")
    flows = [_flow(0, each) for each in summary["flows"]]
    file = _file(path, None, interface, summary)
    return Wire(_shaped(table, summary, 0, 0, 0), flows, [file])


CARRYING = ("DATA", "DATA_FRAG", "WRITE_DATA")


def _keys(known: pl.DataFrame) -> list[tuple[pl.DataFrame, list[str]]]:
    """Split samples into RTPS, reliable streams of DDS-XRCE, and others, each with the columns that
    identify one."""
    of_rtps = pl.col("source").is_not_null()
    numbered = pl.col("last_seq").is_not_null()
    return [
        (known.filter(of_rtps), ["flow", "source", "writer", "last_seq"]),
        (known.filter(~of_rtps & numbered),
         ["flow", "writer", "stream", "last_seq", "payload_hash"]),
        (known.filter(~of_rtps & ~numbered), ["flow", "packet", "payload_hash"]),
    ]  # fmt: skip


def _file(path: Path, node: str | None, interface: str, summary: dict[str, Any]) -> File:
    dropped = [each["dropped"] for each in summary["interfaces"]]
    lost = None if None in dropped else sum(dropped)
    return File(path.name, node, interface, lost, summary["noticed"]["incomplete_datagrams"])


def _flow(file: int, each: dict[str, Any]) -> Flow:
    return Flow(file, each["transport"], end_text(each, "source"), end_text(each, "destination"))


def _shift(participants: pl.DataFrame, node: str | None) -> int:
    """Subtract CLOCK_MONOTONIC of a host from its CLOCK_REALTIME."""
    pairs = participants.drop_nulls(["monotonic_ns", "realtime_ns"])
    here = pairs.filter(pl.col("node").eq_missing(pl.lit(node)))
    chosen = here if here.height else pairs
    if not chosen.height:
        raise UserError("the round has no pair of clocks, by which packets are put beside samples")
    best = chosen.sort("realtime_bound_ns", nulls_last=True).row(0, named=True)
    return int(best["realtime_ns"]) - int(best["monotonic_ns"])


def _read(
    path: Path, cookie: str | None, sample_bytes: Mapping[int, int], agent_ports: Sequence[int] = ()
) -> tuple[dict[str, Any], pl.DataFrame]:
    sizes = [
        word
        for writer, length in sample_bytes.items()
        for word in ("--sample-bytes", f"{writer}:{length}")
    ]
    sizes += [word for port in agent_ports for word in ("--agent-port", str(port))]
    if cookie is not None:
        sizes += ["--cookie", cookie, "--topic", run_identity(int(cookie, 16))]
    with run_directory(WORK_PREFIX) as folder:
        table = folder / "packets.arrow"
        summary = decode(path, table, *sizes)
        silent = [int(k) for k in summary["kinds"] if summary["kinds"][k] in SILENT]
        wanted = (pl.col("part") == 0) | ~pl.col("kind").is_in(silent).fill_null(value=False)
        # Read at once: the file is gone afterwards.
        return summary, pl.scan_ipc(table).filter(wanted).collect()


def _shaped(
    table: pl.DataFrame, summary: dict[str, Any], file: int, first_flow: int, shift: int
) -> pl.DataFrame:
    kinds = {int(number): name for number, name in summary["kinds"].items()}
    protocols = dict(enumerate(summary["protocols"]))
    prefixes = dict(enumerate(summary["prefixes"]))

    def named(column: str, names: dict[int, str]) -> pl.Expr:
        code = pl.col(column).cast(pl.Int64)
        return code.replace_strict(names, default=None, return_dtype=pl.String)

    flags = pl.col("sample_flags").cast(pl.Int64)
    made = table.lazy().with_columns(
        file=pl.lit(file, pl.Int64),
        time_ns=pl.col("time_ns") - shift,
        begun_ns=pl.col("begun_ns") - shift,
        flow=pl.col("flow").cast(pl.Int64) + first_flow,
        protocol=named("protocol", protocols),
        kind=named("kind", kinds),
        source=named("source", prefixes),
        destination=named("destination", prefixes),
        answered=flags // (1 << ANSWERED_SHIFT),
    )
    return made.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items()).collect()
