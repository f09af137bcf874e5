"""A case and a scenario of which nothing runs."""

from __future__ import annotations

from typing import Any

from planted import params

from busmark.model.parameters import Parameters
from busmark.scenario import Scenario

PARAMS = Parameters.model_validate(
    params("x", size=8, measure={"duration_s": 1.0, "warmup_s": 0.0, "samples": 0})
)


def scenario(**rounds: Any) -> Scenario:
    return Scenario.model_validate({
        "name": "x", "matrix": {"adapter": "x"}, "rounds": {"min": 3, **rounds},
        "criteria": {"min_samples": 10},
    })  # fmt: skip
