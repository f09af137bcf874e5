"""What a watcher has seen of a bus: participants, ends of their tests, troubles. It takes messages
in, and knows no terminal."""

from busmark.plugins.bus.seen.ends import End, Participant
from busmark.plugins.bus.seen.seen import Observer
from busmark.plugins.bus.words import Trouble

__all__ = ["End", "Observer", "Participant", "Trouble"]
