"""How a comparison is judged, shown and written: what `busmark ab` and `busmark compare` share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from busmark.cli.documents import FileOptions, show, written
from busmark.cli.options import Amount, wide
from busmark.cli.output import echo, unread

if TYPE_CHECKING:
    from busmark.compare import Comparison, Gate


OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--equivalent", default="2%", type=Amount("share", most=1, zero=False),
                 metavar="SHARE",
                 help="A ratio whose interval is within this share of 1 is equivalent; default: "
                 "2%."),
    click.option("--fail-if", "expressions", multiple=True, metavar="EXPR",
                 help="Exit with code 1 if this is significant for a case: FIGURE > NUMBER, or <. "
                 "Can be repeated. FIGURE as for --require: 'p99(latency)' or p99.latency, "
                 "goodput, loss, 'later(2ms)', cpu. NUMBER: a ratio to the baseline, 1.05 or "
                 "1.05x; for a share of samples a difference, 0.1%; with a unit a limit for the "
                 "candidate, 200us, 500Mbit/s. 'where adapter=udp, size=64' behind it names the "
                 "baseline's cases that it is for."),
    click.option("--undecided", type=click.Choice(["fail", "pass"]),
                 help="Exit code where a criterion is undecided: 1 or 0; default: pass for a ratio "
                 "or a difference, fail for a limit with a unit."),
    click.option("--missing", type=click.Choice(["fail", "skip"]), default="fail",
                 help="What a case of the baseline that was not measured with a candidate does "
                 "to a criterion; default: fail."),
    click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: comparison)."),
    written("comparison"),
    click.option("--all", "every", is_flag=True, help="Show all figures of all cases."),
    wide,
)  # fmt: skip
"""Options about judgement, in the order of the help."""


def judged(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Judgement`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Judgement:
    """Options about judgement."""

    equivalent: float
    expressions: tuple[str, ...]
    undecided: Literal["fail", "pass"] | None
    missing: Literal["fail", "skip"]
    as_json: bool
    every: bool
    files: FileOptions

    @classmethod
    def from_options(cls, options: dict[str, Any]) -> Judgement:
        """Make the judgement for which a command's options ask."""
        return cls(files=FileOptions.from_options("comparison", options), **options)

    def gate(self) -> Gate:
        """Return the criteria, and what fails them. All that can be wrong with the options is found
        here, before anything is read or run.

        Raises:
            UserError: an expression is not valid, or a file cannot be written.
        """
        from busmark.compare import Criterion, Gate
        from busmark.errors import UserError

        found = [Criterion.parse(expression) for expression in self.expressions]
        if not found and "junit" in (*self.files.named, *self.files.forms.split(",")):
            raise UserError(
                "there is no criterion to write", where="--junit", remedy="Add --fail-if EXPR."
            )
        return Gate(found, self.undecided, self.missing)

    def present(self, found: Comparison) -> int:
        """Show and write the comparison; return the exit code."""
        from busmark.present.blocks.comparison import document, views

        if self.files:
            self.files.write(views(found, every=self.every))
        with unread():
            if self.as_json:
                echo(json.dumps(found.model_dump(mode="json"), indent=2))
            else:
                show(document(found, every=self.every))
        return 1 if found.failed else 0
