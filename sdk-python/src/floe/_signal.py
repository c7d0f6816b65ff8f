from __future__ import annotations

import re
from typing import Any, Optional, Union

from ._call import signal_call
from ._errors import FloeConfigurationError
from ._send import HeartbeatResult, Limits, failure, send, unforeseen
from ._surroundings import Surroundings


def send_signal(
    beat_url: str,
    signal: Union[str, int],
    *,
    run_id: str,
    metadata: Any = None,
    timeout_seconds: float = 5.0,
    budget_seconds: float = 20.0,
) -> HeartbeatResult:
    """Tells a monitor's secret URL that a run starts, ended well or badly. Needs no key and no client; never raises.

    ``signal``: ``"start"``, ``"success"``, ``"fail"``, ``"log"`` or an exit status, 0 to 255. ``run_id``: a UUID that
    joins the start and the end of one run. ``metadata``: an object, or text such as the tail of a job's output.

    >>> import uuid
    >>> send_signal(beat_url, "fail", run_id=str(uuid.uuid4()), metadata="disk full").ok
    True
    """
    wrong = problem_of_beat_url(beat_url)
    if wrong is not None:
        return failure(wrong, 0)
    try:
        call = signal_call(beat_url, signal, monitor_id="monitor", run_id=run_id, metadata=metadata)
        return send(call, Limits(timeout_seconds, budget_seconds), Surroundings())
    except Exception as error:
        return unforeseen(error)


def problem_of_beat_url(beat_url: Any) -> Optional[FloeConfigurationError]:
    """Why this cannot be a beat URL, without repeating it: it is a secret."""
    if isinstance(beat_url, str) and re.fullmatch(r"https?://[^/\s]+/[^\s?#]+", beat_url, re.IGNORECASE):
        return None
    return FloeConfigurationError("the beat URL must be the http or https URL that Floe shows for the monitor")
