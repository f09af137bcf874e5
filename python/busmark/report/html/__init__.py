"""The report as one HTML file that needs nothing else: no network, no further file.

A campaign that repeats the experiments of a document has a second page beside it, of the same kind.
"""

from busmark.report.html.page import render, write_html
from busmark.report.html.pages import write

__all__ = ["render", "write", "write_html"]
