"""What every drawing of a campaign shares, on the page, on paper and in gnuplot.

- `look`: colours, dashes, marks and ticks.
- `curves`: points of densities. `texts`: labels on one line.
- `left_out`: cases without a result.
- `names`: names of files.
- `picture`, `bars`, `boxes`, `stacks`, `heat`: what a chart of each shape shows, as data; `charts`:
  those that there are, one file each.
- `measures`: the quantities whose distribution is drawn.
- `panels`: which cases belong into one picture, and what its caption says.
"""
