"""Whether a screen is painted, and how it is run."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from busmark.cli.live.app import LiveApp


def on_a_screen(*, plain: bool, as_json: bool) -> bool:
    """Return whether there is a terminal that can be painted, and lines are not asked for."""
    if plain or as_json or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


def run(app: LiveApp[Any]) -> None:
    """Paint until the screen is left.

    Raises:
        UserError: what it shows has come to an end by itself.
    """
    app.run()
    if app.fault is not None:
        raise app.fault
    if app.return_code:
        sys.exit(2)
