"""`manifest.json`: what was run, where, with what, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter

from busmark.model.parameter import Count, Text, Word, Words
from busmark.model.parameters import Parameters
from busmark.store.columns import FORMAT_VERSION

# What the free parts of a manifest can hold: capabilities, the scenario as it was run.
#
# They stay dictionaries, for an older Busmark must not lose what a newer one adds. What is known of
# them is checked when they are read, so that nothing that reads them later has to.

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class ManifestPart(BaseModel):
    """Part of a manifest; nothing is converted."""

    model_config = ConfigDict(extra="allow", strict=True)


class Option(ManifestPart):
    """An adapter's own option."""

    key: Word
    value: Text | None = None
    doc: Text | None = None


class Capabilities(ManifestPart):
    """Properties that an adapter declares, and the findings of its conformance tests."""

    title: Word | None = None
    version: Word | None = None
    middleware_version: Word | None = None
    licence: Word | None = None
    install: Text | None = None
    cost: Text | None = None
    tuned: Text | None = None
    path: Text | None = None
    sha256: Word | None = None
    max_body_bytes: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    stored_samples: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    stored_bytes: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    qos: Words | None = None
    qos_mutable: Words | None = None
    waits: Words | None = None
    features: Words | None = None
    disclosures: Words | None = None
    payloads: Words | None = None
    transports: Words | None = None
    carriers: dict[Word, Word] | None = None
    reach: Words | None = None
    options: list[Option] | None = None
    conformance: dict[str, Any] | None = None


class _Criterion(ManifestPart):
    """The criterion of a search for the capacity, stored with all of its fields or not at all."""

    confirm: Count
    confidence: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
    max_loss: Share
    max_p99_us: Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
    keeps_up: Share


class _Rounds(ManifestPart):
    min: Count = 1
    max: Count = 1
    target: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)] = 0.0


class _Require(ManifestPart):
    that: Word
    where: dict[Word, Any] = Field(default={})
    undecided: Literal["fail", "pass"] = "fail"


class StoredScenario(ManifestPart):
    """Parts of the scenario that are read from a stored result, except to run it again."""

    name: Word | None = None
    question: Text | None = None
    document: Word | None = None
    capacity: _Criterion | None = None
    rounds: _Rounds | None = None
    require: list[_Require] = Field(default=[])


def checked(part: type[BaseModel]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a validator that changes nothing."""
    adapter = TypeAdapter(part)

    def check(value: dict[str, Any]) -> dict[str, Any]:
        adapter.validate_python(value)
        return value

    return check


MANIFEST = "manifest.json"


class Model(BaseModel):
    """Stored values: unknown keys are kept, so that an older Busmark does not lose them."""

    model_config = ConfigDict(extra="allow")


class Finding(Model):
    """Something that spoils, or may spoil, the measurement: cause, evidence, remedy."""

    id: Text
    """Name of the rule, such as `cpu-governor`; one file in `busmark.findings` each."""
    severity: Literal["error", "warning", "note"]
    title: Text
    cause: Text
    evidence: Text
    remedy: Text
    cases: list[Text] = []
    """Cases it concerns; empty: the host or the whole campaign."""
    explains: list[str] = []
    """Titles of other findings on the same cases of which this one may be the cause; it stands
    before them."""
    concerns: list[str] = []
    """Figures in question, by their keys in `busmark.model`, or `latency`, `tail`, `rounds`,
    `load`; empty: those that its rule names, else the case as a whole."""
    seen: dict[str, Text] = {}
    """Evidence in each case, if there are several; `evidence` is the worst case's."""


class Case(Model):
    """A case: one point of the scenario's matrix."""

    id: Annotated[str, Field(max_length=200, pattern=r"^[\w%][\w.+%-]*$")]
    """Identifier of the case, which is part of file names."""
    params: Parameters
    """Parameters that are stated."""
    status: Literal["planned", "unsupported"]
    reason: Text | None = None


class Resumption(Model):
    """A point from which on a campaign was run on another host, on one that had changed, or on
    other nodes."""

    utc: Text
    first_order: Annotated[int, Field(ge=0, le=10**9)]
    """Rounds from this place in the order of execution (`order` of the table `cases`) ran there."""
    host: dict[str, Any]
    """Profile of the host."""
    nodes: dict[str, dict[str, Any]] = {}
    """Profiles of those nodes that are other machines from there on, or reached by another prefix;
    as in `Manifest.hosts`."""


class SourceFile(Model):
    """A file of another tool's results that was imported."""

    name: Text
    """Name as it was given; for a file in a folder, its path from that folder on."""
    sha256: Text
    size_bytes: Annotated[int, Field(ge=0)]
    tool: Text
    """Name of the tool, such as RTI Perftest."""
    version: Text | None = None
    """Version of the tool, if the file states it."""
    form: Text
    """Format of the tool in which it is, such as csv."""


class Source(Model):
    """Origin of an imported result: files of another tool, which measured it."""

    files: list[SourceFile]
    left_out: list[Text] = []
    """Parts of these files that were not read, and why."""
    repeated: list[Text] = []
    """Runs that several of these files have, which count once."""

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
    """The file `manifest.json`."""

    format: int = FORMAT_VERSION
    busmark_version: Text
    created_utc: Text
    finished_utc: Text | None = None
    """Time at which the campaign ended; null while it is running, or after a crash: `--resume`
    continues."""
    command: str
    """The exact command that repeats the campaign."""
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    cookie: Text
    """The run's cookie, hexadecimal: samples without it are foreign."""
    scenario: Annotated[dict[str, Any], AfterValidator(checked(StoredScenario))]
    """The scenario as it was run, defaults and `--set` included."""
    scenario_text: str
    """The scenario file's own text."""
    cases: list[Case]
    hosts: dict[str, dict[str, Any]]
    """Host profile of every node; "" is the machine on which the campaign began."""
    resumptions: list[Resumption] = []
    """Further hosts, in order of time."""
    adapters: dict[str, Annotated[dict[str, Any], AfterValidator(checked(Capabilities))]]
    """Capabilities of every adapter, `path` and `sha256` of its library, and `conformance`: what
    the suite found of it, where that is known."""
    missing_adapters: dict[str, Text] = {}
    """Adapters that were asked for and cannot be used: why, and what to do."""
    findings: list[Finding] = []
    source: Source | None = None
    """Origin of an imported result; null: Busmark measured it itself. Otherwise `created_utc` is
    when it was imported, nothing was drawn by `seed`, `cookie` stands for the set of files, and no
    host is known."""
