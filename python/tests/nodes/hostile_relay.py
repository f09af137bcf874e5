"""A way to a node that cannot be trusted: between Busmark and a real shell, it spoils one answer.

    hostile_relay.py FAULT STEP COMMAND ...

Answers are counted from 0; each ends with a line of Busmark's marker.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time

MARKER = re.compile(rb"busmark-[0-9a-f]{32} [0-9]+\n")

SAID = {
    "nothing": b"",
    "no JSON": b"{[\n",
    "deep JSON": b"[" * 100_000 + b"\n",
    "wrong types": b'[{"name": 5, "address": null, "loopback": "x"}]\nsystem\nmachine\ncache 1\n',
    "other types": b'{"reason": {"a": [1]}, "name": []}\nsystem Linux\nrun relative\ncache \x07\n',
    "huge numbers": b"9" * 6000 + b"\nfree_kib " + b"9" * 6000 + b"\ncpu0 1e999\n",
    "odd digits": "free_kib \u00b2\nsystem Linux\nmachine \u0663\n".encode(),
    "bytes": bytes(range(256)) * 20 + b"\n",
    "files": b"/proc/loadavg:inf nan 1e999\n/sys/devices/system/cpu/online:0-99999999999\n"
             b"/proc/stat:cpu x y\n/proc/net/snmp:Udp: a\n/proc/net/../../etc/x:1\n",
}  # fmt: skip


def say(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def without_end(fault: str) -> None:
    """Print without end, if that is the fault; the last ends a line never, or very late."""
    while fault == "a line without end":
        say(b"x" * 65536)
    while fault == "lines without end":
        say(b"a line\n" * 1000)
    while fault == "errors without end":
        os.write(2, b"e" * 65536)
    while fault == "a trickle":
        say(b".")
        time.sleep(0.02)


def spoilt(fault: str, answer: bytes, marker: bytes) -> None:
    without_end(fault)
    if fault == "it exits":
        os._exit(3)
    if fault == "it closes its output":
        os.close(1)
        time.sleep(1000)
    if fault == "half an answer":
        say(answer[: len(answer) // 2])
        os._exit(0)
    if fault == "a banner":
        say(b"Welcome!\n\nAll use is logged.\n" + answer)
    elif fault == "a code without end":
        say(b"\n" + marker.split()[0] + b" ")
        without_end("a line without end")
    elif fault == "a strange code":
        marker = marker.split()[0] + b" 0x" + b"7" * 5000 + b"\n"
        say(answer)
    else:
        say(SAID[fault] + b"\n")
    say(marker)


def pass_on(source: int, sink: int) -> None:
    while block := os.read(source, 65536):
        rest = memoryview(block)
        while rest:
            rest = rest[os.write(sink, rest) :]
    os.close(sink)


def main() -> None:
    fault, step, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    shell = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert shell.stdin is not None and shell.stdout is not None
    to = os.dup(shell.stdin.fileno())
    shell.stdin.close()
    threading.Thread(target=pass_on, args=(0, to), daemon=True).start()
    answer, number = b"", 0
    for line in shell.stdout:
        if MARKER.fullmatch(line):
            if number == step:
                spoilt(fault, answer, line)
            else:
                say(answer + line)
            answer, number = b"", number + 1
        elif line == b"send\n":
            say(answer + line)
            answer = b""
        else:
            answer += line
    say(answer)
    os._exit(shell.wait())


if __name__ == "__main__":
    main()
