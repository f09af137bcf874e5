"""Captures of a campaign's rounds: whether they can be made, and the tables `hops` and `wire` and
figures that they give. See `busmark.control.hooks.Captures`."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import cast

import polars as pl

from busmark.adapters import Adapter
from busmark.control.hooks import RoundPackets
from busmark.control.round import RoundData
from busmark.control.waiting import in_thread
from busmark.errors import UserError
from busmark.files import SUFFIX
from busmark.launcher import Launched, Start
from busmark.nodes import Node
from busmark.plugins.capture import dumpcap
from busmark.plugins.capture.dumpcap.permit import question
from busmark.plugins.capture.planned import (
    CAPTURE_S,
    LOOPBACK,
    nothing,
    of_captures,
    on_network,
    pattern,
)
from busmark.plugins.capture.section import CaptureSection
from busmark.plugins.capture.wire import (
    HEADER_BYTES,
    MOST,
    Capture,
    Decoding,
    Undecodable,
    command,
    costs,
    decoded,
    passages,
)
from busmark.scenario import Scenario
from busmark.store import Case
from busmark.store.columns import WARM_UP, polars_schema


def check(
    scenario: Scenario,
    cases: Sequence[Case],
    adapters: Mapping[str, Adapter],
    nodes: Sequence[Node] = (),
) -> None:
    """Ask dumpcap here, where cases run here or in a lab, and on these nodes.

    Raises:
        UserError: there is nothing to capture, or it cannot be captured.
    """
    capture = scenario.of_plugin("capture")
    planned = [case for case in cases if case.status == "planned"]
    if capture is None or not planned:
        return
    seen = [case for case in planned if on_network(case.params, adapters)]
    if not seen:
        raise UserError(
            nothing(planned[0].params, adapters),
            where="capture",
            remedy="Leave `capture` out, or measure a transport that uses the network: `busmark "
            "adapters` lists them.",
        )
    _check_here(scenario, capture, seen, adapters)
    remote = [case for case in seen if case.params.network == "nodes"]
    for node in nodes if remote else ():
        text, interface = pattern(capture, remote[0].params, adapters), node.facts.address.interface
        where = f"nodes.{node.name}"
        if reason := dumpcap.refusal(node.asked(question(interface, text)), interface, text, where):
            raise reason


def _check_here(
    scenario: Scenario,
    capture: CaptureSection,
    seen: Sequence[Case],
    adapters: Mapping[str, Adapter],
) -> None:
    asked = {
        # A lab's interfaces are not there yet.
        (
            scenario.run.interface if case.params.writer_on is None else LOOPBACK,
            pattern(capture, case.params, adapters),
        )
        for case in seen
        if case.params.network != "nodes"
    }
    for interface, text in sorted(asked):
        dumpcap.check(interface, text)


__all__ = ["CAPTURE_S", "check", "decode", "of_captures"]

NAME = "hops"
"""Name among the companions of a round."""
LIMIT_S = 3600.0
"""A capture that takes longer to decode has no table."""
STEP_NS = 1_000_000
"""A wall clock that moved by more than this against CLOCK_MONOTONIC was set."""
CONTROL = ("heartbeat", "acknowledgement", "gap", "tcp_acknowledgement")
OF_OTHERS = {"foreign", "unattributed"}
"""Purposes that are no cost of the run."""
FAILURES = (
    Undecodable,
    UserError,
    OSError,
    TimeoutError,
    MemoryError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)


async def decode(
    case: Case, number: int, data: RoundData, cookie: int, folder: Path
) -> RoundPackets:
    """Count the packets of a round that has ended, and decode its captures. Whatever fails, the
    round is kept: what could not be done is among what its companions say. `folder` is for files
    meanwhile."""
    if not data.captures:
        return RoundPackets()
    said: list[str] = []
    tables: list[Path] = []
    try:
        found = await _decoded(data, cookie, folder, tables, said)
        wire = await in_thread(_wire, case, number, data, found, said)
    except FAILURES as error:
        said.append(f"the packets were not evaluated: {_first(error)}")
        wire = RoundPackets()
    finally:
        for table in tables:
            table.unlink(missing_ok=True)
    if said:
        data.companions[NAME] = said
    return RoundPackets(wire.frames, _counts(data) | wire.figures)


def _counts(data: RoundData) -> dict[str, int | None]:
    """Return what was captured on all interfaces."""
    drops = ("kernel_drops", "interface_drops", "dumpcap_drops")
    return {
        "captured": sum(each["packets"] for each in data.captures),
        "captured_bytes": sum(each["bytes"] for each in data.captures),
        "capture_dropped": sum(each[drop] for each in data.captures for drop in drops),
    }


async def _decoded(
    data: RoundData, cookie: int, folder: Path, tables: list[Path], said: list[str]
) -> list[Decoding]:
    """Decode all captures that can be, one after the other; add the reasons of others to `said`."""
    window, sizes = _window(data), _sample_bytes(data)
    found = []
    for capture in _captures(data, said):
        table = folder / f"unfinished.packets.{len(tables)}.arrow{SUFFIX}"
        tables.append(table)
        try:
            words = command(capture, table, cookie, window, sizes)
            found.append(decoded(capture, table, *await _run(words)))
        except FAILURES as error:
            said.append(f"packets of {_place(capture)} were not evaluated: {_first(error)}")
    return found


async def _run(words: list[str]) -> tuple[int, str, str]:
    """Run a command: exit code, output and errors. Kill it where this is cancelled."""
    with Launched(Start(words), "round", stdin=DEVNULL, stdout=PIPE, stderr=PIPE) as process:
        try:
            output, errors = await in_thread(process.complete, LIMIT_S)
        except TimeoutError:
            raise TimeoutError(f"it took more than {LIMIT_S:.0f} s") from None
        except asyncio.CancelledError:
            process.kill()
            raise
        return process.returncode or 0, output, errors


def _wire(
    case: Case, number: int, data: RoundData, found: list[Decoding], said: list[str]
) -> RoundPackets:
    key = {"case": case.id, "round": number}
    if not found:
        return RoundPackets()
    flows = {end: flow.name for end, (flow, _) in data.flows.ends.items()}
    hops = passages(found, flows.get).with_columns(
        pl.lit(value).alias(name) for name, value in key.items()
    )
    if hops.height >= MOST:
        said.append(f"only the first {MOST:,} passages of samples are in the table `hops`")
    for each in found:
        if each.fault:
            said.append(f"the packets of {_place(each.capture)} end early: {each.fault}")
    schema = pl.Schema(polars_schema("hops"))
    frames: dict[str, pl.DataFrame | None] = {"hops": hops.select(list(schema)).cast(schema)}
    # Costs of a part of what was on the wire would be read as costs of the whole.
    if len(found) < len(data.captures) or any(each.fault for each in found):
        return RoundPackets(frames)
    spent = costs(found)
    rows = [{**key, "purpose": purpose, **counts} for purpose, counts in spent.items()]
    frames["wire"] = pl.DataFrame(rows, schema=polars_schema("wire"))
    figures = _figures(spent, _samples(found, _window(data)))
    if not figures["wire_samples"]:
        figures["wire_samples"] = _unseen(data, figures["wire_bytes"] or 0)
    return RoundPackets(frames, figures)


def _figures(spent: Mapping[str, Mapping[str, int]], samples: int) -> dict[str, int | None]:
    own = [purpose for purpose in spent if purpose not in OF_OTHERS]

    def total(name: str, purposes: Iterable[str] = own) -> int:
        return sum(spent[purpose][name] for purpose in purposes if purpose in spent)

    discovery = spent.get("discovery", {})
    return {
        "wire_samples": samples,
        "wire_packets": total("window_packets"),
        "wire_bytes": total("window_wire_bytes"),
        "wire_control_bytes": total("window_wire_bytes", CONTROL),
        "wire_repeated_bytes": total("window_wire_bytes", ["retransmission"]),
        "wire_discovery_packets": discovery.get("packets"),
        "wire_discovery_bytes": discovery.get("wire_bytes"),
    }


def _samples(found: list[Decoding], window: tuple[int, int]) -> int:
    """Count the different samples that ended within the window, on any hop."""
    seen = [
        pl.scan_ipc(each.table)
        .filter(
            pl.col("sample_seq").is_not_null()
            & (pl.col("time_ns") >= window[0])
            & (pl.col("time_ns") < window[1])
        )
        .select(
            "sample_writer",
            "sample_seq",
            answered=pl.col("sample_flags") // 0x10000,
            warm_up=pl.col("sample_flags") & WARM_UP,
        )
        for each in found
    ]
    return int(pl.concat(seen).unique().select(pl.len()).collect(engine="streaming").item())


def _captures(data: RoundData, said: list[str]) -> Iterator[Capture]:
    offsets = {row["node"]: row["realtime_ns"] - row["monotonic_ns"] for row in data.participants}
    for row in data.captures:
        node = row["node"]
        # A node that holds only a server has no participant; all may have one clock.
        offset = offsets.get(node, next(iter(offsets.values()), None) if data.one_clock else None)
        capture = Capture(data.artefacts[f"capture.{row['file']}"], row["interface"], node, offset)
        if node is None and offset is not None:
            moved = time.time_ns() - time.monotonic_ns() - offset
            if abs(moved) > STEP_NS:
                said.append(
                    f"the wall clock was set by {moved / 1e6:.1f} ms in the round: times of "
                    f"packets on {_place(capture)} may be off by as much"
                )
        yield capture


def _unseen(data: RoundData, wire_bytes: int) -> int:
    """Estimate how many samples passed although none can be recognised, as in encrypted packets:
    all that were written and answered. Return 0 where the packets are too few to hold them: then
    they went another way, such as shared memory."""
    first = min((report["begin_ns"] for report in data.run), default=0)
    probes = {role["writer"]: role["rows"] for role in data.roles if role["role"] == "transmitter"}
    samples = least = 0.0
    for report in data.run:
        flow = data.flows.flow_of(report["writer"])
        if flow is None or flow.kind == "discovery":
            continue
        span = report["end_ns"] - report["begin_ns"]
        # A writer that was still warming up when the first one began wrote at the same pace.
        ahead = (report["end_ns"] - first) / span if data.one_clock and span > 0 else 1.0
        count = report["sent"] * ahead
        if flow.kind == "stream":
            answered = probes.get(report["writer"], 0) if flow.answers else 0
        elif flow.kind == "service":
            answered = count
        elif flow.kind == "pings" or flow.batch_ack == "each":
            answered = count * len(flow.answering)
        else:
            answered = 0
        count += answered
        samples += count
        least += count * (HEADER_BYTES + (flow.size if flow.size_distribution is None else 0))
    return round(samples) if wire_bytes >= least else 0


def _window(data: RoundData) -> tuple[int, int]:
    """Return the measured time by CLOCK_REALTIME: from the first writer's begin until the last
    sample was read, for a writer's end is the moment before its last sample."""
    offsets = {
        row["participant"]: row["realtime_ns"] - row["monotonic_ns"] for row in data.participants
    }

    def wall_ns(number: int, moment_ns: int) -> int | None:
        offset = offsets.get(data.flows.ends[number][1].participant.name)
        return None if offset is None else moment_ns + offset

    known = [report for report in data.run if report["writer"] in data.flows.ends]
    begun = [wall_ns(report["writer"], report["begin_ns"]) for report in known]
    ended = [wall_ns(report["writer"], report["end_ns"]) for report in known]
    for role in data.roles:
        ended += [
            wall_ns(role["writer"], counted["span_ns"][1])
            for counted in role["intervals"]
            if role["role"] == "receiver" and counted["span_ns"]
        ]
    for frame in data.frames:
        if frame.role in ("pinger", "client") and frame.writer in data.flows.ends:
            last = pl.read_ipc_stream(io.BytesIO(frame.data), columns=["read_ns"])["read_ns"].max()
            ended.append(None if last is None else wall_ns(frame.writer, cast(int, last) + 1))
    return (
        min((moment for moment in begun if moment is not None), default=0),
        max((moment for moment in ended if moment is not None), default=0),
    )


def _sample_bytes(data: RoundData) -> dict[int, int]:
    """Return the bytes of header and body of each sample of a writer, where they are all alike."""
    alike = [flow for flow in data.flows.flows if flow.size_distribution is None]
    found = {
        end.number: HEADER_BYTES + flow.size
        for flow in alike
        if flow.kind in ("pings", "stream", "service")
        for end in (flow.ends if flow.kind == "pings" else flow.writers)
    }
    return found | {
        end.number: HEADER_BYTES + (flow.size if flow.response_size is None else flow.response_size)
        for flow in alike
        if flow.kind == "service"
        for end in flow.readers
    }


def _place(capture: Capture) -> str:
    return f"{capture.interface} on {capture.node}" if capture.node else capture.interface


def _first(error: BaseException) -> str:
    return (str(error).partition("\n")[0] or type(error).__name__)[:200]
