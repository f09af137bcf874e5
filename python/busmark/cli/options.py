"""Options that several commands have: their values, what a shell completes, and what they do."""

from __future__ import annotations

import os
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from busmark.cli.output import echo

REQUIRING = (
    click.option(
        "--require",
        "requirements",
        multiple=True,
        metavar="LIMIT",
        help="What every case must meet, such as 'p99.9(half_round_trip) <= 2ms', 'loss <= 0.1%' "
        "or 'goodput >= 50k where adapter=udp'; figures are named as for --fail-if. Can be "
        "repeated. Exit code 1 unless it is met.",
    ),
    click.option(
        "--undecided",
        type=click.Choice(["fail", "pass"]),
        default="fail",
        help="Exit code where the rounds cannot decide what --require asks: 1, the default, or 0.",
    ),
)


AROUND = (
    click.option(
        "--prepare",
        multiple=True,
        metavar="CMD",
        help="Run a command before every round; NODE:CMD on a node. A round whose command fails "
        "has failed. Can be repeated.",
    ),
    click.option(
        "--conclude",
        multiple=True,
        metavar="CMD",
        help="Run a command after every round, also after one that has failed.",
    ),
)


def around(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command both options, as `prepare` and `conclude`."""
    for option in reversed(AROUND):
        command = option(command)
    return command


def requires(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command both options, as `requirements` and `undecided`."""
    for option in reversed(REQUIRING):
        command = option(command)
    return command


SCREENS = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
"""Variables without which there is no browser but one that would take over the terminal."""


def opens(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option; its parameter is `open_it`."""
    option: Callable[[Any], Any] = click.option(
        "--open", "open_it", is_flag=True, help="Open the page in the browser at the end."
    )
    changed: Callable[..., None] = option(command)
    return changed


def open_page(page: Path) -> None:
    """Show the page in the browser, or print why not; the page is written all the same."""
    import webbrowser

    if not any(map(os.environ.get, SCREENS)):
        echo(f"not opened: no browser here ({', '.join(SCREENS)} are not set)", err=True)
        return
    address = page.absolute().as_uri()
    try:
        shown = webbrowser.open(address)
    except (webbrowser.Error, OSError):
        shown = False
    if not shown:
        echo(f"not opened: no browser could be started; the page is {address}", err=True)


WIDE, AT_ONCE = "busmark.wide", "busmark.at-once"
"""Keys under which a run of the program keeps them: consoles are made in many places."""


def _kept(key: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    def keep(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            ctx.find_root().meta[key] = True

    return keep


def _is_set(key: str) -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().meta.get(key))


def wide(command: Any) -> Any:
    """Give a command the options of what it prints."""
    command = click.option(
        "--no-pager",
        is_flag=True,
        expose_value=False,
        callback=_kept(AT_ONCE),
        help="Print all at once, also what is longer than the terminal.",
    )(command)
    return click.option(
        "--wide",
        is_flag=True,
        expose_value=False,
        callback=_kept(WIDE),
        help="Print whole tables, each row on one line, wider than the terminal if need be.",
    )(command)


def is_wide() -> bool:
    """Return whether the command that runs was given `--wide`."""
    return _is_set(WIDE)


def is_paged() -> bool:
    """Return whether what it prints may go through a pager."""
    return not _is_set(AT_ONCE)


if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:  # older versions of click have no parameters of the type
    ParamType = click.ParamType


class Amount(ParamType):
    """A size, rate, time or share with a unit, from `least` to `most`; without `zero`, above 0. A
    number alone has the unit `bare`."""

    def __init__(
        self, kind: str, least: float = 0.0, most: float = inf, *, zero: bool = True, bare: str = ""
    ) -> None:
        self.name, self._least, self._most, self._zero = kind, least, most, zero
        self._bare = bare

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | int:
        """Return it in bytes, Hz, seconds, or as a share of 1."""
        from busmark.model import units

        if not isinstance(value, str):
            return float(value) if self.name != "size" else int(value)
        if self._bare and value.strip().replace(".", "", 1).isdecimal():
            value += self._bare
        try:
            found = units.read_size(value) if self.name == "size" else units.read(value, self.name)
        except ValueError as wrong:
            self.fail(str(wrong).replace("\n", ". "), param, ctx)
        if not self._least <= found <= self._most or (found == 0 and not self._zero):
            least = "above 0" if not self._zero and not self._least else f"from {self._least:g}"
            most = "" if self._most == inf else f" to {self._most:g}"
            unit = {"size": " B", "rate": " Hz", "time": " s"}.get(self.name, "")
            self.fail(f"{value!r} is out of range: {least}{most}{unit}", param, ctx)
        return found


TIME = Amount("time", zero=False)


def names(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    """Return the names joined by commas, of an option that can be repeated."""
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


class Words(click.ParamType[str]):
    """Some words joined by commas; what else may stand there is judged by who reads it."""

    name = "words"

    def __init__(self, *words: str) -> None:
        self.words = words

    def vocabulary(self) -> list[str]:
        """Return the words that are offered."""
        return [*self.words]

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the last word; those before it stay."""
        before, comma, last = incomplete.rpartition(",")
        return [
            CompletionItem(f"{before}{comma}{word}")
            for word in self.vocabulary()
            if word.startswith(last) and word not in before.split(",")
        ]


class Adapters(Words):
    """Names of the adapters that are here."""

    name = "adapter"

    def vocabulary(self) -> list[str]:
        """Return the adapters here, found when they are asked for."""
        from busmark.adapters import libraries

        return sorted(libraries())


class Policies(Words):
    """Words of QoS."""

    name = "qos"

    def vocabulary(self) -> list[str]:
        """Return those that scenario files have."""
        from busmark.scenario.line import POLICIES

        return [*POLICIES]


ADAPTER = Adapters()
POLICY = Policies()
