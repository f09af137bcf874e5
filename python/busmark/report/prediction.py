"""Models and predictions in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from busmark.analysis import text
from busmark.analysis.dimensions import value_text
from busmark.analysis.figures import Figure
from busmark.analysis.text import (
    ABSENT,
    Scale,
    figure_text,
    number,
    percent_text,
    scale_for,
    size_text,
)
from busmark.predict.model import Knee, Predictions, RateModel, SizeModel, Sweep
from busmark.report.terminal import NARROW, heading, item

PER_BYTE = (Scale("ps", 1e-3), Scale("ns", 1.0), Scale("µs", 1e3))
"""Scales for nanoseconds per byte."""

PER_SECOND = (Scale("", 1.0),)
"""The unit is in the heading."""

BANDWIDTH = (Scale("Mbit/s", 1.0), Scale("Gbit/s", 1e3))

SIZE_NOTE = (
    "Median RTT/2 of a body of no bytes, and for each byte. In brackets: 95 % interval, with the "
    "variation of rounds and the departures from a line. Bandwidth: the inverse, where the time is "
    "shown to be above 0. Held out: greatest error at a size that the line was not fitted to, and "
    "how many were tried."
)
KNEE_NOTE = (
    "In brackets: up to where it is shown to be less, and from where it is shown to be more (…: "
    "nowhere), together 95 %. Held out: greatest error at a rate predicted from its neighbours, "
    "and how many were tried."
)
LOSS_NOTE = (
    "Carried: the greatest rate that arrived at a reader. Held out: greatest difference in the "
    "share lost. Brackets are as for latency."
)

Model = TypeVar("Model", SizeModel, RateModel)


def show(predictions: Predictions, console: Console) -> None:
    """Print models and predictions; plain text where the console is not a terminal."""
    console.print(Text(predictions.name, style="bold"))
    _models(predictions, console)
    for where, sizes in _by_workload(predictions.sizes):
        _predicted(f"Predicted {where}", sizes, console)
    for where, rates in _by_workload(predictions.rates):
        _predicted(f"Predicted, {where}", rates, console)
    if predictions.left_out:
        heading(console, "Without a model")
    for each in predictions.left_out:
        item(console, f"{each.sweep.label}, {_where(each.sweep)}: {each.reason}.")


def _models(predictions: Predictions, console: Console) -> None:
    """The tables of the models; what their columns mean is said once, below the last."""
    for where, sizes in _by_workload(predictions.sizes):
        heading(console, f"Latency against size {where}: overhead + time per byte")
        _sizes(sizes, console)
    if predictions.sizes:
        _note(console, SIZE_NOTE)
    with_latency = [model for model in predictions.rates if model.latency_floor]
    for where, rates in _by_workload(with_latency):
        heading(console, f"Latency against offered load, {where}")
        _latency(rates, console)
    if with_latency:
        rise = f"{100 * predictions.latency_rise:g} %"
        _note(console, f"Median RTT/2 at its lowest, and the rate beyond which it is {rise} above. "
              f"{KNEE_NOTE}")  # fmt: skip
    with_loss = [model for model in predictions.rates if model.loss_floor]
    for where, rates in _by_workload(with_loss):
        heading(console, f"Loss against offered load, {where}")
        _loss(rates, console)
    if with_loss:
        rise = f"{100 * predictions.loss_rise:g} %"
        _note(console, f"Share lost at its least, and the rate beyond which {rise} of all samples "
              f"more are lost. {LOSS_NOTE}")  # fmt: skip


def _by_workload(models: Iterable[Model]) -> list[tuple[str, list[Model]]]:
    groups: dict[str, list[Model]] = {}
    for model in models:
        groups.setdefault(_where(model.sweep), []).append(model)
    return list(groups.items())


def _labels(models: Sequence[SizeModel] | Sequence[RateModel]) -> list[str]:
    return [model.sweep.label for model in models]


def _where(sweep: Sweep) -> str:
    return f"{sweep.where} (throughput)" if sweep.test == "throughput" else sweep.where


def _sizes(models: Sequence[SizeModel], console: Console) -> None:
    roomy = console.width >= NARROW
    table = _table(console, _labels(models), "Overhead", "Time per byte", "Bandwidth", "Held out")
    for model in models:
        errors = [point.held_out for point in model.points]
        table.add_row(
            Text(model.sweep.label),
            Text(figure_text(model.overhead)),
            Text(figure_text(model.slope, PER_BYTE)),
            Text(_short(model.bandwidth, BANDWIDTH, roomy)),
            Text(_worst(errors)),
        )
    console.print(table)


def _latency(models: Sequence[RateModel], console: Console) -> None:
    table = _table(console, _labels(models), "Floor", "Knee, 1/s", "Held out")
    for model in models:
        errors = [point.latency_held_out for point in model.points]
        table.add_row(
            Text(model.sweep.label),
            Text(figure_text(model.latency_floor)),
            Text(_knee_text(model.latency_knee, model)),
            Text(_worst(errors)),
        )
    console.print(table)


def _loss(models: Sequence[RateModel], console: Console) -> None:
    roomy = console.width >= NARROW
    table = _table(console, _labels(models), "Floor", "Knee, 1/s", "Carried, 1/s", "Held out")
    for model in models:
        errors = [point.loss_held_out for point in model.points]
        table.add_row(
            Text(model.sweep.label),
            Text(_share_text(model.loss_floor)),
            Text(_knee_text(model.loss_knee, model)),
            Text(_short(model.carried, PER_SECOND, roomy)),
            Text(_worst(errors)),
        )
    console.print(table)


def _predicted(
    title: str, models: Sequence[SizeModel] | Sequence[RateModel], console: Console
) -> None:
    rows = [(model, prediction) for model in models for prediction in model.predictions]
    if not rows:
        return
    heading(console, title)
    of_rate = isinstance(rows[0][0], RateModel)
    columns = ["Rate, 1/s", "Median RTT/2", "Loss"] if of_rate else ["Size", "Median RTT/2"]
    remarked = any(prediction.remark for _, prediction in rows)
    table = _table(console, _labels(models), *columns)
    if remarked:
        table.add_column("", no_wrap=True)
    for model, prediction in rows:
        at = value_text("", prediction.at) if of_rate else size_text(round(prediction.at))
        cells = [at, figure_text(prediction.latency)]
        cells += [_share_text(prediction.loss)] if of_rate else []
        if remarked:
            cells.append(prediction.state if prediction.remark else "")
        table.add_row(Text(model.sweep.label), *map(Text, cells))
    console.print(table)
    for state, remark in dict.fromkeys((p.state, p.remark) for _, p in rows if p.remark):
        item(console, f"{state}: {remark}.")


def _table(console: Console, labels: Iterable[str], *columns: str) -> Table:
    """Figures are never broken, labels between words only."""
    roomy = console.width >= NARROW
    table = Table(
        box=box.SIMPLE_HEAD, padding=(0, int(roomy), 0, 0), pad_edge=False, show_edge=False
    )
    words = [word for label in ("Middleware", *labels) for word in label.split()]
    table.add_column("Middleware", min_width=max(map(len, words)), overflow="fold")
    for title in columns:
        table.add_column(Text(title), justify="right", no_wrap=True)
    return table


def _note(console: Console, note: str) -> None:
    item(console, note, lead="", style="dim")


def _short(figure: Figure | None, scales: Sequence[Scale], roomy: bool) -> str:
    """With its interval where there is room."""
    if figure is None or roomy:
        return figure_text(figure, scales)
    scale = scale_for([figure.value], scales)
    return f"{text.value_text(figure, scale)} {scale.unit}".strip()


def _share_text(figure: Figure | None) -> str:
    if figure is None:
        return ABSENT
    if figure.low is None or figure.high is None:
        return percent_text(figure.value)
    limits = f"[{percent_text(figure.low)}, {percent_text(figure.high)}]"
    return f"{percent_text(figure.value)} {limits}"


def _knee_text(knee: Knee | None, model: RateModel) -> str:
    """ "9 400 [5 000, 20 000]"; without a knee, how far the floor is shown to reach."""
    if knee is None:
        return ABSENT
    low = value_text("", knee.low)
    if knee.value is None:
        last = model.points[-1].rate_hz
        return f"none up to {low}" if knee.low >= last else f"not shown; above {low}"
    high = "…" if knee.high is None else value_text("", knee.high)
    return f"{number(knee.value)} [{low}, {high}]"


def _worst(errors: Sequence[float | None]) -> str:
    known = [abs(error) for error in errors if error is not None]
    # Below a millionth of a per cent is what arithmetic leaves.
    return f"{percent_text(round(max(known), 8))} of {len(known)}" if known else ABSENT
