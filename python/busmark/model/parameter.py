"""What a row of the table of parameters is, and the types that its rows have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    model_serializer,
)

if TYPE_CHECKING:
    from busmark.model.settling import SettlingPoint

Kind = Literal["text", "int", "float", "bool"]

Role = Literal["workload", "choice", "effort", "derived", "described"]
"""workload: must be equal wherever two cases are compared. choice: what may be compared. effort:
how long is measured and how much is recorded, not what. derived: follows from other parameters.
described: structures that other parameters describe in words."""

Test = Literal[
    "latency", "throughput", "capacity", "discovery", "service", "service-capacity", "action"
]
Word = Annotated[str, Field(max_length=1000)]
Text = Annotated[str, Field(max_length=100_000)]
Words = list[Word]
Count = Annotated[int, Field(ge=0, le=2**62)]
Few = Annotated[int, Field(ge=1, le=10**6)]
Size = Annotated[int, Field(ge=0, le=2**41)]
Rate = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Burst = Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)]
Number = Annotated[float, Field(ge=-1e18, le=1e18, allow_inf_nan=False)]
Integer = Annotated[int, Field(ge=-(10**18), le=10**18)]
Plain = bool | Integer | Number | Text | None

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=60)]
"""The name of a flow or participant in a scenario."""

WorkloadName = Annotated[str, Field(pattern=r"^([A-Za-z][A-Za-z0-9 _.-]*)?$", max_length=40)]
"""The name of a workload in a scenario; empty: it has none."""

LARGEST = 1 << 40
"""Bytes of a body in a scenario."""

AUTO = "auto"
"""Length that the run is to choose."""


def _length(value: object) -> object:
    """Refuse a word other than "auto" in the place of a number of seconds."""
    if isinstance(value, str) and value != AUTO:
        raise ValueError(f'should be a number of seconds, or "{AUTO}"')
    return value


Length = Annotated[
    Annotated[float, Field(gt=0, le=3600)] | Literal["auto"], BeforeValidator(_length)
]
Minute = Annotated[float, Field(ge=0.001, le=60)]
"""Seconds that are a minute at most."""
Bytes = Annotated[int, Field(ge=0, le=LARGEST)]
Several = Annotated[int, Field(ge=1, le=1000)]
Priority = Annotated[int, Field(ge=0, le=99)]
Whole = Annotated[int, Field(ge=0, lt=2**31)]
"""Numbers as QoS policies have them: nanoseconds in 64 bits, the rest in 31."""

ElementKind = Literal["empty", "octet", "char", "short", "float", "long", "struct", "any"]
PayloadKind = Literal[ElementKind, "type"]
WaitStrategy = Literal["listener", "waitset", "poll", "default"]
Security = Literal[
    "none",
    "authentication",
    "access_control",
    "discovery",
    "rtps_sign",
    "rtps_encrypt",
    "data_sign",
    "data_encrypt",
    "metadata_encrypt",
    "all",
    "tls",
    "curve",
]
"""What a security profile protects."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """What is known of a parameter besides its type and default; `qos.NAME` is a policy."""

    column: str = ""
    """Meaning of its column in stored tables; empty: it has none of its own."""
    unit: str = ""
    """The unit of the column."""
    role: Role = "workload"
    label: str = ""
    """Name for people, where `name` will not do."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Its values in words, where the values themselves will not do."""
    suffix: str = ""
    """Text that follows its value in the name of a case."""
    named: bool = True
    """Whether it may be in the name of a case: not what is always shown, or the same in all."""
    alone: bool = False
    """Whether the values of a policy name it without a label: `best_effort`."""
    only: tuple[str, ...] = ()
    """Tests, or kinds of flow, that alone have it; empty: all."""
    apart: bool = False
    """Whether reports show it in a way of its own."""
    settled: bool = False
    """Whether a plan says how its default was settled."""
    rare: bool = False
    """Whether only cases state it that ask for another value than the initial one; plans without it
    then remain as they were before the parameter existed."""
    follows: tuple[str, ...] = ()
    """Parameters that it follows from, unless the scenario says otherwise."""
    leads: tuple[str, ...] = ()
    """Parameters that differ where this one does, and need not be equal in a comparison by it."""
    of_adapter: bool = False
    """Whether it follows from the adapter, and need not be equal where adapters are compared."""
    needs: str | Mapping[str, str] = field(default_factory=dict)
    """Capability of the adapter that it needs: for any value, or by value."""
    switch: tuple[str, str] | None = None
    """For a policy that is a switch for workers: its key in their setup, and the value that turns
    it on."""
    asked: Any = None
    """Type of a value in a scenario, whose matrix has a list of them; None: it is not asked for."""
    measure: Any = None
    """Type of its key of `[measure]`, which is the same for all cases; None: it has none there."""
    setup: Literal["", "schedule", "stream", "role"] = ""
    """Part of a worker's setup that has it, under `setting`; empty: none, or in a form that
    `control.roles` computes."""
    change: Any = None
    """Type of a value to which a `[[timeline]]` changes a policy; None: it does not change while
    endpoints are in use."""
    initial: Any = None
    """Value that a scenario asks for where it states none."""
    meaning: str = ""
    """Meaning of that value, for authors of scenarios."""
    settle: Callable[[Any, SettlingPoint], Any] | None = None
    """The value of a case, from what the scenario asks for and the case so far; None: what is asked
    for, or null where that is empty and null the default."""
    name: str = ""
    """Name of the field."""
    kind: Kind = "text"
    """Kind of its values."""
    default: Any = None
    """Value of a case that does not state it; the value that was measured before the parameter
    existed."""

    @property
    def setting(self) -> str:
        """Return its key in the setup of a worker, where times are nanoseconds, and of a policy in
        what a worker lists of an endpoint."""
        name = self.name.removeprefix("qos.")
        return self.switch[0] if self.switch else re.sub("_s$", "_ns", name)


P = Parameter


def _like(form: Any) -> AfterValidator:
    """Make a validator that changes nothing: an older Busmark must keep what a newer one adds."""
    adapter = TypeAdapter(form)

    def check(value: Any) -> Any:
        adapter.validate_python(value, strict=True)
        return value

    return AfterValidator(check)


Options = Annotated[dict[str, Any], _like(dict[Word, Plain | list[Plain]])]


class Declared(BaseModel):
    """Stored values: nothing is converted, what is not stated is not stored, and what a newer
    Busmark adds is kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    @model_serializer(mode="wrap")
    def _declared_only(self, serialise: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {
            name: value for name, value in serialise(self).items() if name in self.model_fields_set
        }
