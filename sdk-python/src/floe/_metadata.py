from __future__ import annotations

import json
from typing import Any, List, NamedTuple, Optional

#: The maximum size of a beat's metadata, in bytes of JSON.
LIMIT_BYTES = 16_384


class FittedMetadata(NamedTuple):
    """Metadata that the server accepts."""

    #: JSON text of an object. None if the beat has no metadata.
    json: Optional[str]
    #: Why a part was omitted. None if nothing was omitted.
    dropped: Optional[str]


def fit_metadata(metadata: Any) -> FittedMetadata:
    """Reduces metadata until the server accepts it, because a beat is more important than its metadata. Never raises.

    A value that is not a JSON object is omitted. If an object has more than 16 KB, its largest fields are replaced with
    notes until it fits.
    """
    if metadata is None:
        return FittedMetadata(None, None)
    try:
        text = to_json(metadata)
    except Exception as error:  # the data of the caller can cause any exception
        return FittedMetadata(None, f"metadata was not sent, because it cannot be serialized as JSON: {exception_message(error)}")
    if not text.startswith("{"):
        return FittedMetadata(None, "metadata was not sent, because it is not a JSON object")
    if _bytes_of(text) <= LIMIT_BYTES:
        return FittedMetadata(text, None)
    return _shrunk(text)


def _shrunk(text: str) -> FittedMetadata:
    members = json.loads(text)
    sizes = {key: _bytes_of(to_json(value)) for key, value in members.items()}
    removed: List[str] = []
    for key in sorted(sizes, key=lambda name: -sizes[name]):
        members[key] = f"[{sizes[key]} bytes removed]"
        removed.append(key)
        smaller = to_json(members)
        if _bytes_of(smaller) <= LIMIT_BYTES:
            return FittedMetadata(smaller, f"metadata exceeds {LIMIT_BYTES} bytes, so the values of these fields were removed: {', '.join(removed)}")
    return FittedMetadata(None, f"metadata was not sent, because it exceeds {LIMIT_BYTES} bytes")


def to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_bytes(text: str) -> bytes:
    """Encodes text as UTF-8. Half of a surrogate pair has no encoding, so it is escaped as in JSON (``\\ud83d``)."""
    return text.encode("utf-8", "backslashreplace")


def _bytes_of(text: str) -> int:
    return len(to_bytes(text))


def exception_message(raised: BaseException) -> str:
    """Returns the message of an exception, or the name of its type if it has none. Never raises."""
    try:
        return str(raised) or type(raised).__name__
    except Exception:
        return type(raised).__name__
