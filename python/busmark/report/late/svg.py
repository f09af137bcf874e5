"""A sequence diagram as SVG."""

from __future__ import annotations

from html import escape

from busmark.capture.late.model import Diagram, Event
from busmark.report.html.blocks import plain

LEFT, LANE, ROW, TOP = 90, 130, 22, 34
CHARACTER = 6.6
"""Width of a character at 12 px, roughly."""
MOST_CHARACTERS = 90
"""Longest line; the whole is in its title."""


def svg(found: Diagram) -> str:
    """Lanes are columns, events rows in the order of time; distances are not to scale."""
    x_of = {lane: LEFT + LANE // 2 + LANE * number for number, lane in enumerate(found.lanes)}
    texts = LEFT + LANE * len(found.lanes) + 8
    longest = max((len(_text(each)) for each in found.events), default=0)
    width = int(texts + CHARACTER * min(longest, MOST_CHARACTERS)) + 10
    height = TOP + ROW * len(found.events) + 8
    made = [
        f'<svg class="sequence" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(f"Sequence of sample {found.sample.seq}")}">'
    ]
    for lane, x in x_of.items():
        made.append(f'<text class="lane" x="{x}" y="18" text-anchor="middle">{escape(lane)}</text>')
        made.append(f'<line class="life" x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{height - 4}"/>')
    for number, event in enumerate(found.events):
        made += _row(event, TOP + ROW * number + ROW // 2, x_of, texts)
    return "".join((*made, "</svg>"))


def _row(event: Event, y: int, x_of: dict[str, int], texts: int) -> list[str]:
    x = x_of[event.lane]
    kind = "proves" if event.proves else "event"
    sign = "+" if event.at_ns > 0 else ""
    text, shown = _text(event), _text(event)
    if len(shown) > MOST_CHARACTERS:
        shown = f"{shown[: MOST_CHARACTERS - 1]}…"
    made = [f'<g class="{kind}"><title>{escape(text)}</title>',
            f'<text class="time" x="{LEFT - 6}" y="{y + 4}" text-anchor="end">'
            f"{escape(sign + plain(event.at_ns))}</text>"]  # fmt: skip
    if event.packet is None or event.towards is None:
        made.append(f'<circle cx="{x}" cy="{y}" r="4"/>')
    else:
        way = 1 if x_of[event.towards] > x else -1
        tip = x + way * (LANE // 2 - 8)
        made.append(f'<line x1="{x - way * (LANE // 2 - 8)}" y1="{y}" x2="{tip}" y2="{y}"/>')
        made.append(f'<path d="M{tip} {y}l{-way * 8} -4v8z"/>')
    made.append(f'<text x="{texts}" y="{y + 4}">{escape(shown)}</text></g>')
    return made


def _text(event: Event) -> str:
    return event.what if event.packet is None else f"{event.packet} {event.what}"
