"""Flows beside what is measured that did not run as they were asked to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import sqrt
from typing import TYPE_CHECKING

from busmark.errors import UserError
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, number, share, whole

if TYPE_CHECKING:
    import polars as pl

    from busmark.findings.view import CaseView

MIN_SHARE = 0.95
"""Share of the rate."""

CHANCE = 5.0
"""Standard deviations: a Poisson stream falls so far short once in three million rounds."""

FULL = "recorder_full"

STREAM = "stream"
"""Begin of the names of flows that `stream_hz` asks for."""


def check_case(view: CaseView) -> Iterator[Observation]:
    asked = {flow.name: (flow.qos, flow.arrivals) for flow in view.params.flows}
    if not asked and not view.params.stream_hz:
        return
    import polars as pl

    tables = [*_tables(view)]
    if not tables:
        return
    for (name,), own in pl.concat(tables).group_by("flow", maintain_order=True):
        if str(name).startswith(STREAM) and view.params.stream_hz:
            asked[str(name)] = view.params.stream_qos, "constant"
        if str(name) in asked:
            qos, arrivals = asked[str(name)]
            yield from _rate(str(name), own, poisson=arrivals == "poisson")
            reliable = qos.get("reliability") == "reliable"
            yield from _loss(str(name), own, reliable=reliable)
            yield from _ended(str(name), own)


def _tables(view: CaseView) -> Iterator[pl.DataFrame]:
    """The table `flows` of each finished round; one that cannot be read is another rule's."""
    for one in view.finished["round"].to_list():
        with suppress(UserError):
            table = view.result.flows(view.case.id, one)
            if table is not None:
                yield table


def _rate(name: str, own: pl.DataFrame, *, poisson: bool) -> Iterator[Observation]:
    """Rate of the slowest writer of the flow."""
    import polars as pl

    asked, written = pl.col("theoretical_per_s"), pl.col("written_per_s")
    # What a writer writes goes to each of its readers.
    once = own.unique(["round", "writer"]).filter(asked > 0, written > 0)
    by_writer = once.group_by("writer").agg(
        asked.first(), pl.col("sent").sum(), (pl.col("sent") / written).sum().alias("seconds")
    )
    for _, rate, sent, seconds in by_writer.sort(pl.col("sent") / pl.col("seconds")).head(1).rows():
        expected, reached = rate * seconds, sent / seconds
        # A sample more or less is a matter of when the first and the last were due.
        chance = max(CHANCE * sqrt(expected) if poisson else 0.0, 1.0)
        if expected - sent > max((1.0 - MIN_SHARE) * expected, chance):
            yield Observation(
                "warning",
                f"flow {name}: {number(reached)} of {number(rate)} samples/s written "
                f"({share(round(reached / rate, 3))})",
                weight=1.0 - reached / rate,
            )


def _loss(name: str, own: pl.DataFrame, *, reliable: bool) -> Iterator[Observation]:
    lost, expected = int(own["lost"].sum()), int(own["expected"].sum())
    if not lost:
        return
    yield Observation(
        "warning" if reliable else "note",
        f"flow {name}: {whole(lost)} of {whole(expected)} samples lost ({share(lost / expected)})",
        weight=lost / expected,
        title="Samples of a flow beside what is measured were lost",
        cause="The flow asks more of the middleware, of its queues or of the CPUs than they have "
        "while the measurement runs, or its quality of service lets samples go.",
        remedy="Judge the figures of the case together with this loss: what was lost was no load "
        "on the reader.",
    )


def _ended(name: str, own: pl.DataFrame) -> Iterator[Observation]:
    """Before the measurement was over, for want of rows."""
    full = own.filter(ended=FULL)["round"].n_unique()
    if not full:
        return
    yield Observation(
        "warning",
        f"flow {name}: in {full} of {count(own['round'].n_unique(), 'round')}",
        title="A flow beside what is measured ended early",
        cause="Its pings or batches came faster than rows were made for: with the last row a flow "
        "ends, so that the rest of the time was measured without it.",
        remedy="Raise `measure.max_samples`; or give pings a `rate_hz`, and batches more samples.",
    )


RULE = Rule(
    id="beside-missed",
    title="A flow beside the measurement did not reach its rate",
    cause="Its writers had too little CPU time, or their writes were held up.",
    remedy="Give its participants their own CPUs, lower `rate_hz` of the `[[flow]]`, or read the "
    "figures of the case as measured beside the rate that was reached.",
    check_case=check_case,
)
