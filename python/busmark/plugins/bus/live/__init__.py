"""Screens of the bus."""
