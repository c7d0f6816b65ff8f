from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

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

    A value that is not a JSON object and fields that cannot be serialized are omitted. If an object has more than 16 KB,
    its largest fields are replaced with notes until it fits.
    """
    if metadata is None:
        return FittedMetadata(None, None)
    fitted = _serialized(metadata)
    if fitted.json is None or _bytes_of(fitted.json) <= LIMIT_BYTES:
        return fitted
    smaller = _shrunk(fitted.json)
    return smaller if fitted.dropped is None else smaller._replace(dropped=f"{fitted.dropped}; {smaller.dropped}")


def add_fields(metadata: Any, fields: Dict[str, Any]) -> Tuple[Dict[str, Any], Optional[str]]:
    """Returns the metadata with ``fields``. If it is not a mapping that can be read, returns ``fields`` and the reason."""
    if metadata is None:
        return fields, None
    try:
        return {**metadata, **fields}, None
    except Exception as error:  # the data of the caller can cause any exception
        return fields, f"metadata was not sent, because it is not a mapping that can be read: {exception_message(error)}"


def _serialized(metadata: Any) -> FittedMetadata:
    try:
        text = to_json(metadata)
    except Exception as error:  # the data of the caller can cause any exception
        return _serialized_fields(metadata, error)
    if text.startswith("{"):
        return FittedMetadata(text, None)
    return FittedMetadata(None, "metadata was not sent, because it is not a JSON object")


def _serialized_fields(metadata: Any, error: BaseException) -> FittedMetadata:
    """Serializes the fields of a mapping that can be serialized. ``error``: why the mapping as a whole cannot be."""
    fields: List[str] = []
    omitted: List[str] = []
    try:
        items = list(metadata.items()) if isinstance(metadata, Mapping) else []
    except Exception:
        items = []
    for key, value in items:
        try:
            fields.append(to_json({key: value})[1:-1])
        except Exception:
            omitted.append(key if isinstance(key, str) else type(key).__name__)
    if not fields:
        return FittedMetadata(None, f"metadata was not sent, because it cannot be serialized as JSON: {exception_message(error)}")
    text = f"{{{','.join(fields)}}}"
    if not omitted:
        return FittedMetadata(text, None)
    return FittedMetadata(text, f"these fields of the metadata were not sent, because they cannot be serialized as JSON: {', '.join(omitted)}")


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
