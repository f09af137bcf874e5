"""A campaign whose rounds are made up: everything but processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import strategies as st
from planted import params

from busmark.control.campaign import Campaign
from busmark.control.events import Event
from busmark.control.round import RoundData, RoundRunner
from busmark.errors import RoundError
from busmark.model.parameters import Parameters
from busmark.plan.flows import flows
from busmark.scenario import Scenario
from busmark.store import Case, Manifest
from busmark.store.writer import ResultWriter

PARAMS = Parameters.model_validate(
    params("x", size=8, measure={"duration_s": 1.0, "warmup_s": 0.0, "samples": 0})
)

Outcome = Callable[[str, int], int | RoundData | RoundError]
"""Round trip of every sample of a round in ns, or the round, by case and how often a round of it
was run."""


class Runner:
    """Stands for `RoundRunner`."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.calls: list[str] = []
        self.sights = None
        self.commands = None

    async def run(self, case: Case, cookie: int, seed: int, stem: str) -> RoundData:
        times = sum(call.startswith(case.id) for call in self.calls)
        self.calls.append(stem)
        value = self.outcome(case.id, times)
        if isinstance(value, RoundError):
            raise value
        return value if isinstance(value, RoundData) else round_data(value)


def round_data(
    round_trip_ns: int, rows: int = 20, ahead_ns: Sequence[int] | None = None,
    of: Parameters = PARAMS,
) -> RoundData:  # fmt: skip
    """`ahead_ns`: by how much the clock of whoever answers is ahead, at each sample; `of`: the
    parameters of its case."""
    import io

    import polars as pl

    from busmark.control.worker import Frame

    sent = [1000 + index * 1_000_000 for index in range(rows)]
    stamps = {
        "intended_ns": sent, "sent_ns": sent, "written_ns": sent,
        "read_ns": [stamp + round_trip_ns for stamp in sent],
    }  # fmt: skip
    if ahead_ns is not None:
        answered = [s + round_trip_ns // 2 + a for s, a in zip(sent, ahead_ns, strict=True)]
        stamps |= {"echo_read_ns": answered, "echo_sent_ns": answered}
    absent = ("echo_delivered_ns", "echo_read_ns", "echo_sent_ns", "delivered_ns", "source_ns",
              "reception_ns", "answers")  # fmt: skip
    frame = pl.DataFrame(
        {"writer": [1] * rows, "seq": range(rows), "flags": [0] * rows, **stamps,
         **{name: [None] * rows for name in absent if name not in stamps}}
    )  # fmt: skip
    stream = io.BytesIO()
    frame.write_ipc_stream(stream)
    run = {"role": "pinger", "writer": 1, "sent": rows, "begin_ns": 0, "end_ns": 10**9,
           "warmup_ns": 0, "ended": "duration", "blocked": 0}  # fmt: skip
    account = {"writer": 2, "received": rows, "missing": 0, "duplicated": 0, "out_of_order": 0,
               "ancient": 0}  # fmt: skip
    role = {
        "role": "pinger", "writer": 1, "rows": rows, "foreign": 0, "corrupted": None,
        "accounts": [account], "intervals": [], "batches": [], "sent_batches": None,
        "discoveries": None,
        "frames": {}, "echo_failures": 0, "writer_counters": {}, "reader_counters": {},
        "reply_mode": "inline",
    }  # fmt: skip
    return RoundData(
        flows=flows(of), run=[run], roles=[role], frames=[Frame("pinger", 1, stream.getvalue())],
        answering_clock="" if ahead_ns is None else "other", one_clock=ahead_ns is None,
    )  # fmt: skip


class Log:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def on(self, event: Event) -> None:
        self.events.append(event)


def scenario(**rounds: Any) -> Scenario:
    return Scenario.model_validate({
        "name": "x", "matrix": {"adapter": "x"}, "rounds": {"min": 3, **rounds},
        "criteria": {"min_samples": 10},
    })  # fmt: skip


def begin(directory: Path, cases: int = 3) -> ResultWriter:
    manifest = Manifest(
        busmark_version="0", created_utc="", command="", seed=1, cookie="ff", scenario={},
        scenario_text="", hosts={}, adapters={},
        cases=[Case(id=f"{n:03d}-x", params=PARAMS, status="planned") for n in range(cases)],
    )  # fmt: skip
    return ResultWriter.create(directory, manifest)


def conduct(
    writer: ResultWriter, asked: Scenario, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> tuple[Runner, Log, bool]:
    """Runs a campaign to its end."""
    runner, log = Runner(outcome), Log()
    monkeypatch.setattr(
        "busmark.control.campaign.RoundRunner", lambda *_, **__: cast("RoundRunner", runner)
    )
    complete = Campaign(asked, {}, writer, [log]).run()
    return runner, log, complete


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**40) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
)
