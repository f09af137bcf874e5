"""The adapters on this machine."""

from busmark.adapters.describe import Adapter, available, describe, resolve
from busmark.adapters.locate import libraries, search_path, worker

__all__ = ["Adapter", "available", "describe", "libraries", "resolve", "search_path", "worker"]
