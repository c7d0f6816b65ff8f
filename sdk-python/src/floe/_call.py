from __future__ import annotations

import sys
from typing import Any, Dict, NamedTuple, Optional, Union

from ._metadata import FittedMetadata, fit_metadata, to_bytes, to_json

VERSION = "0.1.0"
_AGENT = f"floe-sdk-python/{VERSION} python/{sys.version_info[0]}.{sys.version_info[1]}"


class Account(NamedTuple):
    api_key: str
    #: Without a slash at its end.
    base_url: str


class Call(NamedTuple):
    """One request, the same for each of its attempts."""

    url: str
    headers: Dict[str, str]
    body: bytes
    metadata_dropped: Optional[str]
    #: A beat is answered with JSON; a secret beat URL with anything short that is no page.
    answers_beat: bool
    #: For messages: what was meant to happen.
    monitor_id: str


def beat_call(account: Account, monitor_id: str, metadata: Any, idempotency_key: str) -> Call:
    """``POST /api/monitoring/heartbeat``: exactly the bytes of the golden ``requests.json``."""
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
    """``POST /beat/{token}[/start|/fail|/log|/{0-255}]?rid=``: knows more than beats, and carries no key."""
    is_text = isinstance(metadata, str)
    fitted = FittedMetadata(metadata, None) if is_text else fit_metadata(metadata)
    path = "" if signal == "success" else f"/{signal}"
    return Call(
        url=f"{beat_url.rstrip('/')}{path}?rid={run_id}",
        headers={
            "accept": "application/json",
            "content-type": "text/plain; charset=utf-8" if is_text else "application/json",
            # One run has a start and an end: the same name would make them one beat.
            "idempotency-key": f"{run_id}-{signal}",
            "user-agent": _AGENT,
        },
        body=to_bytes(fitted.json or ""),
        metadata_dropped=fitted.dropped,
        answers_beat=False,
        monitor_id=monitor_id,
    )
