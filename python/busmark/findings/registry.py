"""The rules, in the order in which findings of one severity are shown.

A rule is a constant in a file of `rules`, or in a module of a plug-in, which is of one subject; its
checks stand before it. What it says is in a catalogue, `texts.toml`, whose order is the rules'.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from string import ascii_lowercase
from types import ModuleType
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from busmark.errors import UserError, together
from busmark.findings import rules as folder
from busmark.findings.rule import SEVERITIES, Rule, Severity
from busmark.plugin import exists, parts

if TYPE_CHECKING:
    from busmark.store.manifest import Finding


OWN = Path(folder.__path__[0]).with_name("texts.toml")
"""The catalogue of the core. A plug-in's has the name of its module."""


class RuleText(BaseModel):
    """The entry of a rule in a catalogue; a text that is left out is in the rule's code."""

    model_config = ConfigDict(extra="forbid", strict=True)

    title: str = ""
    cause: str = ""
    remedy: str = ""
    behind: str = ""
    """The rule of another catalogue, or of this, behind which it stands; empty: as in the file."""


Catalogue = TypeAdapter(dict[str, RuleText])


def _catalogue(path: Path) -> dict[str, RuleText]:
    """Read the texts of each rule, if there is a file.

    Raises:
        UserError: it is not as it must be.
    """
    try:
        return Catalogue.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"not TOML: {error}", where=str(path)) from error
    except ValidationError as error:
        wrong = [
            UserError(f"{'.'.join(map(str, each['loc']))}: {each['msg']}", where=str(path))
            for each in error.errors()
        ]
        raise together(wrong) from error


@cache
def by_subject() -> dict[ModuleType, list[Rule]]:
    """Return the rules of each subject, with their texts, as they stand in its file; plug-ins come
    last.

    Raises:
        UserError: a catalogue of texts is not as it must be, or has a text for no rule.
    """
    modules = [
        import_module(f"{folder.__name__}.{each.name}") for each in iter_modules(folder.__path__)
    ]
    found = _with_texts(modules, OWN)
    owners = {rule.id: "busmark" for own in found.values() for rule in own}
    for of, module in parts(lambda plugin: plugin.findings):
        own = _with_texts([module], _beside(module))
        for rule in own[module]:
            if rule.id in owners:
                raise exists(of, "rule", rule.id, owners[rule.id])
            owners[rule.id] = f"the plug-in {of.name}"
        found |= own
    return found


def _beside(module: ModuleType) -> Path:
    return Path(str(module.__file__)).with_suffix(".toml")


def _with_texts(modules: Sequence[ModuleType], path: Path) -> dict[ModuleType, list[Rule]]:
    texts = _catalogue(path)
    found = {
        module: [
            _with_text(each, texts.get(each.id))
            for each in vars(module).values()
            if isinstance(each, Rule)
        ]
        for module in modules
    }
    ids = {rule.id for own in found.values() for rule in own}
    if unused := [name for name in texts if name not in ids]:
        raise UserError(f"{unused[0]}: there is no rule of this name", where=str(path))
    if bare := [r.id for own in found.values() for r in own if not (r.title and r.cause)]:
        raise UserError(f"{bare[0]}: it has no title or no cause", where=str(path))
    return found


def _with_text(rule: Rule, text: RuleText | None) -> Rule:
    stated = text.model_dump(exclude={"behind"}) if text else {}
    return replace(rule, **{name: value for name, value in stated.items() if value})


@cache
def rules() -> dict[str, Rule]:
    """Return all rules by their names, in the order in which findings of one severity are shown:
    as the core's catalogue has them; a plug-in's rule stands behind the rule that it names, else
    last."""
    found = {rule.id: rule for own in by_subject().values() for rule in own}
    order = list(_catalogue(OWN))
    for _, module in parts(lambda plugin: plugin.findings):
        for name, text in _catalogue(_beside(module)).items():
            place = order.index(text.behind) + 1 if text.behind in order else len(order)
            order.insert(place, name)
    return {name: found[name] for name in (*order, *found) if name in found}


# Findings as they are shown: each kind once, and the kinds of each case.
#
# One rule may find the same in cases that differ in remedy or severity. These are several findings
# with one title; a `Kind` shows them once. For every case, `by_case` has the kinds that concern it.

SIGNS: dict[Severity, str] = {"error": "!!", "warning": "!", "note": ""}
"""Before the letter of a finding, so that its severity is not shown by a colour alone."""

_OF_CASES = re.compile(r"(?:\d+ of \d+ cases; the worst is )?(?P<case>\S+): (?P<evidence>.+)", re.S)
"""Pattern of the evidence that `run` makes of a finding on several cases."""


@dataclass(frozen=True, slots=True)
class FindingKind:
    """Findings of one rule and one title."""

    findings: tuple[Finding, ...]
    """Findings of this kind, the worst first."""
    letter: str
    """Letter by which rows refer to it; empty where it concerns no single case."""
    anchor: str
    """Identifier of its element on the page."""

    @property
    def title(self) -> str:
        return self.findings[0].title

    @property
    def severity(self) -> Severity:
        """The worst severity among the findings."""
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

    kind: FindingKind
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
    """Flags of findings on one case."""

    flags: tuple[Flag, ...]
    """Flags, at least one, the worst first."""

    @property
    def count(self) -> int:
        """Count of findings, each kind once."""
        return len(self.flags)

    @property
    def severity(self) -> Severity:
        """The worst severity of the flags."""
        return self.flags[0].severity


def kinds(findings: Iterable[Finding]) -> list[FindingKind]:
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
        found.append(FindingKind(tuple(own), letter, anchor))
    return found


def by_case(found: Sequence[FindingKind]) -> dict[str, Flags]:
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
