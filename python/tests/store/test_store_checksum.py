"""A table's file that is not as it was written."""

from __future__ import annotations

import zlib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_results import samples, written
from test_store_damage import quick

from busmark.errors import UserError
from busmark.results import Results
from busmark.store import Result, ResultWriter, checksum, load_table


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checksum") / "whole.parquet"
    checksum.write(samples(50), path)
    return path


def test_it_is_the_crc_of_the_file_with_zeros_in_its_place(whole: Path) -> None:
    digits = pl.read_parquet_metadata(whole)["busmark.crc32"]
    content = whole.read_bytes()
    assert content.count(digits.encode()) == 1
    assert int(digits, 16) == zlib.crc32(content.replace(digits.encode(), b"00000000"))
    assert load_table(whole, "samples").equals(samples(50))


@quick
@given(share=st.floats(0, 0.999), bit=st.integers(0, 7))
def test_no_bit_can_change_unseen(whole: Path, tmp_path: Path, share: float, bit: int) -> None:
    content = bytearray(whole.read_bytes())
    content[int(share * len(content))] ^= 1 << bit
    path = tmp_path / "changed.parquet"
    path.write_bytes(content)
    with pytest.raises(UserError) as refused:
        load_table(path, "samples")
    assert str(path) in str(refused.value) and refused.value.remedy


@quick
@given(data=st.data())
def test_nor_where_the_checksum_is(whole: Path, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(whole.read_bytes())
    key = content.index(b"busmark.crc32")
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(key, key + 22))] = data.draw(st.integers(0, 255))
    content[-8:-4] = data.draw(st.sampled_from([content[-8:-4], b"\0\0\0\0"]))
    path = tmp_path / "changed.parquet"
    path.write_bytes(content)
    if content != whole.read_bytes() and any(part in content for part in checksum._TRACES):
        assert checksum.agrees(path) is False


def test_a_file_of_another_program_has_none(tmp_path: Path) -> None:
    path = tmp_path / "foreign.parquet"
    samples(3).write_parquet(path)
    assert checksum.agrees(path) is None
    # As in the table of processes, of which an older Busmark wrote no checksum.
    pl.DataFrame({"process": ["busmark-worker", "busmark"]}).write_parquet(path)
    assert checksum.agrees(path) is None
    path.write_bytes(b"")
    assert checksum.agrees(path) is None


def test_a_round_whose_bytes_changed_is_reported_and_measured_again(tmp_path: Path) -> None:
    directory = written(tmp_path / "r")
    path = directory / "samples" / "000-x.r001.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"000-x\.r001\.parquet: damaged: other bytes"):
        Result(directory).samples("000-x", 1)
    frames = Results(Result(directory))
    frames.samples()
    assert any("other bytes" in problem for problem in frames.problems)
    writer = ResultWriter.resume(directory)
    writer.close()
    assert Result(directory).rounds("000-x") == [0, 2]
