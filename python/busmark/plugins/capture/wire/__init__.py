"""What passed the wire in a round: its samples on every hop, and what packets were for."""

from busmark.plugins.capture.wire.decoding import Capture, Decoded, Undecodable, command, decoded
from busmark.plugins.capture.wire.passages import MOST, passages
from busmark.plugins.capture.wire.purposes import PURPOSES, costs

__all__ = [
    "MOST", "PURPOSES", "Capture", "Decoded", "Undecodable", "command", "costs", "decoded",
    "passages",
]  # fmt: skip
