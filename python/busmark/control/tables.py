"""From what a round yields to the rows that are stored."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, sqrt
from typing import Any

import numpy as np
import polars as pl

from busmark.control import discoveries, goals
from busmark.control.lengths import MARGIN
from busmark.control.precision import figures, goodput_blocks
from busmark.control.rates import answered_per_s, goodput, rates, written
from busmark.control.rates import figures as rate_figures
from busmark.control.records import NAME as ECHO_WRITTEN
from busmark.control.records import PROBE, with_echo_source, with_lost
from busmark.control.roles import sizes_of
from busmark.control.round import RoundData
from busmark.control.timeline import Phases, change_rows
from busmark.control.worker import Frame
from busmark.errors import RoundError
from busmark.findings.rule import duration, number, share
from busmark.load import parse as parse_load
from busmark.model.entry import EXCHANGES, SERVICES
from busmark.model.parameters import Parameters
from busmark.model.text import percent_text, plural, set_percent_text
from busmark.plan.counts import counted_per_s, is_timed
from busmark.plan.flows import PlannedFlow, flows
from busmark.plan.timeline import mean_rate_hz
from busmark.scenario.model import Criteria
from busmark.store import Case
from busmark.store.columns import PARAMETERS, TIMED, polars_schema
from busmark.store.result import UNREADABLE
from busmark.store.samples import RoundLatencies, one_way, round_trips

NS = 1e9
LATE = "late"
"""`ended` of a round whose writer fell so far behind its schedule that it was stopped."""
CHANCE = 5.0
"""Standard deviations: a Poisson stream falls so far short once in three million rounds."""


def samples(case: Case, round_number: int, data: RoundData, seed: int = 0) -> pl.DataFrame:
    """Return raw samples of all roles; `seed` is the round's, which decides sizes that vary."""
    schema = polars_schema("samples")
    read = [(frame, _raw(frame)) for frame in data.frames]
    received = sum(raw.height for _, raw in read)
    announced = sum(role["rows"] for role in data.roles)
    if received != announced:
        raise RoundError("garbage", f"{received} rows of samples, {announced} were announced")
    pongs = [raw for frame, raw in read if frame.role == RESPONDER]
    if data.record_every is not None:
        read = _with_timed([*read, *_silent(read, case.params, data)], data)
    phases = Phases(data.changes, one_clock=data.one_clock)
    frames = []
    for frame, raw in read:
        if frame.role == RESPONDER:
            continue
        constants = {
            "case": case.id,
            "round": round_number,
            "role": frame.role,
            "round_trip_ns": None,
            ECHO_WRITTEN: None,
            **_recorder(data, frame.role, frame.writer),
        }
        try:
            raw = raw.with_columns(pl.lit(value).alias(name) for name, value in constants.items())
            flow = data.flows.flow_of(frame.writer)
            raw = raw.with_columns(
                _sizes(flow, frame.role, raw["seq"], seed), phases.of_samples(raw)
            )
            if frame.role == "pinger":
                raw = with_echo_source(raw, pongs)
            frames.append(raw.select(pl.col(name).cast(kind) for name, kind in schema.items()))
        except UNREADABLE as error:
            raise _no_frame(frame, error) from None
    if not frames:
        return pl.DataFrame(schema=schema)
    whole = pl.concat(frames)
    return _without_late_stamps(whole) if data.one_clock else whole


def _silent(
    read: Sequence[tuple[Frame, pl.DataFrame]], params: Parameters, data: RoundData
) -> Iterator[tuple[Frame, pl.DataFrame]]:
    """Yield the rows of readers of a stream at a rate that received nothing, of which workers send
    no frame: none, so that all samples are known to be lost."""
    known = {frame.writer for frame, _ in read if frame.role == "receiver"}
    there = {role["writer"] for role in data.roles if role["role"] == "receiver"} - known
    nothing = pl.DataFrame(schema=polars_schema("samples"))
    for flow in data.flows.flows:
        for end in flow.readers if is_timed(flow, params) else ():
            if end.number in there:
                yield Frame("receiver", end.number, b""), nothing


def _with_timed(
    read: Sequence[tuple[Frame, pl.DataFrame]], data: RoundData
) -> list[tuple[Frame, pl.DataFrame]]:
    """Keep a receiver's rows of its probes, and add, as role `reader`, a row for each sample of a
    stream at a rate, also for lost ones."""
    raws = {frame.writer: raw for frame, raw in read if frame.role == "receiver"}
    every = data.record_every
    timed = with_lost(raws, data.flows, data.run, every) if every else {}
    rows = []
    for frame, raw in read:
        if frame.role == "receiver":
            raw = raw.filter(pl.col("flags") & PROBE != 0)
        rows.append((frame, raw))
        if (own := timed.get(frame.writer)) is not None and frame.role == "receiver":
            rows.append((replace(frame, role=TIMED), own))
    return rows


RESPONDER = "responder"
"""Role whose rows are of pongs, and become a column of the pings' rows."""


def _raw(frame: Frame) -> pl.DataFrame:
    """Read the rows of a frame as a worker sent them."""
    try:
        return pl.read_ipc_stream(io.BytesIO(frame.data))
    except UNREADABLE as error:
        raise _no_frame(frame, error) from None


def _no_frame(frame: Frame, error: BaseException) -> RoundError:
    first = str(error).partition("\n")[0]
    return RoundError("garbage", f"{frame.role}: not a frame of samples: {first}")


def of_case(table: pl.DataFrame, data: RoundData) -> pl.DataFrame:
    """Return the rows of measured flows, without the background."""
    background = [flow.name for flow in data.flows.flows if flow.background]
    if not background:
        return table
    return table.filter(~pl.col("flow").is_in(background).fill_null(value=False))


def _recorder(data: RoundData, role: str, number: int) -> dict[str, Any]:
    """Return who recorded it, by the number that is this role's own."""
    flow, end = data.flows.ends.get(number, (None, None))
    return {
        "participant": end.participant.name if end else None,
        "flow": flow.name if flow else None,
        "reader": number if role in ("receiver", TIMED) else None,
    }


def _sizes(flow: PlannedFlow | None, role: str, seq: pl.Series, seed: int) -> pl.Series | pl.Expr:
    """Return each sample's body size; where sizes vary they follow each other over and over."""
    sizes = sizes_of(flow, seed) if flow else []
    if not sizes:
        return pl.lit(flow.size if flow else None).alias("size")
    if role == "batcher":
        return pl.lit(None).alias("size")
    # Their number is a power of two.
    return pl.Series("size", sizes).gather(seq & (len(sizes) - 1))


def _without_late_stamps(frame: pl.DataFrame) -> pl.DataFrame:
    """Remove T3 of samples that were sent after the announcement with which they were taken: they
    came in behind others, while those were being taken, and nobody announced them."""
    segments = (
        ("echo_delivered_ns", pl.col("sent_ns")),
        ("delivered_ns", pl.coalesce("echo_sent_ns", "sent_ns")),
    )
    return frame.with_columns(
        pl.when(pl.col(name) >= sent).then(pl.col(name)).alias(name) for name, sent in segments
    )


def begin_ns(data: RoundData) -> int:
    """Return when the measurement began, CLOCK_MONOTONIC."""
    return min((int(report["begin_ns"]) for report in data.run), default=0)


def intervals(case: Case, round_number: int, data: RoundData) -> pl.DataFrame:
    """Return the interval counters of all roles that keep them."""
    schema = polars_schema("intervals")
    begin = begin_ns(data)
    phases = Phases(data.changes, one_clock=data.one_clock)
    found = []
    for role in data.roles:
        who = _recorder(data, role["role"], role["writer"])
        for counted in role["intervals"]:
            if not counted["span_ns"]:
                continue
            width = counted["width_ns"]
            starts = width * np.arange(len(counted["samples"]), dtype=np.int64)
            # Another clock does not show when the measurement began.
            first = counted["span_ns"][0] - begin if data.one_clock else 0
            # With several clocks a reader's clock says nothing about a change at the writer.
            known = data.one_clock or role["role"] == "transmitter"
            number = counted["writer"] if known else -1
            phase = phases.of_intervals(number, counted["span_ns"][0] + starts, width)
            constants = {
                "case": case.id,
                "round": round_number,
                "role": role["role"],
                **who,
                "writer": counted["writer"],
                "duration_ns": width,
            }
            own = pl.DataFrame(
                {
                    "start_ns": first + starts,
                    "samples": counted["samples"],
                    "bytes": counted["bytes"],
                    "phase": phase,
                },
                schema_overrides={"phase": pl.Int64()},
            )
            own = own.with_columns(pl.lit(value).alias(name) for name, value in constants.items())
            found.append(own.select(pl.col(name).cast(kind) for name, kind in schema.items()))
    return pl.concat(found) if found else pl.DataFrame(schema=schema)


def changes(case: Case, round_number: int, data: RoundData) -> pl.DataFrame | None:
    """Return what changed in the middle of the round; None where nothing did."""
    if not data.changes:
        return None
    names = {number: end.participant.name for number, (_, end) in data.flows.ends.items()}
    key = {"case": case.id, "round": round_number}
    rows = [{**key, **row} for row in change_rows(data.changes, names)]
    return pl.DataFrame(rows, schema=polars_schema("changes"))


def of_asking(frame: pl.DataFrame, params: Parameters) -> dict[str, Any]:
    """Return the columns of `flows` about the pings or probes of one writer."""
    found = round_trips(frame, params)
    return {
        "round_trips": len(found.back),
        "median_ns": found.statistic("median"),
        "p99_ns": found.statistic(99.0),
        "max_ns": found.max_ns,
    }


def of_reading(rows: pl.DataFrame) -> dict[str, Any]:
    """Return the columns of `flows` about one writer's samples at one reader, of role `reader`."""
    found = one_way(rows)
    return {
        "timed": len(found.back),
        "one_way_median_ns": found.statistic("median"),
        "one_way_p99_ns": found.statistic(99.0),
        "one_way_max_ns": found.max_ns,
    }


def summary(
    case: Case,
    data: RoundData,
    frame: pl.DataFrame,
    seen: pl.DataFrame | None = None,
    discovered: pl.DataFrame | None = None,
    of_action: pl.DataFrame | None = None,
) -> dict[str, Any]:
    """Return the columns of the round's row in `cases` that come from its measurement; `frame` and
    `seen` are the samples of measured flows and their batches, if they have such; `discovered` the
    repetitions of a discovery test, `of_action` the goals of an action test."""
    if discovered is not None:
        return _of_discovery(case, data, discovered)
    if of_action is not None:
        return _of_action(case, data, of_action)
    trips = round_trips(frame, case.params)
    pings = case.params.test in EXCHANGES
    run, measured = (
        [report for report in reports if not data.flows.background(report["writer"])]
        for reports in (data.run, data.roles)
    )
    accounts = _accounts(data, background=False)
    sent = sum(report["sent"] for report in run)
    received = sum(account["received"] for account in accounts)
    ancient = sum(account.get("ancient", 0) for account in accounts)
    expected = sent if pings else data.expected()
    speeds = rates(case.params, data, run)
    if seen is not None:
        speeds["samples_per_s"], speeds["mbit_per_s"] = goodput(seen)
        speeds["written_per_s"] = written(data, frame, case.params.batch or 0)
        speeds["drain_ns"] = None  # each batch has one of its own
    if case.params.test == "service-capacity":
        speeds["samples_per_s"] = answered_per_s(frame)
    # Both ends of a case have its size: a body of another one is corrupted, too.
    corrupted = [
        role["corrupted"] + (role["other_size"]["samples"] if role["other_size"] else 0)
        for role in data.roles
        if role["corrupted"] is not None
    ]
    return {
        "samples": len(trips.back),
        "senders": len(run),
        "sent": sent,
        "received": received,
        "expected": expected,
        "lost": max(expected - received - ancient, 0),
        **({} if pings else _whereabouts(measured)),
        "duplicated": sum(account["duplicated"] for account in accounts),
        "out_of_order": sum(account["out_of_order"] for account in accounts),
        "ancient": ancient,
        **_background(data),
        **rate_figures(seen),
        "foreign": sum(role["foreign"] for role in data.roles),
        "recorded_every": data.record_every or None,
        "corrupted": sum(corrupted) if corrupted else None,
        **_times(data, run),
        "chosen_s": case.params.chosen_s,
        "discovery_s": data.discovery.seconds,
        "discovery_resolution_s": data.discovery.resolution_s,
        **loads(case, data),
        **_moments(trips.back),
        "median_ns": trips.statistic("median"),
        "p99_ns": trips.statistic(99.0),
        **speeds,
        **figures(
            case.params.statistic,
            trips,
            speeds["samples_per_s"],
            blocks=goodput_blocks(measured) if seen is None else None,
        ),
        **_surroundings(data),
        "ended": run[0]["ended"] if run else None,
        **(_of_service(measured) if case.params.test in SERVICES else {}),
    }


def _of_service(roles: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what became of requests besides their response times; `roles` are reports of clients
    and their server."""
    clients = [one["requests"] for one in roles if one["role"] in ("client", "action_client")]
    known = [one["available_ns"] for one in clients if one["available_ns"] is not None]
    return {
        "by_topics": any(one["by_topics"] for one in clients),
        **{
            name: sum(one[name] for one in clients)
            for name in ("late", "misrouted", "refused", "ignored")
        },
        "available_s": max(known) / NS if known else None,
        "served": sum(
            one["requests"]["taken"] for one in roles if one["role"] in ("server", "action_server")
        ),
    }


COUNTED = (
    "udp_rcvbuf_errors",
    "udp_socket_drops",
    "udp_buffer_bytes",
    "ip_fragmented",
    "ip_reassembled",
    "ip_reassembly_fails",
    "tcp_segments",
    "tcp_retransmits",
    "tcp_needless",
    "tcp_timeouts",
    "softnet_drops",
    "context_switches",
    "steal",
    "cpu_busy",
)
"""Columns that the host's counters fill."""


def _surroundings(data: RoundData) -> dict[str, Any]:
    """Return where the round ran, and what the host counted meanwhile."""
    return {
        **{key: data.counters.get(key) for key in COUNTED},
        "cpus": data.cpus,
        "nodes": data.nodes,
        "one_clock": data.one_clock,
        "changed": data.changed,
        **data.clocks,
    }


def _times(data: RoundData, run: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return how long the round warmed up, measured, and took besides."""
    seconds = max((r["end_ns"] - r["begin_ns"] for r in run), default=0) / NS
    warmup = max((r["warmup_ns"] for r in run), default=0) / NS
    return {
        "warmup_s": warmup,
        "measured_s": seconds,
        "overhead_s": max(data.total_s - warmup - seconds, 0.0),
    }


def _of_discovery(case: Case, data: RoundData, seen: pl.DataFrame) -> dict[str, Any]:
    """Summarise a discovery test, which has no latencies and no stream to account for."""
    first = discoveries.first_samples_ns(seen).to_numpy()
    return {
        "samples": len(first),
        "foreign": sum(role["foreign"] for role in data.roles),
        **_times(data, data.run),
        **loads(case, data),
        **discoveries.figures(seen),
        **figures(case.params.statistic, RoundLatencies(first), None),
        **_surroundings(data),
        "ended": data.run[0]["ended"] if data.run else None,
    }


def _of_action(case: Case, data: RoundData, seen: pl.DataFrame) -> dict[str, Any]:
    """Summarise an action test, whose times are of goals."""
    accepted = goals.accepted_ns(seen)
    corrupted = [role["corrupted"] for role in data.roles if role["corrupted"] is not None]
    return {
        "samples": len(accepted.back),
        "senders": len(data.run),
        "sent": sum(report["sent"] for report in data.run),
        "foreign": sum(role["foreign"] for role in data.roles),
        "corrupted": sum(corrupted) if corrupted else None,
        **_times(data, data.run),
        **loads(case, data),
        **goals.figures(seen, case.params),
        **figures(case.params.statistic, accepted, None),
        **_surroundings(data),
        "ended": data.run[0]["ended"] if data.run else None,
        **_of_service(data.roles),
    }


def _whereabouts(roles: Sequence[Mapping[str, Any]]) -> dict[str, int | None]:
    """Return what the middleware itself counts as lost at the receivers, and what is missing beyond
    that; nothing where one of them keeps no count."""
    receivers = [role for role in roles if role["role"] == "receiver"]
    known = [(role.get("reader_counters") or {}).get("lost") for role in receivers]
    counts = [int(count) for count in known if count is not None]
    if not known or len(counts) < len(known):
        return {"middleware_lost": None, "overwritten": None}
    missing = [sum(a.get("missing", 0) for a in role["accounts"]) for role in receivers]
    # Samples of the warm-up are in the middleware's count alone: what remains is a lower bound.
    beyond = [max(0, gone - count) for gone, count in zip(missing, counts, strict=True)]
    return {"middleware_lost": sum(counts), "overwritten": sum(beyond)}


def loads(case: Case, data: RoundData) -> dict[str, float | None]:
    """Return the level of each background load, as asked for and as achieved."""
    asked = {f"load_{load.kind}_asked": load.level for load in parse_load(case.params.load or "")}
    return asked | {f"load_{kind}_achieved": level for kind, level in data.loads.items()}


def _accounts(data: RoundData, *, background: bool) -> list[dict[str, Any]]:
    """Return the accounts of what is measured, or of its background, by those who count samples."""
    return [
        account
        for report in data.roles
        if report["role"] in ("pinger", "receiver", "client")
        and data.flows.background(report["writer"]) == background
        for account in report["accounts"]
    ]


def _background(data: RoundData) -> dict[str, int | None]:
    """Return the accounts of all background flows."""
    accounts = _accounts(data, background=True)
    if not accounts:
        return {"stream_expected": None, "stream_lost": None}
    arrived = sum(account["received"] + account.get("ancient", 0) for account in accounts)
    expected = data.expected(background=True)
    return {"stream_expected": expected, "stream_lost": max(expected - arrived, 0)}


def _moments(values: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, float | None]:
    """Return what a round's latencies were at least, at most and on average, and how they
    varied."""
    some, several = values.size > 0, values.size > 1
    return {
        "min_ns": float(values.min()) if some else None,
        "max_ns": float(values.max()) if some else None,
        "mean_ns": float(values.mean()) if some else None,
        "variance_ns2": float(values.var(ddof=1)) if several else None,
    }


@dataclass(frozen=True)
class AttemptPlace:
    """The place of an attempt in the campaign."""

    case: Case
    round: int
    attempt: int
    order: int
    started_utc: str


def row(
    place: AttemptPlace, status: str, reason: str | None, figures: dict[str, Any]
) -> dict[str, Any]:
    """Return a complete row of `cases`; values that are not known are None."""
    params = place.case.params
    known = {
        "case": place.case.id,
        "round": place.round,
        "attempt": place.attempt,
        "order": place.order,
        "status": status,
        "reason": reason,
        "started_utc": place.started_utc,
        **{column.name: getattr(params, column.name) for column in PARAMETERS},
        "qos": json.dumps(params.qos, sort_keys=True),
        **figures,
    }
    return {name: known.get(name) for name in polars_schema("cases")}


def shortfall(figures: dict[str, Any], case: Case, criteria: Criteria) -> str | None:
    """Return the criterion that the round does not meet; None if it meets all."""
    # First: it is the cause of whatever else is amiss.
    if figures.get("changed"):
        return f"changed during the round: {figures['changed']}"
    if case.params.test == "discovery":
        return _too_few_found(figures, case, criteria)
    if case.params.test == "action":
        return _too_few_goals(figures, case, criteria)
    if missed := _too_slow(figures, case, criteria) or _too_idle(figures, case, criteria):
        return missed
    exchanges = case.params.test in EXCHANGES
    counted = figures["samples"] if exchanges else figures["received"]
    wanted = criteria.min_samples
    if case.params.samples:
        wanted = min(wanted, case.params.samples)
    if counted < wanted:
        few = f"{plural(counted, 'sample')}, at least {wanted} are asked for (criteria.min_samples)"
        per_s = _counted_per_s(figures, case, counted)
        if not per_s or case.params.samples:
            return few
        take_s = wanted / per_s
        surely = case.params.arrivals == "constant" and not figures["lost"]
        enough_s = ceil(10 * take_s * (1.0 if surely else MARGIN)) / 10
        return (
            f"{few}; at this rate these take {duration(take_s * NS)}: set measure.duration_s to "
            f"{enough_s:g}"
        )
    if figures["expected"] and figures["lost"] / figures["expected"] > criteria.max_loss:
        share = figures["lost"] / figures["expected"]
        most = set_percent_text(criteria.max_loss)
        return f"lost {percent_text(share)} of samples, at most {most} (criteria.max_loss)"
    return None


def _counted_per_s(figures: dict[str, Any], case: Case, count: int) -> float:
    """Return how many of the samples that `criteria.min_samples` counts there were in a second: at
    a rate what the plan says, less what was lost; else over the time that was measured. n samples
    at a rate have n - 1 gaps between them, and take n."""
    planned, due = counted_per_s(case.params), figures["expected"] or figures["sent"]
    if planned and due:
        return float(planned * count / due)
    asked_s = (case.params.duration_s or 0.0) if figures["ended"] == "duration" else 0.0
    lasted_s = max(figures["measured_s"] or 0.0, asked_s)
    return float(count / lasted_s) if lasted_s else 0.0


def _too_few_found(figures: dict[str, Any], case: Case, criteria: Criteria) -> str | None:
    """Return what of the criteria a round of a discovery test does not meet."""
    if missed := _too_idle(figures, case, criteria):
        return missed
    found = figures["repetitions"] - figures["undiscovered"]
    wanted = min(criteria.min_repetitions, case.params.samples or criteria.min_repetitions)
    if found < wanted:
        within = f"within {case.params.timeout_s:g} s each"
        return (
            f"discovered in {found} of {figures['repetitions']} repetitions {within}, at least "
            f"{wanted} are asked for (criteria.min_repetitions, measure.timeout_s)"
        )
    return None


def _too_few_goals(figures: dict[str, Any], case: Case, criteria: Criteria) -> str | None:
    """Return what of the criteria a round of an action test does not meet."""
    if missed := _too_slow(figures, case, criteria) or _too_idle(figures, case, criteria):
        return missed
    sent = figures["goals_sent"]
    found = sent - figures["goals_without_result"]
    wanted = min(criteria.min_repetitions, case.params.samples or criteria.min_repetitions)
    if found < wanted:
        return (
            f"{found} of {plural(sent, 'goal')} had a result, at least {wanted} are asked for "
            "(criteria.min_repetitions, measure.duration_s)"
        )
    return None


def _too_slow(figures: dict[str, Any], case: Case, criteria: Criteria) -> str | None:
    """Return what of the rate was reached, if too little; None if enough was or none was asked
    for."""
    seconds = figures["measured_s"]
    if not case.params.rate_hz or not seconds or not criteria.min_rate:
        return None
    measured = next(flow for flow in flows(case.params).flows if not flow.background)
    rate = mean_rate_hz(measured, case.params, seconds)
    asked, sent = rate * figures["senders"], figures["sent"]
    # A Poisson stream that keeps its rate writes more or fewer by chance.
    chance = CHANCE * sqrt(asked * seconds) if case.params.arrivals == "poisson" else 0.0
    if figures["ended"] != LATE and sent + chance >= criteria.min_rate * asked * seconds:
        return None
    reached = sent / seconds
    if reached >= 100:  # Written without decimals: not rounded up to the limit that it misses.
        reached = floor(reached)
    return f"reached {number(reached)}/s of {number(asked)}/s (criteria.min_rate)"


def _too_idle(figures: dict[str, Any], case: Case, criteria: Criteria) -> str | None:
    """Return what of the background loads was there, if of one too little; None if enough was, or
    none was asked for. One without a limit is never too little."""
    if not criteria.min_load:
        return None
    found = []
    for load in parse_load(case.params.load or ""):
        achieved: float | None = figures.get(f"load_{load.kind}_achieved")
        if load.level is None:
            continue
        if achieved is None:
            found.append(f"nobody knows how much background load ({load.kind}) there was")
        elif achieved < criteria.min_load * load.level:
            part = share(achieved / load.level)
            found.append(f"{part} of the background load ({load.kind}) was reached")
    return f"{'; '.join(found)} (criteria.min_load)" if found else None
