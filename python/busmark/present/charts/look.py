"""The look of adapters and curves: colours, marks and dashes, and where values stand on an axis.

Each adapter has a colour, a mark and a dash of its own, whatever else was measured: its facts have
them; where they have none, its name decides. All colours have a contrast of 3 to 1
at least, on white and on the page's dark ground alike, so that one colour serves both. Adapters
whose colours look alike to somebody have different marks and different dashes. Dashes and marks go
by names of their own, which each sink translates.
"""

from __future__ import annotations

from hashlib import sha256
from math import log10
from typing import Literal, NamedTuple, get_args

from busmark.facts import adapter_facts
from busmark.model.naming import FLOOR_ADAPTER, Label

GREY = "#7F7F7F"
"""Colour of the null adapter, and of reference lines."""


class Look(NamedTuple):
    """Look of an adapter; `mark` and `dash` are places in the lists of `look`."""

    colour: str
    mark: int
    dash: int


FURTHER = ("#C3870F", "#78692D", "#5A872D", "#3C96E1", "#D22D69", "#0F96B4")
"""Colours of adapters whose facts have no look; they differ from each other, and from the
colours of this release's adapters, as much as these do."""

SERIES = (*FURTHER, "#D25A00", "#008769", "#9669FF", "#117733")
"""Ten colours of series that belong to no adapter, and of overlaid cases of one adapter."""

DARKEST, LIGHTEST = 0.135, 0.29
"""Luminance of a colour that has a contrast of 3 to 1 with white and with the dark page."""


def look_of(adapter: str) -> Look:
    """Return the look by name: of an adapter that does not ship with Busmark the same in every
    result, too."""
    facts = adapter_facts().get(adapter)
    if facts and facts.look:
        return Look(facts.look.colour, facts.look.mark, facts.look.dash)
    digest = sha256(adapter.encode()).digest()
    return Look(FURTHER[digest[0] % len(FURTHER)], digest[1], digest[2])


def luminance(colour: str) -> float:
    """Return the relative luminance of `#RRGGBB`, 0 to 1 (WCAG 2)."""
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2)."""
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink(ground: str) -> str:
    """Return black or white, whichever can be read better on this colour: 4.5 to 1 at least."""
    return max("#000000", "#FFFFFF", key=lambda text: contrast(text, ground))


def shade(colour: str, variant: int) -> str:
    """Return the colour of a variant of the same adapter: the same hue, by turns lighter and
    darker."""
    own = luminance(colour)
    far, near = sorted((DARKEST, LIGHTEST), key=lambda end: -abs(end - own))
    return (colour, _of_luminance(colour, far), _of_luminance(colour, (own + near) / 2))[
        variant % 3
    ]


def _of_luminance(colour: str, wanted: float) -> str:
    """Return it mixed with black or white, in light, until it is as light as wanted."""
    own, parts = luminance(colour), _linear(colour)
    if wanted <= own:
        return _coded([part * wanted / own for part in parts])
    white = (wanted - own) / (1 - own)
    return _coded([part + white * (1 - part) for part in parts])


def _linear(colour: str) -> list[float]:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def _coded(parts: list[float]) -> str:
    coded = (12.92 * p if p <= 0.0031308 else 1.055 * p ** (1 / 2.4) - 0.055 for p in parts)
    return "#" + "".join(f"{round(255 * min(max(p, 0.0), 1.0)):02X}" for p in coded)


Dash = Literal[
    "solid",
    "dash",
    "dot",
    "dashdot",
    "longdash",
    "longdashdot",
    "dashdotdot",
    "sparsedot",
    "longshort",
    "sparsedash",
]

DASHES: tuple[Dash, ...] = get_args(Dash)
"""Ten, so that as many curves differ on paper without colours; adapters have the first six."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star")
SIGNS = ("●", "■", "◆", "▲", "✚", "✖", "▼", "★")
"""Characters that look like the symbols."""

WIDE = 3.0
"""Limits further from the value, as a factor, are cut off by the axis."""

LOST = 4
"""Place, among series that are of no adapter, of what was lost."""

MICRO = 1e3
"""Nanoseconds in the unit of every latency axis."""

PERCENT_TICKS = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)
"""Ticks of an axis that reaches to the rarest samples; see `at_percent`."""


def series(text: str, place: int) -> Label:
    """Return a label for what is not of one adapter, such as a participant: it looks by its
    place."""
    return Label(text=text, adapter="", variant=place)


def _look(label: Label) -> Look:
    if not label.adapter:
        return Look(SERIES[label.variant % len(SERIES)], label.variant, label.variant)
    own = look_of(label.adapter)
    # Dashes repeat before shades do: so the two together repeat after all pairs of them.
    shaded = shade(own.colour, label.variant + label.variant // len(DASHES))
    dashed = own.dash + label.variant if label.dash is None else label.dash
    return Look(shaded, own.mark + label.variant, dashed)


def is_null(label: Label) -> bool:
    """Return whether it is of the null adapter, which is drawn behind all others."""
    return label.adapter == FLOOR_ADAPTER


def colour(label: Label) -> str:
    """Return the adapter's own colour, its variants lighter and darker. The null adapter is
    grey."""
    return _look(label).colour


def dash(label: Label) -> Dash:
    """Return the dash of the curve; the null adapter's is dashed."""
    return DASHES[_look(label).dash % len(DASHES)]


def symbol(label: Label) -> str:
    """Return the symbol of its points; the null adapter's are short lines."""
    return "line-ew-open" if is_null(label) else SYMBOLS[_look(label).mark % len(SYMBOLS)]


def sign(label: Label) -> str:
    """Return the symbol as a character."""
    return "━" if is_null(label) else SIGNS[_look(label).mark % len(SIGNS)]


def swatch(label: Label | str) -> dict[str, str]:
    """Return colour and mark of a label, or of an adapter, to stand beside its name."""
    found = Label(text="", adapter=label) if isinstance(label, str) else label
    return {"colour": colour(found), "mark": sign(found)}


def within(value: float, low: float | None, high: float | None) -> tuple[float, float]:
    """Return up to where an axis shows an interval: a wide one must not flatten all curves."""
    low = value if low is None else max(low, value / WIDE)
    high = value if high is None else min(high, value * WIDE)
    return low, high


def at_size(size: float) -> float:
    """Return where a size is drawn: an empty body has no logarithm and stands left of 1 B."""
    return size or 0.5


def at_percent(percent: float) -> float:
    """Return the place of a percentile on the axis: -log10(1 - F), one unit for each tenfold
    rarity."""
    return 0.0 if percent <= 0 else -log10(1 - percent / 100)
