"""Cells about latency: over size, sample by sample, as distributions, round by round."""

from __future__ import annotations

from collections.abc import Sequence

from nbformat import NotebookNode

from busmark.analysis.model import Campaign, CaseSummary
from busmark.analysis.words import remarks
from busmark.analysis.words.text import size_text
from busmark.report.notebook.averages import FEW_SIZES, averages
from busmark.report.notebook.cells import bullets, code, text
from busmark.report.notebook.choice import Choice, choose

FLOORS_TOLD = "The null adapter, which shows what Busmark itself costs, is left out: `is_floor`."


def cells(campaign: Campaign) -> list[NotebookNode]:
    """Nothing where no latency was measured."""
    choice = choose(campaign, "latency")
    if choice is None:
        return []
    found = _table(choice)
    if len(choice.sizes) > 1:
        found += _over_size(choice)
    if len(choice.sizes) >= FEW_SIZES:
        found += averages("latency", "half_round_trip_mean_ns", 1e3, "mean of RTT/2, µs")
    cases = choice.single
    if not cases:
        return [*found, text("These cases have no single samples to draw.")]
    return [*found, *_single(cases), *_distribution(cases), *_jitter(), *_rounds(cases)]


def _filters(choice: Choice) -> str:
    return "".join(
        f"\n    pl.col({name!r}).eq_missing({value!r})," for name, value in choice.same.items()
    )


def _table(choice: Choice) -> list[NotebookNode]:
    return [
        text(f"## Latency, {choice.title}\n\nOne set of cases that may be compared: only size and "
             f"middleware differ. {FLOORS_TOLD} Change the conditions for another set."),
        code(
            "latency = r.cases.filter(\n"
            '    pl.col("test") == "latency",\n'
            '    pl.col("half_round_trip_count") > 0,\n'
            '    ~pl.col("is_floor"),' + _filters(choice) + '\n).sort("size", "label")\n'
            "latency.select(\n"
            '    "label", "size", "rounds_ok", "half_round_trip_count", "lost",\n'
            '    *((pl.col(f"half_round_trip_{name}_ns") / 1e3).alias(f"{name}_us") for name in\n'
            '      ["median", "median_low", "median_high", "mean", "std", "min", "max", "p99"]),\n'
            ")"
        ),
    ]  # fmt: skip


def _over_size(choice: Choice) -> list[NotebookNode]:
    return [
        text("### Value by value over size, and zoomed\n\n"
             "On the left every point. On the right only the range in which most points lie, "
             "within 1.5 interquartile ranges of the quartiles (Tukey 1977): a few extreme values "
             "hide how the others change. Bars are the interval of the estimate; min, max and "
             "standard deviation have none."),
        code("""
            def by_size(frame, name, ax):
                for (label,), own in frame.group_by("label", maintain_order=True):
                    size, us = own["size"], lambda end: own[f"half_round_trip_{end}_ns"] / 1e3
                    ax.plot(size, us(name), "o-", label=label, color=colour[label])
                    if f"half_round_trip_{name}_low_ns" in own.columns:
                        ends = us(f"{name}_low"), us(f"{name}_high")
                        ax.vlines(size, *ends, color="grey", alpha=0.4)
                ax.set(xlabel="size of the body, B", ylabel=f"{name} of RTT/2, µs")
                ax.set_xscale("log", base=2)
                ax.xaxis.set_major_formatter("{x:g}")
            """),
        code("""
            names = ["median", "mean", "std", "min", "max"]
            figure, axes = plt.subplots(5, 2, figsize=(11, 15), layout="constrained")
            for name, (whole, zoomed) in zip(names, axes):
                by_size(latency, name, whole)
                by_size(latency, name, zoomed)
                zoom(latency[f"half_round_trip_{name}_ns"] / 1e3, zoomed)
            axes[0, 0].legend()
            plt.show()
            """),
        text(bullets(remarks.growth(choice.cases), "No curve has two sizes to compare.")),
    ]  # fmt: skip


def _single(cases: Sequence[CaseSummary]) -> list[NotebookNode]:
    size = cases[0].size
    count = min(6, len(cases))
    return [
        text(f"## Single samples at {size_text(size)}\n\nUp to six cases of one size. "
             "`r.latencies(case, lost=True)` gives the values that the estimates rest on: without "
             "warm-up, in order of time; a lost ping has none. Set another `size` and run the "
             "cells below again."),
        code(f"""
            size = {size!r}
            chosen = latency.filter(pl.col("size").eq_missing(size))
            chosen = chosen.sort("half_round_trip_median_ns").head(6)
            samples = {{
                row["label"]: r.latencies(row["case"], lost=True)
                for row in chosen.iter_rows(named=True)
            }}
            samples = {{label: frame for label, frame in samples.items() if frame.height}}
            sent = {{label: frame.height for label, frame in samples.items()}}
            samples = {{label: frame.drop_nulls("latency_ns") for label, frame in samples.items()}}
            title = {{
                label: f"{{label}} ({{frame.height:,}}"
                + ("" if frame.height == sent[label] else f" of {{sent[label]:,}} came back")
                + ")"
                for label, frame in samples.items()
            }}
            {{label: frame.height for label, frame in samples.items()}}
            """),
        text("### Sample by sample, and zoomed\n\nOne round of each. Left: all of its samples. "
             "Right: its last 500, up to their 99th percentile. Where another tool tells no times, "
             "samples are numbered."),
        code(f"""
            figure, axes = plt.subplots({count}, 2, figsize=(11, {2.2 * count:.1f}), squeeze=False,
                                        layout="constrained")
            for (label, frame), (whole, zoomed) in zip(samples.items(), axes):
                one = frame.filter(pl.col("round") == frame["round"].min())
                one = one.with_columns(pl.col("t_s").fill_null(pl.int_range(pl.len())))
                for part, ax in (one, whole), (one.tail(500), zoomed):
                    us = part["latency_ns"] / 1e3
                    ax.plot(part["t_s"], us, ".", ms=2, color=colour[label])
                zoomed.set_ylim(0.98 * us.min(), 1.001 * us.quantile(0.99))
                whole.set(title=title[label], ylabel="RTT/2, µs")
            for ax in axes[-1]:
                ax.set_xlabel("time since the round's first sample, s")
            plt.show()
            """),
    ]  # fmt: skip


def _distribution(cases: Sequence[CaseSummary]) -> list[NotebookNode]:
    return [
        text("### Smoothed distribution function\n\nThe tail beyond the 99.5th percentile is not "
             "seen here. Shares are of what was sent: a curve ends where lost pings begin."),
        code("""
            for label, frame in samples.items():
                at, share = smoothed_cdf(frame["latency_ns"].to_numpy())
                share = share * frame.height / sent[label]
                plt.plot(at / 1e3, share, label=title[label], color=colour[label])
            plt.gca().set(xlabel="RTT/2, µs", ylabel="share of pings at or below", xscale="log")
            plt.ylim(0, 1.02)
            plt.legend()
            plt.show()
            """),
        text("### Empirical distribution function\n\nEvery sample, nothing smoothed: a step where "
             "samples are alike, a plateau between two modes."),
        code("""
            for label, frame in samples.items():
                values = np.sort(frame["latency_ns"].to_numpy()) / 1e3
                share = np.arange(1, values.size + 1) / sent[label]
                plt.step(values, share, where="post", label=title[label], color=colour[label])
            plt.gca().set(xlabel="RTT/2, µs", ylabel="share of pings at or below", xscale="log")
            plt.ylim(0, 1.02)
            plt.legend()
            plt.show()
            """),
        text("### Percentiles\n\nThe axis gives each tenfold rarer ping the same room. A curve "
             "ends where the samples do, or where lost pings begin, which are later than any: its "
             "last points rest on a few."),
        code("""
            for label, frame in samples.items():
                values = np.sort(frame["latency_ns"].to_numpy()) / 1e3
                beyond = 1 - (np.arange(values.size) + 0.5) / sent[label]
                plt.plot(1 / beyond, values, label=title[label], color=colour[label])
            ticks = [0, 50, 90, 99, 99.9, 99.99, 99.999]
            plt.xscale("log")
            plt.xticks([100 / (100 - p) for p in ticks], [f"{p} %" for p in ticks])
            plt.gca().set(xlabel="percentile", ylabel="RTT/2, µs", yscale="log")
            plt.legend()
            plt.show()
            """),
        code("""
            ladder = r.estimates.filter(
                scope="case", quantity="half_round_trip", over="samples"
            ).filter(pl.col("statistic").str.starts_with("p"))
            ladder.join(chosen.select("case", "label"), on="case").pivot(
                "statistic", index=["case", "label"], values="value"
            )
            """),
        text(bullets(remarks.tails(cases), "There are too few samples to judge the tail.")
             + "\n\nOver all rounds together, with lost pings later than any. A percentile is null "
             "if fewer than ten samples lie beyond it, or if it falls among the lost."),
    ]  # fmt: skip


def _jitter() -> list[NotebookNode]:
    return [
        text("## Jitter\n\nThe change of latency from each sample to the next (RFC 3393), here its "
             "size. A pair that a lost sample lies between is left out. `jitter_share` is its "
             "median over the median latency."),
        code("""
            for case, label in chosen.select("case", "label").iter_rows():
                change = pl.col("latency_ns").diff().over("round").abs() / 1e3
                jitter = r.latencies(case, lost=True).select(change).to_series().drop_nulls()
                if len(jitter):
                    plt.ecdf(jitter, label=f"{label} ({len(jitter):,})", color=colour[label])
            plt.xscale("symlog", linthresh=0.01)
            plt.gca().set(xlabel="size of the change of RTT/2, µs", ylabel="share at or below")
            if plt.gca().lines:
                plt.legend()
            plt.show()
            """),
        code("""
            chosen.select("label", "jitter_count", "jitter_median_ns", "jitter_p99_ns",
                          "jitter_max_ns", "jitter_share", "jitter_share_low", "jitter_share_high")
            """),
    ]  # fmt: skip


def _rounds(cases: Sequence[CaseSummary]) -> list[NotebookNode]:
    return [
        text("## How rounds differ\n\nEach round ran in fresh processes. What differs between "
             "rounds does not average out by measuring longer, so estimates are of a typical "
             "round, and intervals respect both levels. Boxes: quartiles; whiskers: 5th and 95th "
             "percentile, of the pings that came back."),
        code("""
            if samples:
                figure, axes = plt.subplots(1, len(samples), figsize=(2 + 2 * len(samples), 4),
                                            squeeze=False, layout="constrained")
                for (label, frame), ax in zip(samples.items(), axes[0]):
                    rounds = frame.partition_by("round", as_dict=True)
                    ax.boxplot([own["latency_ns"] / 1e3 for own in rounds.values()], whis=(5, 95),
                               showfliers=False, tick_labels=[number for number, in rounds])
                    ax.set(title=title[label], xlabel="round")
                axes[0, 0].set_ylabel("RTT/2, µs")
                plt.show()
            """),
        code("""
            r.rounds.filter(pl.col("case").is_in(chosen["case"].to_list())).select(
                "adapter", "round", "status", "order", "samples", "lost",
                (pl.col("median_ns") / 2e3).alias("median_rtt_2_us"), "cpu_busy",
            ).sort("adapter", "round")
            """),
        text(bullets(remarks.between_rounds(cases), "No rounds to compare.")),
    ]  # fmt: skip
