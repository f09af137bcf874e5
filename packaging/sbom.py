"""What is in a wheel besides Busmark's own code, as CycloneDX 1.6: crates, C libraries that they
link statically, and the scripts that the report page draws its charts with.

Python packages are not in the wheel: its metadata names them. The same sources and the same
SOURCE_DATE_EPOCH give the same bytes.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tomllib
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parent.parent
CORE = (
    "busmark-worker",
    "busmark-bus",
    "busmark-conformance",
    "busmark-forwarder",
    "busmark-packets",
)
"""Packages of the core's workspace whose programs are in the wheel."""
OPENSSL = ("libcrypto", "openssl", "Apache-2.0")
STATIC = {"cyclonedds": OPENSSL, "ros-cyclonedds": OPENSSL}
"""Adapter: a static library of the system's (name of pkg-config, package, licence)."""
CHARTS = ROOT / "python" / "busmark" / "present" / "scripts"
"""Where the scripts of the report page are bundled."""
EARLIEST = 315532800
"""1980: before it a wheel, a zip file, has no times."""


@dataclass(frozen=True)
class Crate:
    """A package of a lock file."""

    name: str
    version: str
    licence: str
    sha256: str

    @property
    def purl(self) -> PackageURL:
        """Its package URL."""
        return PackageURL("cargo", name=self.name, version=self.version)


Graph = dict[Crate, set[Crate]]
"""Crates, each with those that it needs."""


def shipped(folder: Path, names: Iterable[str]) -> Graph:
    """Return the registry crates that these packages of a workspace use on this platform.

    Crates that only build scripts and tests need are left out.
    """
    host = subprocess.check_output(["rustc", "-vV"], text=True).split("host: ")[1].split()[0]
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host]
    output = subprocess.check_output(command, cwd=folder)
    metadata: dict[str, Any] = json.loads(output)
    packages = {each["id"]: each for each in metadata["packages"]}
    needs = {
        node["id"]: [
            dep["pkg"]
            for dep in node["deps"]
            if any(kind["kind"] is None for kind in dep["dep_kinds"])
        ]
        for node in metadata["resolve"]["nodes"]
    }
    digests = checksums(folder / "Cargo.lock")
    wanted, found = set(names), set[str]()
    waiting = [id for id, each in packages.items() if each["name"] in wanted and not each["source"]]
    while waiting:
        id = waiting.pop()
        if id not in found:
            found.add(id)
            waiting += needs[id]
    crates = {
        id: Crate(
            each["name"],
            each["version"],
            each["license"] or "",
            digests.get((each["name"], each["version"]), ""),
        )
        for id, each in packages.items()
        if id in found and each["source"]
    }
    return {
        crate: {crates[need] for need in needs[id] if need in crates}
        for id, crate in crates.items()
    }


def checksums(lock: Path) -> dict[tuple[str, str], str]:
    """Return the SHA-256 of each crate's archive, by name and version."""
    packages = tomllib.loads(lock.read_text("utf-8"))["package"]
    return {(p["name"], p["version"]): p["checksum"] for p in packages if "checksum" in p}


def everything(adapters: Iterable[Path]) -> Graph:
    """Return the crates that the programs of the core and these adapters are built of."""
    graph = shipped(ROOT, CORE)
    for adapter in adapters:
        names = [tomllib.loads((adapter / "Cargo.toml").read_text("utf-8"))["package"]["name"]]
        for crate, needs in shipped(adapter, names).items():
            graph.setdefault(crate, set()).update(needs)
    return graph


def linked(adapters: Iterable[Path]) -> Iterator[Component]:
    """Yield the static libraries of the system, with the version that is installed here."""
    for adapter in adapters:
        if adapter.name in STATIC:
            name, package, licence = STATIC[adapter.name]
            command = ["pkg-config", "--modversion", name]
            version = subprocess.check_output(command, text=True).strip()
            purl = PackageURL("generic", name=package, version=version)
            yield component(package, version, purl, licence)


def bundled() -> Iterator[Component]:
    """Yield the packages in the scripts of the report page, with the digests of their archives."""
    lock = json.loads((ROOT / "packaging" / "scripts" / "package-lock.json").read_text("utf-8"))
    for each in json.loads((CHARTS / "packages.json").read_text("utf-8")):
        name, version = each["name"], each["version"]
        part = component(
            name, version, PackageURL("npm", name=name, version=version), each["licence"]
        )
        digest = lock["packages"][f"node_modules/{name}"]["integrity"].removeprefix("sha512-")
        content = base64.b64decode(digest).hex()
        part.hashes.add(HashType(alg=HashAlgorithm.SHA_512, content=content))
        yield part


def component(name: str, version: str, purl: PackageURL, licence: str) -> Component:
    """Describe one part of the wheel."""
    licences = [LicenseFactory().make_from_string(licence.replace("/", " OR "))] if licence else []
    return Component(
        name=name,
        version=version,
        purl=purl,
        bom_ref=str(purl),
        licenses=licences,
        type=ComponentType.LIBRARY,
    )


def bill(version: str, adapters: list[Path]) -> str:
    """Return the bill of materials, as CycloneDX 1.6 in JSON."""
    bom = Bom()
    graph = everything(adapters)
    parts = {}
    for crate in graph:
        part = component(crate.name, crate.version, crate.purl, crate.licence)
        if crate.sha256:
            part.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=crate.sha256))
        parts[crate] = part
        bom.components.add(part)
    for crate, needs in graph.items():
        bom.register_dependency(parts[crate], [parts[need] for need in needs])
    for part in (*linked(adapters), *bundled()):
        bom.components.add(part)
    purl = PackageURL("pypi", name="busmark", version=version)
    wheel = component("busmark", version, purl, "Apache-2.0")
    wheel.type = ComponentType.APPLICATION
    bom.metadata.component = wheel
    bom.register_dependency(wheel, bom.components)
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST))
    bom.metadata.timestamp = datetime.fromtimestamp(seconds, UTC)
    refs = "\n".join(sorted(str(part.purl) for part in bom.components))
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"{purl}\n{refs}")
    return JsonV1Dot6(bom).output_as_string(indent=1) + "\n"


def write(file: Path, adapters: list[Path]) -> None:
    """Write the document of this version with these adapters."""
    package = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    file.write_text(bill(package["version"], adapters), "utf-8")
