from __future__ import annotations

import re
from typing import Any

from ._errors import FloeConfigurationError


def is_id(monitor_id: Any) -> bool:
    return isinstance(monitor_id, str) and monitor_id != ""


def is_positive(seconds: Any) -> bool:
    return isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 < seconds < float("inf")


def checked_key(api_key: Any) -> str:
    """A header cannot carry anything else; ``http.client`` would refuse it later with the key in its message."""
    key = api_key.strip() if isinstance(api_key, str) else ""
    if not key:
        raise FloeConfigurationError('api_key is required. Example: Floe("eis_…")')
    if re.fullmatch(r"[\x21-\x7e]+", key) is None:
        raise FloeConfigurationError("api_key contains characters that are not valid in a key, such as spaces, line breaks or accents")
    return key


def checked_address(base_url: Any) -> str:
    text = base_url.strip() if isinstance(base_url, str) else ""
    if re.fullmatch(r"https?://[^/\s?#@]+(/[^\s?#]*)?", text, re.IGNORECASE) is None:
        raise FloeConfigurationError(
            "base_url must be an http or https URL without user, query or fragment. Example: https://floe.example.com"
        )
    return text.rstrip("/")


def checked_seconds(timeout_seconds: Any) -> float:
    if is_positive(timeout_seconds):
        return float(timeout_seconds)
    raise FloeConfigurationError("timeout_seconds must be a positive number")
