"""One end of a lab's check, run on a node as a program: `probe.py TASK ADDRESS PATIENCE`.

The receiver prints a line when it listens, and at the end what it saw, as JSON. Times come from
CLOCK_MONOTONIC, which all nodes of a lab share.
"""

from __future__ import annotations

import json
import socket
import sys
import time

PORT = 17771
PINGS = 200
PING_S = 4.0
"""Time of a ping from which on there are fewer."""
PING_BYTES = 64
FLOOD_BYTES = 1400
FLOOD_S = 0.5
LOSS_PACKETS = 20_000
LOSS_PAUSE_S = 20e-6
SO_RCVBUFFORCE = 33
"""Option of Linux for root, whom a lab needs anyway: more room than `net.core.rmem_max`."""
ROOM = 32 << 20
"""Room for all steady datagrams, with what the kernel adds: none is lost while this program waits
for a CPU."""
END = b"end"
QUIET_S = 0.5
END_S = 20.0
END_PAUSE_S = 0.02


def main() -> None:
    """Do the task of the command line."""
    task, address, patience_s = sys.argv[1], sys.argv[2], float(sys.argv[3])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        if task == "answer":
            own.bind((address, PORT))
            own.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
            print("ready", flush=True)
            answer(own)
        else:
            own.settimeout(patience_s)
            own.connect((address, PORT))
            print(json.dumps(TASKS[task](own)), flush=True)


def answer(own: socket.socket) -> None:
    """Send pings back and count other datagrams, until an end comes; print the count as JSON."""
    count, first, last, size = 0, 0, 0, 0
    while True:
        data, sender = own.recvfrom(2048)
        if len(data) == PING_BYTES:
            own.sendto(data, sender)
        elif data == END:
            # One before anything else is of the exchange before, and was late on a slow link.
            if count:
                break
        else:
            last = time.monotonic_ns()
            first = first or last
            count, size = count + 1, len(data)
    print(json.dumps({"count": count, "size": size, "time_s": (last - first) / 1e9}), flush=True)


def ping(own: socket.socket) -> list[float]:
    """Send pings and return their round trips in seconds; lost ones are left out."""
    times: list[float] = []
    enough = time.monotonic() + PING_S
    for number in range(PINGS):
        if time.monotonic() > enough and times:
            break
        data = number.to_bytes(8, "big").ljust(PING_BYTES)
        begin = time.monotonic_ns()
        own.send(data)
        try:
            while own.recv(2048) != data:
                pass
        except TimeoutError:
            continue
        times.append((time.monotonic_ns() - begin) / 1e9)
    return times


def flood(own: socket.socket) -> int:
    """Send as many datagrams as go in a while; return how many."""
    data, count = bytes(FLOOD_BYTES), 0
    end = time.monotonic() + FLOOD_S
    while time.monotonic() < end:
        own.send(data)
        count += 1
    _end(own)
    return count


def steady(own: socket.socket) -> int:
    """Send datagrams slowly enough for every queue; return how many."""
    for _ in range(LOSS_PACKETS):
        own.send(b"steady")
        until = time.monotonic() + LOSS_PAUSE_S
        while time.monotonic() < until:
            pass
    _end(own)
    return LOSS_PACKETS


def _end(own: socket.socket) -> None:
    """Send ends until the receiver has gone, as it does after the first that comes: the network may
    lose some, and a receiver that waits for a CPU many."""
    time.sleep(QUIET_S)
    until = time.monotonic() + END_S + (own.gettimeout() or 0)
    own.settimeout(END_PAUSE_S)
    while time.monotonic() < until:
        try:
            own.send(END)
            own.recv(2048)
        except TimeoutError:
            continue
        except ConnectionRefusedError:
            return


TASKS = {"ping": ping, "flood": flood, "steady": steady}

if __name__ == "__main__":
    main()
