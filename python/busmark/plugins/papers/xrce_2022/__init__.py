"""Solpan and Küçük 2022: DDS-XRCE in three deployments, over UDP and TCP."""

from busmark.plugins.papers.published import document
from busmark.plugins.papers.xrce_2022.statements import CHECKS
from busmark.plugins.papers.xrce_2022.tables import tables

XRCE = document(__file__, "document.toml", CHECKS, tables=tables)
