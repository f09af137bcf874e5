"""Models of a result's sweeps, and what they predict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from busmark.estimate.resources import UNITS
from busmark.model import text
from busmark.model.figure import Figure
from busmark.model.naming import FLOOR_ADAPTER, value_text
from busmark.plugins.predict.model import (
    Knee,
    LoadModel,
    Prediction,
    Predictions,
    RateModel,
    SizeModel,
    Sweep,
)
from busmark.present.document import ABSENT, Cell, Column, Document, Row, Section, Table, Text

LEAST_ERROR = 8
"""Decimals of a cross-validation error; what is below arithmetic leaves."""

Curve = RateModel | LoadModel
Model = SizeModel | RateModel | LoadModel


class Kind(NamedTuple):
    """A figure of a curve: against a rate, or against a background load."""

    title: str
    name: str
    """Field of a prediction; the fields of models and points begin with it."""
    flat: str
    """How a curve is before its knee, in headings and at the end of the field."""
    unit: str


KINDS = (
    Kind("Latency", "latency", "floor", "ns"),
    Kind("Goodput", "goodput", "best", "Mbit/s"),
    Kind("Loss", "loss", "floor", "1"),
)


def document(predictions: Predictions) -> Document:
    """Return the models, then what was asked for, then sweeps without a model."""
    loads: dict[str, list[LoadModel]] = {}
    for model in predictions.loads:
        loads.setdefault(f"background load {model.kind}", []).append(model)
    groups: dict[str, Sequence[Model]] = {
        "size": predictions.sizes,
        "offered load": predictions.rates,
        **loads,
    }
    counts = [f"{len(models)} against {what}" for what, models in groups.items() if models]
    sections = [*_sizes(predictions)]
    sections += _curves("offered load", predictions.rates)
    for what, own in loads.items():
        sections += _curves(what, own)
    if predictions.rates or predictions.loads:
        sections.append(Section("", [_knees(predictions)]))
    for what, models in groups.items():
        sections += _predicted(what, models)
    return Document(
        predictions.name,
        [f"Models: {', '.join(counts) or 'none'}"],
        [*sections, *_without_model(predictions)],
        kind="prediction",
    )


def _sizes(predictions: Predictions) -> Iterator[Section]:
    tables = []
    for where, models in _by_workload(predictions.sizes):
        columns = [
            Column("Overhead", [_figure(model.overhead) for model in models], "figure", "ns"),
            Column("Time per byte", [_slope(model.slope) for model in models], "figure", "ns/B"),
            Column("Bandwidth", [_figure(m.bandwidth) for m in models], "figure", "Mbit/s"),
            *_errors([[point.held_out for point in model.points] for model in models]),
        ]
        tables.append(_table(where, models, columns))
    if tables:
        note = Text(
            "size_models", {"level": text.set_percent_text(predictions.confidence)}, style="quiet"
        )
        yield Section("Latency against size", [*tables, note])


def _curves(what: str, models: Sequence[Curve]) -> Iterator[Section]:
    for kind in KINDS:
        known = [model for model in models if _flat(model, kind)]
        tables = [_curve_table(kind, where, own) for where, own in _by_workload(known)]
        if tables:
            yield Section(f"{kind.title} against {what}", tables)


def _curve_table(kind: Kind, where: str, models: Sequence[Curve]) -> Table:
    unit = _variable(models[0]).partition(", ")[2]
    columns = [
        Column(
            kind.flat.capitalize(), [_figure(_flat(m, kind)) for m in models], "figure", kind.unit
        ),
        Column(f"Knee, {unit}", [_knee(model, kind) for model in models], "figure"),
    ]
    if kind.name == "loss" and isinstance(models[0], RateModel):
        carried = [_figure(getattr(model, "carried", None)) for model in models]
        columns.append(Column("Carried", carried, "figure", "1/s"))
    errors = [[getattr(p, f"{kind.name}_held_out") for p in model.points] for model in models]
    return _table(where, models, [*columns, *_errors(errors)])


def _knees(predictions: Predictions) -> Text:
    return Text(
        "knees",
        {
            "rise": text.set_percent_text(predictions.latency_rise),
            "fall": text.set_percent_text(predictions.goodput_fall),
            "lost": text.set_percent_text(predictions.loss_rise),
            "level": text.set_percent_text(predictions.confidence),
        },
        style="quiet",
    )


def _flat(model: Curve, kind: Kind) -> Figure | None:
    found: Figure | None = getattr(model, f"{kind.name}_{kind.flat}", None)
    return found


def _predicted(what: str, models: Sequence[Model]) -> Iterator[Section]:
    """Return what was asked for, and why a figure is missing."""
    tables = []
    for where, own in _by_workload(models):
        rows = [(model, prediction) for model in own for prediction in model.predictions]
        if not rows:
            continue
        cells = [_at(model, prediction) for model, prediction in rows]
        columns = [Column(_variable(own[0]), cells, "number")]
        for kind in KINDS:
            figures = [getattr(prediction, kind.name) for _, prediction in rows]
            if kind.name == "latency" or any(figures):
                columns.append(Column(kind.title, [*map(_figure, figures)], "figure", kind.unit))
        if any(prediction.remark for _, prediction in rows):
            columns.append(Column("State", [Cell(p.state if p.remark else "") for _, p in rows]))
        remarks = dict.fromkeys(f"{p.state}: {p.remark}." for _, p in rows if p.remark)
        notes = [Text("line", {"line": remark}) for remark in remarks]
        tables.append(_table(where, [model for model, _ in rows], columns, notes))
    if tables:
        yield Section(f"Predicted by {what}", tables)


def _variable(model: Model) -> str:
    if isinstance(model, SizeModel):
        return "Size"
    if isinstance(model, RateModel):
        return "Rate, 1/s"
    return f"{model.kind} load, {UNITS[model.kind][1].split()[0]}"


def _at(model: Model, prediction: Prediction) -> Cell:
    if isinstance(model, SizeModel):
        return Cell(prediction.at, text=text.size_text(round(prediction.at)), unit="B")
    factor = UNITS[model.kind][0] if isinstance(model, LoadModel) else 1.0
    return Cell(prediction.at, text=value_text("", prediction.at * factor))


def _without_model(predictions: Predictions) -> Iterator[Section]:
    left = predictions.left_out
    if left:
        columns = [
            Column(
                "Sweep", [Cell(f"{one.sweep.label}, {_where(one.sweep)}") for one in left], "label"
            ),
            Column("Reason", [Cell(one.reason) for one in left]),
        ]
        yield Section("Without a model", [Table(columns, [Row() for _ in left])])


def _by_workload(models: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    groups: dict[str, list[Any]] = {}
    for model in models:
        groups.setdefault(_where(model.sweep), []).append(model)
    return list(groups.items())


def _table(
    where: str, models: Sequence[Model], columns: Sequence[Column], notes: Sequence[Text] = ()
) -> Table:
    """Return a row for each model of a workload."""
    title = max((model.sweep.label_title for model in models), key=len)
    labels = [Cell(model.sweep.label, label=model.sweep.label) for model in models]
    rows = [Row("floor" if model.sweep.adapter == FLOOR_ADAPTER else "") for model in models]
    return Table([Column(title, labels, "label"), *columns], rows, title=where, notes=notes)


def _where(sweep: Sweep) -> str:
    return f"{sweep.where} (throughput)" if sweep.test == "throughput" else sweep.where


def _figure(figure: Figure | None) -> Cell:
    return Cell(figure.value, figure.low, figure.high) if figure else ABSENT


def _slope(slope: Figure) -> Cell:
    """Return a time per byte; one that may be none has an upper limit only."""
    if slope.low is None or slope.high is None or slope.low > 0.0:
        return _figure(slope)
    return Cell(slope.high, text=f"≤ {text.number(slope.high)}")


def _knee(model: Curve, kind: Kind) -> Cell:
    """Return "9 400 [5 000, 20 000]"; without a knee, how far the curve is shown to be flat."""
    knee: Knee | None = getattr(model, f"{kind.name}_knee")
    if knee is None:
        return ABSENT
    if isinstance(model, LoadModel):
        factor, last = UNITS[model.kind][0], model.points[-1].level
    else:
        factor, last = 1.0, model.points[-1].rate_hz
    low = value_text("", knee.low * factor)
    if knee.value is None:
        return Cell(text=f"none up to {low}" if knee.low >= last else f"not shown; above {low}")
    high = "…" if knee.high is None else value_text("", knee.high * factor)
    return Cell(
        knee.value, knee.low, knee.high, text=f"{text.number(knee.value * factor)} [{low}, {high}]"
    )


def _errors(errors: Sequence[Sequence[float | None]]) -> Iterator[Column]:
    """Return the greatest of each model, and of how many points."""
    known = [[abs(error) for error in own if error is not None] for own in errors]
    worst = [Cell(round(max(own), LEAST_ERROR)) if own else ABSENT for own in known]
    yield Column("CV error", worst, "number", "1")
    yield Column("CV points", [Cell(len(own)) for own in known], "count", detail=True)
