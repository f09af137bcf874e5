"""The file of a history: whole lines or none, whoever is killed and however many add at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from track_histories import MEDIAN, entry, history

from busmark.errors import UserError
from busmark.track import add, read


def test_what_is_added_is_read_as_it_was(tmp_path: Path) -> None:
    entries = [entry(n, {MEDIAN: 5000.0 + n}) for n in range(3)]
    for one in entries:
        assert add(tmp_path / "h.jsonl", one)
    assert read(tmp_path / "h.jsonl") == entries
    assert len((tmp_path / "h.jsonl").read_bytes().splitlines()) == 3


def test_the_same_result_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    assert add(path, entry(1, {MEDIAN: 5000.0}))
    before = path.read_bytes()
    assert not add(path, entry(1, {MEDIAN: 5000.0}))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (entry(2, {MEDIAN: 5000.0}, cookie="bench-1-64"), "already, for commit 0000"),
        (entry(1, {MEDIAN: 5001.0}), "with other figures"),
    ],
)
def test_a_result_of_another_commit_or_that_has_changed_is_refused(
    tmp_path: Path, other: object, text: str
) -> None:
    path = history(tmp_path / "h.jsonl", [entry(1, {MEDIAN: 5000.0})])
    before = path.read_bytes()
    with pytest.raises(UserError, match=text):
        add(path, other)  # type: ignore[arg-type]
    assert path.read_bytes() == before


@pytest.mark.parametrize("kept", [1, 17, 18, 400])
def test_half_a_line_is_left_out_and_removed_by_the_next_add(tmp_path: Path, kept: int) -> None:
    path = history(tmp_path / "h.jsonl", [entry(n, {MEDIAN: 5000.0}) for n in range(3)])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:kept])
    assert [one.commit.id for one in read(path)] == [f"{n:040x}" for n in range(2)]
    assert add(path, entry(2, {MEDIAN: 5000.0}))
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"a line of a file\n", "line 1: this is no line of a history"),
        (b"notes without an end", "the last line is no line of a history"),
        (b"[1, 2]\n", "line 1: this is no line of a history"),
        (b'{"busmark_history": 99}\n', "line 1: a newer Busmark wrote this"),
        (b'{"busmark_history": 1, "commit": {}}\n', "line 1: this is no line of a history: commit"),
        (b"[" * 100_000 + b"\n", "line 1: this is no line of a history"),
    ],
)
def test_a_file_that_is_no_history_is_refused_and_stays(
    tmp_path: Path, content: bytes, text: str
) -> None:
    path = tmp_path / "h.jsonl"
    path.write_bytes(content)
    for what in (lambda: read(path), lambda: add(path, entry(1, {MEDIAN: 5000.0}))):
        with pytest.raises(UserError, match=text):
            what()
    assert path.read_bytes() == content


ADDS = """
import sys
from pathlib import Path
from track_histories import MEDIAN, entry
from busmark.track import add
print("ready", flush=True)
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    add(Path(sys.argv[1]), entry(number, {f"{MEDIAN}{n}": 5000.0 for n in range(400)}))
"""


def adding(path: Path, first: int, last: int) -> subprocess.Popen[bytes]:
    """Start a process that adds results, one after the other."""
    words = [sys.executable, "-c", ADDS, str(path), str(first), str(last)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, env=environment)
    assert process.stdout and process.stdout.readline() == b"ready\n"
    return process


def test_adds_at_once_come_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    both = [adding(path, 0, 12), adding(path, 12, 24)]
    for process in both:
        assert process.wait() == 0
        assert process.stdout
        process.stdout.close()
    numbers = sorted(int(one.commit.id, 16) for one in read(path))
    assert numbers == list(range(24))


def test_an_add_that_is_killed_leaves_whole_lines_or_what_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    for trial in range(4):
        first, size = (len(read(path)), path.stat().st_size) if path.exists() else (0, 0)
        process = adding(path, 100 * trial, 100 * trial + 90)
        # Killed somewhere among its adds.
        while not path.exists() or path.stat().st_size <= size + (trial + 1) * 60_000:
            assert process.poll() is None, "it ends before it has added that much"
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout
        process.stdout.close()
        there = len(read(path))
        assert there > first
        assert add(path, entry(1000 + trial, {MEDIAN: 5000.0}))
        assert len(read(path)) == there + 1
        assert path.read_bytes().endswith(b"\n")
