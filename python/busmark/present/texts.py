"""All sentences that documents have: templates, filled with values.

What needs agreement of number, or a list of exceptions, is a table instead.
"""

from __future__ import annotations

TEXTS = {
    "unfinished": "Not finished: it is still running, or was interrupted.",
    "imported": "Imported from {tools}; measured and counted there, not by Busmark.",
    "ratio": (
        "1: the reference of its column. = equal within {margin} at {level}; ? undecided; all "
        "others differ at {level} (Holm)."
    ),
    "open": "No best can be named at {where}: {reason}.",
    "columns": "Hidden: {names}. Widen the terminal, or use --wide.",
    "workloads": "{shown} of {known} workloads; the tables below have all.",
    "labels": "{shown} of {known} rows; the tables below have all.",
    "names": "@NAME stands for a directory, @last for the first of these.",
    "see": "See: {marks}. (!! error, ! warning, else note)",
    "configuration": "Configuration: {facts}.",
    "explained": ("Cause, evidence, remedy and cases of each: busmark show [DIRECTORY] --findings"),
    "typical": (
        "Median and percentiles describe a typical round: the median over rounds. In brackets: "
        "{level} interval."
    ),
    "half": "RTT/2 is half of the measured round trip.",
    "goodput": "Goodput is counted at the reader.",
    "lost": "A lost sample counts as later than any that arrived.",
    "unrecorded": (
        "One-way latencies of {labels} are of what arrived: samples were lost, and it is not known "
        "whether probes were among them."
    ),
    "batches": "For a stream in batches, goodput is measured within batches.",
    "beside": "Beside it ran {what}.",
    "phases": (
        "In the middle of every round something changes ({what}): figures are over all phases "
        "together, `busmark show DIRECTORY#CASE` has each phase."
    ),
    "discovery": (
        "Times are from just before the first call that creates something. “− creation”: from the "
        "return of the last such call; below 0: before it."
    ),
    "criterion": (
        "The greatest rate with a loss of at most {max_loss}, writers and readers at {keeps_up} of "
        "it or more. In brackets: where the limit is, with {confidence} probability. Confirmed: "
        "trials at that rate that passed afterwards."
    ),
    "alike": "All rows: {facts}.",
    "alike_but_floor": "All rows but the null adapter's: {facts}.",
    "criterion_p99": "The 99th percentile of the round trip is up to {limit}.",
    "no_criterion": "What a rate had to meet is not known: it is missing in the manifest.",
    "arrivals": "Arrivals: {models}.",
    "floor_elsewhere": "The null adapter was measured {where}.",
    "remark": "{case}: {status}, {reason}.",
    "line": "{line}",
    "made_by": "Busmark {version}, {utc}: {command}",
    "parameters": "{parameters}.",
    "no_findings": "There are no findings on {what}.",
    "indented": "  {line}",
    "entries": (
        "Parameters, figures, percentiles, rounds and raw data of each, when it is opened; "
        "`busmark show --json` has all."
    ),
    "note": "{note}",
    "one_run": "One run of each, hence no interval.",
    "settings": "Settings differ between the rows: {names}.",
    "remedy": "→ {remedy}",
    "more_cases": "{number} more; `--json` has all.",
    "sizes": (
        "Overhead + size × time per byte, fitted robustly over the medians. Departure: standard "
        "deviation of the medians from the line."
    ),
    "effects": (
        "The value over the other, all else being equal, round by round; smallest and largest of "
        "the decided comparisons. 1/2: half as much."
    ),
}
"""By name."""
