"""Analysis: a stored result becomes a `Campaign`, the document that every report draws.

- `summarise`: `summarise(result)`, case by case: `one_case`, here or in the process `beside`.
- `model`: `Campaign` and what it consists of; also the JSON of `busmark show --json`.
- `figures`: `Figure` and `Distribution`, numbers with unit, count and interval.
- `read`: what is stored, made ready: rounds that count, samples in order, the lost in their places.
- `case`: figures of one case: latency, throughput, batches, legs, flows, what plots show.
- `across`: cases beside one another: what varies, who is best, matrices, tables of tests.
- `words`: names, numbers and sentences.
"""

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.summarise import summarise

__all__ = ["Campaign", "CaseSummary", "summarise"]
