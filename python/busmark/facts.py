"""What is known of each adapter before it is loaded: `adapter.toml`.

Each adapter of this release has such a file in its folder, so that a scenario may name all and a
plan can say what is missing. An adapter of others has its own beside its library in a folder of
`BUSMARK_ADAPTER_PATH`: `libbusmark_NAME.toml`. All read it through this module.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from busmark import files, platform
from busmark.errors import UserError, refused, together

FORMAT = 1
"""What the first line of a file says: `format = 1`."""

FILE = "adapter.toml"
PATH_VARIABLE = "BUSMARK_ADAPTER_PATH"
PACKAGE = Path(__file__).resolve().parent
WHEEL = PACKAGE / "_native"
"""Adapters that a wheel carries; absent in a checkout."""

Family = Literal["dds", "dds-xrce", "corba", "shared memory", "pub/sub", "rpc", "baseline"]


class FactsTable(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Fault(FactsTable):
    """A fault of a middleware that ends or locks up the process it is in, reduced to a small
    program."""

    middleware: str
    """Version as the library states it."""
    what: str
    """Cause, in words."""
    program: str
    """Source of the small program, in the repository."""
    transport: str = ""
    """Transport; empty: each."""
    signals: Sequence[str] = ()
    """Signals by which the process ends; none: it hangs."""
    participants: int = 1
    """Participants of one process, at least."""
    options: Mapping[str, str] = {}
    """Options as shipped, with another value of which it does not occur."""

    @property
    def text(self) -> str:
        """To follow how a process has ended."""
        over = f" over {self.transport}" if self.transport else ""
        return f"{self.middleware}{over} has this fault: {self.what}"

    def occurs(self, transport: str, participants: int, settings: Mapping[str, str]) -> bool:
        """Return whether it can occur in a process with this many participants."""
        return (
            self.transport in ("", transport)
            and participants >= self.participants
            and all(settings.get(key, value) == value for key, value in self.options.items())
        )


class Incompatibility(FactsTable):
    """Adapters whose readers a writer never matches."""

    middleware: str
    """Version of the writer's, as its library states it."""
    readers: Sequence[str]
    """The adapters that read."""
    why: str
    security: Sequence[str] = ()
    """Profiles under which it is so; none: always."""


class Appearance(FactsTable):
    """Look of its curves, the same whatever else was measured."""

    colour: str = Field(pattern="^#[0-9A-F]{6}$")
    """Contrast with white and with the page's dark ground: 3 to 1 at least."""
    mark: int = Field(ge=0)
    """Place in the list of marks; beyond its end it begins anew."""
    dash: int = Field(ge=0)
    """Place in the list of dashes, likewise."""


class Environment(FactsTable):
    """Variables by which users configure its middleware, as patterns such as `NDDS_*`."""

    own: Sequence[str] = ()
    """Variables that the adapter keeps from the middleware."""
    config: Sequence[str] = ()
    """Variables that the option `config = "env"` passes on; otherwise they are kept from the
    middleware as well."""
    acting: Sequence[str] = ()
    """Variables that the middleware takes by itself, so that a participant has no say in them."""


class Ros(FactsTable):
    """An adapter of ROS, whose messages no other adapter's participants match."""

    linked: str = ""
    """The implementation of rmw that it is linked with; empty: it has no rmw."""
    every_transport: str = ""
    """Pattern of the implementations that have every transport; others have `shipped` only."""
    option: str = "implementation"
    """The option that names another implementation."""
    distributions: Mapping[str, str] = {}
    """Distributions of ROS by the beginning of the version that the library states."""

    def implementation(self, settings: Mapping[str, Any]) -> str:
        """Return the implementation that is used with these options."""
        return str(settings.get(self.option) or self.linked)

    def distribution(self, middleware: str) -> str:
        """Return the distribution of this version; of one that is not known the version itself."""
        known = (name for begin, name in self.distributions.items() if middleware.startswith(begin))
        return next(known, middleware.partition(",")[0])


class AdapterFacts(FactsTable):
    """Facts of an adapter."""

    name: str
    title: str
    family: Family
    get: str
    """Text on how to get the adapter, to follow "not built here: "."""
    folder: str
    """Folder below `adapters/` with its page, NOTES.md. Left out: the folder of the file."""
    place: int | None = None
    """Its place among the adapters of this release; null: after them."""
    look: Appearance | None = None
    """Colour and mark; null: they follow from its name."""
    matching_s: float = Field(default=0.0, ge=0)
    """Time that a round takes besides, until all participants have found each other, and until they
    have ended."""
    environment: Environment = Environment()
    no_user_type: str = ""
    """Why it cannot be compiled with a type of the user's, where it is a DDS that cannot."""
    interop: Mapping[str, str] = {}
    """Options by which a DDS finds other vendors' DDS on one host."""
    without_effect: Mapping[str, str] = {}
    """QoS values that its middleware takes and that change nothing, so that the adapter does not
    offer them: what happens, in words."""
    no_security: str = ""
    """Why its middleware is not secured, and how a secured one is had, where there is one."""
    lacks_security: Mapping[str, str] = {}
    """Profiles that its middleware knows and that protect nothing there: what happens, in words."""
    unsecured_by: Mapping[str, str] = {}
    """Why nothing is protected over a transport or with an option: by `transport=NAME` or
    `OPTION=VALUE`."""
    answers_handshakes: bool = False
    """Whether a secured participant finds another vendor's only where it does not begin the
    handshake."""
    server_without_passphrase: bool = False
    """Whether the server that a run starts for it can read no encrypted private key."""
    program: str = ""
    """A program in PATH without which its library is of no use."""
    faults: Sequence[Fault] = ()
    """Faults that end or lock up workers."""
    unmatched: Sequence[Incompatibility] = ()
    """Readers that its writers never match."""
    ros: Ros | None = None
    """Facts of the adapter in ROS; null: it sends no messages of ROS."""
    practical_capacity: bool = False
    """Whether its goodput at full speed is what a link can carry in practice."""
    larger_fragments: str = ""
    """Settings of its middleware that let it send larger fragments."""
    layer_over: str = ""
    """The adapter whose library lies below it, with the same transports."""
    stands_for: Mapping[str, Mapping[str, str]] = {}
    """Options that a parameter's value stands for, by `PARAMETER=VALUE`; `rmem_max` and `wmem_max`
    are what the kernel grants a socket, at most `LARGE_BUFFER`."""

    @property
    def reason(self) -> str:
        """Return why it cannot be used, where its library is not there."""
        return f"{self.name} is not built here: {self.get}"

    @property
    def notes(self) -> str:
        """Its page in the repository: what is shipped, what is changed, what it does not do."""
        return f"adapters/{self.folder}/NOTES.md"


def adapter_facts() -> Mapping[str, AdapterFacts]:
    """Return facts by adapter: first the adapters of this release in their order, then others by
    name.

    Raises:
        UserError: a file is not as it must be, or two have facts of the same adapter.
    """
    return _read(os.environ.get(PATH_VARIABLE, ""))


def fact_files() -> list[Path]:
    """Return the files that state facts."""
    return _files(os.environ.get(PATH_VARIABLE, ""))


def _files(path: str) -> list[Path]:
    release = WHEEL / "adapters" if WHEEL.is_dir() else PACKAGE.parent.parent / "adapters"
    folders = [Path(part).absolute() for part in path.split(os.pathsep) if part]
    others = [file for folder in folders for file in sorted(folder.glob("libbusmark_*.toml"))]
    return [*sorted(release.glob(f"*/{FILE}")), *dict.fromkeys(others)]


@cache
def _read(path: str) -> Mapping[str, AdapterFacts]:
    tables: dict[str, dict[str, Any]] = {}
    stated: dict[str, Path] = {}
    for file in _files(path):
        for name, table in _tables(file).items():
            if name in stated:
                raise UserError(
                    f"{name}: stated in {stated[name]} as well",
                    where=str(file),
                    remedy=f"Leave one of the two, or take its folder out of {PATH_VARIABLE}.",
                )
            stated[name] = file
            tables[name] = {"folder": file.parent.name, **table}
    facts = [_facts(name, tables, stated[name]) for name in tables]
    facts.sort(key=lambda each: (each.place is None, each.place or 0, each.name))
    return {each.name: each for each in facts}


def _tables(file: Path) -> dict[str, dict[str, Any]]:
    """Return the tables of a file by adapter."""
    try:
        with refused("cannot be read", file):
            read = tomllib.loads(files.content(file, files.SMALL).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"not TOML: {error}", where=str(file)) from error
    written = read.pop("format", None)
    if written != FORMAT:
        raise UserError(
            f"format = {written!r}" if written is not None else "no `format`",
            where=str(file),
            remedy=f"This Busmark reads format = {FORMAT}; it is the first line of the file.",
        )
    loose = [key for key, table in read.items() if not isinstance(table, dict)]
    if loose or not read:
        raise UserError(
            f"{loose[0]}: not in a table" if loose else "no table",
            where=str(file),
            remedy="Facts stand in a table that has the adapter's name, such as [mine].",
        )
    return read


def _facts(name: str, tables: Mapping[str, dict[str, Any]], file: Path) -> AdapterFacts:
    table = dict(tables[name])
    if like := table.pop("like", None):
        if like not in tables or "like" in tables[like]:
            raise UserError(
                f"{name}.like: {like!r} has no facts of its own",
                where=str(file),
                remedy="Name an adapter whose facts do not come from another.",
            )
        table = {**tables[like], **table, "folder": tables[like]["folder"]}
    try:
        return AdapterFacts.model_validate({"name": name, **table})
    except ValidationError as error:
        raise together(
            [
                UserError(
                    f"{'.'.join(map(str, (name, *each['loc'])))}: {each['msg']}", where=str(file)
                )
                for each in error.errors()
            ]
        ) from error


def variables_of(adapter: str) -> Environment:
    """Return the variables by which users configure an adapter's middleware; none of one without
    facts."""
    facts = adapter_facts().get(adapter)
    return facts.environment if facts else Environment()


def options_of(adapter: str, parameter: str, value: object) -> dict[str, str]:
    """Return the options of an adapter that a parameter's value stands for; empty without any."""
    entry = adapter_facts().get(adapter)
    found = entry.stands_for.get(f"{parameter}={value}", {}) if entry else {}
    return {option: str(GRANTED[of]()) if of in GRANTED else of for option, of in found.items()}


def _granted(limit: str) -> int:
    return min(LARGE_BUFFER, platform.largest_buffer(limit))


LARGE_BUFFER = 4 << 20
"""Bytes of a buffer that holds a large message of ROS or a burst of small ones."""
GRANTED = {limit: partial(_granted, limit) for limit in ("rmem_max", "wmem_max")}


def faults(adapter: str, middleware: str) -> list[Fault]:
    """Return the faults of this version of an adapter's middleware."""
    entry = adapter_facts().get(adapter)
    return [each for each in (entry.faults if entry else ()) if each.middleware == middleware]


def unmatched(writer: str, middleware: str, reader: str, profile: str) -> str | None:
    """Return why a writer of this version never matches the reader; the profile may be `none`."""
    entry = adapter_facts().get(writer)
    for pair in entry.unmatched if entry else ():
        concerned = pair.middleware == middleware and reader in pair.readers
        if concerned and (not pair.security or profile in pair.security):
            return pair.why
    return None


def known_as(adapter: str, middleware: str, settings: Mapping[str, Any]) -> str:
    """Return the name by which users know what an adapter of this version and these options is,
    "rmw_cyclonedds_cpp (Kilted)"; empty: no option chooses it, and the adapter's title is its name.
    """
    entry = adapter_facts().get(adapter)
    if entry is None or entry.ros is None or not settings.get(entry.ros.option):
        return ""
    release = entry.ros.distribution(middleware)
    name = entry.ros.implementation(settings)
    return f"{name} ({release})" if release else name


def naming_options() -> frozenset[str]:
    """Return the options of which the value is the name that `known_as` returns."""
    return frozenset(facts.ros.option for facts in adapter_facts().values() if facts.ros)


def library_of(adapter: str, middleware: str, settings: Mapping[str, Any]) -> str:
    """Return what is known of the library behind the name that `known_as` returns: of an
    implementation that the adapter is not linked with, only what lies above it."""
    entry = adapter_facts().get(adapter)
    if entry is None or entry.ros is None or entry.ros.implementation(settings) == entry.ros.linked:
        return middleware
    return middleware.partition(",")[0]


def of_family(family: Family) -> list[str]:
    """Return the adapters of a family, in their order."""
    return [name for name, facts in adapter_facts().items() if facts.family == family]


def of_ros(adapter: str) -> bool:
    """Return whether it sends messages of ROS."""
    return adapter in adapter_facts() and adapter_facts()[adapter].ros is not None


def order_of(name: str) -> tuple[int, str]:
    """Return a key to sort by: adapters with facts in their order, then others by name."""
    order = list(adapter_facts())
    return (order.index(name) if name in order else len(order), name)
