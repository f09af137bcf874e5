"""Cells about throughput: what arrived, and what was lost."""

from __future__ import annotations

from nbformat import NotebookNode

from busmark.analysis import remarks
from busmark.analysis.model import Campaign
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
        text("Value by value over size on the left; on the right without what lies above 1.5 times "
             "the upper quartile."),
        code("""
            names = {"samples_per_s": "samples/s", "goodput_mbit_per_s": "goodput, Mbit/s",
                     "loss_share": "share lost"}
            figure, axes = plt.subplots(3, 2, figsize=(11, 9), layout="constrained")
            for (name, title), pair in zip(names.items(), axes):
                for ax in pair:
                    for (label,), own in streams.group_by("label", maintain_order=True):
                        size, low, high = own["size"], own[f"{name}_low"], own[f"{name}_high"]
                        ax.plot(size, own[name], "o-", label=label, color=colour[label])
                        ax.vlines(size, low, high, color="grey")
                    ax.set_xscale("log", base=2)
                    ax.set(xlabel="size of the body, B", ylabel=title)
                pair[1].set(title="zoomed", ylim=(0, 1.5 * streams[name].quantile(0.75) or None))
            axes[0, 0].legend()
            plt.show()
            """),
        text("### Over the time of a round\n\nOne round of each at the largest size. A rate that "
             "falls or swings is no steady state."),
        code("""
            largest = streams.filter(pl.col("size") == streams["size"].max()).head(6)
            for case, label in largest.select("case", "label").iter_rows():
                steps = r.intervals(case).filter(pl.col("role") == "receiver").collect()
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
