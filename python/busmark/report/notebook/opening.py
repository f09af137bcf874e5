"""The first cells: question, answer, what was measured and where."""

from __future__ import annotations

from nbformat import NotebookNode

from busmark.analysis.model import Campaign
from busmark.analysis.text import plural
from busmark.report.markup import escaped
from busmark.report.notebook.cells import code, text


def cells(campaign: Campaign, directory: str) -> list[NotebookNode]:
    """`directory` is where the results are, as the notebook sees it."""
    return [
        text(_head(campaign)),
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
        code("""
            # Colours that are told apart with any colour vision (Okabe and Ito), by label.
            colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C7A00"]
            labels = r.cases.filter(~pl.col("is_floor"))["label"].unique(maintain_order=True)
            colour = {label: colours[n % len(colours)] for n, label in enumerate(labels)}
            plt.rcParams.update({"figure.figsize": (10, 4), "axes.grid": True, "grid.alpha": 0.3})
            pl.Config(tbl_rows=60, tbl_cols=20, fmt_str_lengths=90, float_precision=3);
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
    if campaign.answers:
        lines += ["**Answer.**", ""]
        lines += [f"- {escaped(answer.sentence)}" for answer in campaign.answers] + [""]
    measured = [case for case in campaign.cases if case.rounds.ok]
    lines += [
        f"{plural(len(measured), 'case')} of {len(campaign.cases)} were measured, in "
        f"{plural(sum(case.rounds.ok for case in measured), 'round')} that count, begun at "
        f"{escaped(campaign.created_utc)}. In brackets stand 95 % intervals. An order is claimed "
        "only where intervals are apart.",
        "",
        "This notebook was written and run by `busmark report --to notebook`. Change it and run it "
        "again: it needs the Python package `busmark` and the results beside it, nothing else.",
    ]
    return "\n".join(lines)


def _findings(campaign: Campaign) -> str:
    head = "## What may spoil the measurement\n\n"
    if not campaign.findings:
        return head + "Nothing was found."
    counts = {
        severity: sum(f.severity == severity for f in campaign.findings)
        for severity in ("error", "warning", "note")
    }
    told = ", ".join(plural(n, severity) for severity, n in counts.items() if n)
    return f"{head}{told}. Read these before you believe a figure."
