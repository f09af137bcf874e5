"""Tables that are replaced while they are read, as a running campaign does."""

from __future__ import annotations

import threading
from pathlib import Path

import polars as pl

from busmark.store import checksum, tables
from busmark.store.atomic import replacing

LEAST, MOST = 400, 20_000
"""Times that the table is read."""


def test_a_table_that_is_replaced_is_read_as_it_was_or_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "cases.parquet"
    frames = [
        pl.DataFrame({"row": range(10)}),
        pl.DataFrame({"row": range(3000), "other": ["x" * n for n in range(3000)]}),
    ]

    def put(frame: pl.DataFrame) -> None:
        with replacing(path) as partial:
            checksum.write(frame, partial)

    put(frames[0])
    done = threading.Event()

    def replace() -> None:
        while not done.is_set():
            for frame in reversed(frames):
                put(frame)

    other = threading.Thread(target=replace)
    other.start()
    try:
        heights = set()
        for number in range(MOST):
            heights.add(tables.read(path).height)
            # On a busy machine the other thread may not have come to replace anything by then.
            if number >= LEAST and len(heights) > 1:
                break
    finally:
        done.set()
        other.join()
    assert heights == {10, 3000}
