"""What a watcher has seen of a bus: participants, ends of their tests, troubles. It takes messages
in, and knows no terminal."""

from busmark.bus.seen.ends import End, Participant
from busmark.bus.seen.seen import Seen
from busmark.bus.seen.troubles import Trouble

__all__ = ["End", "Participant", "Seen", "Trouble"]
