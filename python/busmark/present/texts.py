"""All sentences that documents have: templates, filled with values.

What needs agreement of number, or a list of exceptions, is a table instead.
"""

from __future__ import annotations

TEXTS = {
    "unfinished": "Not finished: it is still running, or was interrupted.",
    "ratio": (
        "1: the reference of its column. = equal within {margin} at {level}; ? undecided; all "
        "others differ at {level} (Holm)."
    ),
    "columns": "Hidden: {names}. Widen the terminal, or use --wide.",
    "names": "@NAME stands for a directory, @last for the first of these.",
    "names-elsewhere": (
        "@NAME stands for a directory, @last for none: no result was begun in this folder or below "
        "it."
    ),
    "see": "See: {marks}. (!! error, ! warning, else note)",
    "explained": ("Cause, evidence, remedy and cases of each: busmark show [DIRECTORY] --findings"),
    "typical": (
        "Median and percentiles describe a typical round: the median over rounds. In brackets: "
        "{level} interval."
    ),
    "medians": "Median and percentiles describe a typical round: the median over rounds.",
    "half": "RTT/2 is half of the measured round trip.",
    "goodput": "Goodput is counted at the reader.",
    "lost": "A lost sample counts as later than any that arrived.",
    "batches": "For a stream in batches, goodput is measured within batches.",
    "discovery": "Times are from just before the first call that creates something.",
    "creation": (
        "“− creation”: from the return of the last call that creates something; below 0: before it."
    ),
    "criterion": (
        "The greatest rate with a loss of at most {max_loss}, writers and readers at {keeps_up} of "
        "it or more. In brackets: where the limit is, with {confidence} probability. Confirmed: "
        "trials at that rate that passed afterwards."
    ),
    "harness_alone": (
        "No middleware: one process hands each sample to itself, on one CPU. Latencies are medians "
        "of half the round trip. What is left is Busmark's own part of every other figure."
    ),
    "line": "{line}",
    "facts": "{title}: {facts}.",
    "made_by": "Busmark {version}, {utc}: {command}",
    "entries": (
        "Parameters, figures, percentiles, rounds and raw data of each, when it is opened; "
        "`busmark show --json` has all."
    ),
    "one_run": "One run of each, hence no interval.",
    "share_of_all": (
        "{percentile} and the share are of the samples of all rounds together, lost ones among "
        "them; tables of cases have the percentile of a typical round."
    ),
    "more_cases": "{number} more; `--json` has all.",
    "too_few": "No change can be found yet: a series needs {needed} results.",
    "steps": (
        "Steps are found by E-divisive (Matteson & James 2014), {least} results or more on each "
        "side, where the p-value, adjusted for {tests} series (Bonferroni), is at most {level}. In "
        "brackets: {confidence} interval; pp: percentage points. A regression is worse by more "
        "than {margin}, for loss by more than {loss} of the samples. It is confirmed once it was "
        "found after {confirmations} results in a row, and new if it was not confirmed without "
        "the results added last ({new_for})."
    ),
    "size_models": (
        "Median RTT/2 of a body of no bytes, and for each byte; bandwidth is the inverse, where "
        "the time is shown to be above 0. In brackets: {level} interval, with the variation of "
        "rounds and the departures from a line. CV error: the greatest in cross-validation, each "
        "size left out of the fit in turn."
    ),
    "knees": (
        "Knee: where latency (median RTT/2) is {rise} above its floor, goodput {fall} below its "
        "best, or {lost} of all samples more are lost. In brackets: up to where it is shown to be "
        "less, and from where it is shown to be more (…: nowhere), together {level}. Carried: the "
        "greatest rate that arrived at a reader. Levels of a background load are those achieved; "
        "cpu: of each CPU. CV error: the greatest in cross-validation, points predicted from "
        "their neighbours; of loss a difference of shares."
    ),
    "shape": (
        "Compared is the shape: ratios of two figures of this campaign. Figures of the document, "
        "of other machines, stand in tables of their own, where it has them."
    ),
    "other_parts": "Further statements, on {parts}, are in other scenarios of the pack: {number}.",
    "ratios_of_cases": (
        "Each check is a ratio between cases of this campaign: of medians of half the round trip, "
        "of goodput at the readers, or of the figure that it names. Rounds of all cases were "
        "interleaved, so each gives one ratio; the figure is their median, with the {level} "
        "interval of a typical round on their logarithms. Several pairs of cases are taken "
        "together round by round. “Each pair”: every pair must be in the range, {alike} times "
        "either way unless another is named; intervals are wider there, so that together they keep "
        "their confidence (Bonferroni). Where 1 is expected, counts decide. An interval covers "
        "what differs between rounds on this machine, not other machines or versions."
    ),
    "sizes": (
        "Overhead + size × time per byte, fitted robustly over the medians. Departure: standard "
        "deviation of the medians from the line, by cross-validation."
    ),
    "effects": (
        "The value over the other, all else being equal, round by round; smallest and largest of "
        "the decided comparisons. 0.5: half as much."
    ),
    "margins": (
        "= equivalent: the whole interval is within {margin} of 1, for loss within {loss} of the "
        "samples; ? undecided."
    ),
    "beyond": (
        "A limit on a percentile is judged by the share of samples beyond it: 1 % may be for p99, "
        "0.1 % for p99.9."
    ),
    "least_found": (
        "Would have been found: four of five runs like this one show it to be beyond the limit. "
        "More rounds: about how many would decide the case, on each side."
    ),
    "theirs": (
        "One-way latency; performance_test counts it from the actual sending, Busmark from the "
        "intended. Empty: that side does not report it."
    ),
    "compared": "Ratios are candidate over baseline, in brackets their {level} interval.",
    "holm": "A verdict survives Holm's correction over this number of tests.",
    "false": (
        "The probability of any false verdict is at most {one} for the headline figures of a "
        "candidate, as much for its losses, and as much for its other figures; {all} for all "
        "candidates together."
    ),
    "capture_ends": "In brackets: least and greatest.",
    "capture_l": (
        "From the data packet of the first hop to the data packet of the last hop, and (L) to the "
        "message that confirms it there; of these, to the first byte on each further hop."
    ),
    "capture_eq2": (
        "Eq. 2: the length of a sample's packets on all hops by the time from the data packet of "
        "the first hop until what the column names; where nothing confirms a sample, by the "
        "application's latency (--application), else by the time to the last data packet, which "
        "is no L. It is a size by a delay, not a throughput."
    ),
    "capture_lengths": (
        "Packets per sample and overhead include heartbeats, confirmations and acknowledgements, "
        "from the first sample to the last confirmation. Overhead: all but the payload."
    ),
    "late": (
        "Late: a latency above the 99th percentile of its round or three times its median, "
        "whichever is less, but above its 95th percentile at least. In round {round}: above "
        "{limit}, {by}; the median is {median}."
    ),
    "late_untimed": (
        "Without a latency: samples on one hop alone. Latency is the time from one hop to another, "
        "such as from a client's packet to the packet behind the agent; the capture has one place "
        "of their way."
    ),
    "late_unfollowed": (
        "Nothing confirms {number} of them: whether they were received is not in the capture."
    ),
    "late_alike": (
        "A row with several samples: the packets show the same of each of them; named are those "
        "of the first. Latencies of several: the median, in brackets the least and the greatest."
    ),
    "late_further": (
        "`busmark capture analyse {file}` has latencies, throughput and lengths; `--worst 3` shows "
        "the packets of the first three samples."
    ),
    "late_cause": (
        "A cause explains a sample if the wait that its packets prove is at least half of what "
        "the sample is late by. Place: where the time passed, where no packet shows why."
    ),
    "late_sequence": (
        "Times are from the write of the sample. ✓: the packet proves the cause. Packets are "
        "numbered in {files}."
    ),
    "no_adapters": "No adapter found. Build them with `make build`.",
    "adapters_hint": (
        "The first transport and the first wait strategy are the defaults. "
        "`busmark adapters NAME` shows one in full, `busmark adapters --long` licences and costs, "
        "`busmark adapters --table` who supports what."
    ),
    "adapters_checked": "Conformance suite run over {names}; last {last}.",
}
"""By name."""
