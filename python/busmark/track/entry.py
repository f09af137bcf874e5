"""One line of a history: a result, reduced to its figures, and what it is of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from busmark.model.figure import Figure, Quantity

VERSION = 1
"""Version of a line; raised when an older Busmark would misread it."""

Text = Annotated[str, Field(max_length=10_000)]


class Stored(BaseModel):
    """Unknown keys are kept, so that an older Busmark reads what a newer one has added."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Commit(Stored):
    """What was measured."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    """Commit of git, in full if git knows it."""
    utc: Text | None = None
    """When it was committed, by which histories are ordered; null: git does not know it, and the
    time of the measurement counts."""
    subject: Text = ""
    """First line of its message."""
    modified: bool = False
    """Whether files under version control differed from it when the result was added."""


class Machine(Stored):
    """Where it was measured."""

    name: Text
    """Host name, or what `--machine` says."""
    facts: dict[str, Any]
    """Which tell machines apart: results of machines that differ in one of these are kept apart."""
    settings: dict[str, Any] = {}
    """Which are listed where they change at a step, such as the kernel's version."""


class TrackedCase(Stored):
    """A case with its figures."""

    id: Text
    """In its result."""
    params: dict[str, Any]
    """All that was asked for, flat; adapters by the names that they declare."""
    effort: dict[str, Any] = {}
    """How long was measured."""
    rounds: int
    figures: dict[str, Figure]
    """By the names of `--fail-if`, such as median.latency. Figures that the case does not have are
    left out."""
    latencies: dict[str, Quantity] = {}
    """What a latency is, by the name of its figure: half a round trip, or one way."""


class Entry(Stored):
    """A line."""

    busmark_history: Literal[1] = 1
    """`VERSION`."""
    commit: Commit
    machine: Machine
    cookie: Text
    """Cookie of the result: it is in a history once."""
    directory: Text
    """As it was given."""
    campaign: Text
    """The scenario's name."""
    measured_utc: Text
    added_utc: Text
    busmark_version: Text
    versions: dict[str, dict[str, Any]]
    """For each adapter: its title, its version, its middleware's version, and its library's
    sha256."""
    cases: list[TrackedCase]

    @property
    def ordered_by(self) -> tuple[str, str]:
        """Time of the commit, then of the measurement."""
        return self.commit.utc or self.measured_utc, self.measured_utc
