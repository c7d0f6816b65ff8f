from __future__ import annotations

import sys
import threading
from typing import Any, Callable, Optional

from ._bounded import start_daemon
from ._call import Call
from ._errors import FloeConfigurationError, FloeConnectionError
from ._pace import FINAL_SECONDS
from ._reports import OnError, Reports
from ._send import HeartbeatResult, Limits, failure, send, unforeseen
from ._surroundings import Surroundings

#: For one beat with its retries.
BUDGET_SECONDS = 20.0
#: Beats of watched jobs under way at once; more than this means that nothing gets through.
_MOST_UNDER_WAY = 100


class Delivery:
    """Sends the calls of one client, here and now or in the background, and tells what became of them. Never raises."""

    def __init__(self, around: Surroundings, reports: Reports, timeout_seconds: float) -> None:
        self.timeout_seconds = timeout_seconds
        self._around = around
        self._reports = reports
        self.after_fork()

    def after_fork(self) -> None:
        """What the parent had under way is the parent's, and so is who held the lock."""
        self._idle = threading.Condition()
        self._under_way = 0

    def deliver(
        self,
        make_call: Callable[[], Call],
        on_error: Optional[OnError] = None,
        budget_seconds: float = BUDGET_SECONDS,
    ) -> HeartbeatResult:
        monitor_id = "monitor"
        try:
            if sys.is_finalizing():
                raise RuntimeError("the interpreter is shutting down")
            call = make_call()
            monitor_id = call.monitor_id
            result = send(call, Limits(self.timeout_seconds, budget_seconds), self._around)
        except Exception as error:
            result = unforeseen(error)
        if result.error is not None:
            self._reports.failed(monitor_id, result.error, on_error)
        if result.metadata_dropped is not None:
            self._reports.say(f"metadata {monitor_id}", f"{monitor_id}: {result.metadata_dropped}")
        return result

    def in_background(
        self, make_call: Callable[[], Call], on_error: Optional[OnError], then: Optional[threading.Event] = None
    ) -> None:
        """``then`` is set when the call is through, or is none."""
        idle = self._idle

        def done() -> None:
            if then is not None:
                then.set()
            with idle:
                self._under_way -= 1
                idle.notify_all()

        def work(budget_seconds: float = BUDGET_SECONDS) -> None:
            try:
                self.deliver(make_call, on_error, budget_seconds)
            finally:
                done()

        with idle:
            is_full = self._under_way >= _MOST_UNDER_WAY
            if not is_full:
                self._under_way += 1
        if is_full:
            if then is not None:
                then.set()
            text = f"{_MOST_UNDER_WAY} beats are already in progress; this beat was dropped"
            self._reports.failed("monitor", FloeConnectionError(text, code="dropped"), on_error)
        elif start_daemon(work, "floe-send") is None:
            # The interpreter is ending and the job with it: a moment here holds up nobody.
            work(FINAL_SECONDS)

    def refuse(self, monitor_id: Any, on_error: Optional[OnError] = None) -> HeartbeatResult:
        """For an id that can be none: nothing is sent."""
        shown = '""' if isinstance(monitor_id, str) else type(monitor_id).__name__
        error = FloeConfigurationError(f"the monitor id must be a non-empty string, got {shown}")
        self._reports.failed(shown, error, on_error)
        return failure(error, 0)

    def flush(self, timeout_seconds: float) -> bool:
        """Waits for the calls under way; True when all are through."""
        with self._idle:
            return self._idle.wait_for(lambda: self._under_way == 0, timeout_seconds)
