"""Figures for print: the campaign's charts as PNG, SVG and PDF, through one theme.

- `theme`: sizes on paper, fonts, colours, marks. `sheet`: a figure with title, legend and caption.
  `axes`: units and ticks.
- `kinds`: one file for each kind of figure.
- `write`: files, and the list of them. `png`, `svg`, `pdf`: the forms of a report.

The same result gives the same files, byte for byte.
"""
