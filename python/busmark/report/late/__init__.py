"""Late samples explained, as tables and sequence diagrams: in the terminal and on a page."""

from busmark.report.late.words import rows, summary, title

__all__ = ["rows", "summary", "title"]
