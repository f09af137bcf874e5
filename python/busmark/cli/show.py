"""`busmark show`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from busmark.cli.beside import beside
from busmark.cli.documents import paged, show
from busmark.cli.output import echo
from busmark.cli.places import Place, or_newest
from busmark.cli.required import requires
from busmark.cli.wide import wide
from busmark.compare.cache import Kept
from busmark.errors import UserError, nearest

if TYPE_CHECKING:
    from rich.console import Console

    from busmark.compare.campaign import Campaign
    from busmark.documents import Repetition

MOST_NAMED = 3
"""Cases that are named as examples."""


def repeated(command: Any) -> Any:
    """Give a command the options that choose a document whose experiments a result repeats."""
    command = click.option(
        "--paper", metavar="NAME",
        help="The same for the document of this name, such as perftest-2023: for imported results, "
        "and campaigns that name none.",
    )(command)  # fmt: skip
    return click.option(
        "--document", "as_document", is_flag=True,
        help="For a pack: what its document states beside what is found here instead, and the "
        "tables in the document's own columns.",
    )(command)  # fmt: skip


@click.command(epilog="Example: busmark show @last --json | jq .cases")
@click.argument("place", metavar="[DIRECTORY[#CASE]]", required=False, type=Place(),
                callback=or_newest)  # fmt: skip
@wide
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON (schema: result).")
@repeated
@click.option(
    "--findings",
    "only_findings",
    is_flag=True,
    help="Print all findings instead: cause, evidence in each case, remedy. With #CASE, those on "
    "that case.",
)
@requires
def command(
    place: str, as_json: bool, as_document: bool, paper: str | None, only_findings: bool,
    requirements: tuple[str, ...], undecided: Literal["fail", "pass"],
) -> None:  # fmt: skip
    """Show the results in DIRECTORY, finished or not; without it, the newest.

    DIRECTORY may be a name: @last is the newest result, @last~1 the one before, @NAME the one in a
    directory of this name; `busmark list` has all.

    With #CASE, show the details of that case: all its figures, the legs of a ping, its rounds. Its
    number is enough: '@last#003', or '#003' of the newest result. A pattern such as '#*-64B'
    selects several.

    With --require, or where the scenario has requirements, exit code 1 if one is missed or
    undecided.

    The analysis is kept in the user's cache (busmark/shown in XDG_CACHE_HOME, or ~/.cache) until
    the result changes, so the next time is faster; the folder may be deleted.
    """
    directory, wanted = case_of(str(place))
    if wanted and (as_document or paper):
        raise UserError(
            "a document needs all its cases",
            where=place,
            remedy=f"Leave #{wanted} out.",
        )
    whole = _required(_analysed(directory), directory, requirements, undecided)
    campaign = _only(whole, wanted, directory) if wanted else whole
    if as_json:
        echo(json.dumps(campaign.model_dump(mode="json", by_alias=True), indent=2))
    elif only_findings:
        from busmark.present.blocks.findings import all_findings
        from busmark.present.sinks.terminal import show_section

        cases = [case.id for case in campaign.cases] if wanted else []

        def findings(console: Console) -> None:
            for section in all_findings(whole, cases):
                show_section(section, console)
                console.print()

        paged(findings)
    elif as_document or paper:
        from busmark.present.blocks import repetition

        show(repetition.document(repetition_of(campaign, paper, directory)))
    elif wanted:
        from busmark.findings.kinds import by_case, kinds
        from busmark.present.blocks import case

        found = by_case(kinds(campaign.findings))
        show(*(case.document(each, found) for each in campaign.cases))
    else:
        from busmark.present.blocks.campaign import document

        show(document(campaign), last=origin(campaign, directory))
    if any(each.fails for each in campaign.requirements):
        sys.exit(1)


def _required(
    campaign: Campaign, directory: Path, requirements: Sequence[str],
    undecided: Literal["fail", "pass"],
) -> Campaign:  # fmt: skip
    """The campaign, judged by these requirements too."""
    if not requirements:
        return campaign
    from busmark.compare.requirements import judge
    from busmark.scenario.requirement import Requirement
    from busmark.store import Result

    asked = [replace(Requirement.parse(text), undecided=undecided) for text in requirements]
    judged = judge(Result(directory), campaign.cases, asked)
    return campaign.model_copy(update={"requirements": [*campaign.requirements, *judged]})


def origin(campaign: Campaign, directory: Path) -> str:
    """Which result it is: its directory, when it was begun, and on which machine."""
    when = (campaign.created_utc or "")[:16].replace("T", " ")
    machine = (campaign.hosts.get("") or {}).get("hostname")
    begun = f", begun {when} UTC" if when else ""
    return f"Result: {directory}{begun}{f' on {machine}' if machine else ''}"


def _analysed(directory: Path) -> Campaign:
    """The result, as it was found the last time if it has not changed."""
    kept = Kept(directory)
    if found := kept.campaign():
        return found
    with beside(directory) as helper:
        from busmark.compare.campaign import summarise
        from busmark.store import Result

        campaign = summarise(Result(directory), with_series=False, helper=helper)
    kept.keep(campaign)
    return campaign


def case_of(place: str) -> tuple[Path, str]:
    """The directory of DIRECTORY#CASE, and the case; a directory may have the sign in its name."""
    directory, _, wanted = place.partition("#")
    return (Path(place), "") if Path(place).is_dir() else (Path(directory), wanted)


def chosen_cases(campaign: Campaign, wanted: str, directory: Path) -> list[str]:
    """Return the cases of this name, number or pattern.

    Raises:
        UserError: there are none.
    """
    from busmark.model.naming import meant

    names = [case.id for case in campaign.cases]
    chosen = meant(names, wanted)
    if not chosen:
        raise UserError(
            f"no case {wanted!r}",
            where=str(directory),
            remedy=nearest(wanted, names, always=_some(names), most=3),
        )
    return chosen


def _only(campaign: Campaign, wanted: str, directory: Path) -> Campaign:
    """The campaign with the cases of this name, number or pattern alone."""
    chosen = chosen_cases(campaign, wanted, directory)
    cases = [case for case in campaign.cases if case.id in chosen]
    judged = [each for each in campaign.requirements if each.case in chosen]
    return campaign.model_copy(update={"cases": cases, "requirements": judged})


def _some(names: Sequence[str]) -> str:
    """What cases are called, for who has named none of them."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"There are {', '.join(names[:MOST_NAMED])}{more}; a number will do, as #000."


def repetition_of(campaign: Campaign, paper: str | None, directory: Path) -> Repetition:
    """Return what the campaign says to a document: that of this name, else its own.

    Raises:
        UserError: there is none, or none of this name.
    """
    from busmark.documents import DOCUMENTS, repetition
    from busmark.estimate.repeated import repeated as repeated_figures
    from busmark.store import Result

    known = ", ".join(DOCUMENTS)
    if paper is not None and paper not in DOCUMENTS:
        raise UserError(
            f"no document {paper!r}", where="--paper",
            remedy=nearest(paper, DOCUMENTS, always=f"There are {known}."),
        )  # fmt: skip
    if paper not in (None, campaign.document):
        # Figures of rounds that only this document needs.
        cases, tests = repeated_figures(Result(directory), campaign.cases, paper)
        told = [test for test in tests if test.publisher]
        campaign = campaign.model_copy(update={"cases": cases, "perftest": told})
    found = repetition(campaign, paper)
    if found is None:
        raise UserError(
            "this campaign repeats no document",
            where=f"{directory} --document",
            remedy=f"Name one with --paper: {known}; or leave --document out.",
        )
    return found
