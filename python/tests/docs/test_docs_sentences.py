"""The sentences that the program can print about a measurement: templates, read from the source.

`golden/sentences.txt` lists each with its place, and counts them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from docs_pages import ROOT
from seams import reviewed

from busmark.findings.registry import rules
from busmark.present.texts import TEXTS

PACKAGE = ROOT / "python" / "busmark"
MOST = 246
"""Templates there are today; fewer are better, and the aim is below 150."""
LEFT_OUT = ("tests", "papers", "cli", "nodes", "adapters", "host", "control", "plan", "scenario")
"""Folders whose texts are of other things: claims of documents, refusals, and the machine."""

TABLES = {"TEXTS": "note", "REASONS": "gate", "CAVEATS": "caveat", "FORMS": "evidence"}
"""Tables of which every value is a template, with its kind."""
NAMES = {
    "note": "note", "remark": "note", "caption": "note", "explanation": "chart",
    "reason": "reason", "otherwise": "reason", "why": "reason", "FEW": "reason", "LOST": "reason",
}  # fmt: skip
"""Last words of arguments, variables and constants that hold one template."""


def sentences(node: ast.AST) -> list[str]:
    """Return the texts of an expression that are more than two words; `{}` is a value."""
    if isinstance(node, ast.JoinedStr):
        parts = [str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values]
        return ["".join(parts)] if "".join(parts).count(" ") > 1 else []
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) and node.value.count(" ") > 1 else []
    return [text for each in ast.iter_child_nodes(node) for text in sentences(each)]


VALUE, WORD = re.compile(r"\{[^{}]*\}"), re.compile("[A-Za-z]{2,}")


def is_sentence(text: str) -> bool:
    """Return whether a template has words of its own; one without only joins what others say."""
    return len(WORD.findall(VALUE.sub(" ", text))) > 1


def kind_of(name: str | None) -> str:
    """Return the kind of the template that has this name, if any."""
    last = (name or "").rpartition("_")[2]
    return NAMES.get(last) or NAMES.get(last.lower() if last.isupper() else "", "")


def observed(call: ast.Call, within: ast.AST) -> list[str]:
    """Return the texts of an observation, and what its function puts into its evidence."""
    evidence = call.args[1]
    if not isinstance(evidence, ast.Name):
        return sentences(call) or [f"{{{ast.unparse(evidence)}}}"]
    puts = [
        each.value
        for each in ast.walk(within)
        if isinstance(each, ast.Assign | ast.AugAssign)
        and evidence.id in {name.id for name in ast.walk(each) if isinstance(name, ast.Name)}
    ]
    return [text for each in (*puts, call) for text in sentences(each)] or [f"{{{evidence.id}}}"]


def templates_of(tree: ast.AST, within: ast.AST) -> Iterator[tuple[str, int, list[str]]]:
    """Yield kind, line and texts of each template of a function or module."""
    for node in ast.iter_child_nodes(tree):
        own = node if isinstance(node, ast.FunctionDef) else within
        name = (
            node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        )
        if isinstance(node, ast.Call) and name == "Observation":
            yield "evidence", node.lineno, observed(node, within)
        elif name == "Rule":
            continue
        elif isinstance(node, ast.Call):
            for word in node.keywords:
                yield kind_of(word.arg), word.value.lineno, sentences(word.value)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            for end in node.targets if isinstance(node, ast.Assign) else [node.target]:
                name = end.id if isinstance(end, ast.Name) else ""
                if name in TABLES and isinstance(node.value, ast.Dict):
                    for value in node.value.values:
                        yield TABLES[name], value.lineno, sentences(value)
                elif not (isinstance(node.value, ast.Call) and name.isupper()):
                    yield kind_of(name), node.lineno, sentences(node.value)
        yield from templates_of(node, own)


def templates() -> list[tuple[str, str, str]]:
    """Return kind, first place and text of each template, by kind; the same text is one."""
    found = [
        ("rule", rule.id, " ¦ ".join(filter(None, (rule.title, rule.cause, rule.remedy))))
        for rule in rules().values()
    ]
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not set(name.split("/")) & set(LEFT_OUT):
            own = sorted(templates_of(tree := ast.parse(path.read_text(encoding="utf-8")), tree))
            found += [(kind, name, " ¦ ".join(texts)) for kind, _, texts in own if kind and texts]
    first = {(kind, text): place for kind, place, text in reversed(found)}
    return sorted((kind, place, text) for (kind, text), place in first.items() if is_sentence(text))


def test_the_templates_are_as_reviewed_and_no_more_than_before() -> None:
    found = templates()
    kinds = Counter(kind for kind, _, _ in found)
    head = f"{len(found)} templates: {', '.join(f'{n} {kind}' for kind, n in kinds.items())}\n"
    lines = [f"{kind} {place}: {text}\n" for kind, place, text in found]
    reviewed(Path(__file__).parent / "golden" / "sentences.txt", head + "".join(lines))
    assert len(found) <= MOST, "delete or merge a template before another is added"


def planted() -> set[str]:
    """Return the words of texts in tests, and of what they review."""
    files = [*ROOT.glob("python/tests/**/*.py"), *PACKAGE.glob("plugins/*/tests/*.py")]
    texts = [
        node.value
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    texts += [path.read_text(encoding="utf-8") for path in REVIEWED if path.suffix == ".txt"]
    return {word.rstrip(":") for text in texts for word in text.split()}


REVIEWED = [
    path
    for folder in (ROOT / "python" / "tests", PACKAGE / "plugins")
    for path in folder.rglob("golden/*")
    if path.suffix in (".txt", ".md") and path.name not in ("sentences.txt", "texts.txt")
]
"""What documents and findings of planted campaigns are, as reviewed."""


def test_every_rule_is_found_in_a_planted_campaign() -> None:
    """Campaigns without a fault, in which all rules find nothing, are in `findings`."""
    words = planted()
    assert [name for name in rules() if name not in words] == []


def test_every_note_is_in_one_reviewed_document_and_not_in_another() -> None:
    shown = [" ".join(path.read_text(encoding="utf-8").split()) for path in REVIEWED]
    unreviewed = []
    for name, template in TEXTS.items():
        fixed = re.split(r"\{\w+\}", template)
        pattern = re.compile(".{1,300}?".join(map(re.escape, fixed)))
        found = sum(bool(pattern.search(text)) for text in shown)
        unreviewed += [] if found else [name]
        assert found < len(shown) or not "".join(fixed), name
    assert unreviewed == []
