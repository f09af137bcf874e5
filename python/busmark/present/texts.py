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
    "names": "@NAME stands for a directory, @last for {last}.",
    "see": "See: {marks}. (!! error, ! warning, else note)",
    "explained": "Cause, evidence, remedy and cases of each: busmark show [DIRECTORY] --findings",
    "typical": (
        "Median and percentiles describe a typical round: the median over rounds, with its "
        "{level} interval."
    ),
    "lost": "A lost sample counts as later than any that arrived.",
    "batches": "For a stream in batches, goodput is measured within batches.",
    "discovery": (
        "Times count from just before the first call that creates an entity; “− creation”: from "
        "the return of the last. A negative time is before it."
    ),
    "criterion": (
        "The greatest rate at which at most {max_loss} of the {samples} are {lost}, and {senders} "
        "and {receivers} reach {keeps_up} of it or more. The limit lies in the interval with "
        "{confidence} probability. Confirmed: trials at that rate that passed afterwards."
    ),
    "harness_alone": (
        "No middleware: one process passes each sample to itself on one CPU. Latencies are "
        "medians of RTT/2. Every other latency contains this overhead of Busmark."
    ),
    "line": "{line}",
    "facts": "{title}: {facts}.",
    "made_by": "Busmark {version}, {utc}: {command}",
    "one_run": "One run each, so there is no interval.",
    "share_of_all": (
        "{percentile} and the share are of the samples of all rounds together, lost ones among "
        "them; tables of cases have the percentile of a typical round."
    ),
    "more": "{number} more: {where} has all.",
    "too_few": "No change can be found yet: a series needs {needed} results.",
    "steps": (
        "Steps are change points by E-divisive (Matteson & James 2014), with at least {least} "
        "results on each side and a p-value, adjusted for {tests} series (Bonferroni), of at "
        "most {level}. Intervals: {confidence}; pp: percentage points. A regression "
        "is worse by more than {margin}, for loss by more than {loss} of the samples. It is "
        "confirmed when each of {confirmations} consecutive results finds it, and new if it was "
        "not confirmed without the results added last ({new_for})."
    ),
    "size_models": (
        "Median RTT/2 of an empty body, and the time per byte; bandwidth is the inverse of that "
        "time, where its interval is above 0. Intervals: {level}, with the variation of rounds and "
        "the deviations from the line. CV error: the greatest error in "
        "cross-validation, which leaves out each size in turn."
    ),
    "knees": (
        "Knee: the load at which latency (median RTT/2) is {rise} above its floor, goodput is "
        "{fall} below its best, or {lost} more of all samples are lost. Its interval, at {level} "
        "together: the greatest load that is shown to be below the knee, and the least that is "
        "shown to be above it (…: none). Carried: the greatest rate that arrived at a reader. "
        "Levels of a background load are those achieved; cpu: of each CPU. CV error: the "
        "greatest error in cross-validation, which predicts each point from its neighbours; for "
        "loss, a difference of shares."
    ),
    "other_parts": "Other scenarios of the pack have {number} more statements, on {parts}.",
    "ratios_of_cases": (
        "Each check is a ratio between cases of this campaign: of medians of RTT/2, of goodput "
        "at the readers, or of the figure that it names. Rounds of all cases are interleaved, so"
        " each round gives one ratio; the figure is their median, with the {level} interval of a"
        " typical round on their logarithms. Several pairs of cases are combined round by round."
        " “Each pair”: every pair must be in the range, a factor of {alike} either way unless "
        "another is named; these intervals are wider (Bonferroni). Where 1 is expected, the "
        "check compares counts. An interval covers the variation between rounds on this machine,"
        " not other machines or versions."
    ),
    "sizes": (
        "Overhead + size × time per byte, fitted robustly over the medians. Departure: standard "
        "deviation of the medians from the line, by cross-validation."
    ),
    "effects": (
        "Ratio of the figure with this value to the figure with the other, all other parameters "
        "being equal, {pairs}: the smallest and largest of the decided comparisons. 0.5: half as "
        "much."
    ),
    "margins": (
        "= equivalent: the whole interval is within {margin} of 1, for loss within {loss} of the"
        " samples; ? undecided."
    ),
    "beyond": (
        "A limit on a percentile limits the share of samples beyond it: 1 % for p99, 0.1 % for "
        "p99.9."
    ),
    "least_found": (
        "Detectable: the least change beyond the limit that four of five such runs would show "
        "(power 80 %). More rounds: about how many each side needs for a decision."
    ),
    "theirs": (
        "One-way latency: performance_test counts it from the actual sending, Busmark from the "
        "intended. Empty: that side does not report it."
    ),
    "compared": "Ratios are candidate over baseline, with their {level} interval.",
    "holm": "A verdict survives Holm's correction over this number of tests.",
    "false": (
        "The probability of any false verdict is at most {one} for the headline figures of a "
        "candidate, {one} for its losses, and {one} for its other figures; {all} for all "
        "candidates together."
    ),
    "capture_ends": "Intervals: minimum and maximum.",
    "capture_l": (
        "Times count from the data packet of the first hop: to the data packet of the last hop, "
        "to the message that confirms it there (L), and to the first byte on each further hop."
    ),
    "capture_eq2": (
        "Eq. 2: the bytes of a sample's packets on all hops, divided by the time from the data "
        "packet of the first hop until what the column names; where nothing confirms a sample, by "
        "the application's latency (--application), else by the time to the last data packet, "
        "which is no L. Unlike a throughput, it does not count how many samples are in transit."
    ),
    "capture_lengths": (
        "Packets per sample and overhead include heartbeats, confirmations and acknowledgements,"
        " from the first sample to the last confirmation. Overhead: all bytes but the payload."
    ),
    "late": (
        "Late: a latency above the 99th percentile of its round or three times its median, "
        "whichever is less, but above its 95th percentile at least; above three times its median "
        "where packets show that the sample was sent again. In round {round}: above {limit}, {by}; "
        "the median is {median}."
    ),
    "late_untimed": (
        "Without a latency: samples on one hop alone. Latency is the time from one hop to another, "
        "such as from a client's packet to the packet behind the agent; the capture has one place "
        "of their way."
    ),
    "late_alike": (
        "A row with several samples: the packets show the same of each of them; the packets "
        "named are of the first one. Latencies of several: the median, with the least and the "
        "greatest."
    ),
    "late_cause": (
        "A cause explains a sample if the wait that its packets prove is at least half of what "
        "the sample is late by. On time: samples that were not late with the same cause. Place: "
        "where the time passed, if no packet shows why."
    ),
    "late_sequence": (
        "Times are from the write of the sample. ✓: the packet proves the cause. Packets are "
        "numbered in {files}."
    ),
    "adapters_checked": "Conformance suite run over {names}; last {last}.",
}
"""Texts by name."""
