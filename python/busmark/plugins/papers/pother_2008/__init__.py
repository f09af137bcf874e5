"""The Pother suite: slides of a webinar on the performance and tuning of OpenSplice DDS."""

from busmark.plugins.papers.pother_2008.discovery import DISCOVERY
from busmark.plugins.papers.pother_2008.places import part_of
from busmark.plugins.papers.pother_2008.statements import (
    DETERMINISM,
    LATENCY,
    SCALABILITY,
    THROUGHPUT,
)
from busmark.plugins.papers.pother_2008.tables import tables
from busmark.plugins.papers.published import document

POTHER = document(
    __file__,
    "document.toml",
    LATENCY | THROUGHPUT | DISCOVERY | SCALABILITY | DETERMINISM,
    tables=tables,
    part_of=part_of,
)
