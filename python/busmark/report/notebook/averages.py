"""Cells about the distribution of a figure over sizes, as some reports draw it."""

from __future__ import annotations

from nbformat import NotebookNode

from busmark.report.notebook.cells import code, text

FEW_SIZES = 4
"""With fewer values a distribution says nothing that the plot over size does not say."""


def averages(frame: str, column: str, divisor: float, title: str) -> list[NotebookNode]:
    """Smoothed and empirical distribution function of a column, one value for each size.

    Args:
        frame: name of the frame in the notebook.
        column: its column; values are divided by `divisor`.
        title: what stands at the axis, with the unit.
    """
    return [
        text("### Distribution over sizes, smoothed and empirical\n\nOne value for each size. It "
             "shows how far the sizes lie apart, and nothing about single samples."),
        code(f"""
            figure, (smooth, steps) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
            for (label,), own in {frame}.group_by("label", maintain_order=True):
                values = own[{column!r}].drop_nulls().to_numpy() / {divisor:g}
                if len(values) > 1:
                    smooth.plot(*smoothed_cdf(values), color=colour[label])
                    counted = f"{{label}} ({{len(values)}} sizes)"
                    steps.ecdf(values, label=counted, color=colour[label])
            for ax in (smooth, steps):
                ax.set(xlabel={title!r}, ylabel="share of sizes at or below")
            if steps.lines:
                steps.legend()
            plt.show()
            """),
    ]  # fmt: skip
