"""A round with pings of the scenario's own beside what is measured: counted apart, everywhere."""

from __future__ import annotations

import io
from typing import Any

import polars as pl
import pytest
from control_fakes import PARAMS

from busmark.control import accounts, batches, tables
from busmark.control.round import RoundData
from busmark.control.worker import Frame
from busmark.errors import RoundError
from busmark.model.flow import Flow
from busmark.model.parameters import Parameters
from busmark.plan.flows import flows
from busmark.store import Case

ROWS = 40
FLOW = {
    "writers": ["active"], "readers": ["passive"], "rate_hz": 0.0, "arrivals": "constant",
    "payload": "octet", "size": 32, "qos": {},
}  # fmt: skip
STAMPS = ("intended_ns", "sent_ns", "written_ns", "echo_delivered_ns", "echo_read_ns",
          "echo_sent_ns", "delivered_ns", "read_ns", "source_ns", "reception_ns",
          "answers")  # fmt: skip


def arrow(role: str, number: int, **columns: Any) -> Frame:
    """Rows as a worker hands them over."""
    height = len(columns["seq"])
    whole: dict[str, Any] = {"writer": [number] * height, "flags": [0] * height, **columns}
    whole |= {name: [None] * height for name in STAMPS if name not in whole}
    stream = io.BytesIO()
    pl.DataFrame(whole, schema_overrides=dict.fromkeys(STAMPS, pl.Int64)).write_ipc_stream(stream)
    return Frame(role, number, stream.getvalue())


def pinger(number: int, trip_ns: int, rows: int, lost: int = 0) -> tuple[Frame, Any, Any]:
    sent = [1000 + index * 1_000_000 for index in range(rows)]
    read: list[int | None] = [stamp + trip_ns for stamp in sent]
    read[rows - lost :] = [None] * lost
    frame = arrow(
        "pinger", number, seq=list(range(rows)), intended_ns=sent, sent_ns=sent, read_ns=read,
        echo_sent_ns=[stamp + 5 for stamp in sent],
    )  # fmt: skip
    run = {"role": "pinger", "writer": number, "sent": rows, "begin_ns": 0, "end_ns": 10**9,
           "warmup_ns": 0, "ended": "duration", "blocked": 0}  # fmt: skip
    account = {"writer": number, "received": rows - lost, "missing": lost, "duplicated": 0,
               "out_of_order": 0, "ancient": 0}  # fmt: skip
    return frame, run, report("pinger", number, rows, [account])


def report(role: str, number: int, rows: int, accounts: list[Any]) -> dict[str, Any]:
    return {
        "role": role, "writer": number, "rows": rows, "foreign": 0, "corrupted": None,
        "accounts": accounts, "intervals": [], "batches": [], "sent_batches": None,
    }  # fmt: skip


def round_of(params: Parameters, *parts: tuple[Frame, Any, Any]) -> RoundData:
    frames, run, roles = (list(each) for each in zip(*parts, strict=True))
    return RoundData(flows=flows(params), run=run, roles=roles, frames=frames)


def with_own(*own: dict[str, Any]) -> dict[str, Any]:
    return PARAMS.changed(flows=[Flow(**{**FLOW, **each}) for each in own], participants=[])


def summary(params: Parameters, data: RoundData) -> dict[str, Any]:
    case = Case(id="a", params=params, status="planned")
    frame = tables.of_case(tables.samples(case, 0, data), data)
    return tables.summary(case, data, frame)


def test_pings_of_a_flow_change_nothing_of_the_case() -> None:
    alone = summary(PARAMS, round_of(PARAMS, pinger(1, 5000, ROWS)))
    params = with_own({"name": "command", "kind": "pings"})
    data = round_of(params, pinger(1, 5000, ROWS), pinger(3, 900_000, 25, lost=2))
    beside = summary(params, data)
    assert (beside["samples"], beside["median_ns"]) == (ROWS, 5000.0)
    different = {name for name in alone if alone[name] != beside[name]}
    assert different == {"stream_expected", "stream_lost"}
    assert (beside["stream_expected"], beside["stream_lost"]) == (25, 2)


def test_the_table_of_flows_has_the_round_trips_of_each_writer() -> None:
    params = with_own({"name": "command", "kind": "pings"})
    data = round_of(params, pinger(1, 5000, ROWS), pinger(3, 900_000, 25, lost=20))
    case = Case(id="a", params=params, status="planned")
    found = accounts.flows(case, 0, data, tables.samples(case, 0, data))
    columns = ("flow", "reader", "round_trips", "median_ns", "max_ns", "lost", "ended")
    assert found.select(columns).rows() == [
        ("pings", 2, ROWS, 5000.0, 5000.0, 0, "duration"),
        # The median is among the lost.
        ("command", 4, 5, None, 900_000.0, 20, "duration"),
    ]


def test_a_stream_beside_at_full_speed_is_in_no_rate_of_the_case() -> None:
    """With a rate of 0 its theoretical rate would make the sum too small."""
    params = with_own({"name": "bulk"})
    counted = {"writer": 3, "width_ns": 10**8, "span_ns": [0, 10**9], "samples": [500, 500],
               "bytes": [5000, 5000]}  # fmt: skip
    read = report("receiver", 4, 0, [{"writer": 3, "received": 1000, "duplicated": 0,
                                      "out_of_order": 0, "ancient": 0}])  # fmt: skip
    data = round_of(params, pinger(1, 5000, ROWS))
    data.roles.append(read | {"intervals": [counted]})
    data.run.append({**data.run[0], "role": "transmitter", "writer": 3, "sent": 1000})
    found = summary(params, data)
    assert found["samples_per_s"] is None and found["theoretical_per_s"] is None
    assert (found["stream_expected"], found["stream_lost"]) == (1000, 0)


def test_batches_of_a_flow_are_in_the_table_by_their_own_length() -> None:
    params = with_own({"name": "log", "kind": "batches", "batch": 7})
    data = round_of(params, pinger(1, 5000, ROWS))
    seen = {"writer": 3, "number": [0], "start_ns": [5], "end_ns": [50], "ended": [True],
            "received": [7], "bytes": [70]}  # fmt: skip
    data.roles.append(report("receiver", 4, 0, []) | {"batches": [seen]})
    case = Case(id="a", params=params, status="planned")
    samples = tables.samples(case, 0, data)
    table = batches.table(case, 0, data, samples, 0)
    assert table is not None
    assert table.select("flow", "writer", "expected", "received").rows() == [("log", 3, 7, 7)]
    assert tables.of_case(table, data).is_empty()


def test_each_ping_has_the_t2_of_the_pong_that_completed_it() -> None:
    params = PARAMS.changed(subscribers=2, echo_source=True)
    data = round_of(params, pinger(3, 5000, 4))
    sent = [1005, 1_001_005, 2_001_005, 3_001_005]
    # The second ponger's are of another time; the third ping was answered twice, the last not.
    first = arrow("ponger", 1, writer=[3] * 4, seq=[0, 1, 2, 2], sent_ns=[*sent[:3], 9_000_000],
                  written_ns=[1100, 1_001_200, 2_001_300, 9_000_100])  # fmt: skip
    other = arrow("ponger", 2, writer=[3] * 2, seq=[0, 3], sent_ns=[1001, 7], written_ns=[1, 2])
    data.frames += [first, other]
    data.roles += [report("ponger", 1, 4, []), report("ponger", 2, 2, [])]
    case = Case(id="a", params=params, status="planned")
    found = tables.samples(case, 0, data)
    assert found["role"].unique().to_list() == ["pinger"]
    assert found["echo_written_ns"].to_list() == [1100, 1_001_200, 2_001_300, None]
    assert found["seq"].to_list() == [0, 1, 2, 3]


def test_pongs_that_were_announced_and_did_not_come_fail_the_round() -> None:
    data = round_of(PARAMS, pinger(1, 5000, 4))
    data.roles.append(report("ponger", 2, 4, []))
    with pytest.raises(RoundError, match="4 rows of samples, 8 were announced"):
        tables.samples(Case(id="a", params=PARAMS, status="planned"), 0, data)
