"""Middleware whose writers bind: their locators are carried to readers, and nothing is lost."""

from __future__ import annotations

from e2e_harness import Lab, need_adapters, rows, scenario

MATRIX = """\
adapter = "zeromq"
test = ["latency", "throughput"]
transport = ["tcp", "ipc"]
option.zeromq.bind = ["reader", "writer"]
qos.reliability = "reliable"
publishers = 2
subscribers = 2
"""


def test_every_reader_is_found_whichever_side_binds(lab: Lab) -> None:
    need_adapters("zeromq")
    lab.campaign(scenario(MATRIX, rounds="min = 1"))
    lab.assert_nothing_left()
    found = rows(lab.folder / "result")
    assert len(found) == 8 and all(row["status"] == "ok" for row in found), found
    assert sum("bindwriter" in row["case"] for row in found) == 4
    for row in found:
        assert row["sent"] and row["lost"] == row["duplicated"] == row["foreign"] == 0
        expected = "sent" if row["test"] == "latency" else "expected"
        assert row["received"] == row[expected]
