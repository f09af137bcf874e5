"""What a figure is: one kind makes a drawing for each set of cases that belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.errors import UserError
from busmark.predict import predict
from busmark.predict.model import SizeModel
from busmark.report.drawing import look, panels
from busmark.report.drawing.names import Names, name_of
from busmark.report.figures.sheet import Sheet
from busmark.store import Result


@dataclass(frozen=True, slots=True)
class Drawing:
    """One figure. `name` is that of its file, without the ending."""

    name: str
    title: str
    caption: str
    figure: Figure


@dataclass(slots=True)
class Source:
    """What figures are drawn from."""

    campaign: Campaign
    size_models: list[SizeModel] = field(default_factory=list)
    names: Names = field(default_factory=Names)

    def label(self, case: CaseSummary) -> Label:
        """How the case's curve looks."""
        return look.label_of(self.campaign, case)

    def drawing(
        self, kind: Kind, keys: panels.Keys, members: Sequence[CaseSummary], sheet: Sheet, told: str
    ) -> Drawing:
        """The finished sheet; `told` follows the keys in its caption."""
        where = panels.described(keys)
        caption = f"{where}: {told}" if where else told
        return Drawing(
            name=name_of(self.names, kind.name, keys, members),
            title=kind.title,
            caption=caption,
            figure=sheet.finish(kind.title, caption),
        )


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of figure. `name` begins the names of its files."""

    name: str
    title: str
    needs: str
    """What a campaign must have for it, for the list of what was left out."""
    draw: Callable[[Source, Kind], Iterator[Drawing]]


def source(result: Result, campaign: Campaign) -> Source:
    """With the lines through sizes, where there are some."""
    try:
        models = predict(result).sizes
    except UserError:
        models = []
    return Source(campaign, models)
