"""Sends heartbeats to Floe monitors: single beats, beats in a loop, and beats of monitored jobs."""

from ._answer import Beat
from ._async_loop import AsyncHeartbeat
from ._call import VERSION as __version__
from ._client import Floe
from ._errors import (
    FloeUnexpectedResponseError,
    FloeApiError,
    FloeAuthenticationError,
    FloeInvalidArgumentError,
    FloeConnectionError,
    FloeError,
    FloeMonitorNotFoundError,
    FloeRateLimitError,
    FloeRequestError,
    FloeServerError,
    FloeTimeoutError,
    FloeUnhealthyError,
)
from ._loop import Heartbeat
from ._send import HeartbeatResult
from ._signal import send_signal

__all__ = [
    "AsyncHeartbeat",
    "Beat",
    "Floe",
    "FloeUnexpectedResponseError",
    "FloeApiError",
    "FloeAuthenticationError",
    "FloeInvalidArgumentError",
    "FloeConnectionError",
    "FloeError",
    "FloeMonitorNotFoundError",
    "FloeRateLimitError",
    "FloeRequestError",
    "FloeServerError",
    "FloeTimeoutError",
    "FloeUnhealthyError",
    "Heartbeat",
    "HeartbeatResult",
    "__version__",
    "send_signal",
]
