"""Every Markdown page of the repository, cut into what tests look at."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("docs", "adapters", "abi", "crates", "bench", "python/busmark/plugins")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, its language, its text."""

    page: Path
    language: str
    text: str


def pages() -> list[Path]:
    """Return all pages, first the ones at the top."""
    nested = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")]
    return sorted(ROOT.glob("*.md")) + sorted(p for p in nested if "target" not in p.parts)


def name(path: Path) -> str:
    """Return the page's name in tests: its path in the tree."""
    return path.relative_to(ROOT).as_posix()


def blocks(language: str) -> list[Block]:
    """Return the fenced blocks of one language on all pages."""
    return [
        Block(page, found[1], found[2])
        for page in pages()
        for found in FENCE.finditer(page.read_text(encoding="utf-8"))
        if found[1] == language
    ]


def prose(page: Path) -> str:
    """Return the text without fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def is_scenario(block: Block) -> bool:
    """Return whether a TOML block is a scenario."""
    return re.search(r"^\[matrix", block.text, re.MULTILINE) is not None


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every module that a file imports, and a name of it; "" for the module as a whole."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, name.name) for name in node.names)
        elif isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names)
