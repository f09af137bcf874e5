"""The rules, in the order in which findings of one severity are shown.

A rule is a constant in a file of `rules`, or in a module of a plug-in, which is of one subject; its
checks stand before it.
`ORDER` has the rules whose place matters; any other comes behind them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from string import ascii_lowercase
from types import ModuleType
from typing import TYPE_CHECKING

from busmark.findings import rules as folder
from busmark.findings.rule import SEVERITIES, Rule, Severity
from busmark.plugin import parts

if TYPE_CHECKING:
    from busmark.store.manifest import Finding


ORDER = (
    "machine-changed",
    "participant-stopped",
    "rounds-lost",
    "server-lost",
    "samples-unreadable",
    "loss-under-reliable",
    "overwritten",
    "loss-in-latency",
    "loop-stood-still",
    "corrupted",
    "bytes-on-wire",
    "clock-order",
    "placement-impossible",
    "realtime-limits",
    "recorder-full",
    "round-length",
    "late-delayed-ack",
    "nagle-delayed-ack",
    "bimodal",
    "non-stationary",
    "rounds-disagree",
    "order-effects",
    "dependent-rounds",
    "other-load",
    "several-hosts",
    "rate-not-held",
    "background-missed",
    "unacknowledged-batches",
    "load-missed",
    "companion-trouble",
    "handshake-in-measurement",
    "link-loss",
    "fragments-lost",
    "udp-drops",
    "tcp-retransmits",
    "late-retransmission",
    "late-tcp-window",
    "late-heartbeat-wait",
    "late-xrce-unrepeated",
    "late-fragments",
    "late-reordering",
    "late-before-match",
    "late-in-relay",
    "late-not-examined",
    "late-elsewhere",
    "late-discovery",
    "packets-dropped",
    "capture-dropped",
    "small-fragments",
    "saturated-core",
    "writers-waited",
    "cpu-limit",
    "swapped",
    "steal-time",
    "unpinned",
    "duplicates-or-reorder",
    "foreign-traffic",
    "target-missed",
    "too-few-rounds",
    "too-few-samples",
    "capture-nothing",
    "no-aes-instructions",
    "environment",
    "cpu-governor",
    "clock-undisciplined",
    "clock-source",
    "machine",
)


@cache
def by_subject() -> dict[ModuleType, list[Rule]]:
    """Return the rules of each subject, as they stand in its file; plug-ins come last."""
    subjects = [
        import_module(f"{folder.__name__}.{each.name}") for each in iter_modules(folder.__path__)
    ]
    subjects += [module for _, module in parts(lambda plugin: plugin.findings)]
    return {
        subject: [each for each in vars(subject).values() if isinstance(each, Rule)]
        for subject in subjects
    }


@cache
def rules() -> dict[str, Rule]:
    """Return all rules by their names, in the order of `ORDER`; any other comes last."""
    found = {rule.id: rule for own in by_subject().values() for rule in own}
    return {name: found[name] for name in (*ORDER, *found) if name in found}


# Findings as they are shown: each kind once, and the kinds of each case.
#
# One rule may find the same in cases that differ in remedy or severity. These are several findings
# with one title; a `Kind` shows them once. For every case, `by_case` has the kinds that concern it.

SIGNS: dict[Severity, str] = {"error": "!!", "warning": "!", "note": ""}
"""Before the letter of a finding, so that its severity is not shown by a colour alone."""

_OF_CASES = re.compile(r"(?:\d+ of \d+ cases; the worst is )?(?P<case>\S+): (?P<evidence>.+)", re.S)
"""Evidence as `run` merges it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Findings of one rule and one title."""

    findings: tuple[Finding, ...]
    """The worst first."""
    letter: str
    """Letter by which rows refer to it; empty where it concerns no single case."""
    anchor: str
    """Identifier of its element on the page."""

    @property
    def title(self) -> str:
        return self.findings[0].title

    @property
    def severity(self) -> Severity:
        """The worst of them."""
        return self.findings[0].severity

    @property
    def mark(self) -> str:
        """Sign and letter: "!!a" an error, "!b" a warning, "c" a note."""
        return SIGNS[self.severity] + self.letter

    @property
    def cases(self) -> list[str]:
        """Cases that it concerns; empty: the machine or the whole campaign."""
        return list(dict.fromkeys(case for each in self.findings for case in each.cases))

    @property
    def explains(self) -> list[str]:
        """Titles of those that it may be the cause of."""
        return list(dict.fromkeys(title for each in self.findings for title in each.explains))

    @property
    def remedies(self) -> list[str]:
        """Return what to do, each once."""
        return list(dict.fromkeys(each.remedy for each in self.findings))

    @property
    def worst(self) -> tuple[str, str]:
        """The case that shows it most, empty where it is of none, and the evidence there."""
        return worst(self.findings[0])

    def where(self, examined: int) -> str:
        """Return in how many of the examined cases it is: "in 3 of 40 cases"; where it is less
        severe in some of them, also in how many it is as severe: "a warning in 1"."""
        if not self.cases:
            return ""
        noun = "case" if examined == 1 else "cases"
        counted = f"in {len(self.cases)} of {max(examined, len(self.cases))} {noun}"
        severe = {c for each in self.findings if each.severity == self.severity for c in each.cases}
        mixed = len(severe) < len(self.cases)
        article = "an" if self.severity == "error" else "a"
        return f"{counted}, {article} {self.severity} in {len(severe)}" if mixed else counted

    def counted(self, examined: int) -> str:
        """Return title and count: "Two modes, in 3 of 40 cases"."""
        where = self.where(examined)
        return f"{self.title}, {where}" if where else self.title

    def flags(self) -> dict[str, Flag]:
        """Return what it says of each of its cases; of one that is in several findings, the
        worst."""
        flags: dict[str, Flag] = {}
        for found in self.findings:
            seen = {**dict([worst(found)]), **found.seen}
            figures = tuple(concerns(found))
            for case in found.cases:
                flag = Flag(self, found.severity, seen.get(case, ""), figures)
                flags.setdefault(case, flag)
        return flags


@dataclass(frozen=True, slots=True)
class Flag:
    """A finding on one case."""

    kind: Kind
    severity: Severity
    evidence: str
    """Evidence in this case; empty if only the worst case's is known."""
    concerns: tuple[str, ...]
    """Figures in question, as `Rule.concerns` names them; empty: the case as a whole."""

    @property
    def mark(self) -> str:
        """Sign and letter, by the severity in this case."""
        return SIGNS[self.severity] + self.kind.letter


@dataclass(frozen=True, slots=True)
class Flags:
    """What stands on one case."""

    flags: tuple[Flag, ...]
    """At least one, the worst first."""

    @property
    def count(self) -> int:
        """Count of findings, each kind once."""
        return len(self.flags)

    @property
    def severity(self) -> Severity:
        """The worst."""
        return self.flags[0].severity


def kinds(findings: Iterable[Finding]) -> list[Kind]:
    """Group findings by rule and title, in the order of the first of each."""
    together: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        together.setdefault((finding.id, finding.title), []).append(finding)
    found, letters, rules = [], 0, dict.fromkeys((rule for rule, _ in together), 0)
    for (rule, _), own in together.items():
        rules[rule] += 1
        letter = ""
        if any(each.cases for each in own):
            letter, letters = _letter(letters), letters + 1
        anchor = f"finding-{re.sub(r'[^A-Za-z0-9-]', '-', rule)}"
        anchor += f"-{rules[rule]}" if rules[rule] > 1 else ""
        own.sort(key=lambda each: SEVERITIES.index(each.severity))
        found.append(Kind(tuple(own), letter, anchor))
    return found


def by_case(found: Sequence[Kind]) -> dict[str, Flags]:
    """Return what stands on every case that any finding concerns."""
    flags: dict[str, list[Flag]] = {}
    for kind in found:
        for case, flag in kind.flags().items():
            flags.setdefault(case, []).append(flag)
    for own in flags.values():
        own.sort(key=lambda flag: SEVERITIES.index(flag.severity))
    return {case: Flags(tuple(own)) for case, own in flags.items()}


def marks(flags: Iterable[Flag], *, notes: bool = True) -> str:
    """Return letters by severity: "!!a !cd f"; without `notes`, of errors and warnings only."""
    known = list(flags)
    by_severity = {
        severity: "".join(f.kind.letter for f in known if f.severity == severity)
        for severity in SEVERITIES
        if notes or severity != "note"
    }
    return " ".join(SIGNS[severity] + own for severity, own in by_severity.items() if own)


def worst(finding: Finding) -> tuple[str, str]:
    """Return the case that the evidence is of, empty where it is of none, and what it shows."""
    found = _OF_CASES.fullmatch(finding.evidence)
    if found and found["case"] in finding.cases:
        return found["case"], found["evidence"]
    return "", finding.evidence


def concerns(finding: Finding) -> list[str]:
    """Return the figures in question. If a result of an older Busmark names none, they are its
    rule's, if it is what the rule usually finds."""
    if finding.concerns or finding.id not in rules():
        return finding.concerns
    rule = rules()[finding.id]
    return list(rule.concerns) if finding.title == rule.title else []


def _letter(number: int) -> str:
    """Return the letters of a number: a to z, then aa, ab, and so on."""
    more, own = divmod(number, len(ascii_lowercase))
    return (_letter(more - 1) if more else "") + ascii_lowercase[own]
