"""What a figure is: one kind makes a drawing for each set of cases that belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.report import same_in_all
from busmark.report.drawing import look, panels
from busmark.report.drawing.names import Names, name_of
from busmark.report.figures.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Drawing:
    """One chart. `name` is the name of its file, without the ending."""

    name: str
    title: str
    caption: str
    figure: Figure


@dataclass(slots=True)
class Source:
    """What figures are drawn from."""

    campaign: Campaign
    names: Names = field(default_factory=Names)

    def label(self, case: CaseSummary) -> Label:
        """How the case's curve looks."""
        return look.label_of(self.campaign, case)

    def drawing(
        self, kind: Kind, keys: panels.Keys, members: Sequence[CaseSummary], sheet: Sheet, told: str
    ) -> Drawing:
        """The finished sheet; `told` follows the keys in its caption."""
        caption = panels.captioned(keys, told)
        if name := same_in_all.middleware(members):
            # On paper nothing else says so.
            caption = f"{name}. {caption}"
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
