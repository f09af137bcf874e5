"""Lost samples of a stream, as a share."""

from __future__ import annotations

from busmark.analysis.catalogue.entry import Compared, Estimate, Row


def _of_round(row: Row) -> tuple[int, int] | None:
    expected = row.get("expected") or row["sent"]
    return (row["lost"], expected) if expected and row["lost"] is not None else None


FIGURE = Estimate(
    key="loss_share",
    unit="1",
    meaning="lost samples of the expected ones, 0 to 1",
    pick=lambda case: case.throughput.loss_share if case.throughput else None,
    details="loss",
    compared=Compared(
        name="loss",
        word="loss",
        tests=("latency", "throughput"),
        more="loses more",
        less="loses less",
        otherwise="no round counts what is lost",
        share_of_round=_of_round,
    ),
)
