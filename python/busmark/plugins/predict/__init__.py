"""Prediction: models fitted to a result, for points that were not measured.

- `fit`: `predict(result, …)`, from a result to `Predictions`; models over sizes and rates.
- `model`: `Predictions` and what it consists of; also the JSON of `busmark predict --json`.
- `sweeps`: cases that differ in one dimension only.
- `curves`: latency, goodput and loss against offered or background load, with their knees.
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
