"""What the shell completes behind commands of one line."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


class Words(click.ParamType[str]):
    """Some words joined by commas; what else may stand there is judged by who reads it."""

    name = "words"

    def __init__(self, *words: str) -> None:
        self.words = words

    def known(self) -> list[str]:
        """The words that are offered."""
        return [*self.words]

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Completes the last word; those before it stay."""
        before, comma, last = incomplete.rpartition(",")
        return [
            CompletionItem(f"{before}{comma}{word}")
            for word in self.known()
            if word.startswith(last) and word not in before.split(",")
        ]


class Adapters(Words):
    """Names of the adapters that are here."""

    name = "adapter"

    def known(self) -> list[str]:
        """Found when they are asked for."""
        from busmark.adapters import libraries

        return sorted(libraries())


class Policies(Words):
    """Words of QoS."""

    name = "qos"

    def known(self) -> list[str]:
        """Those that scenario files have."""
        from busmark.scenario.line import POLICIES

        return [*POLICIES]


ADAPTER = Adapters()
POLICY = Policies()
