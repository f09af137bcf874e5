"""What is printed: the one place at which text reaches the terminal; tables by `console`.

Names, titles and reasons come from files and libraries of somebody else's. A terminal obeys what is
in them: it moves the cursor, changes the window's title, hides lines. So characters that it would
obey are shown as signs of their own, and what the output cannot encode is escaped.
"""

from __future__ import annotations

import codecs
import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

KEPT = "\n\t"
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that reverse the order of what follows."""

COMMAND = re.compile(r"`[^`\n]+`")
JOINED = "\0"
"""Character in the place of a space at which no line is broken."""

SIGNS = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in KEPT},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys(map(ord, DIRECTIONS), 0xFFFD),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}
"""Sign of each control character, by code: as wide as any letter, so that tables stay straight."""


def visible(text: str) -> str:
    """Return the text with every control character but ends of lines and tabs as a sign."""
    # What is printable has none of these, and is most of what is painted again and again.
    return text if text.isprintable() else text.translate(SIGNS)


def echo(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a line."""
    click.echo(visible(str(text)), err=err, nl=nl)


def say_file(path: Path, label: str = "", *, err: bool = False) -> None:
    """Print where a file is; in a terminal as a link, for its path may be relative to a folder that
    somebody has left."""
    text = visible(str(path))
    if (sys.stderr if err else sys.stdout).isatty() and os.environ.get("TERM") != "dumb":
        text = f"\033]8;;{path.absolute().as_uri()}\033\\{text}\033]8;;\033\\"
    click.echo(f"{visible(label)}: {text}" if label else text, err=err)


def say(text: object = "", *, err: bool = False) -> None:
    """Print text that is read rather than copied: in a terminal, lines are broken between words."""
    echo(wrapped(str(text), err=err), err=err)


def wrapped(text: str, *, err: bool = True) -> str:
    """Return a message as wide as the terminal that shows it, broken between words, and not within
    a short `command`. Lines that begin with four spaces, as source does, stay. In a pipe or file it
    stays whole, for programs search it.
    """
    if not (sys.stderr if err else sys.stdout).isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(_wrapped(line, width) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    if len(line) <= width or line.startswith("    "):
        return line
    indent = line[: len(line) - len(line.lstrip())]
    kept = COMMAND.sub(
        lambda found: found[0].replace(" ", JOINED) if len(found[0]) <= width / 2 else found[0],
        line.strip(),
    )
    return textwrap.fill(
        kept,
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    ).replace(JOINED, " ")


def print_error(error: object) -> None:
    """Print an error."""
    echo(wrapped(f"busmark: {error}"), err=True)


LETTERS = {
    "—": "-", "–": "-", "−": "-", "×": "x", "÷": "/", "±": "+-", "·": "*", "≤": "<=", "≥": ">=",
    "→": "->", "←": "<-", "▲": "^", "▼": "v", "●": "*", "○": "o", "✓": "+", "✗": "x", "“": '"',
    "”": '"', "\u2019": "'", "─": "-", "µ": "u", "σ": "sigma",
}  # fmt: skip
"""Substitutes for our signs in an encoding that does not have them."""


def _spelt(error: UnicodeError) -> tuple[str, int]:
    """Return letters for what cannot be encoded; its code where nothing is like it."""
    assert isinstance(error, UnicodeEncodeError)
    found = []
    for sign in error.object[error.start : error.end]:
        plain = LETTERS.get(sign) or unicodedata.normalize("NFKD", sign)
        found.append(
            plain.encode("ascii", "ignore").decode()
            or sign.encode("ascii", "backslashreplace").decode()
        )
    return "".join(found), error.end


def lenient() -> None:
    """Make the outputs spell signs that their encoding lacks, instead of raising an error."""
    codecs.register_error("spelt", _spelt)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="spelt")


def outputs_exist() -> bool:
    """Give an input or an output that is closed the null device, for the next file that is opened
    would take its number; return whether standard output was there."""
    open_before = []
    for number in (0, 1, 2):
        try:
            os.fstat(number)
            open_before.append(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115  # as long as the process
    return 1 in open_before


@contextmanager
def unread() -> Iterator[None]:
    """Print for a reader who may go before the end, as `head` does behind `busmark show |`: what is
    left then goes nowhere, and what the command has found decides how it ends."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard()


def discard() -> None:
    """Have what is still to be printed on an output that cannot be written go nowhere."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream:
                stream.flush()
        except OSError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)


class Forms:
    """Listens to `busmark.present.formats.write`."""

    def __init__(self) -> None:
        self._moves = sys.stderr.isatty()
        self._names = ""

    def begins(self, names: Sequence[str]) -> None:
        """Begin the line with these names."""
        self._names = ", ".join(names)
        self._show("…")

    def drawn(self, count: int) -> None:
        """Show the same line, with the number of charts."""
        self._show(_plural(count, "figure"))

    def ends(self, names: Sequence[str], files: int) -> None:
        """Print the line that stays, with the number of files."""
        each = " each" if len(names) > 1 else ""
        text = f"{self._names}: {_plural(files, 'file')}{each}"
        if self._moves:
            sys.stderr.write("\r\x1b[K")
        echo(text, err=True)

    def _show(self, text: str) -> None:
        if self._moves:
            sys.stderr.write(f"\r\x1b[K{self._names}: {text}")
            sys.stderr.flush()


def _plural(count: int, noun: str) -> str:
    # Whoever asks for help need not wait for the analysis.
    from busmark.model.text import plural

    return plural(count, noun)
