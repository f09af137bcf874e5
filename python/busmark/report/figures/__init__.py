"""Charts for print: the campaign's charts as PNG, SVG and PDF, through one theme.

- `theme`: sizes on paper, fonts, colours, marks. `sheet`: a figure with title, legend and caption.
  `axes`: units and ticks.
- `kinds`: all charts of curves, and one file for each other kind of figure.
- `write`: files, and the list of them.

The same result gives the same files, byte for byte.
"""
