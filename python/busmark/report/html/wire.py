"""What passed the wire: costs of one case, and what its packets were for."""

from __future__ import annotations

from busmark.analysis.case.wire import Purpose, Wire
from busmark.analysis.words import text
from busmark.report.html.blocks import Block, Rows, shown_in

TITLE = "On the wire"
PURPOSES_TITLE = "What the packets were for"
NAMES = {
    "data": "samples", "retransmission": "sent again", "handshake": "handshake",
    "discovery": "discovery of DDS", "encrypted": "encrypted, contents unknown",
    "heartbeat": "heartbeats", "acknowledgement": "acknowledgements", "gap": "gaps",
    "tcp_acknowledgement": "bare acknowledgements of TCP", "other": "others",
    "foreign": "DDS of others, not counted",
}  # fmt: skip
FIGURES = (
    ("bytes per sample", "bytes_per_sample", "B"),
    ("packets per sample", "packets_per_sample", ""),
    ("overhead: share beyond header and body", "overhead_share", "1"),
    ("share of heartbeats and acknowledgements", "control_share", "1"),
    ("share sent again", "repeated_share", "1"),
    ("discovery in a round, bytes", "discovery_bytes", "B"),
    ("discovery in a round, packets", "discovery_packets", ""),
)
NOTE = (
    "From the packets of each round's capture, headers of the link included; a typical round: the "
    "median over rounds. A sample counts once, a pong too; its packets count on every hop, and "
    "those captured at both ends of a link once."
)
PURPOSES_NOTE = (
    "A packet is counted once: one with a sample and a heartbeat carries a sample. All rounds that "
    "count."
)
HEADS = ("packets for", "measured time", "their bytes", "of all bytes", "whole rounds", "bytes")


def wire_blocks(found: Wire) -> list[Block]:
    """Costs of a sample; then packets and bytes by what they were for."""
    rows: Rows = [
        (name, *shown_in(figure, unit))
        for name, field, unit in FIGURES
        if (figure := getattr(found, field)) is not None
    ]
    blocks = [Block(TITLE, ("of", "typical round", "95 % interval"), rows, NOTE)]
    if found.purposes:
        whole = sum(one.bytes for one in found.purposes if one.name != "foreign")
        told = [_row(one, whole) for one in found.purposes]
        blocks.append(Block(PURPOSES_TITLE, HEADS, told, PURPOSES_NOTE))
    return blocks


def _row(one: Purpose, whole: int) -> tuple[str, ...]:
    own = one.name != "foreign" and whole
    return (
        NAMES.get(one.name, one.name), text.count(one.packets), text.count(one.bytes),
        text.percent_text(one.bytes / whole) if own else text.ABSENT,
        text.count(one.round_packets), text.count(one.round_bytes),
    )  # fmt: skip
