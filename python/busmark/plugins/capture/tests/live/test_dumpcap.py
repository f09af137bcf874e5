"""dumpcap as it is called, refused and ended: the real one, on packets to a port of loopback."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from busmark.errors import UserError
from busmark.launcher import Start, marker
from busmark.plugins.capture.dumpcap import (
    CaptureFailed,
    Counts,
    DiskFull,
    Settings,
    Site,
    Taking,
    check,
    refusal,
)
from busmark.plugins.capture.dumpcap.permit import question
from busmark.plugins.capture.dumpcap.taking import counts, join

PORT = 9
FILTER = f"udp port {PORT} and udp[8:4] = 0x52545053"
BODY = b"RTPS and a payload of the run's own"
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


@pytest.fixture
def allowed() -> None:
    try:
        check("lo", FILTER)
    except UserError as error:
        pytest.skip(str(error))


def send(number: int, body: bytes = BODY) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(number):
            sender.sendto(body, ("127.0.0.1", PORT))


def here(words: list[str]) -> Start:
    return Start(words)


def behind_a_shell(words: list[str]) -> Start:
    """Return how to start these words behind a shell, as on a node."""
    return Start(["sh", "-c", "echo welcome; exec sh"], becomes=shlex.join(words), marker=marker())


def test_counters_are_read_from_what_dumpcap_says() -> None:
    said = (
        "Capturing on 'Loopback: lo'\nFile: x.pcapng\n\rPackets captured: 12\n"
        "Packets received/dropped on interface 'Loopback: lo': 12/9 "
        "(pcap:2/dumpcap:3/flushed:1/ps_ifdrop:3) (57.1%)\n"
    )
    found = counts(said)
    assert found == Counts(12, kernel_drops=2, interface_drops=3, dumpcap_drops=4)
    assert found.dropped == 9
    assert counts("Capturing on 'Loopback: lo'\nFile: x.pcapng\n") is None


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("remote", [False, True])
def test_packets_that_were_sent_are_in_the_file(tmp_path: Path, remote: bool) -> None:
    there = tmp_path / "there"
    there.mkdir()
    site = Site(behind_a_shell, "n1", str(there)) if remote else Site(here)
    taking = Taking(site, "lo", Settings(FILTER), tmp_path / "x.pcapng", tmp_path / "said.txt")
    taking.start()
    send(100)
    send(100, b"somebody else's")
    taking.stop()
    assert taking.counts == Counts(100, 0, 0, 0) and taking.problems == []
    assert taking.path.read_bytes().count(BODY) == 100
    assert not [*there.iterdir()] and {p.name for p in tmp_path.iterdir()} == {"there", "x.pcapng"}


@pytest.mark.usefixtures("allowed")
def test_packets_that_dumpcap_has_no_cpu_to_read_are_not_lost(tmp_path: Path) -> None:
    taking = Taking(
        Site(here), "lo", Settings(FILTER), tmp_path / "x.pcapng", tmp_path / "said.txt"
    )
    taking.start()
    (tool,) = writers_of(tmp_path / "x.pcapng")
    # As one that waits for a CPU: for longer than packets stay in the kernel.
    os.kill(tool, signal.SIGSTOP)
    later = threading.Timer(1.5, os.kill, (tool, signal.SIGCONT))
    later.start()
    send(5000)
    taking.stop()
    later.join()
    assert taking.counts == Counts(5000, 0, 0, 0)
    assert taking.path.read_bytes().count(BODY) == 5000


def writers_of(path: Path) -> list[int]:
    """Return the processes that have this file open."""
    found = []
    for each in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if each.samefile(path):
                found.append(int(each.parts[2]))
    return found


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("remote", [False, True])
def test_a_ring_is_one_file_with_the_last_packets(tmp_path: Path, remote: bool) -> None:
    there = tmp_path / "there"
    there.mkdir()
    site = Site(behind_a_shell, "n1", str(there)) if remote else Site(here)
    how = Settings(FILTER, max_bytes=100_000, ring=True)
    taking = Taking(site, "lo", how, tmp_path / "x.pcapng", tmp_path / "said.txt")
    taking.start()
    send(1000, BODY + bytes(1000))
    send(1, BODY + b"the last")
    taking.stop()
    kept = taking.path.read_bytes()
    assert taking.counts and taking.counts.packets + taking.counts.dropped == 1001
    assert kept.endswith(b"\0") and b"the last" in kept and len(kept) <= 110_000
    # One section with one interface.
    assert kept.count(b"\x0a\x0d\x0d\x0a") == 1
    (problem,) = taking.problems
    assert "the last packets only" in problem
    assert not [*there.iterdir()] and {p.name for p in tmp_path.iterdir()} == {"there", "x.pcapng"}


def test_what_is_joined_ends_where_it_is_damaged(tmp_path: Path) -> None:
    def block(kind: int, body: bytes) -> bytes:
        length = struct.pack(">I", 12 + len(body))
        return struct.pack(">I", kind) + length + body + length

    section = block(0x0A0D0D0A, struct.pack(">IHHq", 0x1A2B3C4D, 1, 0, -1))
    interface, packets = block(1, bytes(8)), [block(6, bytes([n]) * 40) for n in range(4)]
    first, second = tmp_path / "1", tmp_path / "2"
    first.write_bytes(section + interface + packets[0] + packets[1] + packets[2][:20])
    second.write_bytes(section + interface + packets[3] + b"no block at all")
    join([first, second], tmp_path / "whole")
    whole = section + interface + packets[0] + packets[1] + packets[3]
    assert (tmp_path / "whole").read_bytes() == whole
    second.write_bytes(first.read_bytes()[:-20] + section + interface + packets[3])
    join([second], tmp_path / "whole")
    assert (tmp_path / "whole").read_bytes() == whole


@pytest.mark.usefixtures("allowed")
def test_at_the_size_limit_a_capture_ends_and_says_so(tmp_path: Path) -> None:
    how = Settings(FILTER, max_bytes=100_000)
    taking = Taking(Site(here), "lo", how, tmp_path / "x.pcapng", tmp_path / "said.txt")
    taking.start()
    send(1000, BODY + bytes(1000))
    taking.stop()
    (problem,) = taking.problems
    assert "max_bytes = 100000" in problem
    assert taking.counts and 50 < taking.counts.packets < 1000


@pytest.mark.usefixtures("allowed")
def test_bytes_beyond_the_snap_length_are_not_kept(tmp_path: Path) -> None:
    how = Settings(FILTER, snap_length=64)
    taking = Taking(Site(here), "lo", how, tmp_path / "x.pcapng", tmp_path / "said.txt")
    taking.start()
    send(10, BODY + b"beyond" * 100)
    taking.stop()
    kept = taking.path.read_bytes()
    assert kept.count(BODY[:20]) == 10 and b"beyond" not in kept


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system with little room; yield its folder."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.usefixtures("allowed")
def test_a_full_disk_is_an_error_of_its_own(small: Path, tmp_path: Path) -> None:
    taking = Taking(Site(here), "lo", Settings(FILTER), small / "x.pcapng", tmp_path / "said.txt")
    taking.start()
    send(1000, BODY + bytes(1000))
    with pytest.raises(DiskFull, match="no space left on the disk"):
        taking.stop()
    assert not [*small.iterdir()]


@pytest.mark.usefixtures("allowed")
def test_what_cannot_be_written_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "x.pcapng"
    taking = Taking(Site(here), "lo", Settings(FILTER), path, tmp_path / "said.txt")
    with pytest.raises(CaptureFailed, match="could not be opened"):
        taking.start()
    assert not [*tmp_path.iterdir()]


@pytest.mark.usefixtures("allowed")
def test_killed_at_once_it_leaves_nothing(tmp_path: Path) -> None:
    taking = Taking(Site(here), "lo", Settings(), tmp_path / "x.pcapng", tmp_path / "said.txt")
    taking.start()
    taking.kill()
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".pcapng"]


def test_without_dumpcap_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match="apt-get install wireshark-common"):
        check("lo", "")


@pytest.mark.usefixtures("allowed")
def test_filters_and_interfaces_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UserError, match=r"not a capture filter: 'udp port bad' .*bad"):
        check("lo", "udp port bad")
    with pytest.raises(UserError, match="no device named"):
        check("nowhere0", "")


@pytest.mark.usefixtures("allowed")
def test_a_node_answers_the_same_question() -> None:
    def asked(prefix: list[str], **environment: str) -> UserError | None:
        text = subprocess.run(
            [*prefix, shutil.which("sh") or "sh", "-c", question("lo", FILTER)],
            capture_output=True,
            text=True,
            env=environment or None,
            check=True,
        )
        return refusal(text.stdout, "lo", FILTER, "nodes.n1")

    assert asked([]) is None
    missing = asked([], PATH="/nowhere")
    assert missing and "not installed" in missing.message and missing.where == "nodes.n1"
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    denied = asked(NOBODY)
    if denied is None:
        pytest.skip("anybody may capture here")
    assert "no permission" in denied.message and "setcap" in denied.remedy
