"""Causes that rounds avoid, provoked by traffic of this test's own, captured and read as a round's.

Busmark's writers wait for the match and send a message with one call. These do not.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from busmark.plugins.capture.late.explaining import of_round
from busmark.plugins.capture.late.model import Late
from busmark.plugins.capture.late.reading import read_round
from busmark.plugins.capture.late.samples import choose
from busmark.plugins.capture.dumpcap import Settings, Site, Taking, check
from busmark.errors import UserError
from busmark.launcher import Start
from busmark.store.columns import polars_schema

COOKIE = secrets.randbits(63) | 1 << 62
PING, PONG = 1, 2
COUNT = 60


@pytest.fixture(autouse=True)
def _allowed() -> None:
    try:
        check("lo", "")
    except UserError as error:
        pytest.skip(str(error))


@contextlib.contextmanager
def captured(folder: Path, pattern: str) -> Iterator[Path]:
    """Packets of loopback; the file is there when this has ended."""
    path = folder / "it.pcapng"
    taking = Taking(Site(Start), "lo", Settings(pattern, 0, 1 << 26, False), path,
                    folder / "said.txt")  # fmt: skip
    taking.start()
    try:
        yield path
        taking.stop()
    except BaseException:
        taking.kill()
        raise


def header(writer: int, seq: int, flags: int = 0) -> bytes:
    """The first bytes of a sample of Busmark's."""
    now = time.monotonic_ns()
    return struct.pack("<QQqqqqqII", COOKIE, seq, now, now, 0, 0, 0, writer, flags)


def why(path: Path, stamps: list[dict[str, Any]]) -> list[Late]:
    """What the packets say of these samples."""
    clocks = {"participant": "p", "monotonic_ns": time.monotonic_ns(),
              "realtime_ns": time.time_ns()}  # fmt: skip
    participants = pl.DataFrame([clocks], schema=polars_schema("participants"))
    table = pl.DataFrame(stamps, schema=polars_schema("samples"))
    wire = read_round([(path, None, "lo")], f"{COOKIE:016x}", participants)
    found = of_round(0, choose(0, table), wire)
    return [*found.late, *found.ordinary]


def test_two_writes_for_a_message_wait_for_a_delayed_acknowledgement(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        answering = threading.Thread(target=_answer, args=(server,))
        with captured(tmp_path, f"tcp port {port}") as path:
            answering.start()
            stamps = _ask(port)
            answering.join()
    found = why(path, stamps)
    late = [each for each in found if each.cause == "delayed-ack"]
    assert late, {each.cause for each in found}
    for each in late:
        assert len(each.evidence) == 3 and each.latency_ns is not None


def _ask(port: int) -> list[dict[str, Any]]:
    """Sends each ping with two calls, and waits for its pong."""
    stamps = []
    with socket.create_connection(("127.0.0.1", port)) as client:
        for seq in range(COUNT):
            sent = time.monotonic_ns()
            client.sendall(struct.pack("<I", 101))
            client.sendall(header(PING, seq) + bytes(36) + b"\1")
            _exactly(client, 105)
            read = time.monotonic_ns()
            stamps.append(_stamps("pinger", seq, sent, read))
    return stamps


def _stamps(role: str, seq: int, sent: int, read: int) -> dict[str, Any]:
    """A row of a round's samples."""
    return {
        "role": role, "participant": "p", "writer": PING, "seq": seq, "intended_ns": sent,
        "sent_ns": sent, "read_ns": read, "flags": 0,
    }  # fmt: skip


def _answer(server: socket.socket) -> None:
    peer, _ = server.accept()
    with peer:
        for seq in range(COUNT):
            _exactly(peer, 105, idle=True)
            own = header(PONG, seq, PING << 16)
            peer.sendall(struct.pack("<I", 101) + own + bytes(36) + b"\1")


def _exactly(peer: socket.socket, count: int, *, idle: bool = False) -> bytes:
    """`idle`: as a receiver that has been idle, which acknowledges nothing at once. The kernel may
    leave that state at each read."""
    got = b""
    while len(got) < count:
        if idle:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
        part = peer.recv(count - len(got))
        assert part, "the other side has gone"
        got += part
    return got


DOMAIN = 161
TYPE = """
from dataclasses import dataclass
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, uint8
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.topic import Topic
from cyclonedds.util import duration

@dataclass
class Sample(IdlStruct, typename="LateSample"):
    data: array[uint8, 64]

QOS = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepAll,
          Policy.Durability.TransientLocal,
          Policy.DurabilityService(duration(seconds=0), Policy.History.KeepAll, -1, -1, -1))
"""
READER = (
    TYPE
    + """
import sys, time
from cyclonedds.sub import DataReader
participant = DomainParticipant(int(sys.argv[1]))
reader = DataReader(participant, Topic(participant, "late", Sample, qos=QOS), qos=QOS)
seen, end = 0, time.monotonic() + 60
while seen < int(sys.argv[2]) and time.monotonic() < end:
    for one in reader.take(100):
        seen += 1
        print(int.from_bytes(bytes(one.data[8:16]), "little"), time.monotonic_ns(), flush=True)
    time.sleep(0.005)
"""
)


def test_samples_written_before_a_late_reader_joined_are_named(tmp_path: Path) -> None:
    pytest.importorskip("cyclonedds")
    names: dict[str, Any] = {"__name__": "late"}
    # With annotations as they stand: the package reads them.
    exec(compile(TYPE, "late", "exec", dont_inherit=True), names)
    from cyclonedds.pub import DataWriter

    early, after = 5, 40
    with captured(tmp_path, "udp") as path:
        participant = names["DomainParticipant"](DOMAIN)
        topic = names["Topic"](participant, "late", names["Sample"], qos=names["QOS"])
        writer = DataWriter(participant, topic, qos=names["QOS"])
        sent = {seq: _write(writer, names["Sample"], seq) for seq in range(early)}
        words = [sys.executable, "-c", READER, str(DOMAIN), str(early + after)]
        reader = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        try:
            assert reader.stdout is not None
            read = dict([_pair(reader.stdout.readline())])
            for seq in range(early, early + after):
                sent[seq] = _write(writer, names["Sample"], seq)
                time.sleep(0.002)
            read |= dict(_pair(line) for line in reader.stdout)
        finally:
            reader.kill()
            reader.wait()
    stamps = [_stamps("receiver", seq, when, read[seq]) for seq, when in sent.items()]
    named = {each.seq for each in why(path, stamps) if each.cause == "before-match"}
    assert named and named <= set(range(early)), named


def _write(writer: Any, kind: Any, seq: int) -> int:
    sent = time.monotonic_ns()
    writer.write(kind(data=list(header(PING, seq))))
    return sent


def _pair(line: str) -> tuple[int, int]:
    seq, _, when = line.partition(" ")
    assert when, "the reader has ended"
    return int(seq), int(when)
