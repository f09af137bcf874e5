"""The matrix of a scenario: every list is a dimension."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)

from busmark.errors import UserError
from busmark.links import links
from busmark.load import parse as parse_load
from busmark.model.parameter import Parameter, Word
from busmark.model.parameters import ASKED, PARAMETERS
from busmark.model.units import FILE_SIZE, parse_sizes
from busmark.scenario.section import ScenarioSection, is_command

SAME = "same"
"""A peer that is the adapter itself."""

ALL, NONE = "all", "none"
"""Words in the place of names of background flows."""

SLOWEST_HZ = 1 / 3600
"""A round lasts an hour at most, so that a slower rate would be no sample."""

Name = Word


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _size(value: int | str) -> int | str:
    if isinstance(value, str) and value != FILE_SIZE:
        parse_sizes(value)
    return value


def an_adapter(name: str) -> str:
    """Return the name; raise `ValueError` where it cannot be an adapter's."""
    if name == SAME:
        raise ValueError(f"{SAME!r} is no adapter: it stands for a peer's own")
    return name


def _load(text: str) -> str:
    try:
        parse_load(text)
    except UserError as error:
        raise ValueError(str(error).replace("\n ", ".")) from None
    return text


def dimension(default: Any, description: str | None = None) -> Any:
    """Return the field of a key of the matrix: at least one value, by default this one."""
    return Field(default=[default], min_length=1, description=description)


RosProfile = Literal[
    "", "default", "sensor_data", "services_default", "parameters", "parameter_events"
]


def _dimension(of: Parameter) -> tuple[Any, Any]:
    """Return type and field of a parameter's dimension; it is required without an initial value."""
    value, meaning = of.asked, of.meaning
    if of.name.startswith("qos.") and not of.initial:
        nothing = '""' if of.initial == "" else "0"
        meaning += f"; {nothing}: not asked for"
    if of.name in CHECKS:
        value = Annotated[value, AfterValidator(CHECKS[of.name])]
    if of.initial is None:
        return list[value], Field(min_length=1, description=meaning)  # type: ignore[valid-type]
    return list[value], dimension(of.initial, meaning)  # type: ignore[valid-type]


def _table(name: str, rules: type[ScenarioSection], prefix: str) -> Any:
    """Make a table of the dimensions whose parameters have this prefix, with these rules."""
    fields: dict[str, Any] = {
        each.name.removeprefix(prefix): _dimension(each)
        for each in ASKED
        if each.name.startswith(prefix)
    }
    return create_model(name, __base__=rules, __doc__=rules.__doc__, **fields)


CHECKS = {"size": _size, "load": _load}
"""Checks of values, besides their types."""


class _Qos(ScenarioSection):
    """`[matrix.qos]`: each key is a dimension. Where the adapter has the choice, reliability is
    reliable unless named, and history keeps all samples in a reliable throughput test and in a
    reliable open loop, where a stall must not overwrite the pings that wait. In a closed loop it
    keeps the last sample; in an open loop without keep-all, as many as are sent until a ping times
    out. Name `history` and `depth` to have others. Everything else stays at the middleware's
    default."""

    profile: list[RosProfile] = dimension(
        "",
        "QoS profile of ROS, for any adapter: its policies hold where none is named, as does "
        "its depth where `depth` is 1",
    )

    _listed = field_validator("*", mode="before")(_listed)


class _Link(ScenarioSection):
    """`[matrix.link]`: what the links of the run's lab are like; each key is a dimension. Empty: no
    limit, no loss, no delay. See `busmark lab`."""

    _listed = field_validator("*", mode="before")(_listed)

    @model_validator(mode="after")
    def _readable(self) -> Self:
        # One by one: that a jitter is more than some delay concerns those cases only.
        each = self.model_dump()
        alone = [
            *((rate, "", "", "") for rate in each["rate"]),
            *(("", loss, "", "") for loss in each["loss"]),
            *(("", "", delay, "") for delay in each["delay"]),
            *(("", "", jitter, jitter) for jitter in each["jitter"]),
        ]
        try:
            for texts in alone:
                links(*texts)
        except UserError as error:
            raise ValueError(str(error).splitlines()[0].removeprefix("--")) from None
        return self


TABLES = ("qos", "link", "option")
"""Keys of the matrix that are tables of dimensions; every other is a dimension."""


class _Matrix(ScenarioSection):
    """Every list is a dimension; a single value stands for a list of one."""

    @field_validator("*", mode="before")
    @classmethod
    def _each_a_list(cls, value: Any, info: ValidationInfo) -> Any:
        return value if info.field_name in TABLES else _listed(value)

    @field_validator("adapter", check_fields=False)
    @classmethod
    def _are_adapters(cls, value: list[str]) -> list[str]:
        return [an_adapter(name) for name in value]

    @field_validator("option", mode="before", check_fields=False)
    @classmethod
    def _flatten(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        flat: dict[str, list[str]] = {}
        for adapter, options in value.items():
            pairs = options.items() if isinstance(options, dict) else [("", options)]
            for key, values in pairs:
                name = f"{adapter}.{key}" if key else adapter
                flat[name] = [option_text(v) for v in _listed(values)]
        return flat

    @field_validator("option", check_fields=False)
    @classmethod
    def _named(cls, value: dict[str, list[str]]) -> dict[str, list[str]]:
        for name, values in value.items():
            if "." not in name:
                raise ValueError(f"{name}: an option is written ADAPTER.KEY")
            if not values:
                raise ValueError(f"{name}: has no value")
        return value

    @field_validator("rate_hz", check_fields=False)
    @classmethod
    def _rate(cls, value: list[float]) -> list[float]:
        for rate in value:
            if 0 < rate < SLOWEST_HZ:
                raise ValueError(f"{rate:g} is less than one sample in {1 / SLOWEST_HZ:g} s")
        return value

    @field_validator("placement", check_fields=False)
    @classmethod
    def _placement(cls, value: list[str]) -> list[str]:
        for text in value:
            numbers = text.split("+")
            if text not in ("same", "different", "free") and not all(n.isdigit() for n in numbers):
                raise ValueError(
                    f"{text!r} is not same, different, free or CPU numbers joined by +"
                )
        return value


def _matrix() -> Any:
    """Make the matrix: a dimension for each parameter, in their order, and its tables."""
    fields: dict[str, Any] = {}
    for each in PARAMETERS:
        if each.name == "qos":
            fields["qos"] = (QosMatrix, QosMatrix())
        elif each.name.startswith("link_"):
            fields["link"] = (LinkMatrix, LinkMatrix())
        elif each in ASKED and not each.name.startswith("qos."):
            fields[each.name] = _dimension(each)
        if each.name == "applications":
            fields["applications_on"] = (list[Word], dimension("", ON))
    options: Any = Field(
        default={},
        description="options of adapters, `ADAPTER.KEY = [values]`; see `busmark adapters`",
    )
    fields["option"] = (dict[Word, list[Word]], options)
    return create_model("Matrix", __base__=_Matrix, __doc__=_Matrix.__doc__, **fields)


ON = "nodes of the applications: n1+n2. By default all of the lab, or of [nodes]"

if TYPE_CHECKING:

    class QosMatrix(_Qos):
        """The policies of QoS of `busmark.model` that a scenario can ask for, each a field."""

    class LinkMatrix(_Link):
        """The parameters `link_NAME`, each a field."""

    class Matrix(_Matrix):
        """The matrix: its other fields are the parameters that a scenario can ask for, as lists."""

        adapter: list[str]
        qos: QosMatrix
        link: LinkMatrix
        option: dict[str, list[str]]

        def __getattr__(self, name: str) -> Any: ...
else:
    QosMatrix = _table("QosMatrix", _Qos, "qos.")
    LinkMatrix = _table("LinkMatrix", _Link, "link_")
    Matrix = _matrix()


def option_text(value: Any) -> str:
    """Write a value as the adapter's own option has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def nodes_of(text: str) -> list[str]:
    """Return the nodes of a value such as `n1+n2`."""
    return text.split("+")


def adapter_of(option: str) -> str:
    """Return the adapter of an option `ADAPTER.KEY`. A path has dots of its own, a key has none."""
    return option.rpartition(".")[0]


AS_IT_IS = "as-is"
"""Word for the adapters that the scenario names."""

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPTION = re.compile(r"[A-Za-z0-9_]+")
ENVIRONMENT = "env:"


class SideSection(ScenarioSection):
    """`[sides.NAME]`: what one side has of its own. Every case of the scenario is run for every
    side; `busmark ab` writes this table."""

    adapter: str = Field(default="", description="adapter or library in place of the matrix's")
    option: dict[str, str] = Field(default={}, description="options of the adapter, `KEY = value`")
    environment: dict[str, str] = Field(
        default={}, description="variables in the environment of the participants"
    )
    prefix: Annotated[str, AfterValidator(is_command)] = Field(
        default="", description="command that runs the participants, such as nice -n 5"
    )

    @field_validator("environment")
    @classmethod
    def _variables(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            if not VARIABLE.fullmatch(name):
                raise ValueError(f"{name!r} is not a valid name for a variable")
        return value

    @property
    def here_only(self) -> bool:
        """Return whether it changes how processes of this machine are started."""
        return bool(self.environment or self.prefix)

    def applied_to(self, matrix: Matrix) -> Matrix:
        """Return the matrix with the adapter and options of this side."""
        adapters = [self.adapter] if self.adapter else matrix.adapter
        option = {
            self._renamed(name, matrix.adapter): values
            for name, values in matrix.option.items()
            if not self.adapter or adapter_of(name) in matrix.peer or self._same(name)
        }
        option |= {f"{a}.{key}": [text] for a in adapters for key, text in self.option.items()}
        return matrix.model_copy(update={"adapter": adapters, "option": option})

    def _same(self, option: str) -> bool:
        """Return whether an option is of the side's adapter, or of what its library replaces."""
        return self.adapter == adapter_of(option) or "/" in self.adapter

    def _renamed(self, option: str, replaced: list[str]) -> str:
        """Give a library the options of the adapter in whose place it is."""
        if "/" in self.adapter and adapter_of(option) in replaced:
            return f"{self.adapter}.{option.rpartition('.')[2]}"
        return option


def parse_side(text: str, role: str) -> SideSection:
    """Parse a side of the command line: `ADAPTER KEY=VALUE env:NAME=VALUE -- COMMAND`.

    Raises:
        UserError: it is not of this form.
    """
    where = f"{role} {text!r}"
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"not words of a shell: {error}", where=where) from None
    if not words:
        raise UserError(
            "names nothing",
            where=where,
            remedy=f"Name an adapter or a library; {AS_IT_IS} is what the scenario has.",
        )
    own, prefix = words, list[str]()
    if "--" in words:
        own, prefix = words[: words.index("--")], words[words.index("--") + 1 :]
        if not prefix:
            raise UserError("no command after --", where=where, remedy="Such as -- nice -n 5.")
    adapter, option, variables = "", dict[str, str](), dict[str, str]()
    for place, word in enumerate(own):
        name, sign, value = word.removeprefix(ENVIRONMENT).partition("=")
        if word.startswith(ENVIRONMENT) and sign and VARIABLE.fullmatch(name):
            variables[name] = value
        elif not word.startswith(ENVIRONMENT) and sign and OPTION.fullmatch(name):
            option[name] = value
        elif place == 0 and not word.startswith(ENVIRONMENT):
            adapter = "" if word == AS_IT_IS else word
        else:
            raise UserError(
                f"{word!r} is neither KEY=VALUE nor env:NAME=VALUE",
                where=where,
                remedy="Write for example 'udp receive_buffer_bytes=65536 env:A=1 -- nice -n 5'.",
            )
    return SideSection(
        adapter=adapter, option=option, environment=variables, prefix=shlex.join(prefix)
    )
