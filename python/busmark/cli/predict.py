"""`busmark predict`."""

from __future__ import annotations

import json
import sys
from math import isnan
from pathlib import Path

import click


def _numbers(
    _: click.Context, parameter: click.Parameter, values: tuple[float, ...]
) -> tuple[float, ...]:
    """NaN is in every range, for it is neither below nor above."""
    if any(isnan(value) for value in values):
        raise click.BadParameter("nan is not a number", param=parameter)
    return values


@click.command(epilog="Example: busmark predict busmark-results/sweep --size 3000 --rate 12000")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--size", "sizes", multiple=True, type=click.IntRange(0, 1 << 40), metavar="BYTES",
              help="Predict the latency of bodies of this size. Can be repeated.")  # fmt: skip
@click.option("--rate", "rates", multiple=True, metavar="PER_S",
              type=click.FloatRange(0, 1e9, min_open=True), callback=_numbers,
              help="Predict latency and loss at this rate. Can be repeated.")  # fmt: skip
@click.option("--extrapolate", is_flag=True,
              help="Beyond what was measured as well; the result says so.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True,
              help="Print models and predictions as JSON (schema: prediction).")  # fmt: skip
def command(
    directory: Path, sizes: tuple[int, ...], rates: tuple[float, ...], extrapolate: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Fit models to the results in DIRECTORY: latency against size, latency and loss against load.

    Cases that differ only in size give overhead and time per byte; cases that differ only in
    rate_hz a floor and a knee. Each model says how far it is off at points it was not fitted to.

    Exit code 2 if a size or rate is beyond all that was measured, without --extrapolate.
    """
    from rich.console import Console

    from busmark.predict import predict
    from busmark.report.prediction import show
    from busmark.store import Result

    predictions = predict(Result(directory), sizes, rates, extrapolate=extrapolate)
    if as_json:
        click.echo(json.dumps(predictions.model_dump(mode="json"), indent=2))
    else:
        show(predictions, Console())
    sys.exit(0 if predictions.all_predicted else 2)
