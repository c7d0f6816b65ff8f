from __future__ import annotations

import re
from typing import Any

from ._errors import FloeInvalidArgumentError


def is_monitor_id(monitor_id: Any) -> bool:
    return isinstance(monitor_id, str) and monitor_id != ""


def is_positive(seconds: Any) -> bool:
    return isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 < seconds < float("inf")


def validate_api_key(api_key: Any) -> str:
    """Validates a platform key and returns it.

    Rejects characters that are not allowed in headers, because ``http.client`` would fail with a message that contains
    the key.
    """
    key = api_key.strip() if isinstance(api_key, str) else ""
    if not key:
        raise FloeInvalidArgumentError('api_key is required. Example: Floe("eis_…")')
    if re.fullmatch(r"[\x21-\x7e]+", key) is None:
        raise FloeInvalidArgumentError("api_key contains characters that are not valid in a key, such as spaces, line breaks or accented letters")
    return key


def validate_base_url(base_url: Any) -> str:
    """Validates a base URL and returns it without trailing slashes."""
    text = base_url.strip() if isinstance(base_url, str) else ""
    if re.fullmatch(r"https?://[^/\s?#@]+(/[^\s?#]*)?", text, re.IGNORECASE) is None:
        raise FloeInvalidArgumentError(
            "base_url must be an http or https URL without a user name, query string or fragment. Example: https://floe.example.com"
        )
    return text.rstrip("/")


def validate_timeout(timeout_seconds: Any) -> float:
    """Validates a timeout in seconds and returns it."""
    if is_positive(timeout_seconds):
        return float(timeout_seconds)
    raise FloeInvalidArgumentError("timeout_seconds must be a positive number")
