"""Drops at a process's own sockets, with real sockets of real processes."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from busmark.host import difference, drops_between, needless_retransmits, snapshot, udp_sockets

SMALL, SENT = 4096, 200


def flood(receiver: socket.socket) -> None:
    """Send more than a socket holds whose reader does not come."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(SENT):
            sender.sendto(bytes(512), receiver.getsockname())


def small_socket() -> socket.socket:
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
    receiver.bind(("127.0.0.1", 0))
    receiver.setblocking(False)
    return receiver


def taken(receiver: socket.socket) -> int:
    number = 0
    while True:
        try:
            receiver.recv(1024)
        except BlockingIOError:
            return number
        number += 1


def test_what_a_socket_dropped_is_counted_exactly() -> None:
    with small_socket() as receiver:
        before = udp_sockets([os.getpid()])
        flood(receiver)
        dropped, buffer = drops_between(before, udp_sockets([os.getpid()]))
        assert dropped == SENT - taken(receiver) > 0
        assert buffer == receiver.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) > SMALL


def test_sockets_of_others_do_not_count() -> None:
    """A socket in the same network, and the process that holds it is not asked about."""
    child = os.fork()
    if child == 0:
        os.closerange(3, 256)
        os.kill(os.getpid(), 19)
        os._exit(0)
    try:
        os.waitpid(child, os.WUNTRACED)
        with small_socket() as receiver:
            before = udp_sockets([child])
            flood(receiver)
            assert drops_between(before, udp_sockets([child])) == (0, None)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def test_a_process_that_cannot_be_looked_at_makes_it_unknown(tmp_path: Path) -> None:
    assert udp_sockets([os.getpid()], tmp_path) is None
    assert drops_between(None, {}) == drops_between({}, None) == (None, None)


@pytest.mark.parametrize(
    ("again", "probes", "recoveries", "dsacks", "needless"),
    [
        (8, 8, 0, 8, 8),
        (8, 3, 1, 5, 5),
        (4, 4, 4, 0, 0),
        (2, 9, 0, 0, 2),
        (5, 0, None, None, 0),
        (5, None, None, 5, None),
        (None, 1, 0, 0, None),
    ],
)
def test_segments_of_which_nothing_was_lost(
    again: int | None, probes: int | None, recoveries: int | None, dsacks: int | None,
    needless: int | None,
) -> None:  # fmt: skip
    change = {"tcp_retransmits": again, "tcp_loss_probes": probes,
              "tcp_probe_recoveries": recoveries, "tcp_dsacks": dsacks}  # fmt: skip
    assert needless_retransmits(change) == needless


def test_segments_that_overtook_each_other_are_not_lost(tmp_path: Path) -> None:
    """As /proc/net told of a stream over loopback whose sender changed its CPU."""
    for when, values in (("before", [0] * 9), ("after", [97912, 10, 1, 4, 1, 2, 10, 10, 0])):
        folder = tmp_path / when / "proc/net"
        folder.mkdir(parents=True)
        sent, again, *rest = values
        (folder / "snmp").write_text(f"Tcp: OutSegs RetransSegs\nTcp: {sent} {again}\n")
        names = "TCPLossProbes TCPSackRecovery TCPFullUndo TCPDSACKUndo TCPDSACKRecvSegs " \
            "TCPDSACKOldSent TCPTimeouts"  # fmt: skip
        (folder / "netstat").write_text(f"TcpExt: {names}\nTcpExt: {' '.join(map(str, rest))}\n")
    text = difference(snapshot(root=tmp_path / "before"), snapshot(root=tmp_path / "after"))
    assert (text["tcp_segments"], text["tcp_recoveries"], text["tcp_undone"]) == (97912, 4, 3)
    assert needless_retransmits(text) == 10
