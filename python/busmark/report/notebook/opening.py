"""The first cells: question, answer, what was measured and where."""

from __future__ import annotations

from collections.abc import Iterator

from nbformat import NotebookNode

from busmark.analysis.model import Campaign
from busmark.analysis.words.text import plural
from busmark.findings.kinds import kinds
from busmark.findings.rule import SEVERITIES
from busmark.present.charts import look
from busmark.present.charts.flagged import examined
from busmark.present.document import Section
from busmark.report.markup import escaped
from busmark.report.notebook.cells import code, text


def cells(campaign: Campaign, directory: str) -> list[NotebookNode]:
    """`directory` is where the results are, as the notebook sees it."""
    return [
        text(_head(campaign)),
        *map(text, _answer(campaign)),
        text("## Open the results\n\n"
             "`busmark.open` gives data frames; every column is described in Busmark's "
             "documentation (*Python interface*). Times are nanoseconds."),
        code(f"""
            import busmark
            import matplotlib.pyplot as plt
            import numpy as np
            import polars as pl
            from scipy import stats

            %matplotlib inline
            r = busmark.open({directory!r})
            r
            """),
        code(_colours(campaign)),
        code("""
            plt.rcParams.update({"figure.figsize": (10, 4), "axes.grid": True, "grid.alpha": 0.3})
            pl.Config(tbl_rows=60, tbl_cols=20, fmt_str_lengths=90, float_precision=3);
            """),
        text("Two helpers. `zoom` shows the range in which most values lie, within 1.5 "
             "interquartile ranges of the quartiles (Tukey 1977). `smoothed_cdf` is a distribution "
             "function by a Gaussian kernel with Silverman's bandwidth (Silverman 1986), from the "
             "0.5th to the 99.5th percentile."),
        code("""
            def zoom(values, ax):
                values = values.drop_nulls()
                if values.is_empty():
                    return
                first, third = values.quantile(0.25), values.quantile(0.75)
                reach = 1.5 * (third - first)
                inside = values.filter(values.is_between(first - reach, third + reach))
                margin = 0.08 * (inside.max() - inside.min()) or 0.5 * abs(inside.max()) or 1
                ax.set(ylim=(inside.min() - margin, inside.max() + margin), title="zoomed")

            def smoothed_cdf(values):
                spread = min(values.std(), stats.iqr(values) / 1.34) or values.std()
                width = 0.9 * spread * len(values) ** -0.2 or 1.0
                data = np.quantile(values, np.linspace(0, 1, 1000))
                around = np.quantile(values, np.linspace(0.005, 0.995, 100))
                at = np.unique(around[:, None] + width * np.linspace(-2, 2, 5))
                return at, stats.norm.cdf((at[:, None] - data) / width).mean(axis=1)
            """),
        text("What could not be read is not in the frames. It would be listed here:"),
        code("r.problems"),
        text("## Where it was measured"),
        code("""
            host = r.manifest.hosts.get("", {})
            facts = ["os", "kernel", "cpu_model", "cpus_online", "memory_bytes", "virtualisation",
                     "governors", "clocksource", "load_average"]
            pl.DataFrame({"fact": facts, "value": [str(host.get(fact)) for fact in facts]})
            """),
        code("""
            pl.DataFrame(
                {"adapter": name, "title": a.get("title"), "version": a.get("middleware_version")}
                for name, a in r.manifest.adapters.items()
            )
            """),
        text(_findings(campaign)),
        code('r.findings.select("severity", "title", "evidence", "remedy")'),
    ]  # fmt: skip


def _head(campaign: Campaign) -> str:
    lines = [f"# {escaped(campaign.name)}", ""]
    if campaign.question:
        lines += [f"**Question.** {escaped(campaign.question)}", ""]
    measured = [case for case in campaign.cases if case.rounds.ok]
    lines += [
        f"{plural(len(measured), 'case')} of {len(campaign.cases)} were measured, in "
        f"{plural(sum(case.rounds.ok for case in measured), 'round')} that count, begun at "
        f"{escaped(campaign.created_utc)}. In brackets stand 95 % intervals. A case is called "
        "better than another only if the ratio, round by round, shows it over all workloads.",
        "",
        "This notebook was written and run by `busmark report --to notebook`. Change it and run it "
        "again: it needs the Python package `busmark` and the results beside it, nothing else.",
    ]
    return "\n".join(lines)


def _answer(campaign: Campaign) -> Iterator[str]:
    """Each table and each sentence of the answer, as Markdown."""
    # Only now: blocks use tables of this package's neighbours.
    from busmark.present.blocks.answer import answer
    from busmark.present.sinks.markdown import section_markdown

    section = answer(campaign)
    for number, block in enumerate(section.blocks if section else ()):
        yield section_markdown(Section("" if number else "Answer", [block]))


def _colours(campaign: Campaign) -> str:
    """Colour of each label, as a dictionary."""
    lines = [f"    {label.text!r}: {look.colour(label)!r}," for label in campaign.labels]
    told = "# The colour of each middleware is its own in all reports of Busmark."
    return "\n".join([told, "colour = {", *lines, "}"])


def _findings(campaign: Campaign) -> str:
    head = "## What may spoil the measurement\n\n"
    if not campaign.findings:
        return head + "Nothing was found."
    found = kinds(campaign.findings)
    counts = {severity: sum(k.severity == severity for k in found) for severity in SEVERITIES}
    told = ", ".join(plural(n, severity) for severity, n in counts.items() if n)
    lines = [f"{head}{told}. Read these before you rely on a number.", ""]
    cases = examined(campaign)
    lines += [f"- {kind.severity}: {escaped(kind.counted(cases))}" for kind in found]
    return "\n".join(lines)
