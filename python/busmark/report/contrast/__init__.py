"""A comparison (`busmark.compare.Contrast`) as people and machines read it.

- `words`: numbers, verdicts and sentences. `grids`: the tables as text, the same everywhere.
- `terminal`, `markdown`, `junit`: one form each. The page is `busmark.report.html.contrast`.
"""
