"""`busmark init`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from busmark.cli.output import echo, print_error, wrapped


@dataclass(frozen=True)
class Question:
    """A question of `busmark init`."""

    key: str
    """`test`, `adapters`, or the option of a line that the answer stands for."""
    text: str
    otherwise: Callable[[str], str]
    """The answer if the user presses only Enter, by the test."""


QUESTIONS = (
    Question("test", "What is measured: latency, throughput or interop", lambda test: "latency"),
    Question("adapters", "Which adapters, joined by commas",
             lambda test: "cyclonedds,fastdds" if test == "interop" else "cyclonedds,tcp"),
    Question("size", "Sizes of the bodies, such as 64,1k,1MiB", lambda test: "64,1k"),
    Question("rate", "Samples per second, such as 100Hz (0: as fast as it goes)", lambda test: "0"),
    Question("rounds", "Rounds of each case (more are more precise)",
             lambda test: "3" if test == "interop" else "10"),
)  # fmt: skip


@click.command(epilog="Example: busmark init first.toml")
@click.argument(
    "file", required=False, default="scenario.toml", type=click.Path(path_type=Path, dir_okay=False)
)
def command(file: Path) -> None:
    """Ask five questions, and write a scenario with comments to FILE (default: scenario.toml).

    Enter accepts the answer in brackets. Nothing is measured, and nothing is written before the
    last answer.
    """
    from busmark import files
    from busmark.cli.one_line import not_writable
    from busmark.errors import together

    if wrong := not_writable(file, str(file)):
        raise together(wrong)
    text = _asked()
    files.write(file, text, typed=True)
    name = shlex.quote(str(file))
    echo(f"\nWritten: {file}")
    echo(f"See its cases: busmark plan {name}")
    echo(f"Measure:       busmark run {name}")


def _asked() -> str:
    """Ask the questions; show what is wrong with an answer, and ask again. Return the scenario."""
    answers = {"test": "latency"}
    text = ""
    from busmark.adapters import libraries

    echo(wrapped(f"Adapters here: {', '.join(libraries()) or 'none'}"), err=True)
    for number, question in enumerate(QUESTIONS, 1):
        found = None
        while found is None:
            asked = f"{number}/{len(QUESTIONS)} {question.text}"
            try:
                answer = click.prompt(asked, question.otherwise(answers["test"]), err=True)
            except click.Abort:
                raise _unanswered(number) from None
            tried = {**answers, question.key: str(answer).strip()}
            found = _scenario(tried)
        answers, text = tried, found
    return text


def _unanswered(number: int) -> Exception:
    from busmark.errors import UserError

    return UserError(
        f"question {number} of {len(QUESTIONS)} has no answer; nothing was written",
        where="busmark init",
        remedy="Answer all, or write the scenario by `busmark latency ADAPTER... --save FILE`.",
    )


def _scenario(answers: dict[str, str]) -> str | None:
    """Return the file for these answers, with defaults for answers to come; it is empty before
    adapters are named. None: an answer is wrong."""
    from busmark.cli.one_line import scenario_of
    from busmark.errors import UserError
    from busmark.scenario.line import TESTS

    test = answers["test"]
    if test not in TESTS:
        print_error(UserError(f"{test!r} is none of {', '.join(TESTS)}"))
        return None
    adapters = answers.get("adapters")
    given: dict[str, str | None] = {
        key: text for key, text in answers.items() if key not in ("test", "adapters")
    }
    if adapters is None:
        return ""
    try:
        return scenario_of(test, [adapters], given)[1]
    except UserError as error:
        print_error(error)
        return None
