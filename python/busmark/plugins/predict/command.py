"""`busmark predict`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from busmark.cli.documents import FileOptions, show, written
from busmark.cli.options import Amount, wide
from busmark.cli.output import echo
from busmark.cli.places import Directory, or_newest


@click.command(epilog="Example: busmark predict @last --size 3k --rate 12kHz")
@click.argument("directory", required=False, type=Directory(), callback=or_newest)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=Amount("size", 0, 1 << 40),
    metavar="SIZE",
    help="Predict the latency of bodies of this size. Can be repeated.",
)
@click.option(
    "--rate",
    "rates",
    multiple=True,
    metavar="RATE",
    type=Amount("rate", most=1e9, zero=False),
    help="Predict latency and loss at this rate. Can be repeated.",
)
@click.option(
    "--load",
    "loads",
    multiple=True,
    metavar="LOAD",
    help='Predict latency, goodput and loss under a background load such as "cpu 40%". '
    "Can be repeated.",
)
@click.option(
    "--extrapolate",
    is_flag=True,
    help="Also predict beyond the measured range; the result says so.",
)
@written("prediction")
@wide
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print models and predictions as JSON (schema: prediction).",
)
def command(
    directory: Path,
    sizes: tuple[int, ...],
    rates: tuple[float, ...],
    loads: tuple[str, ...],
    extrapolate: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Fit models to the results in DIRECTORY, or to @last: latency against size, latency and
    loss against rate, all of them and goodput against a background load.

    Cases that differ only in size give overhead and time per byte; cases that differ only in
    rate_hz, or only in one background load, give a floor and a knee. Each model states its
    cross-validation error.

    Exit code 1 if there is no usable model, because rounds disagree or a model is too inaccurate; 2
    if a size, rate or load is outside the measured range, without --extrapolate.
    """
    from busmark.plugins.predict.blocks import document
    from busmark.plugins.predict.fit import predict
    from busmark.present.formats import Views
    from busmark.store import Result

    files = FileOptions.from_options("prediction", options)
    result = Result(directory)
    for what in result.damage:
        echo(f"left out: {what}", err=True)
    levels = [_level(text) for text in loads]
    predictions = predict(result, sizes, rates, loads=levels, extrapolate=extrapolate)
    if files:
        files.write(Views(lambda: document(predictions)))
    if as_json:
        echo(json.dumps(predictions.model_dump(mode="json"), indent=2))
    else:
        show(document(predictions))
    kinds = {kind for kind, _ in levels}
    sys.exit(predictions.exit_code(sizes=bool(sizes), rates=bool(rates), loads=kinds))


def _level(text: str) -> tuple[str, float]:
    """Return the kind and level of the one load in a text; refuse any other text."""
    from busmark.errors import UserError
    from busmark.load import parse

    found = parse(text)
    if len(found) != 1 or found[0].level is None:
        raise UserError(
            f"--load {text!r}: not the level of one load",
            remedy='Name one kind with a level, as in --load "cpu 40%".',
        )
    return found[0].kind, found[0].level
