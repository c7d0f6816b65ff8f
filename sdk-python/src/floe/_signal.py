from __future__ import annotations

import re
from typing import Any, Optional, Union

from ._call import signal_call
from ._errors import FloeInvalidArgumentError
from ._send import HeartbeatResult, Limits, failure, send, unexpected_error_result
from ._runtime import Runtime


def send_signal(
    beat_url: str,
    signal: Union[str, int],
    *,
    run_id: str,
    metadata: Any = None,
    timeout_seconds: float = 5.0,
    budget_seconds: float = 20.0,
) -> HeartbeatResult:
    """Reports the start, success or failure of a run to the secret beat URL of a monitor. Never raises.

    Needs neither a key nor a client. ``signal``: ``"start"``, ``"success"``, ``"fail"``, ``"log"`` or an exit status from 0
    to 255. ``run_id``: a UUID, which must be the same for the start and the end of a run. ``metadata``: an object, or text
    such as the last lines of the output of a job.

    >>> import uuid
    >>> send_signal(beat_url, "fail", run_id=str(uuid.uuid4()), metadata="disk full").ok
    True
    """
    wrong = validate_beat_url(beat_url)
    if wrong is not None:
        return failure(wrong, 0)
    try:
        call = signal_call(beat_url, signal, monitor_id="monitor", run_id=run_id, metadata=metadata)
        return send(call, Limits(timeout_seconds, budget_seconds), Runtime())
    except Exception as error:
        return unexpected_error_result(error)


def validate_beat_url(beat_url: Any) -> Optional[FloeInvalidArgumentError]:
    """Returns an error if the value cannot be a beat URL, otherwise None. The message does not contain the secret URL."""
    if isinstance(beat_url, str) and re.fullmatch(r"https?://[^/\s]+/[^\s?#]+", beat_url, re.IGNORECASE):
        return None
    return FloeInvalidArgumentError("the beat URL must be the http or https URL that Floe shows for the monitor")
