"""Figures of one case."""
