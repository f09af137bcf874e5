"""What a campaign asks of plug-ins: emulated networks."""

from __future__ import annotations

from typing import Any, Protocol, cast

from busmark.links import Links
from busmark.plugin import hook


class LinkCheck(Protocol):
    """What was measured on the links of an emulated network."""

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
        """What is wrong with it, if anything."""

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
        """Make one; `owned`: this process removes it."""

    def measure(self, lab: Lab) -> LinkCheck:
        """Measure its links."""

    def lay_down(self, name: str) -> Lab:
        """Remove it."""


def lab_hook(where: str = "[lab]") -> Labs:
    """Return the module that makes labs; `where`: the key or option that asks for one."""
    return cast(Labs, hook("lab", where))
