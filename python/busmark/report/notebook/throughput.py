"""Cells about throughput: what arrived, and what was lost."""

from __future__ import annotations

from nbformat import NotebookNode

from busmark.analysis.model import Campaign
from busmark.analysis.words import remarks
from busmark.report.notebook.averages import FEW_SIZES, averages
from busmark.report.notebook.cells import bullets, code, text
from busmark.report.notebook.choice import choose


def cells(campaign: Campaign) -> list[NotebookNode]:
    """Nothing where no stream was measured."""
    choice = choose(campaign, "throughput")
    if choice is None:
        return []
    same = "".join(
        f"\n    pl.col({name!r}).eq_missing({value!r})," for name, value in choice.same.items()
    )
    return [
        text(f"## Throughput, {choice.title}\n\nCounted at the reader: goodput is what arrived, in "
             "bodies without headers, and 1 Mbit/s is 10⁶ bit/s."),
        code(
            "streams = r.cases.filter(\n"
            '    pl.col("test") == "throughput",\n'
            '    pl.col("samples_per_s").is_not_null(),\n'
            '    ~pl.col("is_floor"),' + same + '\n).sort("size", "label")\n'
            'streams.select("label", "size", "rounds_ok", "received", "lost", "loss_share",\n'
            '               "samples_per_s", "goodput_mbit_per_s", "goodput_mbit_per_s_low",\n'
            '               "goodput_mbit_per_s_high")'
        ),
        text("Value by value over size on the left; on the right zoomed, as for latency: only the "
             "range in which most points lie."),
        code("""
            names = {"received": "samples received, all rounds", "samples_per_s": "samples/s",
                     "goodput_mbit_per_s": "goodput, Mbit/s", "loss_share": "share lost"}
            figure, axes = plt.subplots(4, 2, figsize=(11, 12), layout="constrained")
            for (name, title), pair in zip(names.items(), axes):
                for ax in pair:
                    for (label,), own in streams.group_by("label", maintain_order=True):
                        ax.plot(own["size"], own[name], "o-", label=label, color=colour[label])
                        if f"{name}_low" in own.columns:
                            ends = own[f"{name}_low"], own[f"{name}_high"]
                            ax.vlines(own["size"], *ends, color="grey", alpha=0.4)
                    ax.set_xscale("log", base=2)
                    ax.xaxis.set_major_formatter("{x:g}")
                    ax.set(xlabel="size of the body, B", ylabel=title)
                zoom(streams[name].cast(pl.Float64), pair[1])
            axes[0, 0].legend()
            plt.show()
            """),
        *(averages("streams", "goodput_mbit_per_s", 1, "goodput, Mbit/s")
          if len(choice.sizes) >= FEW_SIZES else []),
        text("### Over the time of a round\n\nOne round of each at the largest size. A rate that "
             "falls or swings is no steady state."),
        code("""
            largest = streams.filter(pl.col("size") == streams["size"].max()).head(6)
            for case, label in largest.select("case", "label").iter_rows():
                # Without the scenario's own flows, which ran beside.
                steps = r.intervals(case).filter(
                    pl.col("role") == "receiver",
                    pl.col("flow").fill_null("stream").str.contains("^(stream|batches)"),
                ).collect()
                one = steps.filter(pl.col("round") == steps["round"].min())
                width = one["duration_ns"].median()
                begin = (pl.col("start_ns") / width).round() * width / 1e9
                one = one.group_by(begin.alias("t_s")).agg(pl.col("bytes").sum()).sort("t_s")
                one = one.filter(pl.col("t_s") < r.rounds.filter(case=case)["measured_s"].min())
                plt.step(one["t_s"], one["bytes"] * 8e3 / width, where="post", label=label,
                         color=colour[label])
            plt.gca().set(xlabel="time since the begin of measuring, s", ylabel="goodput, Mbit/s")
            plt.ylim(0, None)
            plt.legend()
            plt.show()
            """),
        text(bullets(remarks.carried(choice.cases), "No stream arrived.")),
    ]  # fmt: skip
