"""Late and lost samples of captured rounds and of captures alone: causes, proved by packets."""

from busmark.plugins.capture.late.explaining import MOST_WORST, is_captured, of_case
from busmark.plugins.capture.late.file import of_file
from busmark.plugins.capture.late.model import Late, LateSamples

__all__ = ["MOST_WORST", "Late", "LateSamples", "is_captured", "of_case", "of_file"]
