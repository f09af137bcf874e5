"""Captures made of frames whose content is known."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

Frame = tuple[int, bytes]
"""Time in ns, and bytes from Ethernet on."""

CLIENT, AGENT, READER = 40_001, 2018, 40_002


def udp(
    source: int, destination: int, payload: bytes, *, six: bool = False, vlan: int | None = None
) -> bytes:
    """Return an Ethernet frame with a datagram on loopback."""
    datagram = struct.pack("!HHHH", source, destination, len(payload) + 8, 0) + payload
    tag = b"" if vlan is None else struct.pack("!HH", 0x8100, vlan)
    if six:
        local = bytes(15) + b"\1"
        packet = struct.pack("!IHBB", 0x60000000, len(datagram), 17, 64) + local + local + datagram
        return bytes(12) + tag + b"\x86\xdd" + packet
    head = struct.pack(
        "!BBHHHBBH4s4s", 0x45, 0, len(datagram) + 20, 0, 0, 64, 17, 0, b"\x7f\0\0\1", b"\x7f\0\0\1"
    )
    return bytes(12) + tag + b"\x08\0" + head + datagram


def xrce(kind: int, content: bytes, *, stream: int = 0x80, number: int = 0) -> bytes:
    """Return a message of DDS-XRCE with one submessage."""
    head = struct.pack("<BBHBBH", 0x81, stream, number & 0xFFFF, kind, 1, len(content))
    return head + content


def greeting() -> bytes:
    """Return a CREATE_CLIENT message."""
    return xrce(0, b"XRCE\1\0\1\x0f\0\0\0\1\x81\0\0\2", stream=0)


def write(number: int, payload: bytes, *, stream: int = 0x80) -> bytes:
    """Return a WRITE_DATA message."""
    return xrce(7, b"\0\1\0\x15" + payload, stream=stream, number=number)


def data(number: int, payload: bytes, *, stream: int = 0x80) -> bytes:
    """Return a DATA message."""
    return xrce(9, b"\0\1\0\x16" + payload, stream=stream, number=number)


def acknack(unacked: int) -> bytes:
    """Return an ACKNACK message of the reliable stream."""
    return xrce(10, struct.pack("<HHB", unacked & 0xFFFF, 0, 0x80), stream=0)


def rtps(number: int, payload: bytes, *, source: int = 1, writer: int = 0x103) -> bytes:
    """Return a message of RTPS with DATA."""
    content = struct.pack("<HHII", 0, 16, 0, 0)[:8] + struct.pack("!I", writer)
    content += struct.pack("<iI", 0, number) + b"\0\1\0\0" + payload
    head = b"RTPS\2\5\1\x10" + bytes(11) + bytes([source])
    return head + struct.pack("<BBH", 0x15, 5, len(content)) + content


def deployment(samples: int, *, payload_bytes: int = 40, step_ns: int = 1_000_000) -> list[Frame]:
    """Return frames from a client through an agent, RTPS and an agent to a client: a write, DATA of
    RTPS after 100 µs, DATA after 250 µs, and confirmations 50 µs after each DDS-XRCE message."""
    frames = [(0, udp(CLIENT, AGENT, greeting())), (1, udp(READER, AGENT + 1, greeting()))]
    for number in range(samples):
        payload = struct.pack("<I", number).ljust(payload_bytes, b"x")
        begin = (number + 1) * step_ns
        frames += [
            (begin, udp(CLIENT, AGENT, write(number, payload))),
            (begin + 50_000, udp(AGENT, CLIENT, acknack(number + 1))),
            (begin + 100_000, udp(40_003, 7411, rtps(number + 1, payload))),
            (begin + 250_000, udp(AGENT + 1, READER, data(number, payload))),
            (begin + 300_000, udp(READER, AGENT + 1, acknack(number + 1))),
        ]
    return frames


def pcap(frames: Iterable[Frame], *, snap: int = 262_144, link: int = 1) -> bytes:
    """Return a pcap file with nanoseconds."""
    parts = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap, link)]
    for time_ns, frame in frames:
        kept = frame[:snap]
        parts += [
            struct.pack(
                "<IIII", 1_700_000_000 + time_ns // 10**9, time_ns % 10**9, len(kept), len(frame)
            ),
            kept,
        ]
    return b"".join(parts)


def block(kind: int, content: bytes) -> bytes:
    """Return a block of pcapng."""
    padded = content + bytes(-len(content) % 4)
    length = len(padded) + 12
    return struct.pack("<II", kind, length) + padded + struct.pack("<I", length)


def pcapng(frames: Sequence[Frame], *, dropped: int | None = None) -> bytes:
    """Return a pcapng file with nanoseconds; `dropped`: with the statistics of lost packets."""
    parts = [
        block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)),
        block(1, struct.pack("<HHIHH4sHH4s", 1, 0, 0, 2, 2, b"lo", 9, 1, b"\x09")),
    ]
    for time_ns, frame in frames:
        ticks = 1_700_000_000 * 10**9 + time_ns
        head = struct.pack("<IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), len(frame))
        parts.append(block(6, head + frame))
    if dropped is not None:
        parts.append(block(5, struct.pack("<IIIHHQI", 0, 0, 0, 5, 8, dropped, 0)))
    return b"".join(parts)
