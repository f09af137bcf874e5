"""What a figure is: one kind makes a drawing for each set of cases that belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from matplotlib.figure import Figure

from busmark.analysis.model import Campaign, CaseSummary
from busmark.report import same_in_all
from busmark.report.drawing.flagged import Findings
from busmark.report.drawing.names import Names, name_of
from busmark.report.drawing.picture import Captioned
from busmark.report.figures.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Drawing:
    """One chart. `name` is the name of its file, without the ending."""

    name: str
    title: str
    caption: str
    findings: str
    """What the letters behind names mean; empty where nothing was found."""
    figure: Figure


D = TypeVar("D", bound=Captioned)
Shape = TypeVar("Shape", bound=Captioned, covariant=True)


class OfShape(Protocol[Shape]):
    """A chart of one shape."""

    @property
    def figures(self) -> tuple[str, ...]:
        """See `AnyChart`."""
        ...

    @property
    def draw(self) -> Callable[[Campaign, Sequence[CaseSummary]], Iterator[Shape]]:
        """All that there is of it."""
        ...

    def cases(self, campaign: Campaign) -> list[CaseSummary]:
        """See `AnyChart`."""
        ...


@dataclass(slots=True)
class Source:
    """What figures are drawn from."""

    campaign: Campaign
    names: Names = field(default_factory=Names)
    findings: Findings = field(init=False)

    def __post_init__(self) -> None:
        self.findings = Findings(self.campaign)

    def drawn(self, chart: OfShape[D]) -> Iterator[tuple[D, str]]:
        """All that there is of a chart, with the letters of findings, and what these mean."""
        for each in chart.draw(self.campaign, chart.cases(self.campaign)):
            yield self.findings.on(chart.figures, each.members, each)

    def drawing(self, kind: Kind, found: Captioned, sheet: Sheet, findings: str) -> Drawing:
        """The finished sheet; `findings` says what its letters mean."""
        caption = found.caption
        if name := same_in_all.middleware(found.members):
            # On paper nothing else says so.
            caption = f"{name}. {caption}"
        return Drawing(
            name=name_of(self.names, kind.name, found.keys, found.members),
            title=kind.title,
            caption=caption,
            findings=findings,
            figure=sheet.finish(kind.title, caption, findings),
        )


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of figure. `name` begins the names of its files."""

    name: str
    title: str
    needs: str
    """What a campaign must have for it, for the list of what was left out."""
    draw: Callable[[Source, Kind], Iterator[Drawing]]
