"""The statistics of a report, as one would write them down with pandas and scipy.

    python bench/plain_report.py DIR

No more than is in the report: the same figures, intervals and curves. What it finds is written to
the standard output as JSON, as a page would embed it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

PERCENTILES = [50, 90, 99, 99.9, 99.99, 99.999, 99.9999]
COLUMNS = [
    "round",
    "seq",
    "flags",
    "intended_ns",
    "sent_ns",
    "written_ns",
    "echo_delivered_ns",
    "echo_read_ns",
    "echo_sent_ns",
    "delivered_ns",
    "read_ns",
]
RESAMPLES = 1000


def interval(rounds: list[np.ndarray[Any, Any]], statistic: Any) -> tuple[float, float]:
    """Compute the interval of the mean over rounds, by drawing rounds anew, not their samples: that
    would take half an hour."""
    own = [statistic(values) for values in rounds]
    if len(set(own)) == 1:
        return own[0], own[0]
    found = stats.bootstrap((own,), np.mean, n_resamples=RESAMPLES, rng=1).confidence_interval
    return found.low, found.high


def shape(values: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Compute the histograms, the density, the quantiles and their points."""
    low, high = np.percentile(values, [5, 95])
    counts, edges = np.histogram(values, 25, (low, high))
    points = np.linspace(low, high, 256)
    kernel = stats.gaussian_kde(values)
    fixed = stats.gaussian_kde(values, 10_000 / values.std())
    grid = np.linspace(0, 100, 240)
    return {
        "histogram": [counts.tolist(), edges.tolist()],
        "density": [points.tolist(), kernel(points).tolist(), fixed(points).tolist()],
        "quantiles": [grid.tolist(), np.percentile(values, grid).tolist()],
        "log": np.histogram(np.log(np.abs(values) + 1), 50)[0].tolist(),
    }


def describe(rounds: list[np.ndarray[Any, Any]]) -> dict[str, Any]:
    """Compute all statistics of one quantity of a case."""
    pooled = np.concatenate(rounds)
    ordered = np.sort(pooled)
    best = {
        share: [float(f(ordered[: int(pooled.size * share)])) for f in (np.mean, np.std, np.max)]
        for share in (1.0, 0.999, 0.99, 0.9)
    }
    return {
        "count": pooled.size,
        "mean": pooled.mean(),
        "std": pooled.std(ddof=1),
        "min": pooled.min(),
        "max": pooled.max(),
        "mad": stats.median_abs_deviation(pooled),
        "skewness": stats.skew(pooled),
        "kurtosis": stats.kurtosis(pooled),
        "percentiles": np.percentile(pooled, PERCENTILES).tolist(),
        "median_interval": interval(rounds, np.median),
        "mean_interval": interval(rounds, np.mean),
        "p99_interval": interval(rounds, lambda x: np.percentile(x, 99)),
        "best": best,
        "shape": shape(pooled),
    }


def main(directory: Path) -> None:
    """Print the statistics of every case of a result."""
    found = {}
    files: dict[str, list[Path]] = {}
    for path in sorted((directory / "samples").iterdir()):
        files.setdefault(path.name.split(".r")[0], []).append(path)
    for case, paths in files.items():
        frame = pd.concat(pd.read_parquet(path, columns=COLUMNS) for path in paths)
        frame = frame[(frame["flags"] & 1) == 0].dropna(subset=["read_ns"])
        frame["latency"] = frame["read_ns"] - frame["intended_ns"]
        segments = {
            "write": (frame["written_ns"] - frame["sent_ns"]).median(),
            "transport": (frame["echo_delivered_ns"] - frame["written_ns"]).median(),
            "read": (frame["echo_read_ns"] - frame["echo_delivered_ns"]).median(),
        }
        rounds = [own["latency"].to_numpy(float) for _, own in frame.groupby("round")]
        jitter = [np.abs(np.diff(own)) for own in rounds]
        found[case] = {
            "segments": {name: float(value) for name, value in segments.items()},
            "latency": describe(rounds),
            "jitter": describe(jitter),
            "drift": [
                float(
                    stats.kendalltau(
                        np.arange(200), [np.median(part) for part in np.array_split(own, 200)]
                    ).pvalue
                )
                for own in rounds
            ],
        }
    json.dump(found, sys.stdout, default=float)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
