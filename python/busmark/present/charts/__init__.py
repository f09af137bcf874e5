"""Charts as data, the same for the page, print, gnuplot and the workbook.

- `shapes`: what a chart shows: curves, bars, boxes round by round, heat maps.
- `kinds`: the table of charts. `cases`, `sweeps`, `distributions`, `times`: what draws them.
- `look`: colours, dashes and marks. `ticks`: where axes reach and have their ticks.
- `panels`: which cases belong into one chart, and what its caption says.
- `overlay`: chosen cases in one chart.
- `flagged`: findings as letters behind names.
"""
