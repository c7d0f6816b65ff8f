from __future__ import annotations

import threading
from typing import Any, Optional, Tuple

from ._bounded import Outcome, call_within, start_daemon
from ._errors import FloeError
from ._metadata import message_of
from ._pace import FINAL_SECONDS, LoopOptions, LoopParts, Pace, kept_back
from ._send import HeartbeatResult, Limits, send


class Heartbeat:
    """A running loop in a daemon thread. Nothing in it raises; a context manager that stops at its end."""

    def __init__(self, monitor_id: str, options: LoopOptions, parts: LoopParts, restart_after_fork: bool) -> None:
        self._pace = Pace(monitor_id, options, parts)
        self._parts = parts
        self._restart_after_fork = restart_after_fork
        self._hanging: Optional[threading.Event] = None
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._sends = threading.Lock()

    @property
    def monitor_id(self) -> str:
        return self._pace.monitor_id

    @property
    def running(self) -> bool:
        return self._thread is not None and not self._stop.is_set()

    @property
    def last_result(self) -> Optional[HeartbeatResult]:
        """Of the newest beat that was tried; None before the first."""
        return self._pace.last_result

    def touch(self) -> None:
        """The job made progress. Costs one reading of the clock.

        >>> with floe.start_heartbeat("queue-worker", stall_after=300) as beating:
        ...     beating.touch()
        """
        self._pace.touch()

    def stop(self, *, final: bool = False) -> None:
        """Ends the loop; returns within two seconds, whatever the server does.

        With ``final`` one last beat goes out, its metadata marked ``"stopped": true``.

        >>> beating = floe.start_heartbeat("queue-worker")
        >>> beating.stop(final=True)
        >>> beating.running
        False
        """
        was_running = self.running
        self._stop.set()
        if final and was_running:
            call_within(FINAL_SECONDS, self._final, "floe-final")

    def __enter__(self) -> "Heartbeat":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _start(self) -> bool:
        self._thread = start_daemon(self._run, f"floe-heartbeat-{self.monitor_id}")
        return self._thread is not None

    def _after_fork(self) -> None:
        """No thread survives a fork. The child is silent unless told otherwise: its parent's beats speak for the job."""
        was_running = self.running
        self._stop = threading.Event()
        self._sends = threading.Lock()
        self._thread = None
        self._hanging = None
        if was_running and self._restart_after_fork:
            self._start()

    def _run(self) -> None:
        stop, pace = self._stop, self._pace
        wait = pace.first_wait
        while not self._parts.around.wait(stop, wait):
            pace.begin()
            try:
                self._beat(stop)
            except Exception as error:  # a defect of this SDK; the next beat may still go out
                pace.defect(error)
            wait = pace.next_wait()

    def _beat(self, stop: threading.Event) -> None:
        reason = self._pace.stalled() or self._unhealthy()
        if stop.is_set():
            return
        if reason is not None:
            self._pace.keep_back(reason)
            return
        self._send(self._pace.limits(stop), final=False)

    def _final(self) -> None:
        self._send(Limits(FINAL_SECONDS, FINAL_SECONDS), final=True)

    def _send(self, limits: Limits, final: bool) -> None:
        metadata, problem = self._metadata()
        # The last beat waits for one under way: they never overlap.
        with self._sends:
            if self._stop.is_set() and not final:
                return
            result = send(self._pace.call(metadata, problem, final), limits, self._parts.around)
        if final or not self._stop.is_set():
            self._pace.sent(result)

    def _unhealthy(self) -> Optional[FloeError]:
        healthy = self._pace.options.healthy
        if healthy is None:
            return None
        outcome = self._asked(healthy)
        if outcome.done and outcome.error is None and outcome.value is True:
            return None
        said = "did not return True" if outcome.done and outcome.error is None else self._problem(outcome)
        return kept_back("unhealthy", f"healthy() {said}; no beats are sent")

    def _metadata(self) -> Tuple[Any, Optional[str]]:
        metadata = self._pace.options.metadata
        if not callable(metadata):
            return metadata, None
        outcome = self._asked(metadata)
        if outcome.done and outcome.error is None:
            return outcome.value, None
        return None, f"metadata() {self._problem(outcome)}"

    def _asked(self, callback: Any) -> Outcome:
        """One of the job's own callbacks, in time. While one hangs no other is begun: they would pile up."""
        if self._hanging is not None and not self._hanging.is_set():
            return Outcome(False)
        over = self._hanging = threading.Event()

        def run() -> Any:
            try:
                return callback()
            finally:
                over.set()

        return call_within(self._pace.callback_seconds(), run, "floe-callback")

    def _problem(self, outcome: Outcome) -> str:
        if outcome.error is not None:
            return f"raised: {type(outcome.error).__name__}: {message_of(outcome.error)}"
        return f"did not return within {self._pace.callback_seconds():g} s"
