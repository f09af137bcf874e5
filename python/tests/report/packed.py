"""What a page holds compressed."""

from __future__ import annotations

import base64
import zlib


def unpacked(page: str, name: str) -> str:
    """What the page's script has under this name."""
    start = page.index(f'<script type="application/octet-stream" id="{name}">')
    coded = page[page.index(">", start) + 1 : page.index("</script>", start)]
    return zlib.decompress(base64.b64decode(coded)).decode()
