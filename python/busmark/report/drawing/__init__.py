"""What every drawing of a campaign shares, on the page, on paper and in gnuplot.

- `look`: colours, dashes, marks and ticks.
- `panels`: which cases belong into one picture, and what its caption says.
"""
