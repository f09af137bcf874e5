"""The 99.99th percentile of a round."""

from busmark.analysis.catalogue.entry import percentile

FIGURE = percentile(99.99, reported=False)
