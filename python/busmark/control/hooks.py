"""What a campaign asks of plug-ins: emulated networks, captures, documents of secured
cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from busmark.links import Links
from busmark.plugin import hook

if TYPE_CHECKING:
    import polars as pl

    from busmark.adapters import Adapter
    from busmark.control.round import RoundData
    from busmark.model.parameters import Parameters
    from busmark.nodes import Node
    from busmark.scenario import Scenario
    from busmark.store import Case


class LinkCheck(Protocol):
    """Measurements on the links of an emulated network."""

    def departures(self, lab: Any) -> list[str]:
        """Return where the links are not as they were to be."""

    def model_dump(self) -> dict[str, Any]:
        """Return it for the log."""


class Lab(Protocol):
    """An emulated network: nodes on this machine, joined by links."""

    name: str
    size: int

    @property
    def nodes(self) -> list[str]:
        """Names of the nodes."""

    @property
    def complaint(self) -> str | None:
        """Return what is wrong with it, if anything."""

    def address(self, node: str) -> str:
        """Return the address of a node."""

    def prefix(self, node: str) -> list[str]:
        """Return the command that runs another on a node."""

    def cut(self, *, down: bool) -> None:
        """Take all links down, or up again."""


class Labs(Protocol):
    """The module that makes them: hook `lab`."""

    INTERFACE: str
    """The network interface of every node."""

    def need(self) -> None:
        """Raise `UserError` where none can be made."""

    def labs(self) -> list[Lab]:
        """Return the labs of this machine, and remove what killed owners left."""

    def set_up(self, name: str, size: int, links: Links, *, owned: bool) -> Lab:
        """Make a lab; `owned`: this process removes it."""

    def measure(self, lab: Lab) -> LinkCheck:
        """Measure the links of a lab."""

    def lay_down(self, name: str) -> Lab:
        """Remove a lab."""


def lab_hook(where: str = "[lab]") -> Labs:
    """Return the module that makes labs; `where`: the key or option that asks for one."""
    return cast(Labs, hook("lab", where))


@dataclass
class RoundPackets:
    """Packets of one round on the wire."""

    frames: dict[str, pl.DataFrame | None] = field(default_factory=dict)
    """Tables of packets, by their names."""
    figures: dict[str, int | None] = field(default_factory=dict)
    """Columns of the round's row in `cases`."""


class Captures(Protocol):
    """The module for the scenario's section `[capture]`: hook `capture`. A companion captures."""

    def check(
        self,
        scenario: Scenario,
        cases: Sequence[Case],
        adapters: Mapping[str, Adapter],
        nodes: Sequence[Node] = (),
    ) -> None:
        """Raise `UserError` where there is nothing to capture, or it cannot be captured."""

    CAPTURE_S: float
    """Time that a capture adds to a round."""

    def of_captures(
        self, scenario: Scenario, adapters: Mapping[str, Adapter], cases: Iterable[Case]
    ) -> dict[str, float]:
        """Estimate the bytes of a file of a round, by each case that is captured."""

    async def decode(
        self, case: Case, number: int, data: RoundData, cookie: int, folder: Path
    ) -> RoundPackets:
        """Count and decode the packets of a round that has ended; `folder`: for files meanwhile."""


def capture_hook() -> Captures:
    """Return the module for captures."""
    return cast(Captures, hook("capture", "[capture]"))


class Documents(Protocol):
    """Security documents of a campaign."""

    def check(self) -> None:
        """Raise `UserError` where a participant has none, or its documents cannot be read."""

    def for_participant(self, params: Parameters, participant: str) -> dict[str, Any] | None:
        """Return the documents of a participant of a case; None: it is unsecured."""


class Security(Protocol):
    """The module for secured cases: hook `security`."""

    def CampaignDocuments(
        self, scenario: Scenario, cases: Iterable[Case], run_dir: Path
    ) -> Documents:
        """Return the user's documents, or the campaign's own, made in `run_dir`."""

    def check_directory(self, scenario: Scenario, cases: Iterable[Case]) -> None:
        """Raise `UserError` where a directory of the user's does not do for the cases."""


def security_hook(cases: Iterable[Case]) -> Security | None:
    """Return the module for secured cases; None where none of these is secured."""
    if any(case.status == "planned" and case.params.security_profile for case in cases):
        return cast(Security, hook("security", "security"))
    return None


def check_plugins(scenario: Scenario, cases: Iterable[Case]) -> None:
    """Refuse, before anything runs, cases that need a plug-in which is not used, and a directory of
    security documents that does not do for them.

    Raises:
        UserError: what they need.
    """
    planned = [case for case in cases if case.status == "planned"]
    if planned and scenario.of_plugin("capture"):
        capture_hook()
    if any(case.params.network == "lab" for case in planned):
        lab_hook()
    if security := security_hook(planned):
        security.check_directory(scenario, planned)
