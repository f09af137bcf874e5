"""Recordings that tests write, line by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LISTENER = 99
CALLER = 7

HEADER: dict[str, Any] = {
    "busmark_recording": 1,
    "busmark_version": "0.1.0",
    "adapter": "cyclonedds",
    "adapter_version": "1",
    "middleware": "Cyclone",
    "transport": "udp",
    "domain": 5,
    "interface": "lo",
    "address": "127.0.0.1",
    "profile": "default",
    "settings": [],
    "host": "h",
    "utc": "2026-01-01T00:00:00.000000Z",
    "monotonic_ns": 10**9,
    "listener": LISTENER,
}


def heard(at_s: float, what: str, **message: Any) -> dict[str, Any]:
    """Return a recording's line of a message, which was heard at this time."""
    return {
        "at_s": at_s,
        "utc": "2026-01-01T00:00:01.000000Z",
        "monotonic_ns": 10**9 + round(at_s * 1e9),
        "what": what,
        "message": {"busmark": 2, **message},
    }


def order(at_s: float, number: int, to: Any, task: dict[str, Any], caller: int = CALLER) -> Any:
    return heard(at_s, "order", caller=caller, id=number, to=to, do=task)


def member(at_s: float, what: str, app: int, group: int | None = 1, **rest: Any) -> Any:
    head = {"app": app, "group": group, "instance": 1000 + app, "seq": 1, "at_realtime_ns": 10**18}
    return heard(at_s, what, **{**head, **rest})


def answer(at_s: float, app: int, number: int, result: Any = None, **rest: Any) -> Any:
    outcome = {"ok": True, "result": result or {}}
    return member(
        at_s, "answer", app, news="answer", **{"caller": CALLER, "id": number, **outcome, **rest}
    )


def started(kind: str, test: int) -> dict[str, Any]:
    return {"test": test, "kind": kind, "writers": [192]}


def stop(at_s: float, stored: int) -> dict[str, Any]:
    return {
        "at_s": at_s,
        "utc": "2026-01-01T00:00:09.000000Z",
        "monotonic_ns": 10**9,
        "what": "stop",
        "stored": stored,
        "why": "interrupted",
    }


def start(kind: str, test: int, **rest: Any) -> dict[str, Any]:
    return {"cmd": "start", "definition": {"kind": kind, "test": test, **rest}}


SESSION = [
    order(1.0, 1, {"app": 4}, start("transponder", 7)),
    answer(1.01, 4, 1, started("transponder", 7)),
    order(2.0, 2, {"app": 3}, start("transceiver", 7, **{"from": [4], "duration_s": 10.0})),
    answer(2.02, 3, 2, started("transceiver", 7)),
    order(5.0, 3, {"app": 3}, {"cmd": "set", "test": 7, "qos": {"lifespan_ns": 5}}),
    answer(5.01, 3, 3, {"at_ns": 5, "changed": 1}),
    order(8.0, 4, {"group": 1}, {"cmd": "stop"}),
    member(8.1, "result", 3, news="ended", test=7, kind="transceiver", result={}),
    answer(8.11, 3, 4, {"ended": [{"test": 7, "kind": "transceiver"}]}),
    member(8.1, "result", 4, news="ended", test=7, kind="transponder", result={}),
    answer(8.11, 4, 4, {"ended": [{"test": 7, "kind": "transponder"}]}),
]


def write(path: Path, lines: list[Any], header: Any = None) -> Path:
    """Write a recording of these lines, with an end; return its path."""
    last = max((line["at_s"] for line in lines), default=0.0) + 1
    notes = [HEADER if header is None else header, *lines, stop(last, len(lines))]
    path.write_text("".join(json.dumps(line) + "\n" for line in notes), encoding="utf-8")
    return path
