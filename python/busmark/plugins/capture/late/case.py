"""Why the late samples of a case of a result are late."""

from __future__ import annotations

from typing import Any

import polars as pl

from busmark.plugins.capture.late.diagram import diagram
from busmark.plugins.capture.late.explaining import OfRound, of_round, together
from busmark.plugins.capture.late.model import Explained, RoundLeft
from busmark.plugins.capture.late.reading import captures, read_round
from busmark.plugins.capture.late.samples import choose
from busmark.plugins.capture.late.trace import Counters
from busmark.errors import UserError
from busmark.store.manifest import Case
from busmark.store.result import Result

MOST_PACKETS = 4_000_000
"""Packets of a case that are read, round by round: some ten seconds for each million."""
MOST_WORST = 10
STATUSES = ("ok", "marked")
HEADER_BYTES = 64
"""Bytes of a sample before its body."""


def is_captured(result: Result, case: Case) -> bool:
    """Whether any round of it has a capture."""
    return any(captures(result.directory, case.id, n) for n in _numbers(result, case))


def _numbers(result: Result, case: Case) -> list[int]:
    return sorted(n for status in STATUSES for n in result.rounds(case.id, status=status))


def of_case(
    result: Result,
    case: Case,
    worst: int = MOST_WORST,
    *,
    diagrams: bool = False,
    most_packets: int = MOST_PACKETS,
) -> Explained:
    """Looks at all captured rounds that ran to their end, until too many packets are read."""
    looked: list[OfRound] = []
    left: list[RoundLeft] = []
    packets = 0
    for number in _numbers(result, case):
        row = _row(result, case, number)
        files = captures(result.directory, case.id, number)
        if not files:
            continue
        try:
            packets += int(row.get("captured") or 0)
            found = _round(result, case, number, row, allowed=packets <= most_packets)
        except UserError as error:
            left.append(RoundLeft(round=number, late=0, why=error.message))
            continue
        if isinstance(found, RoundLeft):
            left.append(found)
        else:
            looked.append(found)
    explained = together(case.id, looked, left, worst)
    if diagrams:
        _draw(explained, looked)
    return explained


def _draw(explained: Explained, looked: list[OfRound]) -> None:
    by_sample = {
        (each.round, each.writer, each.reader, each.seq): one
        for of in looked for each, one in zip(of.late, of.traces, strict=True)
    }  # fmt: skip
    explained.diagrams = [
        diagram(each, by_sample[each.round, each.writer, each.reader, each.seq])
        for each in explained.worst
    ]


def _row(result: Result, case: Case, number: int) -> dict[str, Any]:
    rows = result.cases.filter((pl.col("case") == case.id) & (pl.col("round") == number))
    return rows.row(0, named=True)


def _round(
    result: Result, case: Case, number: int, row: dict[str, Any], *, allowed: bool
) -> OfRound | RoundLeft:
    one_clock = row.get("one_clock") is not False
    samples = result.samples(case.id, number)
    echoed = case.params.probe_echo is not False
    chosen = choose(number, samples, one_clock=one_clock, echoed=echoed)
    late = chosen.late + chosen.lost
    if dropped := row.get("capture_dropped"):
        why = f"the capture lost {dropped} packets, so that the cause may be among them"
        return RoundLeft(round=number, late=late, why=why)
    if not allowed:
        why = "with it more packets of this case would be read than are read at once"
        return RoundLeft(round=number, late=late, why=why)
    participants = result.participants(case.id, number)
    if participants is None:
        raise UserError("the round has no pair of clocks, by which packets are put beside samples")
    node = None
    if chosen.examined:
        own = participants.filter(pl.col("participant") == chosen.examined[0].participant)
        node = own["node"][0] if own.height else None
    wire = read_round(
        captures(result.directory, case.id, number), result.manifest.cookie, participants, node,
        one_clock=one_clock, sample_bytes=_sample_bytes(result, case, number, samples),
    )  # fmt: skip
    return of_round(number, chosen, wire, _counters(case, row))


def _sample_bytes(result: Result, case: Case, number: int, samples: pl.DataFrame) -> dict[int, int]:
    """Header and body of all samples of a writer, where they are all alike; answers are as large
    as what they answer."""
    known = samples.drop_nulls(["writer", "size"]).group_by("writer").agg(
        pl.col("size").min().alias("least"), pl.col("size").max().alias("most")
    )  # fmt: skip
    alike = {w: HEADER_BYTES + most for w, least, most in known.iter_rows() if least == most}
    hops = result.hops(case.id, number)
    if hops is not None:
        pairs = hops.drop_nulls("answered").select("writer", "answered").unique()
        answers = {w: alike[of] for w, of in pairs.iter_rows() if of in alike and w not in alike}
        return {**alike, **answers}
    return alike


def _counters(case: Case, row: dict[str, Any]) -> Counters:
    drops = row.get("udp_socket_drops")
    loss = case.params.link_loss if case.params.network == "lab" else None
    return Counters(int(drops) if isinstance(drops, int) else 0, str(loss) if loss else None)
