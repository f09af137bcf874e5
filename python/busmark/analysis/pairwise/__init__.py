"""One case against another, figure by figure: what a comparison of results and the answer of a
campaign have in common.

- `measured`: the figures of a case as they are compared; `rows`: those that rows of rounds hold.
- `change`: ratio or difference of two cases.
- `verdict`: faster, slower, equivalent or undecided, over all comparisons together.
"""
