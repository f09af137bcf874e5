"""In what two campaigns differ besides what is compared: machines, programs, how was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from busmark.compare.matching import Match
from busmark.compare.model import Difference
from busmark.compare.sides import Side, SideCase
from busmark.estimate import machines
from busmark.host.differences import whole_differences as of_hosts
from busmark.model import naming as dim
from busmark.model.text import ABSENT
from busmark.store import Manifest

VERSIONS = {"version": "version", "middleware_version": "middleware"}
"""Facts of an adapter that are shown, and their names for people."""

EFFORT = ("duration_s", "warmup_s", "samples", "probe_every")
"""How long was measured. Warm-up and length bear on the result where it is not stationary."""


def differences(
    baseline: Side, candidate: Side, pairs: Sequence[Match], by: Sequence[str] = ()
) -> list[Difference]:
    """Return facts that are not the same; a fact that one side does not report is left out. What is
    compared is shown, without a warning."""
    first, second = baseline.result.manifest, candidate.result.manifest
    found = [*_cpus(candidate, pairs), *_effort(candidate, pairs)]
    compared = machines.compared(by)
    if baseline.result is candidate.result:
        return [*_nodes(candidate.name, first, pairs, compared), *found] if compared else found
    return [
        *_hosts(candidate.name, first, second, compared),
        *_programs(candidate.name, first, second, pairs),
        *found,
    ]


def _hosts(
    candidate: str, first: Manifest, second: Manifest, compared: set[str]
) -> Iterator[Difference]:
    shared = [node for node in first.hosts if node in second.hosts]
    for node in shared:
        for fact, both in of_hosts(first.hosts[node], second.hosts[node]).items():
            name = f"{fact} of {node}" if node else fact
            yield _difference(
                candidate, "machine", name.replace("_", " "), both, warning=fact not in compared
            )
    for manifest, side in ((first, 0), (second, 1)):
        if manifest.resumptions:
            values = ("one host", "one host")
            text = f"{len(manifest.resumptions) + 1} hosts, or one that changed"
            both = (text, values[1]) if side == 0 else (values[0], text)
            yield _difference(candidate, "machine", "hosts in turn", both, warning=True)


def _nodes(
    candidate: str, manifest: Manifest, pairs: Iterable[Match], compared: set[str]
) -> Iterator[Difference]:
    """Return differences between machines of one campaign: for each pair of cases."""
    seen_pairs: set[tuple[str, str, str]] = set()
    for pair in pairs:
        sides = [
            [profile for ends in machines.hosts(manifest, case.params, case.good) for end in ends
             for profile in end]
            for case in (pair.baseline, pair.candidate)
        ]  # fmt: skip
        for mine, theirs in zip(*sides, strict=False):
            for fact, both in of_hosts(dict(mine), dict(theirs)).items():
                key = (fact, _text(both[0]), _text(both[1]))
                if key not in seen_pairs:
                    seen_pairs.add(key)
                    name = fact.replace("_", " ")
                    warning = fact not in compared
                    yield _difference(candidate, "machine", name, both, warning=warning)


def _programs(
    candidate: str, first: Manifest, second: Manifest, pairs: Sequence[Match]
) -> Iterator[Difference]:
    versions = (first.busmark_version, second.busmark_version)
    if versions[0] != versions[1]:
        yield _difference(candidate, "Busmark", "version", versions, warning=True)
    for mine, theirs in _adapters(pairs):
        before, after = first.adapters.get(mine, {}), second.adapters.get(theirs, {})
        named = False
        for key, name in VERSIONS.items():
            both = (before.get(key), after.get(key))
            if None not in both and both[0] != both[1]:
                named = True
                yield _difference(candidate, "adapter", f"{name} of {mine}", both, warning=False)
        libraries = (before.get("sha256"), after.get("sha256"))
        if not named and None not in libraries and libraries[0] != libraries[1]:
            short = tuple(str(digest)[:12] for digest in libraries)
            yield _difference(candidate, "adapter", f"library of {mine}", short, warning=False)


def _adapters(pairs: Iterable[Match]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for pair in pairs:
        for role in ("adapter", "peer"):
            mine, theirs = getattr(pair.baseline.params, role), getattr(pair.candidate.params, role)
            if mine and theirs and pair.baseline.flat.get(role) == pair.candidate.flat.get(role):
                found[(str(mine), str(theirs))] = None
    return list(found)


def _cpus(candidate: Side, pairs: Sequence[Match]) -> Iterator[Difference]:
    """Return CPUs on which participants ran; of a placement by the scheduler nothing is known."""
    both: dict[tuple[str, str], None] = {}
    for pair in pairs:
        used = (_used(pair.baseline), _used(pair.candidate))
        if all(used) and used[0] != used[1]:
            both[used] = None
    for values in both:
        yield _difference(candidate.name, "measurement", "CPUs used", values, warning=True)


def _used(case: SideCase) -> str:
    return " or ".join(sorted({row["cpus"] for row in case.good if row.get("cpus")}))


def _effort(candidate: Side, pairs: Sequence[Match]) -> Iterator[Difference]:
    for name in EFFORT:
        both = {
            (p.baseline.params.declared().get(name), p.candidate.params.declared().get(name)): None
            for p in pairs
        }
        for values in both:
            if None not in values and values[0] != values[1]:
                texts = tuple(dim.value_text(name, value) for value in values)
                yield _difference(
                    candidate.name, "measurement", dim.title(name), texts, warning=True
                )


def _difference(
    candidate: str, area: Any, fact: str, both: Sequence[object], *, warning: bool
) -> Difference:
    before, after = (_text(value) for value in both)
    return Difference(
        candidate=candidate, area=area, fact=fact, baseline=before, candidate_value=after,
        warning=warning,
    )  # fmt: skip


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_text(item)}" for key, item in value.items()) or ABSENT
    if isinstance(value, list | tuple):
        return ", ".join(_text(item) for item in value) or ABSENT
    return value if isinstance(value, str) else dim.value_text("", value)
