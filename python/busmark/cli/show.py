"""`busmark show`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from busmark.cli.documents import paged, show
from busmark.cli.habits import WithHabits
from busmark.cli.options import requires, wide
from busmark.cli.output import echo, unread
from busmark.cli.places import CasePlace, or_newest
from busmark.errors import UserError, nearest

if TYPE_CHECKING:
    from busmark.cli.console import Console
    from busmark.compare.campaign import Campaign

MOST_NAMED = 3
"""Cases that are named as examples."""


@click.command(
    cls=WithHabits, epilog="Example: busmark show @last --json | jq '.cases[].figures[]'"
)
@click.argument(
    "place", metavar="[DIRECTORY[#CASE]]", required=False, type=CasePlace(), callback=or_newest
)
@wide
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON (schema: result).")
@click.option(
    "--document",
    "as_document",
    is_flag=True,
    help="Print the documents that plug-ins make of it, such as the comparison with the "
    "paper that it repeats.",
)
@click.option(
    "--findings",
    "only_findings",
    is_flag=True,
    help="Print all findings instead: cause, evidence in each case, remedy. With #CASE, those on "
    "that case.",
)
@requires
def command(
    place: str,
    as_json: bool,
    as_document: bool,
    only_findings: bool,
    requirements: tuple[str, ...],
    undecided: Literal["fail", "pass"],
) -> None:
    """Show the results in DIRECTORY, finished or not; without it, of @last.

    DIRECTORY may be a name: @last is the newest result of the working directory and those below it,
    @last~1 the one before, @NAME the one in a directory of this name; `busmark list` has all.

    With #CASE, show the details of that case: all its figures, the segments of a ping, its rounds.
    Its number is enough: '@last#003', or '#003' of @last. A pattern such as '#*-64B'
    selects several.

    With --require, or where the scenario has requirements, exit code 1 if one is missed or
    undecided.

    The analysis is kept in the result (estimates.parquet, series.parquet) until the
    rounds or Busmark change, so the next time is faster; the files may be deleted.
    """
    directory, wanted = case_of(str(place))
    if wanted and as_document:
        raise UserError(
            "a document is of all cases",
            where=place,
            remedy=f"Leave #{wanted} out.",
        )
    whole = _required(analysed(directory), directory, requirements, undecided)
    campaign = _only(whole, wanted, directory) if wanted else whole
    if as_json:
        with unread():
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
    elif as_document:
        _show_document(campaign, directory)
    elif wanted:
        from busmark.findings.registry import by_case, kinds
        from busmark.present.blocks import case

        found = by_case(kinds(campaign.findings))
        show(*(case.document(each, found) for each in campaign.cases))
    else:
        from busmark.present.blocks.report import document

        show(document(campaign), last=origin(campaign, directory))
    if any(each.fails for each in campaign.requirements):
        sys.exit(1)


def _required(
    campaign: Campaign,
    directory: Path,
    requirements: Sequence[str],
    undecided: Literal["fail", "pass"],
) -> Campaign:
    """Return the campaign, judged by these requirements too."""
    if not requirements:
        return campaign
    from busmark.compare.requirements import judge
    from busmark.scenario.requirement import Requirement
    from busmark.store import Result

    asked = [replace(Requirement.parse(text), undecided=undecided) for text in requirements]
    judged = judge(Result(directory), campaign.cases, asked)
    again = {each.key for each in asked}
    others = [one for one in campaign.requirements if (one.requirement, one.where) not in again]
    return campaign.model_copy(update={"requirements": [*others, *judged]})


def origin(campaign: Campaign, directory: Path) -> str:
    """Return which result it is: its directory, when it was begun or imported, and on which
    machine."""
    when = (campaign.created_utc or "")[:16].replace("T", " ")
    machine = (campaign.hosts.get("") or {}).get("hostname")
    verb = "begun" if campaign.source is None else "imported"
    begun = f", {verb} {when} UTC" if when else ""
    return f"Result: {directory}{begun}{f' on {machine}' if machine else ''}"


def analysed(directory: Path) -> Campaign:
    """Return the analysis of the result, the stored one if the result has not changed."""
    from busmark.compare.stored import StoredAnalysis
    from busmark.store import Result

    return StoredAnalysis(Result(directory), partial(echo, err=True)).figures


def case_of(place: str) -> tuple[Path, str]:
    """Split DIRECTORY#CASE into directory and case; a directory may have the sign in its name."""
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
    """Return the campaign with the cases of this name, number or pattern alone."""
    chosen = chosen_cases(campaign, wanted, directory)
    cases = [case for case in campaign.cases if case.id in chosen]
    judged = [each for each in campaign.requirements if each.case in chosen]
    return campaign.model_copy(update={"cases": cases, "requirements": judged})


def _some(names: Sequence[str]) -> str:
    """Return example names of cases, for an error message."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"There are {', '.join(names[:MOST_NAMED])}{more}; a number will do, as #000."


def _show_document(campaign: Campaign, directory: Path) -> None:
    from busmark.plugin import absent, active, documents, switched_off

    where = f"{directory} --document"
    found = documents(campaign)
    if found:
        show(*(document for _, document in found))
        return
    if owner := switched_off(lambda each: bool(each.documents)):
        raise absent(owner, where)
    remedies = [kind.remedy for _, plugin in active() for kind in plugin.documents]
    raise UserError(
        "no plug-in makes a document of this result",
        where=where,
        remedy=" ".join(["Leave --document out.", *remedies]),
    )
