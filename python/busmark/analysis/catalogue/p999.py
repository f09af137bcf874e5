"""The 99.9th percentile of a round."""

from busmark.analysis.catalogue.entry import percentile

FIGURE = percentile(99.9)
