"""An end of a test: a line of the table of `busmark bus watch`, and its details."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from rich.style import Style
from rich.text import Text

from busmark.cli.live.columns import GridColumn
from busmark.cli.live.values import ABSENT, bars, clock, count, percent, sparkline, us, value
from busmark.plugins.bus.seen import End
from busmark.plugins.bus.seen.ends import FEWEST_OF_FAR_TAIL, FEWEST_OF_TAIL, Times, quantile
from busmark.plugins.bus.words import SEGMENTS, STRANGE

DIM, RED, YELLOW = Style(dim=True), Style(color="red"), Style(color="yellow")
STYLES = {
    "ended": DIM,
    "left": DIM,
    "failed": RED,
    "gone": RED,
    "silent": YELLOW,
    "starting": YELLOW,
    "ending": YELLOW,
}


def _peers(end: End, width: int) -> str:
    text = ",".join(map(str, end.peers))
    if len(text) > width:
        return f"{len(end.peers)} apps"
    return text or "—"


def _state(end: End) -> str:
    return end.status(end.participant.looked_s)


def style(end: End) -> Style:
    """Return the style of a line: red for what failed or is gone, dim for what has ended."""
    return STYLES.get(_state(end), Style())


def _mbit(end: End) -> float | None:
    return None if end.bytes_per_s is None else end.bytes_per_s * 8e-6


def _us(ns: float | None) -> float | None:
    return None if ns is None else ns / 1e3


def _segment(end: End, name: str) -> float | None:
    """Return the mean of all samples of a segment, ns; None where it is not known."""
    best = end.segments.get(name) or []
    try:
        return float(best[0]["mean_ns"])
    except (LookupError, TypeError, ValueError):
        return None


COLUMNS: list[GridColumn[End]] = [
    GridColumn("app", "app", 4, lambda e, _: str(e.participant.app), lambda e: e.participant.app),
    GridColumn("test", "test", 5,
           lambda e, _: f"{e.test}.{e.number + 1}" if e.number else str(e.test), lambda e: e.test),
    GridColumn("end", "end", 3, lambda e, _: str(e.number + 1), lambda e: e.number + 1, rank=9),
    GridColumn("kind", "kind", 11, lambda e, _: e.kind, lambda e: e.kind, left=True),
    GridColumn("peers", "peer", 5, _peers, lambda e: ",".join(map(str, e.peers)), left=True,
           rank=1),
    GridColumn("state", "state", 8, lambda e, _: _state(e), _state, left=True, rank=4),
    GridColumn("size_bytes", "bytes", 7, lambda e, _: count(e.size_bytes), lambda e: e.size_bytes,
           rank=5),
    GridColumn("theoretical_hz", "theory/s", 9, lambda e, _: value(e.theoretical_hz),
           lambda e: e.theoretical_hz, rank=6),
    # The rate while it measures; then why there is none.
    GridColumn("rate_hz", "rate/s", 8, lambda e, _: value(e.rate_hz) if e.is_live else _state(e),
           lambda e: e.rate_hz),
    GridColumn("share", "read", 5, lambda e, _: percent(e.share), lambda e: e.share, rank=2),
    GridColumn("median_us", "med. µs", 8, lambda e, _: us(e.looks.median_ns),
           lambda e: _us(e.looks.median_ns)),
    GridColumn("p99_us", "p99 µs", 8, lambda e, _: us(e.looks.p99_ns),
           lambda e: _us(e.looks.p99_ns)),
    GridColumn("send_arrival_us", "send arr.", 9, lambda e, _: us(_segment(e, "send_arrival")),
           lambda e: _us(_segment(e, "send_arrival")), rank=7),
    GridColumn("echo_arrival_us", "echo arr.", 9, lambda e, _: us(_segment(e, "echo_arrival")),
           lambda e: _us(_segment(e, "echo_arrival")), rank=8),
    GridColumn("mbit_per_s", "Mbit/s", 7, lambda e, _: value(_mbit(e)), _mbit, rank=10),
    # Samples that did not come, as far as they are counted; else the share of pings.
    GridColumn("missing", "lost", 6,
           lambda e, _: count(e.missing) if e.kind == "receiver" else percent(e.lost),
           lambda e: e.missing),
    GridColumn("loss", "lost %", 6, lambda e, _: percent(e.lost), lambda e: e.lost, rank=11),
    GridColumn("trend", "trend", 8, lambda e, width: sparkline(e.trend, width), lambda e: None,
           rank=3, grows=True),
]  # fmt: skip


BINS = 32
FEWEST_OF_BODY = 20
"""Round trips from which on the longest twentieth is left out of the histogram."""
LEFT = 38
"""Characters of the left half."""
RIGHT = 41
"""Characters of the right half."""
BOLD = "bold"


def detail(end: End, width: int, height: int) -> list[Text]:
    """Return lines about an end, as many as there is room for."""
    lines = [_head(end, width)]
    if end.error:
        lines.append(Text(f"failed: {end.error}", style="red"))
    left = _times(end, height - len(lines)) if end.kind == "transceiver" else _stream(end)
    right = _segments(end, height - len(lines)) if width >= LEFT + RIGHT or height > 8 else []
    if height > 8 and width < LEFT + RIGHT:
        return [*lines, *left, Text(), *right][:height]
    for place in range(max(len(left), len(right))):
        line = Text()
        # As pieces: each keeps its own style.
        line.append_text(left[place] if place < len(left) else Text())
        line.append(" " * max(0, LEFT - len(line.plain)))
        line.append_text(right[place] if place < len(right) else Text())
        lines.append(line)
    return lines[:height]


def _head(end: End, width: int) -> Text:
    who = end.participant
    parts = [
        f"app {who.app}" + (f" (group {who.group})" if who.group is not None else ""),
        f"{end.kind} {end.test}" + (f", end {end.number + 1}" if end.number else ""),
        f"{count(end.size_bytes)} B" if end.size_bytes is not None else "",
        f"with app {', '.join(map(str, end.peers))}" if end.peers else "",
        end.status(who.looked_s),
        f"since {clock(end.begun_ns)}",
        who.word("adapter"),
        f"host {who.word('host')}" if who.word("host") else "",
    ]
    line, *rest = (part for part in parts if part)
    for part in rest:
        # Those that there is room for whole.
        if len(line) + 3 + len(part) > width:
            break
        line += f" · {part}"
    return Text(line, style=BOLD)


def _times(end: End, room: int) -> list[Text]:
    """Draw the histogram and the percentiles of the round trips of the last seconds."""
    times = end.looks.all()
    if not len(times):
        return [Text("no round trip was looked at yet"), *_counts(end)]
    low, high = int(times[0]), int(quantile(times, 0.95, FEWEST_OF_BODY) or times[-1])
    counts, _ = np.histogram(times[times <= high], bins=BINS, range=(low, max(high, low + 1)))
    tall = max(2, min(8, room - 5))
    edges = f"{us(low)} µs"
    top = "95 % up to" if len(times) >= FEWEST_OF_BODY else "up to"
    right = f"{top} {us(high)} µs"
    return [
        *(Text(line, style="green") for line in bars(list(map(int, counts)), tall)),
        Text(f"{edges}{right.rjust(BINS - len(edges))}"),
        Text(f"{count(len(times))} round trips looked at, µs:"),
        *map(Text, _percentiles(times)),
        *_counts(end),
    ]


def _percentiles(times: Times) -> list[str]:
    """Return the percentiles on two lines, which the left half has room for."""
    near = [("min", float(times[0])), ("50 %", quantile(times, 0.5)),
            ("99 %", quantile(times, 0.99, FEWEST_OF_TAIL))]  # fmt: skip
    far: list[tuple[str, float | None]] = [("max", float(times[-1]))]
    if (known := quantile(times, 0.999, FEWEST_OF_FAR_TAIL)) is not None:
        far.insert(0, ("99.9 %", known))
    return ["  ".join(f"{name} {us(found)}" for name, found in line) for line in (near, far)]


def _counts(end: End) -> list[Text]:
    rows = [f"{value(end.rate_hz)} of {value(end.theoretical_hz)} round trips/s"]
    if end.looked_at:
        rows.append(f"{count(end.unanswered)} of {count(end.looked_at)} looked at unanswered")
    if end.received is not None:
        rows.append(f"{count(end.received)} answered, {count(end.missing)} not")
    return [Text(row) for row in rows]


def _stream(end: End) -> list[Text]:
    if end.kind in ("transponder", "transmitter"):
        what = "answers" if end.kind == "transponder" else "sends"
        sent = "as fast as it goes" if end.ordered_hz is None else f"{value(end.ordered_hz)}/s"
        rows = [f"ordered rate: {sent}"] if end.kind == "transmitter" else []
        rows.append(f"a {end.kind} {what}; the other end measures")
        return [Text(row) for row in rows]
    rows = [
        f"theoretical  {value(end.theoretical_hz)}/s",
        f"read         {value(end.rate_hz)}/s  ({percent(end.share)})",
    ]
    if end.bytes_per_s is not None:
        rows[-1] += f"  {value(end.bytes_per_s * 8e-6)} Mbit/s"
    if end.received is not None and end.missing is not None:
        total = end.received + end.missing
        rows += [
            f"read         {count(end.received)} of {count(total)} sent",
            f"lost         {count(end.missing)} ({percent(end.lost)})",
        ]
    elif end.missing is not None:
        rows.append(f"lost         {count(end.missing)} so far")
    else:
        rows.append(f"lost         {ABSENT} (known when the test ends)")
    rates = list(end.trend)
    if rates:
        rows.append(f"rate         {sparkline(rates, LEFT - 15)}")
        rows.append(f"             {value(min(rates))}/s to {value(max(rates))}/s")
    return [Text(row) for row in rows]


def _segments(end: End, room: int) -> list[Text]:
    """List the segments over the best 100, 99.9, 99 and 90 %, µs; where there is little room, all
    but the trip over 100 % only."""
    if not end.segments:
        if end.kind != "transceiver":
            return []
        return [Text("segments: known when the test ends", style="dim")]
    rows = [Text(f"{'segment (µs)':13} best {'min':>7}{'mean':>7}{'max':>8}", style=BOLD)]
    names = [name for name in SEGMENTS if end.segments.get(name)]
    shares = 4 if room > 4 * len(names) else 1
    with suppress(*STRANGE):
        chosen = [(name, best) for name in names for best in end.segments[name][:shares]]
        if shares == 1 and "trip" in end.segments:
            # As much as there is room for: all of each segment, and the trip over all shares.
            chosen = [pair for pair in chosen if pair[0] != "trip"]
            chosen += [("trip", best) for best in end.segments["trip"]]
        rows += [Text(_segment_line(SEGMENTS[name], best)) for name, best in chosen]
    return rows


def _segment_line(title: str, best: dict[str, Any]) -> str:
    cells = [us(best[key]) for key in ("min_ns", "mean_ns", "max_ns")]
    return f"{title:13} {best['percent']:>4g} {cells[0]:>7}{cells[1]:>7}{cells[2]:>8}"
