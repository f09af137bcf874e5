"""Analysis: a stored result becomes a `Campaign`, the document that every report draws.

- `summarise`: `summarise(result)`, case by case.
- `model`: `Campaign` and what it consists of; also the JSON of `busmark show --json`.
- `figures`: `Figure` and `Distribution`, numbers with unit, count and interval.
- `latency`, `throughput`: one test each. `rounds`: which rounds count. `floor`: the null adapter.
- `series`: points for plots. `dimensions`, `naming`, `grouping`: what is compared with what.
- `repeated`: what only campaigns need that repeat a document: `round_latency`, of single rounds;
  `perftest`, in Perftest's columns.
- `answer`: sentences. `text`: how numbers are written.
"""

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.summarise import summarise

__all__ = ["Campaign", "CaseSummary", "summarise"]
