"""A recording: a header, a line for each message, and an end.

`schemas/recording.schema.json` is generated from these models. Keys are added, never taken away or
renamed, within a version of the format.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter

VERSION = 1
"""Version of the format; raised when an older Busmark would misread a recording."""

Text = Annotated[str, Field(max_length=10_000)]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def realtime_ns(utc: str) -> int:
    """Return a moment of a recording, ns since 1970.

    Raises:
        ValueError: this is not one.
    """
    return (datetime.fromisoformat(utc) - EPOCH) // timedelta(microseconds=1) * 1000


def _moment(utc: str) -> str:
    realtime_ns(utc)
    return utc


Moment = Annotated[
    str,
    Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z$"),
    AfterValidator(_moment),
]
"""UTC, to the microsecond."""
Nanoseconds = Annotated[int, Field(ge=0, lt=2**63)]
Count = Annotated[int, Field(ge=0, lt=2**63)]

Kind = Literal["order", "answer", "joined", "left", "live", "result", "trouble", "other"]
"""Kind of a message."""


class RecordingLine(BaseModel):
    """Unknown keys are kept, so that an older Busmark reads what a newer one has added."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Header(RecordingLine):
    """The first line: how the recorder was attached to the bus."""

    busmark_recording: Literal[1] = 1
    """Version of the format."""
    busmark_version: Text
    adapter: Text
    """Adapter as it was named to the recorder: a name, or the path of a library."""
    adapter_version: Text
    middleware: Text
    """The middleware's name and version, as the adapter states them."""
    transport: Text
    domain: Annotated[int, Field(ge=0, le=230)]
    interface: Text
    address: Text
    profile: Text
    settings: list[Text]
    """Adapter options, each KEY=VALUE."""
    host: Text
    utc: Moment
    """When the recording began, by the clock of the recorder's host."""
    monotonic_ns: Nanoseconds
    """This moment by CLOCK_MONOTONIC of that host."""
    listener: Count
    """Number of the recorder as a caller: it asks once who is on the bus."""


class Line(RecordingLine):
    """Fields of every further line: when the recorder heard the message."""

    at_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Seconds since the recording began, by the monotonic clock."""
    utc: Text
    """This moment by the clock of the recorder's host."""
    monotonic_ns: Nanoseconds
    """This moment by CLOCK_MONOTONIC of that host."""


class MessageLine(Line):
    """A line with a message that was heard."""

    what: Kind
    """`order` of a caller; `answer` of a participant to one; `joined` and `left`; `live` figures;
    `result` of a test that has ended; `trouble`; `other`: none that this Busmark knows."""
    message: dict[str, Any]
    """Message as it was on the bus."""


class GapLine(Line):
    """Samples that are not stored, since the last such line."""

    what: Literal["lost"] = "lost"
    foreign: Count
    """Messages without the cookie of the bus: traffic of others on its topics."""
    malformed: Count
    """Messages with the cookie that are not messages of this protocol."""
    overflow: Count
    """Messages that came faster than they could be stored."""


class Stop(Line):
    """The last line of a recording that was not cut off."""

    what: Literal["stop"] = "stop"
    stored: Count
    """Messages in the recording."""
    why: Text
    """Why it ended."""


def _which(value: Any) -> str:
    what = value.get("what") if isinstance(value, dict) else getattr(value, "what", None)
    return what if what in ("lost", "stop") else "heard"


What = Annotated[
    Annotated[MessageLine, Tag("heard")]
    | Annotated[GapLine, Tag("lost")]
    | Annotated[Stop, Tag("stop")],
    Discriminator(_which),
]
"""A line after the header."""

WHAT: TypeAdapter[What] = TypeAdapter(What)
RECORDING_LINE: TypeAdapter[Header | MessageLine | GapLine | Stop] = TypeAdapter(
    Header | MessageLine | GapLine | Stop
)
"""Parser of any line of a recording."""
