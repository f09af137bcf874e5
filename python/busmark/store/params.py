"""What the free parts of a manifest can hold: parameters, capabilities, the scenario as it was run.

They stay dictionaries, for an older Busmark must not lose what a newer one adds. What is known of
them is checked when they are read, so that nothing that reads them later has to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model

from busmark.store.columns import PARAMETERS, Column
from busmark.store.limits import bounds

Word = Annotated[str, Field(max_length=1000)]
Text = Annotated[str, Field(max_length=100_000)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Plain = bool | Annotated[float, Field(ge=-1e18, le=1e18, allow_inf_nan=False)] | Text | None
Options = dict[Word, Plain | list[Plain]]
Words = list[Word]


class _Part(BaseModel):
    """Part of a manifest; nothing is converted."""

    model_config = ConfigDict(extra="allow", strict=True)


class _Participant(_Part):
    """One of the scenario's own."""

    name: Word
    adapter: Word
    transport: Word
    wait: Word
    settings: Options
    on: Word | None
    cpus: Word | None
    fifo: Count


class _Flow(_Part):
    """One of the scenario's own."""

    name: Word
    writers: Words
    readers: Words
    rate_hz: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
    arrivals: Word
    payload: Word
    size: Count
    qos: Options
    kind: Literal["stream", "pings", "batches"] = "stream"
    echo: Words = []
    probe_every: Count = 0
    batch: Count = 0
    batch_ack: Word = "ends"


class _Change(_Part):
    """In the middle of a round."""

    at_s: Seconds
    flow: Word | None
    rate_hz: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] | None
    qos: Options


class _Params(_Part):
    """Parameters of a case that are no columns of `cases`, or hold more than these."""

    test: Literal["latency", "throughput", "capacity", "discovery"] | None = None
    network: Word | None = None
    deployment: Word | None = None
    statistic: Word | None = None
    body_file: Text | None = None
    duration_s: Seconds | None = None
    warmup_s: Seconds | None = None
    interval_s: Seconds | None = None
    timeout_s: Seconds | None = None
    samples: Count | None = None
    max_samples: Count | None = None
    probe_every: Count | None = None
    verify: bool | None = None
    echo_source: bool | None = None
    probe_echo: bool | None = None
    resident_counts: bool | None = None
    qos: Options | Text | None = None
    stream_qos: Options | Text | None = None
    settings: Options | None = None
    peer_settings: Options | None = None
    side: Word | None = None
    side_environment: Text | None = None
    side_prefix: Text | None = None
    participants: list[_Participant] = []
    flows: list[_Flow] = []
    changes: list[_Change] = []


def _field(column: Column) -> Any:
    """What a parameter can hold: what its column can."""
    if column.kind == "text":
        return (Word | None, None)
    limits = bounds("cases", column)
    assert limits is not None
    low, high = limits
    kind = int if column.kind == "int" else float
    return (Annotated[kind, Field(ge=low, le=high, allow_inf_nan=False)] | None, None)


Params = create_model(
    "Params",
    __base__=_Params,
    __doc__="Parameters of a case.",
    **{each.name: _field(each) for each in PARAMETERS if each.name not in _Params.model_fields},
)


class Option(_Part):
    """An adapter's own option."""

    key: Word
    value: Text | None = None
    doc: Text | None = None


class Capabilities(_Part):
    """What an adapter said of itself, and what its conformance found."""

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


class _Criterion(_Part):
    """Whole, or not known."""

    confirm: Count
    confidence: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
    max_loss: Share
    max_p99_us: Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
    keeps_up: Share


class _Rounds(_Part):
    min: Count = 1
    max: Count = 1
    target: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)] = 0.0


class _Require(_Part):
    that: Word
    where: dict[Word, Any] = {}
    undecided: Literal["fail", "pass"] = "fail"


class StoredScenario(_Part):
    """What is read of the scenario besides running it again."""

    name: Word | None = None
    question: Text | None = None
    document: Word | None = None
    capacity: _Criterion | None = None
    rounds: _Rounds | None = None
    require: list[_Require] = []


def checked(part: type[BaseModel]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A validator that changes nothing."""
    adapter = TypeAdapter(part)

    def check(value: dict[str, Any]) -> dict[str, Any]:
        adapter.validate_python(value)
        return value

    return check
