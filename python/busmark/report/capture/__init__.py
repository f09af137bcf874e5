"""What is known of a capture, as tables: in the terminal and on a page."""

from busmark.report.capture.blocks import blocks, title

__all__ = ["blocks", "title"]
