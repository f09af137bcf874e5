"""Late and lost samples of captured rounds and of captures alone: causes, proved by packets."""

from busmark.capture.late.case import MOST_WORST, is_captured, of_case
from busmark.capture.late.file import of_file
from busmark.capture.late.model import Explained, Late

__all__ = ["MOST_WORST", "Explained", "Late", "is_captured", "of_case", "of_file"]
