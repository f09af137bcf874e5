"""Late samples of captured rounds: their causes, proved by packets."""

from busmark.capture.late.case import MOST_WORST, is_captured, of_case
from busmark.capture.late.model import Explained, Late

__all__ = ["MOST_WORST", "Explained", "Late", "is_captured", "of_case"]
