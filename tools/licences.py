"""Licences of all dependencies, held against packaging/licences.toml.

    python tools/licences.py

Rust: each workspace's lock file, by `cargo metadata`. Python: what the environment has installed.
JavaScript: the lock file of the page's scripts. A licence that is not listed, or none at all, is
printed with its package, and the exit code is 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from license_expression import ExpressionError, get_spdx_licensing

ROOT = Path(__file__).resolve().parents[1]
SPDX = get_spdx_licensing()
OWN = ("busmark",)
"""Names of our own packages begin so."""


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """A dependency, and its licence in its own words."""

    name: str
    version: str
    licence: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The file of allowed licences."""

    allowed: frozenset[str]
    words: dict[str, str]
    exceptions: dict[str, str]

    @classmethod
    def read(cls, path: Path = ROOT / "packaging/licences.toml") -> Rules:
        """Read the rules from the file."""
        content = tomllib.loads(path.read_text("utf-8"))
        return cls(frozenset(content["allowed"]), content["words"], content["exceptions"])

    def allow(self, package: Package) -> bool:
        """Return whether a package may be used."""
        if package.name in self.exceptions:
            return True
        return met(self.words.get(package.licence, package.licence), self.allowed)


def met(expression: str, allowed: frozenset[str]) -> bool:
    """Return whether an SPDX expression can be met by these licences; a slash, as in old crates, is
    an OR. What is no expression is not met."""
    try:
        tree = SPDX.parse(expression.replace("/", " OR "))
    except ExpressionError:
        return False
    if tree is None:
        return False
    values = {each: SPDX.TRUE if str(each) in allowed else SPDX.FALSE for each in tree.symbols}
    return bool(tree.subs(values, simplify=True) == SPDX.TRUE)


def of_rust() -> Iterator[Package]:
    """Yield all crates of all lock files."""
    for lock in sorted(
        [
            ROOT / "Cargo.lock",
            *ROOT.glob("adapters/*/Cargo.lock"),
            *ROOT.glob("bench/bare/*/Cargo.lock"),
        ]
    ):
        command = ["cargo", "metadata", "--locked", "--format-version", "1"]
        output = subprocess.run(command, cwd=lock.parent, stdout=subprocess.PIPE, check=True).stdout
        packages: list[dict[str, Any]] = json.loads(output)["packages"]
        for each in packages:
            if each["source"] is not None:
                yield Package(each["name"], each["version"], each["license"] or "none stated")


def of_python() -> Iterator[Package]:
    """Yield all packages of this environment."""
    for each in distributions():
        name = str(each.metadata["Name"])
        if not name.startswith(OWN):
            yield Package(name, each.version, _stated(each.metadata))


def of_javascript() -> Iterator[Package]:
    """Yield all packages of the lock file."""
    lock = json.loads((ROOT / "packaging/scripts/package-lock.json").read_text("utf-8"))
    for place, each in lock["packages"].items():
        if place:
            name = place.rpartition("node_modules/")[2]
            yield Package(name, each["version"], each.get("license", "none stated"))


def _stated(metadata: Any) -> str:
    """Return a licence expression; else the first classifier; else a licence in a word or two. Some
    packages have the whole text in place of a name."""
    expression: str | None = metadata.get("License-Expression")
    if expression:
        return expression
    classifiers = [
        line.rpartition("::")[2].strip()
        for line in metadata.get_all("Classifier") or []
        if line.startswith("License")
    ]
    name: str = (metadata.get("License") or "").strip()
    if classifiers:
        return str(classifiers[0])
    return name if name and "\n" not in name else "none stated"


def main() -> int:
    """Print the packages whose licence is not allowed; return the exit code."""
    rules = Rules.read()
    packages = sorted({*of_rust(), *of_python(), *of_javascript()})
    wrong = [package for package in packages if not rules.allow(package)]
    for package in wrong:
        print(
            f"{package.name} {package.version}: licence {package.licence} is not in "
            "packaging/licences.toml"
        )
    print(f"licences: {len(packages)} packages, {len(wrong)} not allowed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
