"""What the free parts of a manifest can hold: capabilities, the scenario as it was run.

They stay dictionaries, for an older Busmark must not lose what a newer one adds. What is known of
them is checked when they are read, so that nothing that reads them later has to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from busmark.model.parameter import Count, Text, Word, Words

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Part(BaseModel):
    """Part of a manifest; nothing is converted."""

    model_config = ConfigDict(extra="allow", strict=True)


class Option(Part):
    """An adapter's own option."""

    key: Word
    value: Text | None = None
    doc: Text | None = None


class Capabilities(Part):
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


class _Criterion(Part):
    """Whole, or not known."""

    confirm: Count
    confidence: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
    max_loss: Share
    max_p99_us: Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
    keeps_up: Share


class _Rounds(Part):
    min: Count = 1
    max: Count = 1
    target: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)] = 0.0


class _Require(Part):
    that: Word
    where: dict[Word, Any] = Field(default={})
    undecided: Literal["fail", "pass"] = "fail"


class StoredScenario(Part):
    """What is read of the scenario besides running it again."""

    name: Word | None = None
    question: Text | None = None
    document: Word | None = None
    capacity: _Criterion | None = None
    rounds: _Rounds | None = None
    require: list[_Require] = Field(default=[])


def checked(part: type[BaseModel]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A validator that changes nothing."""
    adapter = TypeAdapter(part)

    def check(value: dict[str, Any]) -> dict[str, Any]:
        adapter.validate_python(value)
        return value

    return check
