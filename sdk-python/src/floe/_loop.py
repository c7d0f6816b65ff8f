from __future__ import annotations

import threading
from typing import Any, Optional, Tuple

from ._bounded import Outcome, call_within, start_daemon
from ._errors import FloeError
from ._lifetime import loop_started, loop_stopped
from ._metadata import exception_message
from ._loop_state import FINAL_SECONDS, LoopOptions, LoopParts, LoopState, unhealthy_error
from ._send import HeartbeatResult, Limits, send


class Heartbeat:
    """Controls a heartbeat loop that runs in a daemon thread. Its methods do not raise.

    It is also a context manager, which stops the loop at the end of the block.
    """

    def __init__(self, monitor_id: str, options: LoopOptions, parts: LoopParts, restart_after_fork: bool) -> None:
        self._state = LoopState(monitor_id, options, parts)
        self._parts = parts
        self._restart_after_fork = restart_after_fork
        self._hanging: Optional[threading.Event] = None
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._sends = threading.Lock()

    @property
    def monitor_id(self) -> str:
        return self._state.monitor_id

    @property
    def running(self) -> bool:
        return self._thread is not None and not self._stop.is_set()

    @property
    def last_result(self) -> Optional[HeartbeatResult]:
        """The result of the last beat, or None before the first beat."""
        return self._state.last_result

    def touch(self) -> None:
        """Reports that the job makes progress. It only reads the clock, so it can be called often.

        >>> with floe.start_heartbeat("queue-worker", stall_after=300) as beating:
        ...     beating.touch()
        """
        self._state.touch()

    def stop(self, *, final: bool = False) -> None:
        """Ends the loop. Returns within two seconds, even if the server does not respond.

        With ``final``, sends a last beat with ``"stopped": true`` in its metadata, unless the loop withholds beats because of
        ``healthy`` or ``stall_after``.

        >>> beating = floe.start_heartbeat("queue-worker")
        >>> beating.stop(final=True)
        >>> beating.running
        False
        """
        was_running = self.running
        self._stop.set()
        loop_stopped(self)
        if final and was_running:
            call_within(FINAL_SECONDS, self._final, "floe-final")

    def __enter__(self) -> "Heartbeat":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _start(self) -> bool:
        self._thread = start_daemon(self._run, f"floe-heartbeat-{self.monitor_id}")
        if self._thread is None:
            return False
        loop_started(self)
        return True

    def _after_fork(self) -> None:
        """Resets the loop in a child process, which has no other threads.

        The child sends no beats unless ``restart_after_fork`` is set, because the parent still sends them.
        """
        was_running = self.running
        self._stop = threading.Event()
        self._sends = threading.Lock()
        self._thread = None
        self._hanging = None
        if was_running and self._restart_after_fork:
            self._start()

    def _run(self) -> None:
        stop, pace = self._stop, self._state
        wait = pace.first_wait
        while not self._parts.runtime.wait(stop, wait):
            pace.begin()
            try:
                self._beat(stop)
            except Exception as error:  # a defect of this SDK; the next beat may still succeed
                pace.defect(error)
            wait = pace.next_wait()

    def _beat(self, stop: threading.Event) -> None:
        reason = self._state.stalled() or self._unhealthy()
        if stop.is_set():
            return
        if reason is not None:
            self._state.skip_beat(reason)
            return
        self._send(self._state.limits(stop), final=False)

    def _final(self) -> None:
        self._state.begin_final()
        reason = self._state.stalled() or self._unhealthy()
        if reason is not None:
            self._state.skip_beat(reason)
            return
        self._send(Limits(FINAL_SECONDS, FINAL_SECONDS), final=True)

    def _send(self, limits: Limits, final: bool) -> None:
        metadata, problem = self._metadata()
        # The last beat waits for the beat that is being sent, so that they do not overlap.
        with self._sends:
            if self._stop.is_set() and not final:
                return
            result = send(self._state.call(metadata, problem, final), limits, self._parts.runtime)
        if final or not self._stop.is_set():
            self._state.sent(result)

    def _unhealthy(self) -> Optional[FloeError]:
        healthy = self._state.options.healthy
        if healthy is None:
            return None
        seconds = self._state.callback_seconds()
        outcome = self._call_callback(healthy, seconds)
        if outcome.done and outcome.error is None and outcome.value is True:
            return None
        said = "did not return True" if outcome.done and outcome.error is None else _problem(outcome, seconds)
        return unhealthy_error("unhealthy", f"healthy() {said}; no beats are sent")

    def _metadata(self) -> Tuple[Any, Optional[str]]:
        metadata = self._state.options.metadata
        if not callable(metadata):
            return metadata, None
        seconds = self._state.callback_seconds()
        outcome = self._call_callback(metadata, seconds)
        if outcome.done and outcome.error is None:
            return outcome.value, None
        return None, f"metadata() {_problem(outcome, seconds)}"

    def _call_callback(self, callback: Any, seconds: float) -> Outcome:
        """Calls a callback of the job with a time limit.

        While a callback hangs, no other callback is called, because their threads would accumulate. The last beat first
        waits for a callback that is running.
        """
        until = self._parts.runtime.monotonic() + seconds
        running = self._hanging
        if running is not None and not running.wait(seconds if self._stop.is_set() else 0):
            return Outcome(False)
        over = self._hanging = threading.Event()

        def run() -> Any:
            try:
                return callback()
            finally:
                over.set()

        return call_within(until - self._parts.runtime.monotonic(), run, "floe-callback")


def _problem(outcome: Outcome, seconds: float) -> str:
    if outcome.error is not None:
        return f"raised: {type(outcome.error).__name__}: {exception_message(outcome.error)}"
    return f"did not return within {round(seconds, 2):g} s"
