"""Damaged results: the manifest, or a table; then everything that reads a result."""

from __future__ import annotations

import contextlib
import io
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
from rich.console import Console
from tools.mutations import values
from tools.mutations.material import make

from busmark.compare import compare, select
from busmark.compare.campaign import Campaign, summarise
from busmark.errors import UserError
from busmark.plugins.papers.blocks import comparison
from busmark.plugins.predict.fit import predict
from busmark.present import formats
from busmark.present.blocks import report as blocks
from busmark.present.blocks.cases import cases
from busmark.present.blocks.report import whole as document
from busmark.present.sinks import terminal
from busmark.present.sinks.page import page
from busmark.results import Results
from busmark.store import Result, result


class Damage:
    """Copies of whole results, one of which is damaged for each input."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.whole = make(folder / "whole")
        self.copies = [folder / "copy" / path.name for path in self.whole]
        self.tables = [sorted(path.rglob("*.parquet")) for path in self.whole]
        for whole, copy in dict(zip(self.whole, self.copies, strict=True)).items():
            shutil.copytree(whole, copy)
        self.manifests = [(path / "manifest.json").read_text() for path in self.whole]
        self.places = [values.places(json.loads(text)) for text in self.manifests]

    def manifest(self, number: int, rng: Random) -> None:
        """Damage one of the manifests, as JSON or as text, and look at the result."""
        which = rng.randrange(len(self.whole))
        text = self.manifests[which]
        if rng.randrange(5):
            document = json.loads(text)
            values.change(document, rng, self.places[which])
            text = json.dumps(document)
        else:
            text = values.text(text, rng)
        path = self.copies[which] / "manifest.json"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        try:
            look(self.copies[which], self.whole[which], number, self.folder / "report")
        finally:
            path.write_text(self.manifests[which])

    def table(self, number: int, rng: Random) -> None:
        """Damage one of the tables, its values or its bytes, and look at the result."""
        which = rng.randrange(len(self.whole))
        cases = self.whole[which] / "cases.parquet"
        whole = cases if rng.randrange(3) == 0 else rng.choice(self.tables[which])
        copy = self.copies[which] / whole.relative_to(self.whole[which])
        if rng.randrange(4):
            changed(pl.read_parquet(whole), rng).write_parquet(copy)
        else:
            copy.write_bytes(values.octets(whole.read_bytes(), rng))
        try:
            look(self.copies[which], self.whole[which], number, self.folder / "report")
        finally:
            shutil.copyfile(whole, copy)


def changed(frame: pl.DataFrame, rng: Random) -> pl.DataFrame:
    """Return the frame with some values, rows or columns changed."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        frame = _changed(frame, rng)
    return frame


def _changed(frame: pl.DataFrame, rng: Random) -> pl.DataFrame:
    if not frame.width:
        return frame
    name = rng.choice(frame.columns)
    act = rng.randrange(10)
    if act == 0:
        return frame.drop(name)
    if act == 1:
        return frame.with_columns(pl.lit(rng.choice(SCALARS)).alias(name))
    if act == 2:
        return frame.sample(fraction=1.0, shuffle=True, seed=rng.randrange(100))
    if act == 3:
        return frame.head(rng.randrange(frame.height + 1))
    if act == 4:
        return pl.concat([frame, frame.head(rng.randrange(frame.height + 1))])
    if not frame.height:
        return frame
    kind = frame[name].dtype
    column = frame[name].to_list()
    for _ in range(rng.choice((1, 1, len(column)))):
        row = rng.randrange(len(column))
        column[row] = _other(column[row], kind, rng)
    series = pl.Series(name, column, dtype=kind, strict=False)
    return frame.with_columns(series)


SCALARS: tuple[Any, ...] = (
    None,
    0,
    -1,
    1,
    2**62,
    2**63 - 1,
    1.5,
    math.nan,
    math.inf,
    "x",
    "",
    True,
)


def _other(old: Any, kind: pl.DataType, rng: Random) -> Any:
    other: Any
    if isinstance(old, int | float) and not isinstance(old, bool) and rng.randrange(2):
        other = rng.choice((-old, old * 1000, old * 10**9, old + 1, 0))
    elif kind == pl.String:
        other = rng.choice([v for v in values.ODD if isinstance(v, str) and v.isprintable()])
    else:
        other = rng.choice((None, 0, 1, -1, 2**31, 2**53, 2**62, 2**63 - 1, -(2**63)))
        if kind.is_float():
            other = rng.choice((other, math.nan, math.inf, 1e300, 1e-320, 0.5, -1.5))
    if kind.is_integer() and isinstance(other, int | float):
        return max(-(2**63), min(2**63 - 1, int(other)))
    return other


def look(directory: Path, whole: Path, number: int, folder: Path) -> None:
    """Look at a result as one of the commands does that read it; the number says which one."""
    name = VIEW_OF[number * STRIDE % len(VIEW_OF)]
    found = result.Result(directory)
    campaign = summarise(found, with_series=name not in UNDRAWN)
    if name in VIEWS:
        VIEWS[name](found, campaign, whole)
        return
    shutil.rmtree(folder, ignore_errors=True)
    formats.write(blocks.views(found, campaign, folder), formats.chosen(name), folder)


def _terminal(_found: Result, campaign: Campaign, _whole: Path) -> None:
    terminal.show(blocks.document(campaign), Console(file=io.StringIO(), width=120))


def _json(_found: Result, campaign: Campaign, _whole: Path) -> None:
    json.dumps(campaign.model_dump(mode="json", by_alias=True)).encode()


def _tables(_found: Result, campaign: Campaign, _whole: Path) -> None:
    list(cases(campaign))


def _page(_found: Result, campaign: Campaign, _whole: Path) -> None:
    page(document(campaign)).encode()


def _document(_found: Result, campaign: Campaign, _whole: Path) -> None:
    found = comparison(campaign)
    if found:
        terminal.show(found, Console(file=io.StringIO(), width=120))


def _frames(found: Result, campaign: Campaign, _whole: Path) -> None:
    frames = Results(found, campaign)
    for name in ("cases", "estimates", "findings", "problems"):
        getattr(frames, name)


def _contrast(found: Result, _campaign: Campaign, whole: Path) -> None:
    with contextlib.suppress(UserError):  # that there is nothing to compare is no fault
        compare(select([str(whole), str(found.directory)], (), None))


def _predict(found: Result, _campaign: Campaign, _whole: Path) -> None:
    with contextlib.suppress(UserError):
        predict(found)


VIEWS: dict[str, Callable[[Result, Campaign, Path], None]] = {
    "terminal": _terminal,
    "json": _json,
    "tables": _tables,
    "page": _page,
    "frames": _frames,
    "document": _document,
    "contrast": _contrast,
    "predict": _predict,
}
UNDRAWN = ("terminal", "json", "tables", "document", "contrast", "predict")

IN_A_THOUSAND = {
    "terminal": 250,
    "json": 330,
    "tables": 180,
    "page": 50,
    "frames": 50,
    "contrast": 40,
    "predict": 40,
    "document": 25,
    "csv": 15,
    "gnuplot": 9,
    "csv-samples": 5,
    "xlsx": 5,
    "svg": 1,
}
"""How many inputs are looked at by which command. A page or a picture costs as much as a hundred
looks at the terminal; and of 200,000 inputs each is taken hundreds of times. The notebook is left
out: it computes its figures in a process of its own, which takes seconds to start."""

VIEW_OF = [name for name, share in IN_A_THOUSAND.items() for _ in range(share)]
STRIDE = 619
"""Coprime to a thousand: of any thousand inputs in a row each command has its share."""
