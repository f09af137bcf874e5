"""What pages are made of beside their contents: style, script, and data that the script reads."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def style() -> str:
    """Return the style of all pages."""
    return (HERE / "style.css").read_text(encoding="utf-8")


def script(*names: str) -> str:
    """Return these parts of the script, in one scope of their own."""
    parts = "\n".join(
        (HERE / "script" / f"{name}.js").read_text(encoding="utf-8") for name in names
    )
    return f'(() => {{\n"use strict";\n{parts}}})();\n'
