"""Stamps of the application beside the figures of a capture."""

from __future__ import annotations

from busmark.analysis.words.text import ABSENT, count, number
from busmark.capture.model import Application
from busmark.report.capture.times import TIMES, times_text
from busmark.report.html.blocks import Block, Rows, plain

MOST_SAMPLES = 50
"""Samples that are listed, those that were sent first."""


def times(found: Application | None) -> Block:
    """Latencies of both, and how far they differ."""
    title, heads = "Application and packets", ("From, to", *TIMES)
    if found is None:
        return Block(title, heads, [])
    confirmed = f"L: data packet to {found.confirmed_by}"
    named = (
        ("application: sent to received", found.latency),
        ("data packet to data packet", found.data_to_data),
        (confirmed, found.confirmed),
        ("sent to first byte of the data packet", found.sent_to_packet),
        ("last data packet to received", found.packet_to_received),
        ("data packet to data packet less application", found.data_to_data_less_latency),
        ("L less application", found.confirmed_less_latency),
    )
    rows: Rows = [(what, *times_text(spread)) for what, spread in named if spread]
    return Block(title, heads, rows, note=" ".join(_notes(found)))


def _notes(found: Application) -> list[str]:
    said = [
        f"{count(found.sent)} samples sent, {count(found.received)} received by the application; "
        f"{count(found.in_capture)} are on {' → '.join(found.hops)}, matched by {found.matched}."
    ]
    for what, numbers in (
        ("Not received", found.lost),
        ("Not received, but on the last hop", found.arrived_not_received),
        ("Received, but not seen on the last hop", found.received_not_seen),
    ):
        if numbers:
            said.append(f"{what}: {', '.join(map(str, numbers))}.")
    if found.confirmed_by_latency is not None:
        said.append(
            f"The median of L is {number(found.confirmed_by_latency)} times the median of the "
            "application's latency."
        )
    return said


def samples(found: Application | None) -> Block:
    """Sample by sample."""
    listed = found.samples if found else []
    rows: Rows = []
    for each in listed[:MOST_SAMPLES]:
        times_ns = (each.latency_ns, each.data_to_data_ns, each.confirmed_ns)
        factor = ABSENT
        if each.latency_ns and each.confirmed_ns is not None:
            factor = number(each.confirmed_ns / each.latency_ns)
        rows.append((str(each.seq), *map(plain, times_ns), factor))
    rest = len(listed) - len(rows)
    heads = ("Sample", "Application", "Data to data", "L", "L by application")
    note = f"{count(rest)} more samples are in the JSON." if rest else ""
    return Block("Application and packets, sample by sample", heads, rows, note=note)
