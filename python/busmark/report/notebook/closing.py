"""The last cells: what to try next, from what was found."""

from __future__ import annotations

from nbformat import NotebookNode

from busmark.analysis.model import Campaign
from busmark.model.quantities.counters import COUNTERS
from busmark.present.blocks.details import COUNTERS_NOTE, COUNTERS_TITLE
from busmark.report.markup import escaped
from busmark.report.notebook.cells import code, text

MOST_REMEDIES = 5


def cells(campaign: Campaign) -> list[NotebookNode]:
    """Suggestions, each with what it rests on; then a place to continue."""
    return [
        *_counters(campaign),
        text("## What to try next\n\n" + "\n".join(f"- {line}" for line in _lines(campaign))),
        text("## Go on here\n\nAll raw samples of all rounds, joined with parameters of their "
             "case. The frame is lazy: filter and select before `.collect()`."),
        code("""
            keys = ["adapter", "placement", "flow"]
            r.samples(parameters=["adapter", "placement"]).group_by(keys).agg(
                pl.len().alias("samples"),
                (pl.col("written_ns") - pl.col("sent_ns")).median().alias("median_write_ns"),
            ).sort(keys).collect()
            """),
        text("The command that repeats the campaign:\n\n```sh\n" + _command(campaign) + "\n```"),
    ]  # fmt: skip


def _counters(campaign: Campaign) -> list[NotebookNode]:
    """Return the kernel's counters of each case, where there are some."""
    if not any(case.counters for case in campaign.cases):
        return []
    names = [one.column for one in COUNTERS]
    return [
        text(f"## {COUNTERS_TITLE}\n\n{COUNTERS_NOTE}"),
        code(f"""
            counters = {names}
            r.estimates.filter(
                (pl.col("scope") == "case") & pl.col("quantity").is_in(counters)
            ).pivot(on="quantity", index="case", values="value")
            """),
    ]


def _command(campaign: Campaign) -> str:
    """On one line, and nothing that would end the block."""
    return " ".join(campaign.command.split()).replace("`", "'")


def _lines(campaign: Campaign) -> list[str]:
    lines = [
        f"{escaped(finding.title)}: {escaped(finding.remedy)}"
        for finding in campaign.findings
        if finding.severity != "note"
    ][:MOST_REMEDIES]
    missed = [case for case in campaign.cases if case.precision and not case.precision.reached]
    if missed:
        lines.append(f"{len(missed)} cases did not reach the precision that was asked for: raise "
                     "`rounds.max`.")  # fmt: skip
    few = [case for case in campaign.cases if 0 < case.rounds.ok < 5]
    if few:
        lines.append(f"{len(few)} cases rest on fewer than 5 rounds: raise `rounds.min`.")
    bad = [case for case in campaign.cases if case.status in ("failed", "partial", "not_run")]
    if bad:
        lines.append(f"{len(bad)} cases are not complete: see the column `reason` of `r.cases`.")
    if not any(case.test == "throughput" for case in campaign.cases):
        lines.append('No stream was measured: add `test = "throughput"` to the matrix.')
    lines.append("Another size, placement or set of workload: change the conditions above.")
    lines.append('Another scale: set `.set_yscale("log")`, or a `ylim`, in any plot.')
    return lines
