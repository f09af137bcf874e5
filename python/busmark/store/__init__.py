"""The result directory: its format, reading it, writing it so that nothing finished is lost."""

from busmark.store.columns import (
    CASES,
    FORMAT_VERSION,
    INTERVALS,
    SAMPLES,
    SUMMARIES,
    SYSTEM,
    TABLES,
    Column,
)
from busmark.store.manifest import Case, Finding, Manifest, Resumption, Source, SourceFile
from busmark.store.result import Result

__all__ = [
    "CASES",
    "FORMAT_VERSION",
    "INTERVALS",
    "SAMPLES",
    "SUMMARIES",
    "SYSTEM",
    "TABLES",
    "Case",
    "Column",
    "Finding",
    "Manifest",
    "Result",
    "Resumption",
    "Source",
    "SourceFile",
]
