"""`manifest.json`: what was run, where, with what, and what was found."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from busmark.store.columns import FORMAT_VERSION


class Model(BaseModel):
    """Stored values: unknown keys are kept, so that an older Busmark does not lose them."""

    model_config = ConfigDict(extra="allow")


class Finding(Model):
    """Something that spoils, or may spoil, the measurement: cause, evidence, remedy."""

    id: str
    """Name of the rule, such as `cpu-governor`; one file in `busmark.findings` each."""
    severity: Literal["error", "warning", "note"]
    title: str
    cause: str
    evidence: str
    remedy: str
    cases: list[str] = []
    """Cases it concerns; empty: the host or the whole campaign."""


class Case(Model):
    """One point of the scenario's matrix."""

    id: str
    params: dict[str, Any]
    """As in the columns of `cases`, and: settings (adapter options), probe_every, duration_s,
    warmup_s, samples, writers, readers, deployment ("separate" processes or "one")."""
    status: Literal["planned", "unsupported"]
    reason: str | None = None


class Resumption(Model):
    """From where on a campaign was run on another host, on one that had changed, or on other
    nodes."""

    utc: str
    first_order: int
    """Rounds from this place in the order of execution (`order` of the table `cases`) ran there."""
    host: dict[str, Any]
    """Its profile."""
    nodes: dict[str, dict[str, Any]] = {}
    """Profiles of those nodes that are other machines from there on, or reached by another prefix;
    as in `Manifest.hosts`."""


class SourceFile(Model):
    """A file of another tool's results that was imported."""

    name: str
    """As it was given; of a file in a folder, from that folder on."""
    sha256: str
    size_bytes: int
    tool: str
    """Its name, such as RTI Perftest."""
    version: str | None = None
    """Of the tool, where the file states it."""
    form: str
    """In which of the tool's formats it is, such as csv."""


class Source(Model):
    """Where an imported result comes from: another tool measured it."""

    files: list[SourceFile]
    left_out: list[str] = []
    """What of these files was not read, and why."""
    repeated: list[str] = []
    """Runs that several of these files tell of, which count once."""

    @property
    def tools(self) -> list[str]:
        """Names of the tools, with their version where it is known."""
        versions: dict[str, list[str]] = {}
        for file in self.files:
            known = versions.setdefault(file.tool, [])
            if file.version and file.version not in known:
                known.append(file.version)
        return [" ".join([tool, " and ".join(known)]).strip() for tool, known in versions.items()]


class Manifest(Model):
    """The whole file."""

    format: int = FORMAT_VERSION
    busmark_version: str
    created_utc: str
    finished_utc: str | None = None
    """None while running, or after a crash: `--resume` goes on."""
    command: str
    """The exact command that repeats the campaign."""
    seed: int
    cookie: str
    """The run's cookie, hexadecimal: samples without it are foreign."""
    scenario: dict[str, Any]
    """As run: defaults and `--set` included."""
    scenario_text: str
    """The scenario file's own text."""
    cases: list[Case]
    hosts: dict[str, dict[str, Any]]
    """Host profile of every node; "" is the machine on which the campaign began."""
    resumptions: list[Resumption] = []
    """Further hosts, in order of time."""
    adapters: dict[str, dict[str, Any]]
    """Capabilities of every adapter, `path` and `sha256` of its library, and `conformance`: what
    the suite found of it, where that is known."""
    missing_adapters: dict[str, str] = {}
    """Adapters that were asked for and cannot be used: why, and what to do."""
    findings: list[Finding] = []
    source: Source | None = None
    """Null: Busmark measured this itself. Otherwise `created_utc` is when it was imported,
    nothing was drawn by `seed`, `cookie` stands for the set of files, and no host is known."""
