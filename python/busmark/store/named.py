"""Names of results: `@last`, `@last~1`, `@NAME`, `@NAME~1`.

A result is named as its directory is: those in the default folder of the working directory, and
those that the register knows. What a campaign is called, its directory's name without the time at
its end, stands for the newest of that name.

Two jobs of one account work in two folders. So a result is *here* if it lies in the working
directory or below it, or was begun from there: `@last` is one of these, or none, and a name is
first looked for among them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from busmark import files, platform
from busmark.errors import UserError, nearest
from busmark.store.manifest import MANIFEST
from busmark.store.salvage import parse

FOLDER = Path("busmark-results")
"""Folder for results when no directory is named."""
SIGN = "@"
LAST = "last"

HEAD = 4096
"""Bytes of a manifest in which the time of its start stands; so that the newest of many is found
without reading all."""
CREATED = re.compile(rb'"created_utc": ?"([^"\\]{1,40})"')
TIME = re.compile(r"-\d{8}-\d{6}$", re.ASCII)
BACK = re.compile(r"(.+)~(\d{1,6})", re.ASCII)
PLAIN = re.compile(r"[^\W_][\w.+-]*")
"""Names that a new result may have."""
SHOWN = 3


@dataclass(frozen=True)
class NamedResult:
    """A result that can be named."""

    directory: Path
    """Relative to the working directory where it is below that."""
    here: bool
    """Whether the result lies in the working directory or below it, or was begun from there."""

    @property
    def name(self) -> str:
        """Name of the directory."""
        return self.directory.name

    @property
    def campaign(self) -> str:
        """The name without the time at its end."""
        return TIME.sub("", self.name)

    @cached_property
    def created_utc(self) -> str:
        """Time at which it was begun or imported; empty where that cannot be read."""
        path = self.directory / MANIFEST
        try:
            with files.opened(path) as file:
                head = file.read(HEAD)
                if found := CREATED.search(head):
                    return found[1].decode("ascii", errors="replace")
                document = parse(head + file.read(1 << 28))
        except (OSError, ValueError, RecursionError):
            return ""
        created = document.get("created_utc") if isinstance(document, dict) else None
        return created if isinstance(created, str) else ""

    @property
    def age(self) -> tuple[str, int, str]:
        """Key by which results are sorted; the name decides between results of one second."""
        try:
            changed = (self.directory / MANIFEST).stat().st_mtime_ns
        except OSError:
            changed = 0
        return self.created_utc, changed, self.name


def stored(further: Iterable[Path] = ()) -> list[NamedResult]:
    """Return all known results, those here first, each the newest first, with those in these
    folders, or which these folders are."""
    begun_from, cwd = noted(), Path(os.path.realpath(os.curdir))
    found = {os.path.realpath(path): path for path in reversed(list(_places(further, begun_from)))}
    known = [
        NamedResult(
            _short(path),
            path.parent == FOLDER
            or Path(real).is_relative_to(cwd)
            or begun_from.get(Path(real), Path(real)).is_relative_to(cwd),
        )
        for real, path in found.items()
    ]
    return sorted(known, key=lambda each: (each.here, each.age), reverse=True)


def names(further: Iterable[Path] = ()) -> list[str]:
    """Return the names of all results, sorted, without reading any."""
    return sorted({path.name for path in _places(further, noted())})


def resolve(text: str) -> Path:
    """Return the directory that a name stands for; text without the sign is a directory itself.

    Raises:
        UserError: there is no result of this name.
    """
    if not text.startswith(SIGN):
        return Path(text)
    wanted = text.removeprefix(SIGN)
    known = stored()
    number = 0
    found = _called(wanted, known)
    if not found and (back := BACK.fullmatch(wanted)):
        wanted, number = back[1], int(back[2])
        found = _called(wanted, known)
    if not found:
        raise _unknown(text, known)
    if number >= len(found):
        of = " of this folder" if wanted == LAST else f" of the name {SIGN}{wanted}"
        raise UserError(
            f"there {_are(len(found))}{of}", where=text, remedy="`busmark list` has all."
        )
    return found[number].directory


def newest() -> Path:
    """Return the directory of the result here that was begun last.

    Raises:
        UserError: there is none.
    """
    known = stored()
    if not known or not known[0].here:
        raise _unknown("", known)
    return known[0].directory


def target(text: str) -> Path:
    """Return the directory of a new result: `@NAME` is the one of this name in the default folder.

    Raises:
        UserError: no result can have this name.
    """
    if not text.startswith(SIGN):
        return Path(text)
    name = text.removeprefix(SIGN)
    if name == LAST or not PLAIN.fullmatch(name):
        raise UserError(
            "no name for a new result",
            where=text,
            remedy=f"Begin with a letter or digit; then also . _ + -, such as {SIGN}before. "
            f"{SIGN}{LAST} is always the newest here.",
        )
    return FOLDER / name


def recent() -> str:
    """Name some results, as a remedy."""
    known = stored()
    if not known:
        return "No result is known yet: `busmark quickstart` makes one."
    some = [SIGN + name for name in dict.fromkeys(each.name for each in known)][:SHOWN]
    return f"There are {', '.join(some)}. `busmark list` has all."


def _called(wanted: str, known: Sequence[NamedResult]) -> list[NamedResult]:
    """Return the results of this name, the newest first: those here, else others."""
    own = [each for each in known if each.here]
    if wanted == LAST:
        return own
    for among in (own, known):
        found = [each for each in among if each.name == wanted] or [
            each for each in among if each.campaign == wanted
        ]
        if found:
            return found
    return []


def _unknown(text: str, known: Sequence[NamedResult]) -> UserError:
    if not known:
        return UserError(
            "no result is known yet",
            where=text,
            remedy="Measure with `busmark quickstart`, or name the directory of a result.",
        )
    if not text or BACK.sub(r"\1", text.removeprefix(SIGN)) == LAST:
        others = ", ".join(f"{SIGN}{each.name} ({each.directory})" for each in known[:SHOWN])
        return UserError(
            "no result was begun in this folder or below it",
            where=text,
            remedy=f"Name one of another folder: {others}. `busmark list` has all.",
        )
    some = {LAST, *(each.name for each in known), *(each.campaign for each in known)}
    meant = nearest(text, sorted(SIGN + name for name in some), always=recent(), most=SHOWN)
    return UserError("no result of this name", where=text, remedy=meant)


def _are(count: int) -> str:
    return "is one result only" if count == 1 else f"are {count} results only"


def _places(further: Iterable[Path], known: Iterable[Path]) -> Iterator[Path]:
    """Yield directories with a manifest: the nearest first."""
    for folder in (FOLDER, *further):
        if folder != FOLDER and (folder / MANIFEST).is_file():
            yield folder
        try:
            with os.scandir(folder) as entries:
                inside = sorted(entry.path for entry in entries if entry.is_dir())
        except OSError:
            continue
        yield from (Path(path) for path in inside if (Path(path) / MANIFEST).is_file())
    yield from (path for path in known if _has_manifest(path))


def _has_manifest(path: Path) -> bool:
    try:
        return (path / MANIFEST).is_file()
    except OSError:  # a folder that others may not look into
        return False


def _short(path: Path) -> Path:
    """Return the path relative to the working directory, if it is below."""
    try:
        return path.relative_to(Path.cwd()) if path.is_absolute() else path
    except (ValueError, OSError):
        return path


# A link is made at once or not at all, so that any number of runs may note theirs at a time. A
# result that was removed, or whose disk is not there, is passed over. The folder may be deleted at
# any time: then only the default folder of the working directory is known.

MOST = 2000
"""Links from which those that lead nowhere are removed."""
BEGUN_FROM = ".from"
"""End of the name of the link beside a result's, to the folder in which it was begun or resumed."""


def folder() -> Path | None:
    """Return the folder of the links (`busmark/results` in XDG_STATE_HOME, or ~/.local/state); None
    for a user without a home."""
    named = os.environ.get("XDG_STATE_HOME", "")
    with suppress(RuntimeError):
        state = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "state"
        return state / "busmark" / "results"
    return None


def note(directory: Path) -> str | None:
    """Note that a result is in this directory; return why it could not be noted, else None."""
    where = folder()
    if where is None:
        return "there is no home directory"
    try:
        target = os.path.realpath(directory)
        link = where / hashlib.sha256(os.fsencode(target)).hexdigest()[:32]
        where.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            with suppress(FileExistsError):  # another process was quicker
                link.symlink_to(target)
        new = where / f"{link.name}.{os.getpid()}"
        new.symlink_to(os.path.realpath(os.curdir))
        new.replace(f"{link}{BEGUN_FROM}")
        # Where there are very many, links that lead nowhere go.
        links = [each for each in where.iterdir() if "." not in each.name]
        for each in links if len(links) > MOST else ():
            if each.is_symlink() and not each.exists():
                each.unlink(missing_ok=True)
                Path(f"{each}{BEGUN_FROM}").unlink(missing_ok=True)
    except OSError as error:
        return f"{where}: {error.strerror or error}"
    return None


def noted() -> dict[Path, Path]:
    """Return the directories that were noted, whether something is there or not, and from which
    folder each was begun; itself where that is not known."""
    where = folder()
    links: dict[str, Path] = {}
    if where is not None:
        with suppress(OSError), os.scandir(where) as entries:
            for entry in entries:
                with suppress(OSError):  # no link, or removed meanwhile
                    links[entry.name] = Path(os.readlink(entry.path))
    return {
        path: links.get(name + BEGUN_FROM, path) for name, path in links.items() if "." not in name
    }


LOCK = ".lock"

State = Literal["finished", "running", "interrupted", "imported", "damaged"]


class ListedResult(BaseModel):
    """A result in a list of results."""

    name: str
    """`@NAME` stands for the directory; where several have it, for the newest of them."""
    directory: str
    """Path of the directory, absolute."""
    campaign: str | None = None
    """Name of its scenario."""
    created_utc: str | None = None
    """Time at which the campaign was begun, or the result imported."""
    finished_utc: str | None = None
    """Time at which the campaign ended; null: it is not finished."""
    machine: str | None = None
    """Host name of the machine on which it was begun; null where that is not known."""
    nodes: int = 0
    """Other machines that took part."""
    cases: int | None = None
    """Cases that can run."""
    unsupported: int | None = None
    """Cases that cannot run."""
    state: State
    """`interrupted`: `busmark run --resume` finishes it; `damaged`: its manifest cannot be read."""
    busmark_version: str | None = None
    here: bool = False
    """Whether it lies in the working directory or below it, or was begun from there: `@last` is the
    newest of these."""


class Listing(BaseModel):
    """All known results."""

    results: list[ListedResult]
    """Results of the working directory first, then all others; each group newest first."""


def listing(further: Iterable[Path] = ()) -> Listing:
    """List results of the default folder, of the register, and of these folders."""
    return Listing(results=[listed(each) for each in stored(further)])


def newest_two() -> tuple[Path, Path]:
    """Return the last earlier result of the newest one's campaign, and the newest, of those here.

    Raises:
        UserError: there are no two.
    """
    known = [each for each in stored() if each.here]
    campaign = listed(known[0]).campaign if known else None
    for each in known[1:]:
        if campaign is not None and listed(each).campaign == campaign:
            return each.directory, known[0].directory
    of = f" of {campaign!r}, the newest" if campaign else ""
    raise UserError(
        f"no two results{of}, to compare one with the other, were begun in this folder or below it",
        remedy="Name two, or one with --by PARAMETER. " + recent(),
    )


def listed(named: NamedResult) -> ListedResult:
    """Return what its manifest says."""
    directory = os.path.realpath(named.directory)
    document = _manifest(named.directory / MANIFEST)
    if document is None:
        return ListedResult(name=named.name, directory=directory, state="damaged", here=named.here)
    hosts = _mapping(document.get("hosts"))
    cases = [case for case in document.get("cases") or [] if isinstance(case, dict)]
    planned = sum(case.get("status") == "planned" for case in cases)
    return ListedResult(
        name=named.name,
        directory=directory,
        campaign=_text(_mapping(document.get("scenario")).get("name")),
        created_utc=_text(document.get("created_utc")),
        finished_utc=_text(document.get("finished_utc")),
        machine=_text(_mapping(hosts.get("")).get("hostname")),
        nodes=sum(name != "" for name in hosts),
        cases=planned,
        unsupported=len(cases) - planned,
        state=_state(named.directory, document),
        busmark_version=_text(document.get("busmark_version")),
        here=named.here,
    )


def _manifest(path: Path) -> dict[str, Any] | None:
    try:
        document = parse(files.content(path))
    except (OSError, ValueError, RecursionError):
        return None
    whole = isinstance(document, dict) and isinstance(document.get("cases"), list)
    return document if whole else None


def _state(directory: Path, document: dict[str, Any]) -> State:
    if document.get("source"):
        return "imported"
    # Also a finished one may be resumed, for rounds that failed.
    if _is_written(directory / LOCK):
        return "running"
    return "finished" if document.get("finished_utc") else "interrupted"


def _is_written(lock: Path) -> bool:
    """Return whether a process holds the lock of a result."""
    try:
        with files.opened(lock) as file:
            return not platform.lock_is_free(file)
    except OSError:
        return False


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
