"""The report as one HTML file that needs nothing else: no network, no further file."""

from busmark.report.html.page import render, write_html

__all__ = ["render", "write_html"]
