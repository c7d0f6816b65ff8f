from __future__ import annotations

import sys
import threading
from typing import Any, Callable, Optional

from ._bounded import start_daemon
from ._call import Call
from ._lifetime import before_background_work, flush_at_exit, reset_after_fork
from ._errors import FloeInvalidArgumentError, FloeConnectionError
from ._loop_state import FINAL_SECONDS
from ._failure_reporter import OnError, FailureReporter
from ._send import HeartbeatResult, Limits, failure, send, unexpected_error_result
from ._runtime import Runtime

#: The time limit of one beat with all retries.
BUDGET_SECONDS = 20.0
#: The maximum number of background beats that are being sent. If there are more, the server is unreachable.
_MOST_UNDER_WAY = 100


class Delivery:
    """Sends the requests of one client, in the current thread or in the background, and reports errors. Never raises."""

    def __init__(self, runtime: Runtime, reporter: FailureReporter, timeout_seconds: float) -> None:
        self.timeout_seconds = timeout_seconds
        self._runtime = runtime
        self._reporter = reporter
        self.after_fork()
        reset_after_fork(self)
        flush_at_exit(self)

    def after_fork(self) -> None:
        """Resets the state in a child process. Pending beats and locks belong to the parent process."""
        self._idle = threading.Condition()
        self._under_way = 0

    def deliver(
        self,
        make_call: Callable[[], Call],
        on_error: Optional[OnError] = None,
        budget_seconds: float = BUDGET_SECONDS,
        stop: Optional[threading.Event] = None,
    ) -> HeartbeatResult:
        monitor_id = "monitor"
        try:
            if sys.is_finalizing():
                raise RuntimeError("the interpreter is shutting down")
            call = make_call()
            monitor_id = call.monitor_id
            result = send(call, Limits(self.timeout_seconds, budget_seconds, stop), self._runtime)
        except Exception as error:
            result = unexpected_error_result(error)
        if result.error is not None:
            self._reporter.report_failure(monitor_id, result.error, on_error)
        if result.metadata_dropped is not None:
            self._reporter.log_limited(f"metadata {monitor_id}", f"{monitor_id}: {result.metadata_dropped}")
        return result

    def in_background(
        self,
        make_call: Callable[[], Call],
        on_error: Optional[OnError],
        then: Optional[threading.Event] = None,
        stop: Optional[threading.Event] = None,
    ) -> None:
        """Sends a request in a daemon thread.

        ``then`` is set when the request has ended or was not sent. If ``stop`` is set, no retries follow.
        """
        before_background_work()
        idle = self._idle

        def done() -> None:
            if then is not None:
                then.set()
            with idle:
                self._under_way -= 1
                idle.notify_all()

        def work(budget_seconds: float = BUDGET_SECONDS) -> None:
            try:
                self.deliver(make_call, on_error, budget_seconds, stop)
            finally:
                done()

        with idle:
            is_full = self._under_way >= _MOST_UNDER_WAY
            if not is_full:
                self._under_way += 1
        if is_full:
            if then is not None:
                then.set()
            text = f"{_MOST_UNDER_WAY} beats are still being sent, so this beat was dropped. Check that Floe is reachable."
            self._reporter.report_failure("monitor", FloeConnectionError(text, code="dropped"), on_error)
        elif start_daemon(work, "floe-send") is None:
            # The interpreter is shutting down, so a short delay does not block the job.
            work(FINAL_SECONDS)

    def refuse(self, monitor_id: Any, on_error: Optional[OnError] = None) -> HeartbeatResult:
        """Reports that a monitor id is not valid, without sending a request. Returns the result."""
        shown = '""' if isinstance(monitor_id, str) else type(monitor_id).__name__
        error = FloeInvalidArgumentError(f"the monitor id must be a non-empty string, got {shown}")
        self._reporter.report_failure(shown, error, on_error)
        return failure(error, 0)

    def flush(self, timeout_seconds: float) -> bool:
        """Waits until all background requests have ended. Returns False if the timeout passes first."""
        with self._idle:
            return self._idle.wait_for(lambda: self._under_way == 0, timeout_seconds)
