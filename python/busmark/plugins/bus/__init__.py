"""Participants that are driven through the middleware itself: how this machine attaches to such a
bus, who gives orders there, and its messages in words."""

from busmark.plugins.bus.attachment import Attachment, Ending
from busmark.plugins.bus.caller import Caller, Message
from busmark.plugins.bus.found import Found, look
from busmark.plugins.bus.words import discoveries, legs, line, members, tests

__all__ = [
    "Attachment",
    "Caller",
    "Ending",
    "Found",
    "Message",
    "discoveries",
    "legs",
    "line",
    "look",
    "members",
    "tests",
]
