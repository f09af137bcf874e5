"""Middleware whose writers bind: their locators are carried to readers, and nothing is lost."""

from __future__ import annotations

from e2e_harness import Lab, need_adapters, rows, scenario

MATRIX = """\
adapter = "zeromq"
transport = ["tcp", "ipc"]
option.zeromq.bind = ["reader", "writer"]
qos.reliability = "reliable"
publishers = 2
subscribers = 2
"""


def run(lab: Lab, matrix: str) -> list[dict[str, object]]:
    """Rows of the cases, of which each is whole."""
    need_adapters("zeromq")
    lab.scenario(scenario(MATRIX + matrix, rounds="min = 1"))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    lab.assert_nothing_left()
    found = rows(lab.folder / "result")
    assert len(found) == 4 and all(row["status"] == "ok" for row in found), found
    return found


def test_pings_find_every_reader_whichever_side_binds(lab: Lab) -> None:
    found = run(lab, "")
    names = [str(row["case"]) for row in found]
    assert sum("bindwriter" in name for name in names) == 2, names
    for row in found:
        assert row["sent"] == row["received"] and row["lost"] == row["foreign"] == 0
        assert row["sent"]


def test_a_stream_reaches_every_reader_whichever_side_binds(lab: Lab) -> None:
    for row in run(lab, 'test = "throughput"\n'):
        assert row["lost"] == row["duplicated"] == row["foreign"] == 0
        assert row["received"] == row["expected"] and row["sent"]
