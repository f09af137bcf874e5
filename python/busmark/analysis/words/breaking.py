"""Where applications that all write to all came to their limit: the least load that was not
carried, and who fell short of it."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.analysis.case.levels import ENOUGH, Level
from busmark.analysis.model import Answer, CaseSummary
from busmark.analysis.words import text
from busmark.model.parameters import Parameters

LONGEST = 200
"""Characters of a reason."""


def breaking(cases: Sequence[CaseSummary]) -> list[Answer]:
    """One sentence for each label of cases with applications."""
    by_label: dict[str, list[CaseSummary]] = {}
    for case in cases:
        meant = case.params.applications and case.params.rate_hz
        if meant and case.status not in ("unsupported", "not_run"):
            by_label.setdefault(case.label, []).append(case)
    return [_of_label(label, sorted(own, key=load)) for label, own in by_label.items()]


def applications(params: Parameters) -> int:
    """Applications on all nodes together."""
    return (params.applications or 0) * len(str(params.writer_on or "").split("+"))


def load(case: CaseSummary) -> float:
    """Bytes of bodies per second that all readers together were to read."""
    params, count = case.params, applications(case.params)
    pairs = count**2 * params.topics * params.writers * params.readers
    return float(pairs * (params.rate_hz or 0.0) * (case.size or 0))


def _of_label(label: str, cases: Sequence[CaseSummary]) -> Answer:
    for case in cases:
        if why := shortfall(case):
            return Answer(lead=f"{label} fell short", rest=f" at {_what(case)}: {why}.")
    rest = f" of {_what(cases[-1])}, the most that was asked for."
    return Answer(lead=f"{label} carried the traffic", rest=rest)


def _what(case: CaseSummary) -> str:
    params, asked = case.params, load(case)
    scale = text.scale_for([asked], text.BYTES)
    return (
        f"{text.plural(applications(params), 'application')}, {params.rate_hz:g}/s "
        f"of {text.size_text(case.size)} by each writer ({text.number(asked / scale.factor)} "
        f"{scale.unit} to be read)"
    )


def shortfall(case: CaseSummary) -> str | None:
    """In what the case did not get all that was to be read; None if it did."""
    if case.status == "failed":
        reasons = [each.reason for each in case.attempts if each.reason] or [case.reason or ""]
        first = " ".join(reasons[-1].split("; ")[0].split())
        return first if len(first) <= LONGEST else f"{first[:LONGEST]}…"
    levels = {level.scope: level for level in case.levels}
    system, readers = levels.get("system"), levels.get("reader")
    if system is None or readers is None:
        return None
    parts = []
    if readers.short and readers.least:
        of = [_short(levels[scope], noun) for scope, noun in NOUNS if scope in levels]
        told = text.joined([each for each in of if each])
        parts.append(
            f"{told} read less than {text.percent_text(ENOUGH)} of it, the least "
            f"{text.percent_text(readers.least.share)} ({readers.least.name}"
            + (f" on {readers.least.node}" if readers.least.node else "") + ")"
        )  # fmt: skip
    if system.lost:
        parts.append(
            f"{text.count(system.lost)} of {text.count(system.expected)} samples were lost"
        )
    if not parts:
        return None
    if case.cpus_used is not None:
        parts.append(f"participants kept {text.number(case.cpus_used.value)} CPUs busy")
    return text.joined(parts)


NOUNS = (("reader", "reader"), ("participant", "application"), ("node", "node"))


def _short(level: Level, noun: str) -> str:
    if not level.short:
        return ""
    return f"{text.count(level.short)} of {text.plural(level.members, noun)}"
