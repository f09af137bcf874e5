"""What is written replaces a file, goes through to what a user typed, or is refused."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from busmark import files


def test_a_file_is_replaced_whole_with_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    path.chmod(0o600)
    files.write(path, "new", typed=True)
    assert path.read_text() == "new" and path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("typed", [True, False])
def test_a_link_is_followed_where_the_user_typed_it_and_replaced_elsewhere(
    tmp_path: Path, typed: bool
) -> None:
    other, link = tmp_path / "other", tmp_path / "link"
    other.write_text("mine")
    link.symlink_to(other)
    files.write(link, "text", typed=typed)
    assert link.read_text() == "text"
    assert link.is_symlink() == typed and other.read_text() == ("text" if typed else "mine")


def test_no_line_is_appended_through_a_link_that_the_user_has_not_typed(tmp_path: Path) -> None:
    other, link = tmp_path / "other", tmp_path / "link"
    other.write_text("mine\n")
    link.symlink_to(other)
    with pytest.raises(OSError, match="symbolic"):
        files.open_lines(link)
    assert other.read_text() == "mine\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="making a device needs root")
@pytest.mark.parametrize("typed", [True, False])
def test_a_device_stays_a_device(tmp_path: Path, typed: bool) -> None:
    device = tmp_path / "null"
    os.mknod(device, 0o666 | 0o020000, os.makedev(1, 3))
    if typed:
        files.write(device, "text", typed=True)
    else:
        with pytest.raises(OSError, match="not a regular file"):
            files.write(device, "text")
    assert device.is_char_device()


def test_a_pipe_is_written_to_where_somebody_reads_it_and_refused_else(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="nobody reads this pipe"):
        files.write(pipe, "text", typed=True)
    text = "x" * (1 << 20)  # more than a pipe holds
    read = bytearray()
    # Open at both ends, so that the reader meets no end before the writer comes.
    descriptor = os.open(pipe, os.O_RDWR)

    def whole() -> None:
        while len(read) < len(text):
            read.extend(os.read(descriptor, len(text)))

    reader = threading.Thread(target=whole)
    reader.start()
    files.write(pipe, text, typed=True)
    reader.join()
    os.close(descriptor)
    assert read.decode() == text and pipe.is_fifo()


def test_a_socket_and_a_folder_are_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(str(tmp_path / "socket"))
        for path in (tmp_path / "socket", tmp_path):
            for typed in (True, False):
                with pytest.raises(OSError, match=r"not a regular file|directory"):
                    files.write(path, "text", typed=typed)
    assert (tmp_path / "socket").is_socket()
