from __future__ import annotations

import math
from typing import Any, Callable, Mapping, NamedTuple, Optional, Union

from ._answer import Beat
from ._call import Account, Call, beat_call
from ._errors import FloeError, FloeUnhealthyError
from ._failure_reporter import OnError, FailureReporter
from ._metadata import add_fields
from ._send import HeartbeatResult, Limits
from ._runtime import Runtime

FINAL_SECONDS = 2.0
# The part of this time that the callbacks of the job get together, so that the beat can still be sent.
FINAL_CALLBACK_SECONDS = 1.0
_JITTER = 0.1

Metadata = Union[Mapping[str, Any], Callable[[], Any], None]


class LoopParts(NamedTuple):
    """The parts of the client that a heartbeat loop uses."""

    account: Account
    runtime: Runtime
    reporter: FailureReporter
    timeout_seconds: float
    budget_seconds: float


class LoopOptions(NamedTuple):
    """The options of a heartbeat loop."""

    every_seconds: float
    metadata: Metadata
    healthy: Optional[Callable[[], Any]]
    stall_after: Optional[float]
    on_error: Optional[OnError]
    beat_at_start: bool


class LoopState:
    """The state of a heartbeat loop, for both kinds of loops: when to send beats, when to skip them, and the last result.

    Beats are sent at fixed times of a monotonic clock, so that delays do not add up. After the machine was suspended or
    the event loop was blocked, one beat replaces all beats that were due meanwhile.
    """

    def __init__(self, monitor_id: str, options: LoopOptions, parts: LoopParts) -> None:
        self.monitor_id = monitor_id
        self.options = options
        self.parts = parts
        self.last_result: Optional[HeartbeatResult] = None
        self._slot = 0
        self._skip_reason: Optional[str] = None
        self._final_callbacks_end: Optional[float] = None
        runtime = parts.runtime
        # Without a beat at the start, the first beat is sent at a random time in the first interval.
        self.first_wait = 0.0 if options.beat_at_start else runtime.random() * options.every_seconds
        self._started = runtime.monotonic() + self.first_wait
        self._touched = runtime.monotonic()

    def touch(self) -> None:
        self._touched = self.parts.runtime.monotonic()

    def begin(self) -> None:
        """Must be called when a beat is due."""
        self._slot = max(self._slot, self._slot_now())

    def next_wait(self) -> float:
        """Returns the seconds until the next beat is due."""
        runtime, every = self.parts.runtime, self.options.every_seconds
        self._slot = max(self._slot, self._slot_now()) + 1
        jitter = (runtime.random() - 0.5) * _JITTER * every
        return max(0.0, self._started + self._slot * every + jitter - runtime.monotonic())

    def _slot_now(self) -> int:
        return math.floor((self.parts.runtime.monotonic() - self._started) / self.options.every_seconds)

    def begin_final(self) -> None:
        """Must be called before the last beat."""
        self._final_callbacks_end = self.parts.runtime.monotonic() + FINAL_CALLBACK_SECONDS

    def callback_seconds(self) -> float:
        """Returns the time limit of a callback. For the last beat, it leaves time to send the beat without metadata."""
        if self._final_callbacks_end is not None:
            return max(0.0, self._final_callbacks_end - self.parts.runtime.monotonic())
        return min(self.parts.timeout_seconds, self.options.every_seconds / 4)

    def limits(self, stop: Any) -> Limits:
        every = self.options.every_seconds
        return Limits(
            timeout_seconds=min(self.parts.timeout_seconds, every / 4),
            budget_seconds=min(self.parts.budget_seconds, every * 0.9),
            stop=stop,
        )

    def stalled(self) -> Optional[FloeError]:
        idle = self.parts.runtime.monotonic() - self._touched
        if self.options.stall_after is None or idle <= self.options.stall_after:
            return None
        return unhealthy_error("stalled", f"touch() has not been called for {idle:.0f} s; no beats are sent")

    def skip_beat(self, reason: FloeError) -> None:
        """Skips a beat. Reports the reason once, and again if it changes or after beats have been sent."""
        if self._skip_reason != reason.code:
            self.report(reason)
        self._skip_reason = reason.code

    def call(self, metadata: Any, problem: Optional[str], final: bool) -> Call:
        self._skip_reason = None
        if final:
            metadata, not_added = add_fields(metadata, {"stopped": True})
            problem = problem or not_added
        call = beat_call(self.parts.account, self.monitor_id, metadata, self.parts.runtime.new_id())
        return call if problem is None else call._replace(metadata_dropped=problem)

    def sent(self, result: HeartbeatResult) -> None:
        self.last_result = result
        if result.error is not None:
            self.report(result.error)
        if result.metadata_dropped is not None:
            self._log_limited("metadata", result.metadata_dropped)
        self._compare_intervals(result.beat)

    def report(self, error: FloeError) -> None:
        self.parts.reporter.report_failure(self.monitor_id, error, self.options.on_error)

    def defect(self, error: BaseException) -> None:
        self._log_limited("defect", f"{type(error).__name__}: {error}")

    def _log_limited(self, about: str, line: str) -> None:
        self.parts.reporter.log_limited(f"{about} {self.monitor_id}", f"{self.monitor_id}: {line}")

    def _compare_intervals(self, beat: Optional[Beat]) -> None:
        """Logs a warning if the loop is not faster than the monitor expects, because any delay would then be a miss."""
        if beat is None or beat.received_at is None or beat.next_due_at is None:
            return
        expected = _seconds(beat.next_due_at) - _seconds(beat.received_at)
        every = self.options.every_seconds
        if expected > 0 and every >= expected:
            self._log_limited(
                "interval",
                f"the beat interval is {every:g} s, but the monitor expects the next beat within {expected:g} s; set every_seconds to half of this time",
            )


def unhealthy_error(code: str, message: str) -> FloeError:
    return FloeUnhealthyError(message, code=code)


def _seconds(text: str) -> float:
    """Converts ISO 8601 text to seconds since the epoch, or to NaN. Python 3.9 and 3.10 do not support ``Z``."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return math.nan
