"""What `run`, `quickstart` and the commands of one line share: run a campaign to its end, show it,
write the page."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from busmark.cli.options import open_page
from busmark.cli.output import echo, say_file
from busmark.cli.places import note
from busmark.cli.progress import listeners
from busmark.control.begin import begin, resume
from busmark.control.campaign_run import default_directory
from busmark.control.events import CampaignBegins, Event, RoundEnds
from busmark.errors import UserError
from busmark.model.text import plural
from busmark.scenario import Scenario
from busmark.store import Result
from busmark.store.named import recent
from busmark.store.writer import storing

if TYPE_CHECKING:
    from busmark.compare.campaign import Campaign as Analysed
    from busmark.estimate.all_cases import EarlyCases

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


@dataclass(frozen=True)
class Ending:
    """Actions on the result when a command ends."""

    shown: bool = True
    """Whether the tables are printed."""
    open_it: bool = False
    """Whether the page is opened in the browser."""
    again: str = ""
    """A command that shows more, named last."""


PLAIN = Ending()


def conduct(
    scenario: Scenario | None,
    text: str,
    out: Path | None,
    *,
    go_on: bool,
    marked: bool = False,
    nodes: Sequence[str] = (),
    ending: Ending = PLAIN,
    begun: Callable[[], None] | None = None,
    as_json: bool = False,
) -> int:
    """Run a campaign, or resume one with `nodes` reached by other prefixes, `NAME=PREFIX`; return
    the exit code. With `marked`, marked rounds are repeated. `begun` is called when nothing can be
    wrong any more, before the first round. With `as_json`, events are printed instead of tables, as
    they come."""
    if as_json:
        ending = replace(ending, shown=False)
    if go_on:
        if out is None:
            raise UserError(
                "--resume needs --out",
                remedy="Name the result to resume, such as --out @last. " + recent(),
            )
        early = _Early(out)
        heard = [*listeners(as_json=as_json), early]
        campaign = resume(scenario, out, heard, nodes, marked=marked)
    else:
        assert scenario is not None
        out = out or default_directory(scenario.name)
        early = _Early(out)
        campaign = begin(scenario, text, out, [*listeners(as_json=as_json), early])
    note(out)
    try:
        if begun:
            begun()
        complete = campaign.run()
    except BaseException:
        campaign.writer.close()
        raise
    result = campaign.finish(complete=complete)
    analysed = present(result, ending, early.cases)
    again = f"busmark run --resume --out {shlex.quote(str(out))}"
    if not complete:
        echo(f"Go on with: {again}", err=True)
        return INTERRUPTED
    by_status = Counter(result.cases["status"].to_list())
    for status, words, option in (
        ("failed", "failed. Try {} again", ""),
        ("marked", "missed a criterion. Repeat {}", " --marked"),
    ):
        if number := by_status[status]:
            what = plural(number, "round") + " " + words.format("it" if number == 1 else "them")
            echo(f"{what} with: {again}{option}", err=True)
    # A marked round that was repeated stays marked: what counts is the repetition.
    judged = (
        result.cases.filter(result.cases["order"] >= campaign.first) if marked else result.cases
    )
    good = (judged["status"] == "ok").all()
    return 0 if good and not any(each.fails for each in analysed.requirements) else 1


class _Early:
    """Has each case analysed in the pause after its last round."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.cases: EarlyCases | None = None

    def on(self, event: Event) -> None:
        """Take what a campaign says."""
        if isinstance(event, CampaignBegins):
            from busmark.estimate.all_cases import EarlyCases

            self.cases = EarlyCases(self._directory, event.rounds_done + event.rounds_planned)
        elif isinstance(event, RoundEnds) and event.is_last and self.cases:
            self.cases.add(event.case.id, [*map(dict, event.rows)])


def present(result: Result, ending: Ending, early: EarlyCases | None = None) -> Analysed:
    """Analyse and store it, print the tables, and write the page; return what was analysed."""
    from busmark.cli.documents import show
    from busmark.compare.stored import StoredAnalysis
    from busmark.present import formats
    from busmark.present.blocks.report import document, views
    from busmark.present.folder import OWN, report_folder

    campaign = StoredAnalysis(result, early=early).make()
    if ending.shown:
        # The lines of the run stand above it.
        show(document(campaign), pager=False)
    with storing(result.directory / OWN):
        folder = report_folder(result.directory)
        shown = views(result, campaign, folder)
        written = formats.write(shown, formats.chosen("html"), folder)["html"]
    for what, page in zip(("Report", "Comparison"), written, strict=False):
        say_file(page, what, err=not ending.shown)
    if ending.again:
        echo(f"All figures: {ending.again}", err=not ending.shown)
    if ending.open_it:
        open_page(written[0])
    return campaign


def report(directory: Path) -> None:
    """Print the tables of a campaign that was run."""
    from busmark.cli.documents import show
    from busmark.compare.stored import StoredAnalysis
    from busmark.present.blocks.report import document

    show(document(StoredAnalysis(Result(directory)).campaign), pager=False)
