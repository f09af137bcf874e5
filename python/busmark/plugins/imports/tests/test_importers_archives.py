"""Many files in one call: folders, patterns and archives, also such as are made to do harm."""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from click.testing import Result as Ended
from import_harness import FILES
from seams import command as busmark

from busmark.errors import UserError
from busmark.plugins.imports import sources
from busmark.store import Result

LATENCY = (FILES / "perftest_latency.csv").read_bytes()
THROUGHPUT = (FILES / "perftest_throughput.csv").read_bytes()


def command(out: Path, *paths: Path | str) -> Ended:
    return CliRunner().invoke(busmark, ["import", *map(str, paths), "--out", str(out)])


def line_of(ended: Ended, name: str) -> str:
    """Return the one line that says what became of a file."""
    (line,) = [line for line in ended.output.splitlines() if line.startswith(name)]
    return line


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def tarred(path: Path, *members: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    return info


def left(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.name == "evil")


def test_files_folders_patterns_and_archives_in_one_call(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "one.csv").write_bytes(LATENCY)
    (tmp_path / "logs" / "notes.md").write_text("hello\n", encoding="utf-8")
    (tmp_path / "two.csv").write_bytes(LATENCY.replace(b"39,", b"40,").replace(b"54,", b"56,"))
    zipped(tmp_path / "three.zip", **{"run/three.csv": THROUGHPUT, "run/image.png": b"\x89PNG\0\0"})
    tarred(
        tmp_path / "four.tar.gz",
        (member("./four.csv"), THROUGHPUT.replace(b"64,", b"65,").replace(b"1024,", b"1025,")),
        (member("inner.zip"), (tmp_path / "three.zip").read_bytes()),
    )
    out = tmp_path / "out"
    ended = command(
        out,
        tmp_path / "logs",
        tmp_path / "tw*.csv",
        tmp_path / "three.zip",
        tmp_path / "four.tar.gz",
    )
    assert ended.exit_code == 0, ended.output
    imported = ("logs/one.csv", "two.csv", "three.zip/run/three.csv", "four.tar.gz/four.csv")
    for name in imported:
        assert "imported as case" in line_of(ended, str(tmp_path / name)), ended.output
    for name in ("logs/notes.md", "three.zip/run/image.png", "four.tar.gz/inner.zip"):
        assert "skipped: " in line_of(ended, str(tmp_path / name)), ended.output
    source = Result(out).manifest.source
    assert source is not None
    assert [file.name for file in source.files] == [str(tmp_path / name) for name in imported]
    assert len(source.left_out) >= 3


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil", "c:/evil", "..\\evil"])
def test_names_that_lead_out_of_an_archive(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    paths = [
        zipped(inside / "a.zip", **{name: LATENCY, "good.csv": LATENCY}),
        tarred(inside / "b.tar.gz", (member(name), LATENCY), (member("good.csv"), THROUGHPUT)),
    ]
    ended = command(tmp_path / "out", *paths)
    assert ended.exit_code == 0, ended.output
    assert ended.output.count("leads out of the archive") == 2
    assert Result(tmp_path / "out").cases.height > 0
    assert not list(left(tmp_path))


def test_members_that_are_no_ordinary_files(tmp_path: Path) -> None:
    link = member("link", tarfile.SYMTYPE)
    link.linkname = "/etc/passwd"
    path = tarred(
        tmp_path / "a.tar.gz",
        (link, b""),
        (member("pipe", tarfile.FIFOTYPE), b""),
        (member("device", tarfile.CHRTYPE), b""),
        (member("good.csv"), LATENCY),
    )
    ended = command(tmp_path / "out", path)
    assert ended.exit_code == 0, ended.output
    for name in ("link", "pipe", "device"):
        assert "not an ordinary file" in line_of(ended, f"{path}/{name}")


@pytest.mark.parametrize("form", ["zip", "tar.gz", "gz"])
def test_what_unpacks_to_more_than_any_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(sources, "LARGEST_UNPACKED", 4 << 20)
    path, much = tmp_path / f"bomb.{form}", bytes(3 << 20)
    if form == "zip":
        zipped(path, **{"much": much, "more": much})
    elif form == "gz":
        path.write_bytes(gzip.compress(2 * much))
    else:
        tarred(path, (member("much"), much), (member("more"), much))
    assert path.stat().st_size < 1 << 16
    ended = command(tmp_path / "out", path)
    assert isinstance(ended.exception, UserError), "exit code 2"
    assert "more than 4 MiB" in ended.output + str(ended.exception)
    assert not (tmp_path / "out").exists()


def test_names_stay_in_one_line_and_can_be_written(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", **{"10:30:01\n\x1b[31m: imported.csv": LATENCY})
    path.write_bytes(path.read_bytes().replace(b"10:30:01\n", b"10:30:01\t"))
    (tmp_path / "in").mkdir()
    odd = os.fsencode(tmp_path) + b"/in/\xff\n.csv"
    with open(odd, "wb") as file:
        file.write(THROUGHPUT)
    ended = command(tmp_path / "out", path, tmp_path / "in")
    assert ended.exit_code == 0, ended.output
    assert "imported as case" in line_of(ended, f"{path}/10:30:01\\t\\x1b")
    assert "imported as case" in line_of(ended, f"{tmp_path}/in/\\udcff\\n")
    assert Result(tmp_path / "out").manifest.source


def test_a_member_without_a_name(tmp_path: Path) -> None:
    sizes = (zlib.crc32(LATENCY), len(LATENCY), len(LATENCY))
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0, *sizes, 0, 0) + LATENCY
    entry = struct.pack(
        "<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 0, 0, 0, *sizes, 0, 0, 0, 0, 0, 0, 0
    )
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(entry), len(local), 0)
    path = tmp_path / "a.zip"
    path.write_bytes(local + entry + end)
    ended = command(tmp_path / "out", path)
    assert ended.exit_code == 0, ended.output
    assert "imported as case" in line_of(ended, str(path))


@pytest.mark.parametrize("form", ["zip", "tar.gz"])
def test_a_member_that_is_larger_than_any_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(sources, "LARGEST", 1 << 20)
    path, much = tmp_path / f"a.{form}", bytes(3 << 20)
    if form == "zip":
        zipped(path, **{"much": much, "good.csv": LATENCY})
    else:
        tarred(path, (member("much"), much), (member("good.csv"), LATENCY))
    ended = command(tmp_path / "out", path)
    assert ended.exit_code == 0, ended.output
    assert "larger than 1 MiB" in line_of(ended, f"{path}/much")


def test_a_directory_of_a_zip_archive_that_lies_of_a_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "a.zip", much=bytes(3 << 20))
    data = bytearray(path.read_bytes())
    size = (3 << 20).to_bytes(4, "little")
    assert data.count(size) == 2, "in the local header and in the directory"
    path.write_bytes(data.replace(size, (9).to_bytes(4, "little")))
    monkeypatch.setattr(sources, "LARGEST", 1 << 20)
    ended = command(tmp_path / "out", path)
    assert isinstance(ended.exception, UserError)
    assert not (tmp_path / "out").exists()


def test_more_members_than_one_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_MEMBERS", 3)
    names = {f"{number:0200}": b"" for number in range(9)}
    paths = [
        zipped(tmp_path / "a.zip", **names),
        tarred(tmp_path / "b.tar.gz", *((member(name), b"") for name in names)),
    ]
    for path in paths:
        ended = command(tmp_path / "out", path)
        assert "more than 3 files" in ended.output + str(ended.exception)


@pytest.mark.parametrize("form", ["zip", "tar.gz", "tar"])
def test_an_archive_cut_off_gives_what_is_before_the_cut(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"a.{form}"
    noise = Random(1).randbytes(1 << 18)
    if form == "zip":
        zipped(path, **{"good.csv": LATENCY, "noise": noise})
    else:
        mode = "w" if form == "tar" else "w:gz"
        tarred(path, (member("good.csv"), LATENCY), (member("noise"), noise), mode=mode)
    path.write_bytes(path.read_bytes()[: -(1 << 17)])
    ended = command(tmp_path / "out", path)
    text = ended.output + str(ended.exception)
    assert "damaged" in text
    # The directory of a zip archive is at its end.
    assert ended.exit_code == 0 or form == "zip", text


@pytest.mark.parametrize("what", ["a pipe", "a device", "a huge file"])
def test_what_would_not_end_is_not_read(tmp_path: Path, what: str) -> None:
    path = tmp_path / "in" / "a.csv"
    path.parent.mkdir()
    if what == "a pipe":
        os.mkfifo(path)
    elif what == "a device":
        path.symlink_to("/dev/zero")
    else:
        path.touch()
        os.truncate(path, sources.LARGEST + 1)
    for named in (path, path.parent):
        ended = command(tmp_path / "out", named)
        assert isinstance(ended.exception, UserError), "exit code 2"
        assert str(path) in str(ended.exception)
        assert not (tmp_path / "out").exists()


def test_a_pattern_that_matches_nothing_is_named(tmp_path: Path) -> None:
    ended = command(tmp_path / "out", tmp_path / "*.csv")
    assert isinstance(ended.exception, UserError)
    assert "*.csv" in str(ended.exception)


def test_an_archive_without_results_says_what_is_in_it(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", **{"notes.txt": b"hello\n", "image.png": b"\x89PNG\0\0"})
    ended = command(tmp_path / "out", path)
    assert isinstance(ended.exception, UserError), "exit code 2"
    for name in ("notes.txt", "image.png"):
        assert "skipped: " in line_of(ended, f"{path}/{name}")
    assert not (tmp_path / "out").exists()
