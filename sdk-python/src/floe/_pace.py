from __future__ import annotations

import math
from typing import Any, Callable, Mapping, NamedTuple, Optional, Union

from ._answer import Beat
from ._call import Account, Call, beat_call
from ._errors import FloeError, FloeUnhealthyError
from ._reports import OnError, Reports
from ._send import HeartbeatResult, Limits
from ._surroundings import Surroundings

FINAL_SECONDS = 2.0
_JITTER = 0.1

Metadata = Union[Mapping[str, Any], Callable[[], Any], None]


class LoopParts(NamedTuple):
    account: Account
    around: Surroundings
    reports: Reports
    timeout_seconds: float
    budget_seconds: float


class LoopOptions(NamedTuple):
    every_seconds: float
    metadata: Metadata
    healthy: Optional[Callable[[], Any]]
    stall_after: Optional[float]
    on_error: Optional[OnError]
    beat_at_start: bool


class Pace:
    """What the thread loop and the asyncio loop share: when to beat, when not to, and what came of it.

    Beats lie on a grid of monotonic time, so that a loop neither drifts nor catches up: after a suspended machine or a
    blocked event loop one beat goes out, not those that were missed.
    """

    def __init__(self, monitor_id: str, options: LoopOptions, parts: LoopParts) -> None:
        self.monitor_id = monitor_id
        self.options = options
        self.parts = parts
        self.last_result: Optional[HeartbeatResult] = None
        self._slot = 0
        self._kept_back: Optional[str] = None
        around = parts.around
        # Without a beat at the start the grid itself begins somewhere in the first interval.
        self.first_wait = 0.0 if options.beat_at_start else around.random() * options.every_seconds
        self._started = around.monotonic() + self.first_wait
        self._touched = around.monotonic()

    def touch(self) -> None:
        self._touched = self.parts.around.monotonic()

    def begin(self) -> None:
        """A beat is due now."""
        self._slot = max(self._slot, self._slot_now())

    def next_wait(self) -> float:
        """Seconds until the beat after the one that just ended."""
        around, every = self.parts.around, self.options.every_seconds
        self._slot = max(self._slot, self._slot_now()) + 1
        jitter = (around.random() - 0.5) * _JITTER * every
        return max(0.0, self._started + self._slot * every + jitter - around.monotonic())

    def _slot_now(self) -> int:
        return math.floor((self.parts.around.monotonic() - self._started) / self.options.every_seconds)

    def callback_seconds(self) -> float:
        """How long one of the job's own callbacks may take."""
        return min(self.parts.timeout_seconds, self.options.every_seconds / 4)

    def limits(self, stop: Any) -> Limits:
        every = self.options.every_seconds
        return Limits(
            timeout_seconds=min(self.parts.timeout_seconds, every / 4),
            budget_seconds=min(self.parts.budget_seconds, every * 0.9),
            stop=stop,
        )

    def stalled(self) -> Optional[FloeError]:
        idle = self.parts.around.monotonic() - self._touched
        if self.options.stall_after is None or idle <= self.options.stall_after:
            return None
        return kept_back("stalled", f"touch() has not been called for {idle:.0f} s; no beats are sent")

    def keep_back(self, reason: FloeError) -> None:
        """Told once, and again when the reason changes or after beats have gone out."""
        if self._kept_back != reason.code:
            self.report(reason)
        self._kept_back = reason.code

    def call(self, metadata: Any, problem: Optional[str], final: bool) -> Call:
        self._kept_back = None
        if final:
            members = dict(metadata) if isinstance(metadata, Mapping) else {}
            metadata = {**members, "stopped": True}
        call = beat_call(self.parts.account, self.monitor_id, metadata, self.parts.around.new_id())
        return call if problem is None else call._replace(metadata_dropped=problem)

    def sent(self, result: HeartbeatResult) -> None:
        self.last_result = result
        if result.error is not None:
            self.report(result.error)
        if result.metadata_dropped is not None:
            self._say("metadata", result.metadata_dropped)
        self._compare_intervals(result.beat)

    def report(self, error: FloeError) -> None:
        self.parts.reports.failed(self.monitor_id, error, self.options.on_error)

    def defect(self, error: BaseException) -> None:
        self._say("defect", f"{type(error).__name__}: {error}")

    def _say(self, about: str, line: str) -> None:
        self.parts.reports.say(f"{about} {self.monitor_id}", f"{self.monitor_id}: {line}")

    def _compare_intervals(self, beat: Optional[Beat]) -> None:
        """A loop as slow as its monitor is impatient looks fine until the first jitter."""
        if beat is None or beat.received_at is None or beat.next_due_at is None:
            return
        expected = _seconds(beat.next_due_at) - _seconds(beat.received_at)
        every = self.options.every_seconds
        if expected > 0 and every >= expected:
            self._say(
                "interval",
                f"the beat interval is {every:g} s, but the monitor expects a beat every {expected:g} s; set every_seconds to half of that",
            )


def kept_back(code: str, message: str) -> FloeError:
    return FloeUnhealthyError(message, code=code)


def _seconds(text: str) -> float:
    """ISO 8601 to seconds since the epoch; NaN when it is not. ``Z`` is unknown to Python 3.9 and 3.10."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return math.nan
