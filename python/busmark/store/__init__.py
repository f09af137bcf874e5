"""The result directory: its format, reading it, writing it so that nothing finished is lost."""

from busmark.store.checksum import write as write_table
from busmark.store.columns import (
    FORMAT_VERSION,
    TABLES,
    StoredColumn,
    polars_schema,
)
from busmark.store.manifest import MANIFEST, Case, Finding, Manifest, Resumption, Source, SourceFile
from busmark.store.named import listing, newest_two
from busmark.store.result import EVENTS, Result, file_stem, load_manifest
from busmark.store.tables import load_table
from busmark.store.writer import FOLDERS, LOCK, ResultWriter

__all__ = [
    "EVENTS",
    "FOLDERS",
    "FORMAT_VERSION",
    "LOCK",
    "MANIFEST",
    "TABLES",
    "Case",
    "Finding",
    "Manifest",
    "Result",
    "ResultWriter",
    "Resumption",
    "Source",
    "SourceFile",
    "StoredColumn",
    "file_stem",
    "listing",
    "load_manifest",
    "load_table",
    "newest_two",
    "polars_schema",
    "write_table",
]
