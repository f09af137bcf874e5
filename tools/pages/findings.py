"""docs/reference/findings.md: every rule with its cause and remedy."""

from __future__ import annotations

from tools.pages import docstrings
from tools.pages import markdown as md

from busmark.findings import diagnose
from busmark.findings.registry import by_subject, rules
from busmark.findings.rule import Rule
from busmark.plugin import InstalledPlugin
from busmark.plugins.imports.possible import TWO_CLOCKS
from busmark.plugins.imports.read import FOLDERS
from busmark.plugins.imports.registry import FORMATS, importers
from busmark.store import Finding

INTRODUCTION = """\
A run looks for what spoils a benchmark and says so: with the cause, the evidence it saw, and a
remedy. Findings are stored in the manifest and shown by every report.

- **error**: figures are wrong or unusable.
- **warning**: figures are distorted.
- **note**: good to know.

The severity depends on what is seen. *Looks at* says when a rule is applied: at the **host**
before anything runs (and by `busmark doctor`), at the **plan** before a case runs, at the
**case** after its rounds have been run, at the **campaign** when all have. Where a rule sees a
special form of its problem it uses other words than those given here.

Reports mark the values that a finding concerns. *Stands beside* names them by their keys in
[metrics](metrics.md), or as `latency` (all statistics of latencies), `tail` (its upper
percentiles), `rounds` or `load`; a finding without them stands on the row as a whole. Warnings and
errors of single cases are also printed while a run is under way, once for each kind and case.

A finding that may be the cause of others on the same cases stands before them and names them; what
each may explain is given below.
"""


def page() -> str:
    """Return the page as Markdown."""
    parts = [
        md.head("Findings", "`busmark.findings`"),
        INTRODUCTION,
        md.table(
            ("Finding", "Title", "Looks at"),
            [(f"[`{r.id}`](#{r.id})", r.title, ", ".join(_moments(r))) for r in rules().values()],
        ),
    ]
    for rule in rules().values():
        parts += [f"## {rule.id}\n", *_section(rule)]
    parts += _imported()
    for finding in _of_doctor():
        parts += [f"## {finding.id}\n", *_text(finding.title, finding.cause, finding.remedy)]
        parts.append("Looks at the adapters, by `busmark doctor` only.\n")
    return "\n".join(parts)


def _imported() -> list[str]:
    """Return the section on known faults in the figures of other tools."""
    parts = [
        "## Imported results\n",
        "What is known to be wrong, or easily misread, in the figures of other tools, from their "
        "sources.\nA finding comes with an imported result where its file shows the cause. See "
        "[import results of other\n"
        "tools](../../python/busmark/plugins/imports/docs/import-other-tools.md).\n",
    ]
    every = [(FORMATS[one.name].partition(":")[0], one.flaws) for one in importers()]
    for name, flaws in (("Any tool", (TWO_CLOCKS, FOLDERS)), *every):
        rows = [(md.code(f.id), f.severity, f"{f.title}. {f.cause}", f.remedy) for f in flaws]
        titles = ("Finding", "Severity", "Cause", "Remedy")
        parts += [f"### {name}\n", md.table(titles, rows)]
    return parts


def _section(rule: Rule) -> list[str]:
    sections = _text(rule.title, rule.cause, rule.remedy)
    if rule.concerns:
        sections.append(f"Stands beside: {', '.join(map(md.code, rule.concerns))}.\n")
    if rule.check_case:
        sections.append(f"During a run: {_early(rule)}.\n")
    if rule.explains:
        named = ", ".join(f"[`{name}`](#{name})" for name in rule.explains)
        sections.append(f"May explain: {named}.\n")
    for name, value, text in _thresholds(rule):
        shown = f"{value:,}".replace(",", " ").removesuffix(".0")
        sections.append(f"- `{name}` = {shown}: {' '.join(text.split())}")
    if sections[-1].startswith("- "):
        sections.append("")
    return sections


def _thresholds(rule: Rule) -> list[tuple[str, float, str]]:
    """Return the documented numbers between the rule before this one and this one."""
    subject = next(module for module, own in by_subject().items() if rule in own)
    documented = docstrings.of_constants(subject)
    found: list[tuple[str, float, str]] = []
    for name, value in vars(subject).items():
        if value is rule:
            break
        if isinstance(value, Rule):
            found = []
        elif name in documented and isinstance(value, int | float) and not isinstance(value, bool):
            found.append((name, value, documented[name]))
    return found


def _early(rule: Rule) -> str:
    if rule.early is None:
        return "never; the finding comes at the end"
    return f"after {rule.early} round{'s' if rule.early > 1 else ''} of a case, or more"


def _text(title: str, cause: str, remedy: str) -> list[str]:
    return [
        f"**{title}.**\n",
        f"Cause: {cause}\n",
        f"Remedy: {remedy}\n",
    ]


def _moments(rule: Rule) -> list[str]:
    checks = {
        "host": rule.check_host,
        "plan": rule.check_plan,
        "case": rule.check_case,
        "campaign": rule.check_campaign,
    }
    return [moment for moment, check in checks.items() if check]


def _of_doctor() -> list[Finding]:
    """Return the findings that `busmark doctor` adds of itself."""
    faulty = InstalledPlugin("NAME", "1.0", "MODULE:PLUGIN", "DISTRIBUTION", False, fault="reason")
    found = [
        *diagnose({}, adapters={}),
        *diagnose({}, missing={"NAME": "reason"}),
        *diagnose({}, plugins=[faulty]),
    ]
    return [f for f in found if f.id not in rules()]
