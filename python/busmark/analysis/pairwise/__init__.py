"""The engine of comparisons: two sets of rounds, a pairing, a verdict with its ratio and interval.

The answer of a campaign, `compare` and `ab`, the history, imported results and the statements of
documents use it, each with its own pairing and list of figures.

- `measured`: a figure as it is compared; `figures`: all figures of a case.
- `change`: ratio or difference of two sides, by round, apart, by session, or along a history.
- `verdict`: faster, slower, equivalent or undecided, over all comparisons together; limits of a
  change, and how its level is adjusted for many tests.
"""
