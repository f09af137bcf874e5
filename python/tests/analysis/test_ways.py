"""What went between participants, of tables whose sums are known."""

from __future__ import annotations

import polars as pl
import pytest
from busmark.estimate.flows import MOST_WAYS as MOST
from busmark.estimate.flows import Way, several, ways
from busmark.model.figure import Figure
from printed import notes, rows

from busmark.model.parameters import Parameters
from busmark.present.blocks import flows as shown
from busmark.store.columns import polars_schema


def flows(number: int, **columns: list[object]) -> pl.DataFrame:
    height = len(next(iter(columns.values())))
    whole = {name: columns.get(name, [None] * height) for name in polars_schema("flows")}
    whole |= {"round": [number] * height, "flow": columns.get("flow", ["stream"] * height)}
    return pl.DataFrame(whole, schema=polars_schema("flows"))


def round_of(number: int, rate: float) -> pl.DataFrame:
    """One writer, two readers in one participant and one in another, which lost a sample."""
    return flows(
        number,
        writer=[1, 1, 1], participant=["active"] * 3,
        reader=[2, 3, 4], reader_participant=["passive1", "passive1", "passive2"],
        theoretical_per_s=[100.0] * 3, written_per_s=[rate] * 3, read_per_s=[rate, rate, rate / 2],
        sent=[10] * 3, expected=[10] * 3, received=[10, 10, 9], lost=[0, 0, 1],
    )  # fmt: skip


def test_what_a_writer_writes_counts_once_and_what_readers_read_is_summed() -> None:
    who = pl.DataFrame(
        {"participant": ["active", "passive1", "passive2"], "node": ["n1", "n2", None]}
    )
    first, second = ways([round_of(n, rate) for n, rate in enumerate((90.0, 100.0, 110.0))], [who])
    assert (first.sender, first.receiver) == ("active", "passive1")
    assert (first.sender_node, first.receiver_node, second.receiver_node) == ("n1", "n2", None)
    assert (first.writers, first.readers, second.readers) == (1, 2, 1)
    assert first.written_per_s and first.written_per_s.value == 100.0
    assert first.read_per_s and first.read_per_s.value == 200.0
    assert second.read_per_s and second.read_per_s.value == 50.0
    assert first.theoretical_per_s == 200.0 and second.theoretical_per_s == 100.0
    assert (first.sent, first.expected, first.received, first.lost) == (30, 60, 60, 0)
    assert (second.received, second.lost) == (27, 3)


def test_a_rate_of_which_a_part_is_unknown_is_unknown() -> None:
    table = round_of(0, 100.0).with_columns(
        read_per_s=pl.when(pl.col("reader") == 3).then(None).otherwise("read_per_s")
    )
    first, second = ways([table], [])
    assert first.read_per_s is None and first.received == 20
    assert second.read_per_s and second.sender_node is None


def test_pings_are_to_all_that_answer() -> None:
    table = flows(
        0, flow=["pings", "pings"], writer=[1, 2], participant=["active1", "active2"],
        sent=[5, 6], expected=[5, 6], received=[5, 6], lost=[0, 0],
    )  # fmt: skip
    found = ways([table], [])
    assert [(way.sender, way.receiver, way.readers) for way in found] == [
        ("active1", None, None), ("active2", None, None),
    ]  # fmt: skip
    assert [way.read_per_s for way in found] == [None, None]


def test_there_are_not_more_than_can_be_shown() -> None:
    count = MOST + 5
    table = flows(
        0, writer=list(range(count)), participant=[f"p{n}" for n in range(count)],
        reader=[9] * count, reader_participant=["q"] * count,
        sent=[1] * count, expected=[1] * count, received=[1] * count, lost=[0] * count,
    )  # fmt: skip
    assert len(ways([table], [])) == MOST


@pytest.mark.parametrize(
    ("params", "more"),
    [({}, False), ({"writers": 1, "readers": None}, False), ({"readers": 2}, True),
     ({"stream_hz": 5.0}, True), ({"topology": "bidirectional"}, True)],
)  # fmt: skip
def test_a_case_of_one_writer_and_one_reader_has_no_ways(
    params: dict[str, object], more: bool
) -> None:
    assert several(Parameters.model_validate(params)) is more


def test_many_topics_are_one_row_and_those_that_lost_samples_another() -> None:
    def way(number: int, back: str, lost: int) -> Way:
        speed = Figure(value=199.0 + number % 3, low=None, high=None, confidence=0.95, count=2,
                       rounds=2, unit="1/s")  # fmt: skip
        return Way(
            flow=f"stream_{number}{back}", sender="active", sender_node=None, receiver="passive",
            receiver_node=None, writers=1, readers=1, theoretical_per_s=200.0,
            written_per_s=speed, read_per_s=speed, sent=100, expected=100, received=100 - lost,
            lost=lost,
        )  # fmt: skip

    forth = [way(number, "", 3 if number == 7 else 0) for number in range(40)]
    back = [way(number, "_back", 0) for number in range(3)]
    table = shown.ways([*forth, *back])
    lines = [" ".join(row) for row in rows(table)]
    assert len(lines) == 1 + 1 + 3, "few stay rows of their own"
    assert lines[0].startswith("stream_0 … stream_39, 39 flows active passive 200 200 [199, 201]")
    assert lines[0].replace("\u202f", "").endswith(" 3900 3900 3900 0")
    assert lines[1].startswith("stream_7 ") and lines[1].endswith(" 100 100 97 3")
    assert "the least and the greatest" in notes(table)
    assert "the least and the greatest" not in notes(shown.ways(back))
