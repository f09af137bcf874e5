"""Phrases that readers stumble over, and where they are: `.venv/bin/python tools/wording.py`.

CONTRIBUTING has the same list with better words, and a test keeps the phrases out.
"""

from __future__ import annotations

import ast
import io
import os
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PHRASES = {
    "is told": r"\b(?:is|are|was|were|be|been|being) told\b"
    r"(?! (?:apart|to|not to|the|an?|that|which|when|where)\b)",
    "does not tell": r"\b(?:does|do|did|will|can) not tell\b(?! apart\b)|\btells? nothing\b",
    "that of": r"\b(?:that|those) of\b",
    "Of what": r"(?:^|[.!?:;(] ?|— )[\"“*]*(?:Of|(?<=\()of) (?!\d|\{|course\b|~)",
    "go on": r"\b(?:go|goes|going|gone|went) on\b",
    "what it came to": r"\b(?:came|comes?) to (?=[.,;:)]|$)|what (?:it|they) (?:came|comes?) to\b",
    "no lowest": r"\bno (?:lowest|highest|fastest|slowest)\b",
    "luck": r"\bluck of\b",
    "kept right": r"\bkept right\b",
    "put right": r"\b[Pp]uts? (?:it |them |this )?right\b",
    "as it is": r"\bas (?:it is|they are)(?=[.,;:)]|$)",
    "figure": r"\b[Ff]igures? (?:for|in) (?:print|an? paper|the paper|papers)\b|"
    r"\b[Dd]raw\w* (?:the |each |all )?figures?\b",
    "held out": r"\b[Hh]eld out\b",
    "know the mean": r"\bknow the mean\b",
    "is no number": r"\b(?:is|are|was|were) no (?:number|figure|file)s?\b",
    "so many": r"\b(?:of|in|after|for|by|every|than) so (?:many|much|long)\b(?! that\b| of\b)",
    "took turns": r"\b(?:took|takes?) turns with\b",
    "stood still": r"\b(?:stood|stands?|standing) still\b",
    "like the one before": r"\blike the one before\b",
    "goes before": r"\bgoes? before (?:its?|the|any|an?)\b",
    "whole or not there": r"\bwhole or not there\b",
    "without need": r"\bwithout need\b",
    "Behind": r"(?:^|[.;:] )Behind .{1,30} stands?\b",
    "would be found": r"\b[Ww]ould (?:be|have been) found\b",
    "in time with": r"\b[Ii]n time with\b",
    "a size by a delay": r"\ba (?:size|length) by a delay\b",
}
"""Patterns by their names in CONTRIBUTING's list. "Told apart" and "told to wait" are fine."""
NEEDED = {
    "is told": " told",
    "does not tell": "tell",
    "that of": " of",
    "Of what": "f ",
    "go on": " on",
    "what it came to": " to",
    "no lowest": "no ",
    "luck": "luck of",
    "kept right": "kept right",
    "put right": "right",
    "as it is": "as ",
    "figure": "igure",
    "held out": "eld out",
    "know the mean": "know the",
    "is no number": " no ",
    "so many": " so ",
    "took turns": "turns with",
    "stood still": " still",
    "like the one before": "like the one",
    "goes before": " before",
    "whole or not there": "whole or",
    "without need": "without need",
    "Behind": "Behind",
    "would be found": "ould ",
    "in time with": "n time with",
    "a size by a delay": "by a delay",
}
"""What each pattern contains: most texts need not be searched."""
SKIPPED = ("target", ".venv", "kept", "golden", "CHANGELOG.md", "build", "v1")
"""Builds, results of older versions and what is shown of them, and the wording of earlier ones."""
LEFT_OUT = ("CONTRIBUTING.md", "tools/wording.py", "python/tests/docs/test_docs_english.py")
"""Files that name the phrases themselves."""
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
RUST = re.compile(
    r'(?P<comment>//[/!]?[^\n]*)|(?P<raw>r(?P<h>#*)"(?:.|\n)*?"(?P=h))|(?P<text>"(?:\\(?:.|\n)|[^"\\])*")'
    r"|'(?:\\.|[^'\\])'"
)
C_COMMENT = re.compile(r"/\*(?:.|\n)*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"")


@dataclass(frozen=True)
class Passage:
    """A text that somebody reads: where it begins, and as one line."""

    kind: str
    path: str
    line: int
    text: str


def passages() -> Iterator[Passage]:
    """Yield every page, message, help text, docstring and comment."""
    for path in sorted(files()):
        read, name = READERS.get(path.suffix[1:]), path.relative_to(ROOT).as_posix()
        if read and name not in LEFT_OUT:
            yield from read(path.read_text(encoding="utf-8"), name)


def files() -> Iterator[Path]:
    """Yield all files but skipped ones. A build has many, so its folders are not even listed."""
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [name for name in inner if name not in SKIPPED]
        yield from (Path(folder, name) for name in names if name not in SKIPPED)


def hits(passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield each phrase in a passage, with its surroundings."""
    for name, pattern in COMPILED.items():
        for found in pattern.finditer(passage.text) if NEEDED[name] in passage.text else ():
            yield name, passage.text[max(found.start() - 60, 0) : found.end() + 60]


def page(source: str, path: str) -> Iterator[Passage]:
    """Yield the paragraphs, list items and cells of tables of a Markdown page."""
    source = FENCE.sub(lambda block: "\n" * block[0].count("\n"), source)
    begin, held = 1, list[str]()
    for number, line in enumerate([*source.splitlines(), ""], 1):
        fresh = not line.strip() or re.match(r"\s*(?:[-*#|>]|\d+\.)", line)
        if held and fresh:
            yield from cells(path, begin, held)
            held = []
        if line.strip():
            begin = begin if held else number
            held.append(line)


def cells(path: str, begin: int, lines: list[str]) -> Iterator[Passage]:
    text = re.sub(r"^\s*(?:[-*#>]+|\d+\.)\s", "", plain(" ".join(lines)))
    for part in text.split("|") if text.startswith("|") else [text]:
        if part.strip():
            yield Passage("page", path, begin, part.strip())


def python(source: str, path: str) -> Iterator[Passage]:
    """Yield the docstrings, messages and comments of a module."""
    tree = ast.parse(source)
    inside, documented = set[int](), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            documented.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            inside.update(id(part) for part in ast.walk(node) if part is not node)
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
            yield Passage("message", path, node.lineno, plain(text))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            kind = "docstring" if id(node) in documented else "message"
            for number, part in enumerate(re.split(r"\n\s*\n", node.value)):
                yield Passage(kind, path, node.lineno + 2 * number, plain(part))
    yield from joined(path, _comments(source))


def _comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#: ")


def joined(path: str, comments: Iterator[tuple[int, str]]) -> Iterator[Passage]:
    """Join comments on lines that follow each other."""
    begin, last, held = 0, -1, list[str]()
    for line, text in comments:
        if held and (line > last + 1 or not text):
            yield Passage("comment", path, begin, plain(" ".join(held)))
            held = []
        if text:
            begin = begin if held else line
            held.append(text)
        last = line
    if held:
        yield Passage("comment", path, begin, plain(" ".join(held)))


def rust(source: str, path: str) -> Iterator[Passage]:
    """Yield the messages and comments of a Rust file."""
    comments = []
    for found in RUST.finditer(source):
        line = source.count("\n", 0, found.start()) + 1
        if found["comment"]:
            comments.append((line, found["comment"].lstrip("/! ")))
        elif found["text"] or found["raw"]:
            text = re.sub(r"\\\n\s*", "", found[0].strip('r#"'))
            yield Passage("message", path, line, plain(re.sub(r"\{[^}]*\}", "{}", text)))
    yield from joined(path, iter(comments))


def c(source: str, path: str) -> Iterator[Passage]:
    """Yield the messages and comments of a C or C++ file."""
    for found in C_COMMENT.finditer(source):
        line = source.count("\n", 0, found.start()) + 1
        kind = "message" if found[0].startswith('"') else "comment"
        text = re.sub(r"^\s*(?:\*|//+|/\*+)\s?|\*/$", "", found[0], flags=re.MULTILINE)
        for part in re.split(r"\n\s*\n", text.strip('"')):
            yield Passage(kind, path, line, plain(part))


def template(source: str, path: str) -> Iterator[Passage]:
    """Yield the lines of a template, without marks; expressions as a brace."""
    source = re.sub(r"\{\{.*?\}\}", "{}", re.sub(r"\{[%#](?:.|\n)*?[%#]\}", " ", source))
    for number, line in enumerate(source.splitlines(), 1):
        yield Passage("page", path, number, plain(re.sub(r"<[^>]*>", "", line)))


def toml(source: str, path: str) -> Iterator[Passage]:
    """Yield the lines of a scenario or a table of adapters."""
    for number, line in enumerate(source.splitlines(), 1):
        yield Passage("message", path, number, plain(re.sub(r'^[\w."-]+ = "?|"$|^# ', "", line)))


def plain(text: str) -> str:
    """Join a text into one line."""
    return " ".join(text.split())


Reader = Callable[[str, str], Iterator[Passage]]
READERS: dict[str, Reader] = {
    "md": page,
    "py": python,
    "rs": rust,
    "toml": toml,
    "j2": template,
    "c": c,
    "cpp": c,
    "h": c,
    "hpp": c,
}
COMPILED = {name: re.compile(pattern) for name, pattern in PHRASES.items()}


def main() -> None:
    """List them: all, or those whose file or kind or phrase has one of the words given."""
    words = sys.argv[1:]
    counts: Counter[tuple[str, str]] = Counter()
    for passage in passages():
        for name, around in hits(passage):
            line = f"{passage.path}:{passage.line}: {passage.kind}: {name}: {around}"
            if not words or any(word in line.rpartition(around)[0] for word in words):
                counts[name, passage.kind] += 1
                print(line)
    for (name, kind), count in sorted(counts.items()):
        print(f"{count:5} {name}, {kind}")


if __name__ == "__main__":
    main()
