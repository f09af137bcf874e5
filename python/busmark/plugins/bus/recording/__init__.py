"""What was said on a bus, as lines of a file: how it is recorded, read, replayed, and exported."""

from busmark.plugins.bus.recording.model import GapLine, Header, Kind, MessageLine, Stop, What
from busmark.plugins.bus.recording.reader import Reader
from busmark.plugins.bus.recording.writer import Listener, Writer

__all__ = [
    "GapLine",
    "Header",
    "Kind",
    "Listener",
    "MessageLine",
    "Reader",
    "Stop",
    "What",
    "Writer",
]
