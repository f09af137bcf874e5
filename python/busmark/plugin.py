"""Plug-ins: what one can add to Busmark, and which are here.

The core imports none. Those in `busmark.plugins` are found by their folders, others by the entry
point group `busmark.plugins` of their distributions. Whatever a plug-in adds is named as text,
`module:attribute`, and imported when it is first used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeVar

from busmark import __version__
from busmark.errors import UserError, nearest

GROUP = "busmark.plugins"
"""The entry point group, and the package of Busmark's own."""

SWITCH = "BUSMARK_PLUGINS"
"""Environment variable that switches plug-ins off: `-bus,-capture`."""

INSTALLED = (".dist-info", ".egg-info")
"""Ends of the folders in which installed distributions keep what they declare."""


@dataclass(frozen=True)
class Command:
    """A command of `busmark`."""

    name: str
    summary: str
    """One line for the list of commands."""
    function: str
    """The click command."""
    group: str = "plug-ins"
    """Its heading in the list of commands."""
    tables: bool = True
    """Whether it loads the libraries for tables, which end the process where there is no room for
    them."""


@dataclass(frozen=True)
class DocumentKind:
    """A document that accompanies the report of some campaigns, with a page of its own."""

    name: str
    """Name of its files."""
    make: str
    """A function of a `Campaign` that returns its `Document`, or None if it has none."""
    remedy: str
    """Advice for campaigns that have none; a sentence in the imperative."""
    key: str = ""
    """The scenario's key without which a campaign has none; empty: any may have one."""


@dataclass(frozen=True)
class ScenarioKey:
    """A key of scenario files, at their top level."""

    name: str
    meaning: str
    words: tuple[str, ...] = ()
    """Values that it may have besides the empty text, which is its default."""
    table: str = ""
    """The type of its value where this is a table, `module:attribute`: None, where it is left out,
    is one of its values."""


@dataclass(frozen=True)
class CasePart:
    """A part of the record of each case."""

    model: str
    """Pydantic model of the part, `module:attribute`."""
    make: str
    """A function of an `estimate.one_case.Analysis`, of the case without this part, and of the
    key's value, that returns the part, or None."""
    key: str = ""
    """The key of the scenario without which no case has the part; empty: any may have it."""
    rows: str = ""
    """A function of the part that yields its rows of the table of estimates, besides quantities."""
    sections: str = ""
    """A function of the part that yields sections of the case's details."""


@dataclass(frozen=True)
class Plugin:
    """Everything that a plug-in adds. Texts are `module:attribute`, or `module` where a module is
    meant."""

    name: str
    """Name as in its entry point."""
    summary: str
    commands: tuple[Command, ...] = ()
    companions: tuple[str, ...] = ()
    """Classes of `control.companions.Companion`. They begin before the core's."""
    findings: tuple[str, ...] = ()
    """Modules whose `findings.rule.Rule`s apply to every campaign."""
    importers: tuple[str, ...] = ()
    """Modules that read results of another tool, as `plugins.imports.registry` describes them."""
    blocks: tuple[str, ...] = ()
    """Functions of a `Campaign` that return a `Section` of its document, or None."""
    documents: tuple[DocumentKind, ...] = ()
    keys: tuple[ScenarioKey, ...] = ()
    part: CasePart | None = None
    quantities: str = ""
    """A module whose `OF_CASES` are rows of the table of quantities."""
    charts: str = ""
    """A function that returns `present.charts.kinds.ChartKind`s of the report."""
    layout: str = ""
    """`present.layout.Shown`s of its quantities."""
    scenarios: str = ""
    """Folder of scenarios that it brings, `module:folder`."""
    columns: str = ""
    """File of the columns that it adds to the tables of a result, `module:file`: written as
    `store/columns.toml`."""
    hooks: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Modules that do what the core leaves to a plug-in, by the core's name for it: `capture`,
    `lab`, `security`."""


@dataclass(frozen=True)
class InstalledPlugin:
    """A plug-in that is here."""

    name: str
    version: str
    source: str
    """Name of the object in its entry point."""
    where: str
    """Distribution that it is from."""
    own: bool
    """Whether it comes with Busmark."""
    off: bool = False
    plugin: Plugin | None = None
    """What it adds; None where it is off or faulty."""
    fault: str = ""
    """Why it cannot be used."""

    @property
    def declaration(self) -> Plugin | None:
        """What it adds, or would add if it were not off; None of another's that is off: its import
        may do harm."""
        found: Plugin | None = load(self.source) if self.off and self.own else self.plugin
        return found

    @property
    def state(self) -> Literal["on", "off", "faulty"]:
        """Return whether it is used."""
        return "off" if self.off else "faulty" if self.fault else "on"

    def summary(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        return {
            "name": self.name,
            "state": self.state,
            "distribution": self.where,
            "version": self.version,
            "fault": self.fault or None,
            "summary": found.summary if (found := self.declaration) else None,
            "commands": [own.name for own in found.commands] if found else [],
        }


def installed() -> list[InstalledPlugin]:
    """Return all plug-ins: Busmark's own first, then others by name.

    Raises:
        UserError: `BUSMARK_PLUGINS` names one that is not here.
    """
    return list(_installed(os.environ.get(SWITCH, ""), tuple(sys.path)))


@cache
def _installed(switch: str, path: tuple[str, ...]) -> tuple[InstalledPlugin, ...]:
    own = sorted(each.parent.name for each in Path(__file__).parent.glob("plugins/*/__init__.py"))
    entries = [(name, f"{GROUP}.{name}:PLUGIN", "busmark", __version__, True) for name in own]
    entries += sorted(_declared(path))
    off = _switched_off(switch, [name for name, *_ in entries])
    found: list[InstalledPlugin] = []
    for name, source, where, version, is_own in entries:
        here = InstalledPlugin(name, version, source, where, is_own, off=name in off)
        twin = next((each for each in found if each.name == name), None)
        if twin is not None:
            fault = f"{twin.where} has a plug-in of this name, too"
            found.append(replace(here, fault=fault))
        else:
            found.append(here if here.off else _loaded(here))
    return tuple(found)


def _declared(path: tuple[str, ...]) -> Iterator[tuple[str, str, str, str, bool]]:
    """Yield plug-ins of other distributions, each once: name, source, distribution, version, False.

    `importlib.metadata` says the same, but its import takes longer than the rest of `--help`.
    """
    known = set()
    for folder in path:
        try:
            entries = [each.name for each in os.scandir(folder or ".")]
        except OSError:
            continue
        for entry in entries:
            if not entry.endswith(INSTALLED):
                continue
            distribution, _, rest = entry.partition("-")
            try:
                text = Path(folder, entry, "entry_points.txt").read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue
            version = rest.rpartition(".")[0]
            # A distribution found first hides another of its name, as its modules do.
            if GROUP in text and distribution not in known and distribution != "busmark":
                known.add(distribution)
                for name, source in _section(text):
                    yield name, source, distribution, version, False


def _section(text: str) -> Iterator[tuple[str, str]]:
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line == f"[{GROUP}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, source = line.partition("=")
            yield name.strip(), source.strip()


def _switched_off(switch: str, names: list[str]) -> set[str]:
    words = [word.strip() for word in switch.split(",") if word.strip()]
    for word in words:
        name = word.removeprefix("-")
        if name not in names:
            raise UserError(
                f"no plug-in {name!r}",
                where=f"{SWITCH}={switch}",
                remedy=nearest(name, names, always=f"There are {', '.join(names)}."),
            )
        if word == name:
            raise UserError(
                f"{name!r} switches nothing off",
                where=f"{SWITCH}={switch}",
                remedy=f"Write {SWITCH}=-{name} to switch it off; otherwise leave it out.",
            )
    return {word.removeprefix("-") for word in words}


def _loaded(here: InstalledPlugin) -> InstalledPlugin:
    """Return the plug-in with its object, or with why that cannot be had."""
    try:
        found = load(here.source)
    except Exception as error:
        return replace(here, fault=f"{here.source} cannot be imported: {_first(error)}")
    if not isinstance(found, Plugin):
        kind = type(found).__name__
        return replace(here, fault=f"{here.source} is of type {kind}, not busmark.plugin.Plugin")
    if found.name != here.name:
        fault = f"its entry point is {here.name!r}, but its Plugin has the name {found.name!r}"
        return replace(here, fault=fault)
    return replace(here, plugin=found)


def load(source: str) -> Any:
    """Return what `module:attribute`, or `module`, names."""
    module, _, attribute = source.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def beside(source: str) -> Path:
    """Return the file or folder that `module:file` names, in the module's folder."""
    module, _, name = source.partition(":")
    return Path(str(import_module(module).__file__)).with_name(name)


def active() -> Iterator[tuple[InstalledPlugin, Plugin]]:
    """Yield the plug-ins that are used."""
    for each in installed():
        if each.state == "on" and each.plugin is not None:
            yield each, each.plugin
        elif each.fault:
            complain(each, each.fault)


def commands() -> list[tuple[InstalledPlugin, Command]]:
    """Return the commands of the plug-ins that are used."""
    return [(each, command) for each, plugin in active() for command in plugin.commands]


def parts(of: Callable[[Plugin], tuple[str, ...]]) -> list[tuple[InstalledPlugin, Any]]:
    """Return what these texts of all plug-ins name, such as `lambda plugin: plugin.blocks`; what
    cannot be imported is left out with a message."""
    found = []
    for each, plugin in active():
        for source in of(plugin):
            part = attempt(each, load, source)
            if part is not None:
                found.append((each, part))
    return found


def documents(campaign: Any) -> list[tuple[DocumentKind, Any]]:
    """Return the documents that accompany the report of a campaign."""
    made = []
    for of, plugin in active():
        for kind in plugin.documents:
            wanted = not kind.key or kind.key in campaign.keys
            make = attempt(of, load, kind.make) if wanted else None
            document = attempt(of, make, campaign) if make else None
            if document is not None:
                made.append((kind, document))
    return made


def keys(core: Iterable[str] = ()) -> dict[str, ScenarioKey]:
    """Return the keys of scenario files that plug-ins bring; `core`: the core's own."""
    return declared(core, "scenario key", lambda plugin: {key.name: key for key in plugin.keys})


T = TypeVar("T")


def declared(
    core: Iterable[str], kind: str, of: Callable[[Plugin], Mapping[str, T]]
) -> dict[str, T]:
    """Return what plug-ins declare of one kind, by name; `core`: names that the core has.

    Raises:
        UserError: the core, or another plug-in, has one of this name.
    """
    found: dict[str, T] = {}
    owners = dict.fromkeys(core, "busmark")
    for each, plugin in active():
        for name, one in (attempt(each, of, plugin) or {}).items():
            if name in owners:
                raise exists(each, kind, name, owners[name])
            owners[name] = f"the plug-in {each.name}"
            found[name] = one
    return found


def exists(of: InstalledPlugin, kind: str, name: str, owner: str) -> UserError:
    """Return the error for a plug-in's row of a table that has one of this name, the owner's."""
    return UserError(
        f"declares the {kind} {name}, which {owner} has already",
        where=f"plug-in {of.name} of {of.where} {of.version}",
        remedy=f"Rename it there, or switch the plug-in off: {SWITCH}=-{of.name}",
    )


def case_parts(scenario: Mapping[str, Any], *arguments: Any) -> dict[str, Any]:
    """Return the parts that plug-ins make of a case, by plug-in; `arguments`: of their functions,
    besides the value of the key."""
    made = {}
    for each, plugin in active():
        if plugin.part is None:
            continue
        value = scenario.get(plugin.part.key)
        if value or not plugin.part.key:
            make = attempt(each, load, plugin.part.make)
            part = attempt(each, make, *arguments, value) if make else None
            if part is not None:
                made[each.name] = part
    return made


def of_parts(made: Mapping[str, Any], what: Callable[[CasePart], str]) -> Iterator[Any]:
    """Yield what functions yield of the parts of a case, such as `lambda part: part.rows`."""
    for each, plugin in active():
        source = what(plugin.part) if plugin.part and each.name in made else ""
        function = attempt(each, load, source) if source else None
        if function is not None:
            yield from attempt(each, _all_of, function, made[each.name]) or ()


def _all_of(function: Callable[[Any], Iterator[Any]], part: Any) -> list[Any]:
    return list(function(part))


def read_part(name: str, stored: Any) -> Any:
    """Return a stored part of a case's record as its plug-in's model; as it is stored where that
    plug-in is not used."""
    for each, plugin in active():
        if each.name == name and plugin.part and isinstance(stored, Mapping):
            return load(plugin.part.model).model_validate(stored)
    return stored


def attempt(of: InstalledPlugin, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function for a plug-in: where one of another distribution fails, complain and return
    None, for nothing else is to fail with it."""
    try:
        return function(*arguments)
    except Exception as error:
        if of.own or isinstance(error, UserError):
            raise
        complain(of, _first(error))
        return None


@cache
def complain(of: InstalledPlugin, what: str) -> None:
    """Say once on standard error what is wrong with a plug-in."""
    print(
        f"busmark: plug-in {of.name} of {of.where} {of.version}: {what}\n"
        f"  It is left out. Repair it, remove it, or switch it off: {SWITCH}=-{of.name}",
        file=sys.stderr,
    )


def hook(name: str, where: str) -> Any:
    """Return the module that does this for the core; `where`: the key or option that needs it.

    Raises:
        UserError: no plug-in that does is used.
    """
    for each, plugin in active():
        if name in plugin.hooks:
            try:
                return load(plugin.hooks[name])
            except Exception as error:
                if each.own:
                    raise
                raise unusable(each, plugin.hooks[name], error, where) from error
    if owner := switched_off(lambda plugin: name in plugin.hooks):
        raise absent(owner, where)
    raise UserError(
        f"no plug-in here does this ({name})", where=where, remedy="See `busmark plugins`."
    )


def hooked(name: str) -> bool:
    """Return whether a plug-in that is used does this for the core."""
    return any(name in plugin.hooks for _, plugin in active())


def switched_off(has: Callable[[Plugin], bool]) -> str | None:
    """Return the name of a plug-in of Busmark's that has something, but is switched off."""
    off = ((each.name, each.declaration) for each in installed() if each.off)
    return next((name for name, found in off if found and has(found)), None)


def absent(name: str, where: str) -> UserError:
    """Return the error for what needs a plug-in that is switched off."""
    return UserError(
        f"needs the plug-in {name}, which is switched off",
        where=where,
        remedy=f"Take -{name} out of {SWITCH}.",
    )


def unusable(of: InstalledPlugin, source: str, error: Exception, where: str) -> UserError:
    """Return the error for what a plug-in has but cannot be imported."""
    return UserError(
        f"{source} of the plug-in {of.name} ({of.where} {of.version}) cannot be imported: "
        f"{_first(error)}",
        where=where,
        remedy=f"Repair or update {of.where}, or switch the plug-in off: {SWITCH}=-{of.name}",
    )


def _first(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]
