"""XML of strangers as a small tree: bounded in size and depth, without entities."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from busmark.errors import UserError

MOST_DEPTH = 32


@dataclass(slots=True)
class Element:
    """An element with the line on which it begins."""

    name: str
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> list[Element]:
        """Return children of this name."""
        return [each for each in self.children if each.name == name]

    def first(self, name: str) -> Element | None:
        """Return the first child of this name."""
        return next(iter(self.all(name)), None)

    def value(self, name: str, default: str = "") -> str:
        """Return the text of the first child of this name."""
        found = self.first(name)
        return default if found is None else found.text.strip()


def parse(content: bytes, where: str) -> Element:
    """Return the root element."""
    parser = expat.ParserCreate()
    root = Element("", 0)
    path = [root]

    def begin(name: str, _attributes: object) -> None:
        if len(path) > MOST_DEPTH:
            raise _wrong("elements are nested too deep", where, parser.CurrentLineNumber)
        path[-1].children.append(Element(name, parser.CurrentLineNumber))
        path.append(path[-1].children[-1])

    def text(data: str) -> None:
        path[-1].text += data

    def refuse(*_: object) -> None:
        raise _wrong("a document type is not allowed here", where, parser.CurrentLineNumber)

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: path.pop()
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise _wrong(f"this is not XML: {error}", where, parser.CurrentLineNumber) from error
    return root.children[0]


def _wrong(message: str, where: str, line: int) -> UserError:
    return UserError(
        message,
        where=f"{where}, line {line}",
        remedy="Restore the document, or make the directory again.",
    )
