"""What an interoperability matrix consists of; `interop` makes it."""

from __future__ import annotations

from typing import Literal

from busmark.analysis.figures import Figure, Frozen

State = Literal[
    "works", "loses", "wrong content", "no data", "not matched", "failed", "unsupported", "not run"
]
"""works: every sample came, and as written where that was verified; loses: some did not come;
no data: matched, but nothing came; failed: anything else, such as a crash."""


class Cell(Frozen):
    """One writer's adapter against one reader's."""

    writer: str
    reader: str
    case: str
    state: State
    reason: str | None
    """Why it does not work, in the words of the case."""
    result: Figure | None
    """Median RTT/2, ns, or goodput, Mbit/s."""
    loss_share: float | None
    """Lost over expected, 0 to 1."""
    discovery_s: float | None
    """Median over rounds: from the last endpoint's creation until all had matched."""
    discovery_within_s: float | None = None
    """Upper limit over rounds, where no round has more than that."""


class Matrix(Frozen):
    """All pairs for one test and workload."""

    test: str
    workload: str
    """Such as "64 B on one CPU"."""
    adapters: list[str]
    """In the order of the scenario; rows are writers, columns readers."""
    titles: dict[str, str]
    cells: list[Cell]

    @property
    def working(self) -> int:
        """Pairs that exchange all samples."""
        return sum(cell.state == "works" for cell in self.cells)
