"""Tables and styled text in the terminal; a module of its own, for not every command needs rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from busmark.cli.options import is_wide
from busmark.cli.output import visible
from busmark.present.width import RoomyConsole


class Console(RoomyConsole):
    """Console for tables and styled text. Anything that the console itself adds, such as colours,
    stays."""

    def __init__(self, **options: Any) -> None:
        super().__init__(wide=is_wide(), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments, without a control character in their text."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))
