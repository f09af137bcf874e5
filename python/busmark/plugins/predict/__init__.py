"""Prediction: models fitted to a result, for points that were not measured.

- `fit`: `predict(result, …)`, from a result to `Predictions`; models over sizes and rates.
- `model`: `Predictions` and what it consists of; also the JSON of `busmark predict --json`.
- `sweeps`: cases that differ in one dimension only.
- `curves`: latency and loss against offered load, with their knees.
- `loads`: latency, goodput and loss against a background load.
"""

from busmark.plugins.predict.fit import predict
from busmark.plugins.predict.model import Predictions

__all__ = ["Predictions", "predict"]
