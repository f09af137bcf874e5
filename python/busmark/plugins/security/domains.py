"""Domains as users and documents name them: `7`, or `0-99`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from busmark.errors import UserError

LAST = 230
"""Highest domain that has ports of its own (RTPS 9.6.1)."""


@dataclass(frozen=True, slots=True, order=True)
class Domains:
    """Domains from the first to the last."""

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    @classmethod
    def parse(cls, text: str) -> Domains:
        """Return the domains of a text."""
        found = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text, re.ASCII)
        domains = cls(int(found[1]), int(found[2] or found[1])) if found else None
        if domains is None or not domains.first <= domains.last <= LAST:
            raise UserError(
                f"{text!r} is not a domain",
                where="--domain",
                remedy=f"Give a number from 0 to {LAST}, or a range such as 0-9.",
            )
        return domains


def covered(wanted: Domains, by: Sequence[Domains]) -> bool:
    """Return whether each of the wanted domains is in one of these."""
    next_one = wanted.first
    for each in sorted(by):
        if each.first <= next_one:
            next_one = max(next_one, each.last + 1)
    return next_one > wanted.last


def xml(domains: Sequence[Domains], indent: str) -> str:
    """Return the element `domains`."""
    lines = [f"{indent}<domains>"]
    for each in domains:
        if each.first == each.last:
            lines.append(f"{indent}  <id>{each.first}</id>")
            continue
        lines += [
            f"{indent}  <id_range>",
            f"{indent}    <min>{each.first}</min>",
            f"{indent}    <max>{each.last}</max>",
            f"{indent}  </id_range>",
        ]
    return "\n".join([*lines, f"{indent}</domains>"])
