from __future__ import annotations

import threading
from typing import NamedTuple, Optional

from ._answer import Beat, read_answer
from ._call import Call
from ._errors import FloeConnectionError, FloeError
from ._metadata import message_of
from ._retry import retry_delay
from ._surroundings import Surroundings


class HeartbeatResult(NamedTuple):
    """What became of one beat, its retries included."""

    #: The server has committed the beat.
    ok: bool
    #: Requests made for it.
    attempts: int
    #: HTTP status of the last answer; None when none came.
    status: Optional[int] = None
    #: Why it failed; None when it did not.
    error: Optional[FloeError] = None
    #: What the server says about the beat; None when it failed.
    beat: Optional[Beat] = None
    #: Why metadata stayed behind, here or on the server; None when all of it arrived.
    metadata_dropped: Optional[str] = None


class Limits(NamedTuple):
    #: Of one attempt.
    timeout_seconds: float
    #: Of all attempts and the waits between them.
    budget_seconds: float
    #: Set when the beat is not wanted any more.
    stop: Optional[threading.Event] = None


def send(call: Call, limits: Limits, around: Surroundings) -> HeartbeatResult:
    """Makes a call until it succeeds, cannot succeed, or its budget is used up. Never raises."""
    try:
        return _send(call, limits, around)
    except Exception as error:  # a defect of this SDK is a report, never an exception in the job
        return unforeseen(error)


def _send(call: Call, limits: Limits, around: Surroundings) -> HeartbeatResult:
    started = around.monotonic()
    stop = limits.stop or threading.Event()
    attempts = 0
    while True:
        attempts += 1
        left = limits.budget_seconds - (around.monotonic() - started)
        received = around.attempt(call, max(0.0, min(limits.timeout_seconds, left)))
        outcome = received if isinstance(received, FloeError) else read_answer(call, received, around.now())
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
            elapsed_seconds=around.monotonic() - started,
            budget_seconds=limits.budget_seconds,
            random=around.random(),
        )
        if delay is None or around.wait(stop, delay):
            return failure(outcome, attempts, call.metadata_dropped)


def failure(error: FloeError, attempts: int, metadata_dropped: Optional[str] = None) -> HeartbeatResult:
    """A beat that was not delivered."""
    return HeartbeatResult(
        ok=False, attempts=attempts, status=error.status, error=error, metadata_dropped=metadata_dropped
    )


def unforeseen(error: BaseException) -> HeartbeatResult:
    message = f"the beat could not be sent: {type(error).__name__}: {message_of(error)}"
    return failure(FloeConnectionError(message, code="connection_failed"), 0)
