"""A comparison (`busmark.compare.Comparison`) as people and machines read it.

- `words`: numbers, verdicts and sentences. `grids`: the tables as text, the same everywhere.
- `forms`: the files that it is written to. `terminal`, `markdown`, `junit`: one form each.

The page is `busmark.report.html.comparison`.
"""
