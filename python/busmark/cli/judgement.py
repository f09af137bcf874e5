"""How a comparison is judged, shown and written: what `busmark ab` and `busmark compare` share."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from busmark.cli.output import echo
from busmark.cli.values import Amount
from busmark.cli.wide import wide

if TYPE_CHECKING:
    from busmark.compare import Comparison, Gate


@dataclass(frozen=True)
class Form:
    """A file that a comparison is written to, and the option of its name."""

    name: str
    writer: str
    """Name of a function of the comparison that returns the text, loaded when it is needed."""
    meaning: str
    """For the command's help."""
    of_criteria: bool = False
    """Whether it has criteria only, and is nothing without one."""


FORMS = (
    Form("markdown", "busmark.present.blocks.comparison:markdown", "Write Markdown to this file."),
    Form("junit", "busmark.present.sinks.junit:of_comparison",
         "Write the criteria as JUnit XML to this file.", of_criteria=True),
    Form("html", "busmark.present.blocks.comparison:html", "Write a page to this file."),
)  # fmt: skip
"""In the order of the help."""


def _not_of_comparisons(_context: object, option: click.Parameter, value: str | None) -> None:
    """Refuse the forms of `busmark report`.

    Raises:
        UserError: one is named.
    """
    from busmark.errors import UserError

    if value is not None:
        raise UserError(
            "the forms of `busmark report`, github and bencher among them, are of one result and "
            "not of a comparison",
            where=", ".join(option.opts),
            remedy="Type `busmark report RESULT --to github,bencher`; --junit, --markdown and "
            "--html write the comparison.",
        )  # fmt: skip


OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--equivalent", default="2%", type=Amount("share", most=1, zero=False),
                 metavar="SHARE",
                 help="A ratio whose interval is within this share of 1 is equivalent; default: "
                 "2%."),
    click.option("--fail-if", "expressions", multiple=True, metavar="EXPR",
                 help="Exit with code 1 if this is significant for a case: FIGURE > NUMBER, or <. "
                 "Can be repeated. FIGURE: median, mean, p90, p99, p99.9 or p99.99 with .latency "
                 "or .round_trip; goodput.throughput; loss; discovery. NUMBER: a ratio to the "
                 "baseline, 1.05; for loss a difference, 0.1%; with a unit a limit for the "
                 "candidate, 200us, 500Mbit/s."),
    click.option("--undecided", type=click.Choice(["fail", "pass"]),
                 help="Exit code where a criterion is undecided: 1 or 0; default: pass for a ratio "
                 "or a difference, fail for a limit with a unit."),
    click.option("--missing", type=click.Choice(["fail", "skip"]), default="fail",
                 help="What a case of the baseline that was not measured with a candidate does "
                 "to a criterion; default: fail."),
    click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: comparison)."),
    *(click.option(f"--{form.name}", type=click.Path(path_type=Path, dir_okay=False),
                   help=form.meaning) for form in FORMS),
    click.option("--to", "--github", "--bencher", "form", hidden=True, expose_value=False,
                 callback=_not_of_comparisons),
    click.option("--all", "every", is_flag=True, help="Show all figures of all cases."),
    wide,
)  # fmt: skip
"""In the order of the help."""


def judged(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of `Judgement`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Judgement:
    """What the options say."""

    equivalent: float
    expressions: tuple[str, ...]
    undecided: Literal["fail", "pass"] | None
    missing: Literal["fail", "skip"]
    as_json: bool
    every: bool
    files: dict[str, Path]
    """By form, what is written besides."""

    @classmethod
    def of(cls, options: dict[str, Any]) -> Judgement:
        """From a command's options."""
        files = {form.name: options.pop(form.name) for form in FORMS}
        return cls(files={name: path for name, path in files.items() if path}, **options)

    def gate(self) -> Gate:
        """Return the criteria, and what fails them. All that can be wrong with the options is found
        here, before anything is read or run.

        Raises:
            UserError: an expression is not valid, or a file cannot be written.
        """
        from busmark.compare import Criterion, Gate
        from busmark.errors import UserError

        found = [Criterion.parse(expression) for expression in self.expressions]
        for form in FORMS:
            if form.of_criteria and form.name in self.files and not found:
                raise UserError(
                    "there is no criterion to write", where=f"--{form.name}",
                    remedy="Add --fail-if EXPR.",
                )  # fmt: skip
        for path in self.files.values():
            _must_be_writable(path)
        return Gate(found, self.undecided, self.missing)

    def present(self, found: Comparison) -> int:
        """Shows and writes it; the exit code."""
        from busmark.store.atomic import write_text

        # All are made before the first is written.
        texts = [
            (self.files[form.name], pkgutil.resolve_name(form.writer)(found, every=self.every))
            for form in FORMS
            if form.name in self.files
        ]
        for path, text in texts:
            write_text(path, text)
        if self.as_json:
            echo(json.dumps(found.model_dump(mode="json"), indent=2))
        else:
            from busmark.cli.console import Console
            from busmark.present.blocks.comparison import document
            from busmark.present.sinks.terminal import show

            show(document(found, every=self.every), Console())
        return 1 if found.failed else 0


def _must_be_writable(path: Path) -> None:
    """Before anything is read: a wrong name is found at once."""
    import os

    from busmark.errors import UserError

    if not os.access(path.parent, os.W_OK):
        why = "is not there" if not path.parent.exists() else "cannot be written to"
        raise UserError(f"this folder {why}", where=str(path.parent))
