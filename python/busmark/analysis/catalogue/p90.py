"""The 90th percentile of a round."""

from busmark.analysis.catalogue.entry import percentile

FIGURE = percentile(90.0, reported=False)
