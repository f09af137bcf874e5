"""Late and lost samples of captured rounds and of captures alone: causes, proved by packets."""

from busmark.capture.late.case import MOST_WORST, is_captured, of_case
from busmark.capture.late.explaining import of_round, together
from busmark.capture.late.file import of_file
from busmark.capture.late.model import Explained, Late
from busmark.capture.late.reading import read_round
from busmark.capture.late.samples import choose
from busmark.capture.late.trace import Counters
from busmark.capture.late.wire import SCHEMA, File, Flow, Wire

__all__ = [
    "MOST_WORST",
    "SCHEMA",
    "Counters",
    "Explained",
    "File",
    "Flow",
    "Late",
    "Wire",
    "choose",
    "is_captured",
    "of_case",
    "of_file",
    "of_round",
    "read_round",
    "together",
]
