from __future__ import annotations

import json
from typing import Any, List, NamedTuple, Optional

#: What the server keeps of a beat's metadata, in bytes of JSON.
LIMIT_BYTES = 16_384


class FittedMetadata(NamedTuple):
    #: JSON text of an object; None when the beat goes without.
    json: Optional[str]
    #: Why something stayed behind; None when nothing did.
    dropped: Optional[str]


def fit_metadata(metadata: Any) -> FittedMetadata:
    """Metadata as it can be sent. Never raises.

    A beat matters more than its trimmings: what is no JSON object is left out, and from an object of more than 16 KB the
    largest members are replaced by a note until the rest fits.
    """
    if metadata is None:
        return FittedMetadata(None, None)
    try:
        text = to_json(metadata)
    except Exception as error:  # default methods, keys, recursion: all of it is the caller's data
        return FittedMetadata(None, f"metadata cannot be serialized as JSON: {message_of(error)}")
    if not text.startswith("{"):
        return FittedMetadata(None, "metadata must be an object, so it was not sent")
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
            return FittedMetadata(smaller, f"metadata exceeds {LIMIT_BYTES} bytes, so these fields were removed: {', '.join(removed)}")
    return FittedMetadata(None, f"metadata exceeds {LIMIT_BYTES} bytes")


def to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_bytes(text: str) -> bytes:
    """UTF-8; half of a surrogate pair has none and is escaped as JSON would (``\\ud83d``)."""
    return text.encode("utf-8", "backslashreplace")


def _bytes_of(text: str) -> int:
    return len(to_bytes(text))


def message_of(raised: BaseException) -> str:
    """The text of anything that was raised."""
    try:
        return str(raised) or type(raised).__name__
    except Exception:
        return type(raised).__name__
