"""The file: what a recorder leaves, and what somebody else has made of it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
import recordings
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from busmark.cli.main import busmark as command
from busmark.errors import UserError
from busmark.plugins.bus.recording.model import GapLine, Header, MessageLine, Stop
from busmark.plugins.bus.recording.reader import Reader
from busmark.plugins.bus.recording.writer import Writer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def test_what_is_written_is_read(path: Path) -> None:
    header = Header(**recordings.HEADER)
    lines = [
        MessageLine(**recordings.SESSION[0]),
        GapLine(at_s=2, utc="", monotonic_ns=1, foreign=3, malformed=2, overflow=1),
        MessageLine(**recordings.heard(3.0, "other", text='µ\u2028\n"')),
        Stop(**recordings.stop(4.0, 2)),
    ]
    with Writer(path, 1 << 20) as writer:
        writer.begin(header)
        for line in lines:
            writer.add(line)
            assert path.read_bytes().endswith(b"\n"), "each line is there before the next"
    assert writer.stored == 2 and writer.lost == {"foreign": 3, "malformed": 2, "overflow": 1}
    reader = Reader(path)
    assert reader.header == header
    assert [line for _, line in reader.lines()] == lines and not reader.cut


def test_what_a_killed_recorder_leaves_is_read_up_to_its_last_line(path: Path) -> None:
    whole = recordings.write(path, recordings.SESSION).read_bytes()
    lines = whole.splitlines(keepends=True)
    first = len(lines[0])
    for cut in range(first, len(whole), 61):
        path.write_bytes(whole[:cut])
        reader = Reader(path)
        found = list(reader.lines())
        assert len(found) == whole[:cut].count(b"\n") - 1
        assert reader.cut


def test_no_file_is_overwritten(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(UserError, match="no recording is overwritten"):
        Writer(path, 1 << 20)
    path.unlink()
    path.symlink_to("/dev/null")
    with pytest.raises(UserError, match="no recording is overwritten"):
        Writer(path, 1 << 20)


def test_a_recording_ends_with_an_error_at_its_limit(path: Path) -> None:
    with Writer(path, 3000) as writer:
        writer.begin(Header(**recordings.HEADER))
        with pytest.raises(UserError, match=r"limit.*\n.*--most"):
            for _ in range(100):
                writer.add(MessageLine(**recordings.SESSION[0]))
    reader = Reader(path)
    assert len(list(reader.lines())) == writer.stored > 3


def test_a_header_that_cannot_be_written_leaves_no_file(path: Path) -> None:
    with pytest.raises(UserError), Writer(path, 10) as writer:
        writer.begin(Header(**recordings.HEADER))
    assert not path.exists()


HEAD = json.dumps(recordings.HEADER)
LINE = json.dumps(recordings.SESSION[0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("{}\n", "line 1 is not its header"),
        ("\0\xff garbage", "line 1 is not its header"),
        ("[1]\n", "line 1 is not its header"),
        (HEAD.replace('recording": 1', 'recording": 2') + "\n", "is of format 2"),
        (HEAD.replace("2026-01-01", "2026-99-01"), "line 1: this line is damaged: utc"),
        (HEAD.replace('"domain": 5', '"domain": -5'), "line 1: this line is damaged: domain"),
        (f"{HEAD}\n{LINE}\nx\n{LINE}\n", "line 3: this line is damaged: it is not JSON"),
        (f"{HEAD}\n{LINE[:40]}\n{LINE}\n", "line 2: this line is damaged: it is not JSON"),
        (f"{HEAD}\n[]\n", "line 2: this line is damaged: it is not a JSON object"),
        (f"{HEAD}\n{LINE.replace('1.0', 'NaN')}\n", "line 2: this line is damaged: NaN"),
        (f"{HEAD}\n{LINE.replace('1.0', '-1.0')}\n", "line 2: this line is damaged: at_s"),
        (f"{HEAD}\n{LINE.replace('order', 'odour')}\n", "line 2: this line is damaged: what"),
        (f"{HEAD}\n{'[' * 100_000}\n", "line 2: this line is damaged: it is n"),
        (f"{HEAD}\n{' ' * 2_000_000}\n", "line 2: this line is damaged: it is longer"),
        (f"{HEAD}\n{json.dumps(recordings.stop(1, 0))}\n{LINE}\n", "line 3.*follows the end"),
    ],
)
def test_what_is_damaged_is_named_by_its_line(path: Path, text: str, words: str) -> None:
    path.write_text(text, encoding="latin-1" if "\xff" in text else "utf-8")
    with pytest.raises(UserError, match=words):
        list(Reader(path).lines())


def test_there_is_no_such_recording(path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        Reader(path)


WHOLE = "".join(
    json.dumps(line) + "\n"
    for line in [recordings.HEADER, *recordings.SESSION, recordings.stop(9.0, 11)]
).encode()


def looked_through(data: bytes) -> None:
    """Export a recording, and replay it without a bus: only a `UserError` may come."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_bytes(data)
        for words in (["bus", "export", str(path)], ["bus", "replay", str(path), "--dry-run"]):
            done = CliRunner().invoke(command, words)
            assert done.exception is None or isinstance(done.exception, SystemExit | UserError)


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=8))
def test_changed_bytes_are_an_error_in_words_or_none(changes: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for place, byte in changes:
        data[place] = byte
    looked_through(bytes(data))


NUMBERS = st.integers(-5, 5) | st.floats(allow_nan=False)
NAMES = st.sampled_from(["app", "group", "test", "kind", "cmd", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
