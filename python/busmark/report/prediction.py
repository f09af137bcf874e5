"""Models and predictions in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from busmark.analysis.across.dimensions import value_text
from busmark.analysis.case.background import UNITS, level_text
from busmark.analysis.figures import Figure
from busmark.analysis.words import text
from busmark.analysis.words.text import (
    ABSENT,
    Scale,
    figure_text,
    number,
    percent_text,
    scale_for,
    size_text,
)
from busmark.predict.model import Knee, LoadModel, Predictions, RateModel, SizeModel, Sweep
from busmark.report.roomy import NARROW, heading, item, room

PER_BYTE = (Scale("ps", 1e-3), Scale("ns", 1.0), Scale("µs", 1e3))
"""Scales for nanoseconds per byte."""

PER_SECOND = (Scale("", 1.0),)
"""The unit is in the heading."""

BANDWIDTH = (Scale("Mbit/s", 1.0), Scale("Gbit/s", 1e3))

CV_ERROR = "Worst CV error"
"""Heading of the greatest cross-validation error, with how many points were left out in turn."""

SIZE_NOTE = (
    "Median RTT/2 of a body of no bytes, and for each byte. In brackets: 95 % interval, with the "
    "variation of rounds and the departures from a line. Bandwidth: the inverse, where the time is "
    "shown to be above 0. Worst CV error: greatest cross-validation error, at a size left out of "
    "the fit; in brackets how many were, in turn."
)
KNEE_NOTE = (
    "In brackets: up to where it is shown to be less, and from where it is shown to be more (…: "
    "nowhere), together 95 %. Worst CV error: greatest cross-validation error, at a rate predicted "
    "from its neighbours; in brackets how many were."
)
LOSS_NOTE = (
    "Carried: the greatest rate that arrived at a reader. Worst CV error: greatest "
    "cross-validation error, as a difference in the share lost. Brackets are as for latency."
)

LOAD_NOTE = (
    "Knee: the level from which latency is {rise} above its floor, goodput {fall} below its best, "
    "or {lost} of all samples more are lost. Levels are those achieved, 0 without the load. In "
    "brackets: up to where the floor is shown to reach, and from where it is shown to be left (…: "
    "nowhere). Worst CV error: greatest cross-validation error, at a level predicted from its "
    "neighbours; in brackets how many were."
)
UNDER_LOAD = (
    ("Latency", "Floor", "latency_floor", "latency_knee", "latency_held_out"),
    ("Goodput", "Best", "goodput_best", "goodput_knee", "goodput_held_out"),
    ("Loss", "Floor", "loss_floor", "loss_knee", "loss_held_out"),
)
"""Figures of models of a background load: title, heading of the floor, and fields."""

Model = TypeVar("Model", SizeModel, RateModel, LoadModel)


def show(predictions: Predictions, console: Console) -> None:
    """Print models and predictions; plain text where the console is not a terminal."""
    console.print(Text(predictions.name, style="bold"))
    _models(predictions, console)
    for where, sizes in _by_workload(predictions.sizes):
        _predicted(f"Predicted {where}", sizes, console)
    for where, rates in _by_workload(predictions.rates):
        _predicted(f"Predicted, {where}", rates, console)
    for where, loads in _by_workload(predictions.loads):
        _predicted_under_load(f"Predicted under load, {where}", loads, console)
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

    for kind in dict.fromkeys(model.kind for model in predictions.loads):
        _under_load(kind, [m for m in predictions.loads if m.kind == kind], console)
    if predictions.loads:
        rises = {"rise": predictions.latency_rise, "fall": predictions.goodput_fall,
                 "lost": predictions.loss_rise}  # fmt: skip
        _note(console, LOAD_NOTE.format(**{k: f"{100 * v:g} %" for k, v in rises.items()}))


def _under_load(kind: str, models: Sequence[LoadModel], console: Console) -> None:
    """A table for each figure and workload."""
    unit = UNITS[kind][1].strip()
    for title, best, floor, knee, held_out in UNDER_LOAD:
        known = [model for model in models if getattr(model, floor) is not None]
        for where, own in _by_workload(known):
            heading(console, f"{title} against background load {kind}, {where}")
            table = _table(console, own, best, f"Knee, {unit}", CV_ERROR)
            for model in own:
                least = getattr(model, floor)
                scales = (BANDWIDTH,) if title == "Goodput" else ()
                shown = _share_text(least) if title == "Loss" else figure_text(least, *scales)
                errors = [getattr(point, held_out) for point in model.points]
                cells = (shown, _level_knee_text(getattr(model, knee), model), _worst(errors))
                table.add_row(Text(model.sweep.label), *map(Text, cells))
            console.print(table)


def _level_knee_text(knee: Knee | None, model: LoadModel) -> str:
    """As `_knee_text`, in the unit of the column."""
    if knee is None:
        return ABSENT
    factor = UNITS[model.kind][0]
    low = number(knee.low * factor)
    if knee.value is None:
        last = model.points[-1].level
        return f"none up to {low}" if knee.low >= last else f"not shown; above {low}"
    high = "…" if knee.high is None else number(knee.high * factor)
    return f"{number(knee.value * factor)} [{low}, {high}]"


def _predicted_under_load(title: str, models: Sequence[LoadModel], console: Console) -> None:
    rows = [(model, prediction) for model in models for prediction in model.predictions]
    if not rows:
        return
    heading(console, title)
    told = [
        (title, name) for title, name in (("Median RTT/2", "latency"), ("Goodput", "goodput"),
                                          ("Loss", "loss"))
        if any(getattr(prediction, name) for _, prediction in rows)
    ]  # fmt: skip
    table = _table(console, models, "Load", *(title for title, _ in told))
    if any(prediction.remark for _, prediction in rows):
        table.add_column("", no_wrap=True)
    for model, prediction in rows:
        cells = [f"{model.kind} {level_text(model.kind, prediction.at)}"]
        for _, name in told:
            figure, scales = getattr(prediction, name), (BANDWIDTH,) if name == "goodput" else ()
            cells.append(_share_text(figure) if name == "loss" else figure_text(figure, *scales))
        cells += [prediction.state] if prediction.remark else []
        table.add_row(Text(model.sweep.label), *map(Text, cells))
    console.print(table)
    for state, remark in dict.fromkeys((p.state, p.remark) for _, p in rows if p.remark):
        item(console, f"{state}: {remark}.")


def _by_workload(models: Iterable[Model]) -> list[tuple[str, list[Model]]]:
    groups: dict[str, list[Model]] = {}
    for model in models:
        groups.setdefault(_where(model.sweep), []).append(model)
    return list(groups.items())


Models = Sequence[SizeModel] | Sequence[RateModel] | Sequence[LoadModel]


def _where(sweep: Sweep) -> str:
    return f"{sweep.where} (throughput)" if sweep.test == "throughput" else sweep.where


def _sizes(models: Sequence[SizeModel], console: Console) -> None:
    roomy = room(console) >= NARROW
    table = _table(console, models, "Overhead", "Time per byte", "Bandwidth", CV_ERROR)
    for model in models:
        errors = [point.held_out for point in model.points]
        table.add_row(
            Text(model.sweep.label),
            Text(figure_text(model.overhead)),
            Text(_slope_text(model.slope)),
            Text(_short(model.bandwidth, BANDWIDTH, roomy)),
            Text(_worst(errors)),
        )
    console.print(table)


def _latency(models: Sequence[RateModel], console: Console) -> None:
    table = _table(console, models, "Floor", "Knee, 1/s", CV_ERROR)
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
    roomy = room(console) >= NARROW
    table = _table(console, models, "Floor", "Knee, 1/s", "Carried, 1/s", CV_ERROR)
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
    table = _table(console, models, *columns)
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


def _table(console: Console, models: Models, *columns: str) -> Table:
    """Figures are never broken, labels between words only."""
    roomy = room(console) >= NARROW
    table = Table(
        box=box.SIMPLE_HEAD, padding=(0, int(roomy), 0, 0), pad_edge=False, show_edge=False
    )
    title = max((model.sweep.label_title for model in models), key=len, default="Middleware")
    labels = [model.sweep.label for model in models]
    words = [word for label in (title, *labels) for word in label.split()]
    table.add_column(title, min_width=max(map(len, words)), overflow="fold")
    for title in columns:
        table.add_column(Text(title), justify="right", no_wrap=True)
    return table


def _note(console: Console, note: str) -> None:
    item(console, note, lead="", style="dim")


def _slope_text(slope: Figure) -> str:
    """A time that may be none has an upper limit only."""
    if slope.low is None or slope.high is None or slope.low > 0.0:
        return figure_text(slope, PER_BYTE)
    scale = scale_for([slope.high], PER_BYTE)
    return f"at most {number(slope.high / scale.factor)} {scale.unit}"


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
    return f"{percent_text(round(max(known), 8))} ({len(known)})" if known else ABSENT
