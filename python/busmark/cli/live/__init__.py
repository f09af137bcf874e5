"""Screens that are painted while something is watched: a table, details of one row, a search."""
