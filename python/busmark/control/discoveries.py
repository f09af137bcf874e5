"""What a late joiner recorded: the table `discoveries`, and figures of a round."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from busmark.control.protocol import Event, Matched
from busmark.control.worker import Worker
from busmark.errors import RoundError
from busmark.plan.flows import Flows, PlannedFlow
from busmark.store import Case
from busmark.store.columns import polars_schema

if TYPE_CHECKING:
    from busmark.control.round import RoundData

TEST = "discovery"

FIGURES = ("creation_ns", "attach_ns", "own_match_ns", "peer_match_ns", "first_sample_ns")
"""Columns of `cases` that are the median of the column of that name in `discoveries`."""
LEAST = {"own_match_ns": "own_match_least_ns", "peer_match_ns": "peer_match_least_ns"}
"""Lower limits: without one a match was there at the first question, and its time is not known."""


def table(case: Case, number: int, data: RoundData) -> pl.DataFrame | None:
    """Return one row for each repetition; None where no discovery is measured."""
    if case.params.test != TEST:
        return None
    found = [role["discoveries"] for role in data.roles if role["discoveries"] is not None]
    schema = polars_schema("discoveries")
    if not found:
        return pl.DataFrame(schema=schema)
    raw: pl.DataFrame = found[0]
    begin = pl.col("begin_ns")
    own, none = data.one_clock, pl.lit(None, pl.Int64())
    new_writer = case.params.new == "writer"
    first_known, lost_known = own or not new_writer, own or new_writer
    whole = raw.with_row_index("repetition").select(
        pl.lit(case.id).alias("case"),
        pl.lit(number).alias("round"),
        pl.col("repetition"),
        (begin - begin.first()).alias("start_ns"),
        (pl.col("created_ns") - begin).alias("creation_ns"),
        (pl.col("attached_ns") - begin).alias("attach_ns"),
        (pl.col("own_at_ns") - begin).alias("own_match_ns"),
        (pl.col("own_after_ns") - begin).alias("own_match_least_ns"),
        ((pl.col("peer_at_ns") - begin) if own else none).alias("peer_match_ns"),
        ((pl.col("peer_after_ns") - begin) if own else none).alias("peer_match_least_ns"),
        ((pl.col("first_ns") - begin) if first_known else none).alias("first_sample_ns"),
        pl.col("first_ns").is_not_null().alias("received"),
        (pl.col("sent") if new_writer else none).alias("sent"),
        (pl.col("lost") if lost_known else none).alias("lost"),
        (pl.col("closed_ns") - begin).alias("duration_ns"),
    )
    return whole.select(pl.col(name).cast(kind) for name, kind in schema.items())


def figures(seen: pl.DataFrame) -> dict[str, Any]:
    """Return the columns of `cases` about the repetitions of a round."""
    known = {name: _median(_exact(seen, name)) for name in FIGURES}
    after = {
        f"{name}_after_ns": _median(_exact(seen, f"{name}_ns") - seen["creation_ns"])
        for name in ("own_match", "peer_match", "first_sample")
    }
    lost = seen["lost"].drop_nulls()
    return {
        "repetitions": seen.height,
        "undiscovered": int((~seen["received"]).sum()),
        **known,
        **after,
        "lost_before": None if lost.is_empty() else float(lost.to_numpy().mean()),
    }


def first_samples_ns(seen: pl.DataFrame) -> pl.Series:
    """Return each repetition's time until its first sample, in order, where one was received."""
    return seen["first_sample_ns"].drop_nulls().cast(pl.Float64())


def _exact(seen: pl.DataFrame, name: str) -> pl.Series:
    """Return a column, null where only an upper limit is known."""
    if name not in LEAST:
        return seen[name]
    return seen.select(pl.when(pl.col(LEAST[name]).is_not_null()).then(pl.col(name))).to_series()


def _median(values: pl.Series) -> float | None:
    known = values.drop_nulls()
    return None if known.is_empty() else float(known.cast(pl.Float64()).median())  # type: ignore[arg-type]


NS = 1e9


@dataclass(frozen=True, slots=True)
class Discovery:
    """Time from the last endpoint's creation until all had matched."""

    seconds: float | None
    """Upper limit of the time; None if the middleware does not report it, or only the resolution is
    known."""
    resolution_s: float | None
    """Most by which the time may be less than `seconds`: 0 where the middleware's events reported
    it. Without `seconds`, an upper limit of the time. None where nothing is known."""


UNKNOWN = Discovery(None, None)


def discovery(answers: Sequence[Matched], ready_ns: int) -> Discovery:
    """Combine the answers of all workers into one discovery; the last match counts.

    A worker whose adapter has no events asks again and again: then the match lies between two
    questions. One that lies before the first question has an upper limit only, for a value would be
    the time that the question took."""
    if any(answer["unknown"] for answer in answers):
        return UNKNOWN
    most_ns = max(0, max(answer["matched_ns"] for answer in answers) - ready_ns)
    known = [after for answer in answers if (after := answer["after_ns"]) is not None]
    least_ns = max([0, *(after - ready_ns for after in known)])
    if least_ns == 0:
        return Discovery(None, most_ns / NS)
    return Discovery(most_ns / NS, (most_ns - least_ns) / NS)


# Moments were taken before, where they happened; how long the way through here takes is in none.


class SightingRelay:
    """Passes on sightings of one round; nothing where no discovery is measured."""

    def __init__(self, flows: Flows, owners: Mapping[int, Worker], deadline_s: float) -> None:
        """Relay sightings; `owners`: the worker of each role, by its number."""
        self._calls: set[asyncio.Task[None]] = set()
        self._deadline_s = deadline_s
        for flow in flows.flows:
            if flow.kind == "discovery":
                self._pass(flow, owners)

    def _pass(self, flow: PlannedFlow, owners: Mapping[int, Worker]) -> None:
        """Pass sightings between both ends, either way: only a resident has something to say."""
        writer, reader = flow.writers[0].number, flow.readers[0].number
        other = {writer: reader, reader: writer}

        def hear(event: Event) -> None:
            if event["event"] == "sighting" and (seen := event.get("writer", 0)) in other:
                late_joiner = other[seen]
                text = self._text(owners[late_joiner], late_joiner, event)
                task = asyncio.get_running_loop().create_task(text)
                self._calls.add(task)
                task.add_done_callback(self._calls.discard)

        for worker in {owners[writer], owners[reader]}:
            worker.listeners.append(hear)

    async def _text(self, worker: Worker, late_joiner: int, event: Event) -> None:
        # A late joiner that has died fails its `run`, which says why.
        with contextlib.suppress(RoundError):
            await worker.call(
                self._deadline_s, "set", writer=late_joiner, sighting=event.get("sighting")
            )

    async def stop(self) -> None:
        """Cancel the calls that are under way."""
        for call in [*self._calls]:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
