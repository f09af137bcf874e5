"""Every relative link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs_pages import FENCE, ROOT, name, pages, prose

NAMED = re.compile(
    r"`((?:abi|adapters|bench|crates|docs|idl|python|schemas|scenarios|tools)/[^`\s]*)`"
)
LINK = re.compile(r"\[[^\]\n]*\]\s*\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """Return the identifiers that headings get where Markdown is shown."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ +(.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_relative_link_resolves(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{name(page)}: {link}: there is no {target}"
        if anchor:
            assert anchor in anchors(path), f"{name(page)}: {link}: no such heading"


def test_the_index_names_every_page_of_the_documentation() -> None:
    index = next(page for page in pages() if name(page) == "docs/README.md")
    listed = {
        (index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(prose(index))
    }
    written = {p for p in index.parent.rglob("*.md") if p.parent.name != "adr"} - {index}
    written |= set(ROOT.glob("python/busmark/plugins/*/docs/*.md"))
    assert written <= listed


def linked(page: Path) -> set[Path]:
    """Return the pages to which a page links; a folder stands for its README."""
    targets = {
        (page.parent / link.partition("#")[0]).resolve() for link in LINK.findall(prose(page))
    }
    return {target / "README.md" if target.is_dir() else target for target in targets}


def test_every_page_is_reached_from_the_index() -> None:
    written = {page for page in pages() if "tests" not in page.parts and page.parent != ROOT}
    reached, further = set[Path](), {ROOT / "docs" / "README.md"}
    while further:
        reached |= further
        further = {to for page in further for to in linked(page)} & written - reached
    assert not written - reached


def test_the_decisions_are_all_listed() -> None:
    index = next(page for page in pages() if name(page) == "docs/adr/README.md")
    listed = set(LINK.findall(prose(index)))
    assert {p.name for p in index.parent.glob("0*.md")} == listed


def test_every_live_test_has_its_promise() -> None:
    folder = ROOT / "python" / "tests" / "e2e"
    listed = re.findall(r"`(test_\w+\.py)`", (folder / "README.md").read_text(encoding="utf-8"))
    assert {path.name for path in folder.glob("test_*.py")} == {*listed}


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    for path in NAMED.findall(prose(page)):
        if "NAME" not in path and "some_name" not in path and "cli/name" not in path:
            assert (ROOT / path).exists(), f"{name(page)}: {path}"


def test_every_test_of_the_contract_that_is_named_exists() -> None:
    registry = (ROOT / "crates/busmark-conformance/src/registry.rs").read_text(encoding="utf-8")
    for page in pages():
        for test in re.findall(r"\bc\d\d_\w+", prose(page)):
            assert f"::{test}," in registry, f"{name(page)}: {test}"
