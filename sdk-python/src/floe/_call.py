from __future__ import annotations

import sys
from typing import Any, Dict, NamedTuple, Optional, Union

from ._metadata import FittedMetadata, fit_metadata, to_bytes, to_json

VERSION = "0.1.0"
_AGENT = f"floe-sdk-python/{VERSION} python/{sys.version_info[0]}.{sys.version_info[1]}"


class Account(NamedTuple):
    """The platform key and the base URL of a client."""

    api_key: str
    #: Without a trailing slash.
    base_url: str


class Call(NamedTuple):
    """A request that sends a beat. The first attempt and all retries are identical."""

    url: str
    headers: Dict[str, str]
    body: bytes
    metadata_dropped: Optional[str]
    #: Whether the response must be the JSON response to a beat. A beat URL can return any short text that is not HTML.
    answers_beat: bool
    #: The monitor that messages about this request name.
    monitor_id: str


def beat_call(account: Account, monitor_id: str, metadata: Any, idempotency_key: str) -> Call:
    """Builds the request ``POST /api/monitoring/heartbeat``, byte for byte as in the golden file ``requests.json``."""
    fitted = fit_metadata(metadata)
    rest = "" if fitted.json is None else f',"metadata":{fitted.json}'
    return Call(
        url=f"{account.base_url}/api/monitoring/heartbeat",
        headers={
            "accept": "application/json",
            "content-type": "application/json",
            "idempotency-key": idempotency_key,
            "x-api-key": account.api_key,
            "user-agent": _AGENT,
        },
        body=to_bytes(f'{{"monitor_id":{to_json(monitor_id)}{rest}}}'),
        metadata_dropped=fitted.dropped,
        answers_beat=True,
        monitor_id=monitor_id,
    )


def signal_call(
    beat_url: str, signal: Union[str, int], *, monitor_id: str, run_id: str, metadata: Any = None
) -> Call:
    """Builds the request ``POST /beat/{token}[/start|/fail|/log|/{0-255}]?rid=``.

    It supports more events than a beat and sends no key.
    """
    is_text = isinstance(metadata, str)
    fitted = FittedMetadata(metadata, None) if is_text else fit_metadata(metadata)
    path = "" if signal == "success" else f"/{signal}"
    return Call(
        url=f"{beat_url.rstrip('/')}{path}?rid={run_id}",
        headers={
            "accept": "application/json",
            "content-type": "text/plain; charset=utf-8" if is_text else "application/json",
            # The start and the end of a run need different keys. Otherwise, the server would treat them as the same event.
            "idempotency-key": f"{run_id}-{signal}",
            "user-agent": _AGENT,
        },
        body=to_bytes(fitted.json or ""),
        metadata_dropped=fitted.dropped,
        answers_beat=False,
        monitor_id=monitor_id,
    )
