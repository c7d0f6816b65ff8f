from __future__ import annotations

import threading
from typing import NamedTuple, Optional

from ._answer import Beat, read_answer
from ._call import Call
from ._errors import FloeConnectionError, FloeError
from ._metadata import exception_message
from ._retry import retry_delay
from ._runtime import Runtime


class HeartbeatResult(NamedTuple):
    """The result of sending one beat, after all retries."""

    #: Whether the server has recorded the beat.
    ok: bool
    #: The number of requests that were sent.
    attempts: int
    #: The HTTP status of the last response, or None if there was none.
    status: Optional[int] = None
    #: Why the beat failed, or None if it succeeded.
    error: Optional[FloeError] = None
    #: The recorded beat, or None if the beat failed.
    beat: Optional[Beat] = None
    #: Why metadata was omitted, by this SDK or by the server. None if all of it was recorded.
    metadata_dropped: Optional[str] = None


class Limits(NamedTuple):
    """The time limits of a request and its retries."""

    #: The time limit of one attempt.
    timeout_seconds: float
    #: The time limit of all attempts and the delays between them.
    budget_seconds: float
    #: Set when the beat is no longer needed.
    stop: Optional[threading.Event] = None


def send(call: Call, limits: Limits, runtime: Runtime) -> HeartbeatResult:
    """Sends a request until it succeeds, fails with an error that cannot be retried, or has used its time. Never raises."""
    try:
        return _send(call, limits, runtime)
    except Exception as error:  # a defect of this SDK must not reach the job
        return unexpected_error_result(error)


def _send(call: Call, limits: Limits, runtime: Runtime) -> HeartbeatResult:
    started = runtime.monotonic()
    stop = limits.stop or threading.Event()
    attempts = 0
    while True:
        attempts += 1
        left = limits.budget_seconds - (runtime.monotonic() - started)
        received = runtime.attempt(call, max(0.0, min(limits.timeout_seconds, left)))
        outcome = received if isinstance(received, FloeError) else read_answer(call, received, runtime.now())
        if not isinstance(outcome, FloeError):
            return HeartbeatResult(
                ok=True,
                attempts=attempts,
                status=None if isinstance(received, FloeError) else received.status,
                beat=outcome.beat,
                metadata_dropped=call.metadata_dropped or outcome.metadata_dropped,
            )
        delay = retry_delay(
            retryable=outcome.retryable,
            retry_after_seconds=outcome.retry_after_seconds,
            attempts=attempts,
            elapsed_seconds=runtime.monotonic() - started,
            budget_seconds=limits.budget_seconds,
            random=runtime.random(),
        )
        if delay is None or runtime.wait(stop, delay):
            return failure(outcome, attempts, call.metadata_dropped)


def failure(error: FloeError, attempts: int, metadata_dropped: Optional[str] = None) -> HeartbeatResult:
    """Returns the result for a beat that could not be sent."""
    return HeartbeatResult(
        ok=False, attempts=attempts, status=error.status, error=error, metadata_dropped=metadata_dropped
    )


def unexpected_error_result(error: BaseException) -> HeartbeatResult:
    """Converts an unexpected exception in this SDK to a result, so that it does not reach the job."""
    message = f"the beat could not be sent: {type(error).__name__}: {exception_message(error)}"
    return failure(FloeConnectionError(message, code="connection_failed"), 0)
