"""The table of `busmark watch`: a line for each end of a test."""

from __future__ import annotations

from rich.style import Style

from busmark.plugins.bus.seen import End
from busmark.cli.live.columns import Column
from busmark.cli.live.values import count, percent, sparkline, us, value

DIM, RED, YELLOW = Style(dim=True), Style(color="red"), Style(color="yellow")
STYLES = {
    "ended": DIM, "left": DIM, "failed": RED, "gone": RED, "silent": YELLOW, "starting": YELLOW,
    "ending": YELLOW,
}  # fmt: skip


def _test(end: End, _: int) -> str:
    return f"{end.test}.{end.number + 1}" if end.number else str(end.test)


def _peers(end: End, width: int) -> str:
    text = ",".join(map(str, end.peers))
    if len(text) > width:
        return f"{len(end.peers)} apps"
    return text or "—"


def _trend(end: End, width: int) -> str:
    return sparkline(end.trend, width)


def _rate(end: End, _: int) -> str:
    """The rate while it measures; then why there is none."""
    return value(end.rate_hz) if end.is_live else _state(end)


def _lost(end: End, _: int) -> str:
    """Samples that did not come, as far as they are counted; else the share of pings."""
    if end.kind == "receiver":
        return count(end.missing)
    return percent(end.lost)


def _state(end: End) -> str:
    return end.status(end.participant.looked_s)


def style(end: End) -> Style:
    """Red for what failed or is gone, dim for what has ended."""
    return STYLES.get(_state(end), Style())


def _mbit(end: End) -> float | None:
    return None if end.bytes_per_s is None else end.bytes_per_s * 8e-6


def _us(ns: float | None) -> float | None:
    return None if ns is None else ns / 1e3


def _leg(end: End, name: str) -> float | None:
    """Mean of all samples of a leg, ns."""
    best = end.legs.get(name) or []
    try:
        return float(best[0]["mean_ns"])
    except (LookupError, TypeError, ValueError):
        return None


COLUMNS: list[Column[End]] = [
    Column("app", "app", 4, lambda e, _: str(e.participant.app), lambda e: e.participant.app),
    Column("test", "test", 5, _test, lambda e: e.test),
    Column("end", "end", 3, lambda e, _: str(e.number + 1), lambda e: e.number + 1, rank=9),
    Column("kind", "kind", 11, lambda e, _: e.kind, lambda e: e.kind, left=True),
    Column("peers", "peer", 5, _peers, lambda e: ",".join(map(str, e.peers)), left=True, rank=1),
    Column("state", "state", 8, lambda e, _: _state(e), _state, left=True, rank=4),
    Column("size_bytes", "bytes", 7, lambda e, _: count(e.size_bytes), lambda e: e.size_bytes,
           rank=5),
    Column("theoretical_hz", "theory/s", 9, lambda e, _: value(e.theoretical_hz),
           lambda e: e.theoretical_hz, rank=6),
    Column("rate_hz", "rate/s", 8, _rate, lambda e: e.rate_hz),
    Column("share", "read", 5, lambda e, _: percent(e.share), lambda e: e.share, rank=2),
    Column("median_us", "med. µs", 8, lambda e, _: us(e.looks.median_ns),
           lambda e: _us(e.looks.median_ns)),
    Column("p99_us", "p99 µs", 8, lambda e, _: us(e.looks.p99_ns), lambda e: _us(e.looks.p99_ns)),
    Column("send_arrival_us", "send arr.", 9, lambda e, _: us(_leg(e, "send_arrival")),
           lambda e: _us(_leg(e, "send_arrival")), rank=7),
    Column("echo_arrival_us", "echo arr.", 9, lambda e, _: us(_leg(e, "echo_arrival")),
           lambda e: _us(_leg(e, "echo_arrival")), rank=8),
    Column("mbit_per_s", "Mbit/s", 7, lambda e, _: value(_mbit(e)), _mbit, rank=10),
    Column("missing", "lost", 6, _lost, lambda e: e.missing),
    Column("lost_share", "lost %", 6, lambda e, _: percent(e.lost), lambda e: e.lost, rank=11),
    Column("trend", "trend", 8, _trend, lambda e: None, rank=3, grows=True),
]  # fmt: skip
