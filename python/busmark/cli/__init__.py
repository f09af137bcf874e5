"""The command line. One file per command; each is loaded when it is called, so that
`busmark --help` starts quickly."""

from busmark.cli.main import main

__all__ = ["main"]
