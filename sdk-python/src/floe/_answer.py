from __future__ import annotations

import json
import re
from email.utils import parsedate_to_datetime
from typing import Any, Mapping, NamedTuple, Optional, Union

from ._call import Call
from ._errors import FloeUnexpectedResponseError, FloeError, api_error


class Beat(NamedTuple):
    """A beat that the server has recorded."""

    id: str
    monitor_id: str
    #: ISO 8601, UTC.
    received_at: Optional[str]
    #: Status of the monitor after this beat, such as ``healthy`` or ``paused``.
    status: Optional[str]
    #: When the next beat is expected. None while the monitor is paused.
    next_due_at: Optional[str]


class Received(NamedTuple):
    """A response, up to the maximum size that is read. The header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str
    #: Whether the body is longer than any response to a beat. The rest was not read.
    too_long: bool


class Accepted(NamedTuple):
    """The content of a successful response."""

    beat: Optional[Beat]
    metadata_dropped: Optional[str]


def read_answer(call: Call, received: Received, now: float) -> Union[Accepted, FloeError]:
    """Parses a response to a call. The golden file ``answers.json`` defines the expected results.

    ``now`` is the current time in seconds since the epoch, which is needed if Retry-After is a date.
    """
    if received.status >= 400:
        return _refusal(call, received, now)
    if not 200 <= received.status < 300:
        return _redirected(call, received)
    return _read_beat(call, received) if call.answers_beat else _read_anything(received)


def _read_beat(call: Call, received: Received) -> Union[Accepted, FloeError]:
    is_json = re.search(r"\bjson\b", received.headers.get("content-type", ""), re.IGNORECASE) is not None
    try:
        value = json.loads(received.text)
    except (ValueError, RecursionError):
        # A JSON response that does not parse was truncated. Any other response is from another program.
        return _unexpected(received, is_json and not received.too_long)
    beat_id = _member(value, "beat_id")
    if received.too_long or _member(value, "ok") is not True or not isinstance(beat_id, str):
        return _unexpected(received, False)
    beat = Beat(
        id=beat_id,
        monitor_id=_text(value, "monitor_id") or call.monitor_id,
        received_at=_text(value, "received_at"),
        status=_text(value, "status"),
        next_due_at=_text(value, "next_due_at"),
    )
    return Accepted(beat, _text(value, "metadata_dropped"))


def _read_anything(received: Received) -> Union[Accepted, FloeError]:
    is_page = re.search(r"\bhtml\b", received.headers.get("content-type", ""), re.IGNORECASE)
    return _unexpected(received, False) if is_page or received.too_long else Accepted(None, None)


def _unexpected(received: Received, retryable: bool) -> FloeError:
    what = "more than 64 KB" if received.too_long else "a different response" if received.text.strip() else "nothing"
    kind = received.headers.get("content-type", "no content type")
    return FloeUnexpectedResponseError(
        f"expected a beat response from Floe, got {what} (status {received.status}, {kind}). Check that base_url is the base URL of "
        "Floe, without a sign-in page or proxy in front of it.",
        code="unexpected_response",
        status=received.status,
        retryable=retryable,
    )


def _redirected(call: Call, received: Received) -> FloeError:
    location = received.headers.get("location")
    to = "" if location is None else f" to {origin_of(location)}"
    return FloeUnexpectedResponseError(
        f"{origin_of(call.url)} redirects{to}. Redirects are not followed, because they would expose the key or "
        "the secret beat URL. Use the final URL as base_url or beat URL.",
        code="redirected",
        status=received.status,
    )


_ADVICE = {
    401: ". Check the API key.",
    403: ". The key needs the scope beat or monitoring.",
    404: ". Check the monitor id, that the key belongs to its organization, and base_url.",
}


def _refusal(call: Call, received: Received, now: float) -> FloeError:
    body: Any = None
    if not received.too_long:
        try:
            body = json.loads(received.text)
        except (ValueError, RecursionError):
            body = None
    error = _member(body, "error")
    code = _text(error, "code") or f"http_{received.status}"
    said = _text(error, "message")
    # A message from Floe is more helpful than advice that depends only on the status.
    advice = _ADVICE.get(received.status, "") if said is None else f": {said}"
    return api_error(
        _without_key(call, f"{origin_of(call.url)} responded with {received.status} {code}{advice}"),
        status=received.status,
        code=code,
        request_id=_text(body, "request_id") or received.headers.get("x-request-id"),
        retry_after_seconds=_retry_after(received, now),
    )


def _without_key(call: Call, message: str) -> str:
    """Removes the key from a message, because a server may repeat the request in its response."""
    key = call.headers.get("x-api-key")
    return message if key is None else message.replace(key, "[key]")


def _retry_after(received: Received, now: float) -> Optional[float]:
    """Returns the requested delay in seconds (RFC 9110, section 10.2.3: a number or a date).

    ``retry-after-ms`` is more precise, so it takes precedence.
    """
    exact = _decimal(received.headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    header = received.headers.get("retry-after")
    seconds = _decimal(header)
    if seconds is not None or header is None or not header.strip().upper().endswith("GMT"):
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


def _decimal(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and re.fullmatch(r"\s*[0-9]+(\.[0-9]+)?\s*", text) else None


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _text(value: Any, name: str) -> Optional[str]:
    found = _member(value, name)
    return found if isinstance(found, str) else None


def origin_of(url: str) -> str:
    """Returns the scheme, host and port of a URL. Messages must not contain other parts, which may be secret."""
    found = re.match(r"[a-z][a-z+.-]*://[^/?#]*", url, re.IGNORECASE)
    return re.sub(r"//[^@]*@", "//", found.group(0)) if found else "another URL"
