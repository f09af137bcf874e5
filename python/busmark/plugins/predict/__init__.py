"""Prediction: models fitted to a result, for points that were not measured.

- `fit`: `predict(result, …)`, from a directory to `Predictions`.
- `model`: `Predictions` and what it consists of; also the JSON of `busmark predict --json`.
- `sweeps`: cases that differ in one dimension only.
- `size`: latency as overhead and time per byte. `rate`: latency and loss against offered load.
- `loads`: latency, goodput and loss against a background load.
- `command`, and `blocks`: its document.
"""

from busmark.plugin import Command, Plugin

PLUGIN = Plugin(
    "predict",
    "Models fitted to results, and what they predict.",
    commands=(
        Command(
            "predict",
            "Predict latency and loss by models of results.",
            "busmark.plugins.predict.command:command",
        ),
    ),
)
