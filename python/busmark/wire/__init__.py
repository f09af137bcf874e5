"""What passed the wire in a round: its samples on every hop, and what packets were for."""

from busmark.wire.decoding import Capture, Decoded, Undecodable, command, decoded
from busmark.wire.passages import MOST, passages
from busmark.wire.purposes import PURPOSES, costs

__all__ = [
    "MOST", "PURPOSES", "Capture", "Decoded", "Undecodable", "command", "costs", "decoded",
    "passages",
]  # fmt: skip
