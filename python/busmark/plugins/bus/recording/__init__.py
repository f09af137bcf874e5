"""What was said on a bus, as lines of a file: how it is recorded, read, replayed, and exported."""

from busmark.plugins.bus.recording.model import Header, Heard, Kind, Lost, Stop, What
from busmark.plugins.bus.recording.reader import Reader
from busmark.plugins.bus.recording.writer import Listener, Writer

__all__ = ["Header", "Heard", "Kind", "Listener", "Lost", "Reader", "Stop", "What", "Writer"]
