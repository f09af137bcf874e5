"""Busmark measures how publish/subscribe middleware performs, the same way for every vendor."""

__version__ = "0.1.0"
