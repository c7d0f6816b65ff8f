from __future__ import annotations

import atexit
import os
import re
import sys
import threading
import weakref
from typing import Any, Callable, List, Mapping, Optional, TypeVar

from ._async_loop import AsyncHeartbeat, in_daemon
from ._bounded import start_daemon
from ._call import Account, Call, beat_call, signal_call
from ._errors import FloeConfigurationError, FloeConnectionError
from ._loop import Heartbeat
from ._pace import FINAL_SECONDS, LoopOptions, LoopParts, Metadata
from ._reports import OnError, Reports
from ._send import HeartbeatResult, Limits, failure, send, unforeseen
from ._signal import problem_of_beat_url
from ._sigterm import stop_on_sigterm as _stop_on_sigterm
from ._surroundings import Surroundings
from ._watch import Ended, Monitor

T = TypeVar("T")

_BUDGET_SECONDS = 20.0
_DEFAULT_EVERY_SECONDS = 60.0
#: Beats of watched jobs under way at once; more than this means that nothing gets through.
_MOST_UNDER_WAY = 100


class Floe:
    """Sends heartbeats to Floe.

    The constructor raises ``FloeConfigurationError`` when it can never work; after that nothing raises or waits in the
    job that is watched.

    ``api_key``: a platform key (``eis_…``) with the scope ``beat`` or ``monitoring``. ``base_url``: address of Floe; may
    carry a path. ``timeout_seconds``: how long one attempt may take. ``on_error``: told of every failed beat of this
    client; without it a line goes to the logger ``floe``, at most one per ten minutes and cause.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str = "http://127.0.0.1:3563",
        *,
        timeout_seconds: float = 5.0,
        on_error: Optional[OnError] = None,
        _around: Optional[Surroundings] = None,
    ) -> None:
        self._account = Account(_checked_key(api_key), _checked_address(base_url))
        self._timeout_seconds = _checked_seconds(timeout_seconds)
        self._around = _around or Surroundings()
        self._reports = Reports(self._around, on_error)
        self._loops: "weakref.WeakSet[Heartbeat]" = weakref.WeakSet()
        self._begin_counting()
        _CLIENTS.add(self)

    def heartbeat(self, monitor_id: str, metadata: Optional[Mapping[str, Any]] = None) -> HeartbeatResult:
        """One beat, with up to three retries within 20 seconds. Never raises.

        ``metadata``: a JSON object of up to 16 KB; what cannot be sent is left out and named in the result.
        """
        if not _is_id(monitor_id):
            return self._refuse(monitor_id)
        return self._deliver(lambda: beat_call(self._account, monitor_id, metadata, self._around.new_id()))

    async def heartbeat_async(
        self, monitor_id: str, metadata: Optional[Mapping[str, Any]] = None
    ) -> HeartbeatResult:
        """As ``heartbeat``, without holding up the event loop."""
        return await in_daemon(lambda: self.heartbeat(monitor_id, metadata))

    def start_heartbeat(
        self,
        monitor_id: str,
        *,
        every_seconds: float = _DEFAULT_EVERY_SECONDS,
        metadata: Metadata = None,
        healthy: Optional[Callable[[], bool]] = None,
        stall_after: Optional[float] = None,
        on_error: Optional[OnError] = None,
        beat_at_start: bool = True,
        stop_on_sigterm: bool = False,
        restart_after_fork: bool = False,
    ) -> Heartbeat:
        """Beats from now on, in a daemon thread, until the handle is stopped. Never raises.

        ``every_seconds``: half or a third of the monitor's expected interval. ``metadata``: sent with each beat; a
        function is asked for each one. ``healthy``: asked before each beat; anything but True in time keeps it back, so
        that the monitor fails. ``stall_after``: keep beats back when ``touch()`` was not called for this many seconds.
        ``stop_on_sigterm``: send a last beat, for two seconds at most, then let the signal do what it would have done.
        ``restart_after_fork``: also beat in forked children, which are silent otherwise.
        """
        options = self._options(
            monitor_id, every_seconds, metadata, healthy, stall_after, on_error, beat_at_start
        )
        loop = Heartbeat(monitor_id, options, self._parts(), restart_after_fork)
        if not _is_id(monitor_id):
            self._refuse(monitor_id, on_error)
            return loop
        self._loops.add(loop)
        if not loop._start():
            error = FloeConnectionError("no thread can be started", code="connection_failed")
            self._reports.failed(monitor_id, error, on_error)
        elif stop_on_sigterm and not _stop_on_sigterm(loop):
            self._reports.say(
                f"sigterm {monitor_id}", f"{monitor_id}: stop_on_sigterm works in the main thread only"
            )
        return loop

    def start_heartbeat_async(
        self,
        monitor_id: str,
        *,
        every_seconds: float = _DEFAULT_EVERY_SECONDS,
        metadata: Metadata = None,
        healthy: Optional[Callable[[], Any]] = None,
        stall_after: Optional[float] = None,
        on_error: Optional[OnError] = None,
        beat_at_start: bool = True,
    ) -> AsyncHeartbeat:
        """As ``start_heartbeat``, in a task of the running event loop: a blocked loop misses its beats.

        Callbacks may be ``async``. Call it from a coroutine; elsewhere the loop does not run and ``on_error`` is told.
        """
        options = self._options(
            monitor_id, every_seconds, metadata, healthy, stall_after, on_error, beat_at_start
        )
        loop = AsyncHeartbeat(monitor_id, options, self._parts())
        if not _is_id(monitor_id):
            self._refuse(monitor_id, on_error)
            return loop
        try:
            loop._start()
        except RuntimeError:
            error = FloeConfigurationError("start_heartbeat_async was called outside of a running event loop")
            self._reports.failed(monitor_id, error, on_error)
        return loop

    def monitor(
        self,
        monitor_id: str,
        *,
        metadata: Optional[Mapping[str, Any]] = None,
        beat_url: Optional[str] = None,
        on_error: Optional[OnError] = None,
    ) -> Monitor:
        """A job under watch: ``@floe.monitor("id")`` or ``with floe.monitor("id"):``, plain or ``async``.

        When the job succeeds a beat with its ``duration_ms`` goes out in the background; ``flush()`` waits for it, and so
        does the end of the interpreter, for five seconds at most. With ``beat_url``, the monitor's secret URL, start and
        failure are told as well; without it a job that fails sends nothing, and the monitor misses its beat.
        """

        def begin() -> Ended:
            started = self._around.monotonic()
            run_id = self._around.new_id()
            started_told = threading.Event()
            if beat_url is None:
                started_told.set()
            else:
                self._signal("start", monitor_id, beat_url, run_id, metadata, on_error, None, started_told)

            def ended(error: Optional[BaseException]) -> None:
                duration_ms = round((self._around.monotonic() - started) * 1000)
                told = {**(metadata or {}), "duration_ms": duration_ms}
                if beat_url is not None:
                    # The name of the error and not its text, which may hold what no monitor should know.
                    told = told if error is None else {**told, "error": type(error).__name__}
                    kind = "success" if error is None else "fail"
                    self._signal(kind, monitor_id, beat_url, run_id, told, on_error, started_told, None)
                elif error is None and _is_id(monitor_id):
                    self._in_background(lambda: beat_call(self._account, monitor_id, told, run_id), on_error)
                elif error is None:
                    self._refuse(monitor_id, on_error)

            return _guarded(ended, self._reports, monitor_id)

        return Monitor(lambda: _begun(begin, self._reports, monitor_id))

    def wrap(
        self,
        monitor_id: str,
        job: Callable[..., T],
        *,
        metadata: Optional[Mapping[str, Any]] = None,
        beat_url: Optional[str] = None,
        on_error: Optional[OnError] = None,
    ) -> Callable[..., T]:
        """``job`` as a function that runs under watch each time it is called."""
        return self.monitor(monitor_id, metadata=metadata, beat_url=beat_url, on_error=on_error)(job)

    def flush(self, timeout_seconds: float = 5.0) -> bool:
        """Waits for the beats under way; True when all are through. For programs that end by ``os._exit``."""
        with self._idle:
            return self._idle.wait_for(lambda: self._under_way == 0, timeout_seconds)

    def _signal(
        self,
        kind: str,
        monitor_id: str,
        beat_url: str,
        run_id: str,
        metadata: Optional[Mapping[str, Any]],
        on_error: Optional[OnError],
        after: Optional[threading.Event],
        then: Optional[threading.Event],
    ) -> None:
        wrong = problem_of_beat_url(beat_url)
        if wrong is not None:
            self._reports.failed(monitor_id, wrong, on_error)
            return

        def call() -> Call:
            if after is not None:
                after.wait(_BUDGET_SECONDS)
            return signal_call(beat_url, kind, monitor_id=monitor_id, run_id=run_id, metadata=metadata)

        self._in_background(call, on_error, then)

    def _in_background(
        self, make_call: Callable[[], Call], on_error: Optional[OnError], then: Optional[threading.Event] = None
    ) -> None:
        idle = self._idle
        problem: List[str] = []

        def done() -> None:
            if then is not None:
                then.set()
            with idle:
                self._under_way -= 1
                idle.notify_all()

        def work(budget_seconds: float = _BUDGET_SECONDS) -> None:
            try:
                self._deliver(make_call, on_error, budget_seconds)
            finally:
                done()

        with idle:
            if self._under_way >= _MOST_UNDER_WAY:
                problem.append(f"{_MOST_UNDER_WAY} beats are under way already; this one is dropped")
            else:
                self._under_way += 1
        if not problem and start_daemon(work, "floe-send") is None:
            # The interpreter is ending and the job with it: a moment here holds up nobody.
            work(FINAL_SECONDS)
        if problem:
            if then is not None:
                then.set()
            self._reports.failed("monitor", FloeConnectionError(problem[0], code="dropped"), on_error)

    def _deliver(
        self,
        make_call: Callable[[], Call],
        on_error: Optional[OnError] = None,
        budget_seconds: float = _BUDGET_SECONDS,
    ) -> HeartbeatResult:
        monitor_id = "monitor"
        try:
            if sys.is_finalizing():
                raise RuntimeError("the interpreter is ending")
            call = make_call()
            monitor_id = call.monitor_id
            result = send(call, Limits(self._timeout_seconds, budget_seconds), self._around)
        except Exception as error:
            result = unforeseen(error)
        if result.error is not None:
            self._reports.failed(monitor_id, result.error, on_error)
        if result.metadata_dropped is not None:
            self._reports.say(f"metadata {monitor_id}", f"{monitor_id}: {result.metadata_dropped}")
        return result

    def _options(
        self,
        monitor_id: str,
        every_seconds: float,
        metadata: Metadata,
        healthy: Optional[Callable[[], Any]],
        stall_after: Optional[float],
        on_error: Optional[OnError],
        beat_at_start: bool,
    ) -> LoopOptions:
        if not _is_positive(every_seconds):
            error = FloeConfigurationError(
                f"every_seconds is {every_seconds!r}, which is no interval; beating every {_DEFAULT_EVERY_SECONDS:g} s"
            )
            self._reports.failed(str(monitor_id), error, on_error)
            every_seconds = _DEFAULT_EVERY_SECONDS
        return LoopOptions(every_seconds, metadata, healthy, stall_after, on_error, beat_at_start)

    def _parts(self) -> LoopParts:
        return LoopParts(self._account, self._around, self._reports, self._timeout_seconds, _BUDGET_SECONDS)

    def _refuse(self, monitor_id: Any, on_error: Optional[OnError] = None) -> HeartbeatResult:
        shown = '""' if isinstance(monitor_id, str) else type(monitor_id).__name__
        error = FloeConfigurationError(f"the monitor id is {shown}; it must be a non-empty string")
        self._reports.failed(shown, error, on_error)
        return failure(error, 0)

    def _begin_counting(self) -> None:
        self._idle = threading.Condition()
        self._under_way = 0

    def _after_fork(self) -> None:
        self._reports.after_fork()
        self._begin_counting()
        for loop in list(self._loops):
            loop._after_fork()


def _begun(begin: Callable[[], Ended], reports: Reports, monitor_id: str) -> Ended:
    try:
        return begin()
    except Exception as error:  # a defect of this SDK must not keep the job from running
        reports.say(f"defect {monitor_id}", f"{monitor_id}: {error}")
        return lambda _: None


def _guarded(ended: Ended, reports: Reports, monitor_id: str) -> Ended:
    def told(error: Optional[BaseException]) -> None:
        try:
            ended(error)
        except Exception as defect:
            reports.say(f"defect {monitor_id}", f"{monitor_id}: {defect}")

    return told


def _is_id(monitor_id: Any) -> bool:
    return isinstance(monitor_id, str) and monitor_id != ""


def _is_positive(seconds: Any) -> bool:
    return isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 < seconds < float("inf")


def _checked_key(api_key: Any) -> str:
    """A header cannot carry anything else; ``http.client`` would refuse it later with the key in its message."""
    key = api_key.strip() if isinstance(api_key, str) else ""
    if not key:
        raise FloeConfigurationError('api_key is missing: Floe("eis_…")')
    if re.fullmatch(r"[\x21-\x7e]+", key) is None:
        raise FloeConfigurationError("api_key holds characters that no key has: spaces, line ends or accents")
    return key


def _checked_address(base_url: Any) -> str:
    text = base_url.strip() if isinstance(base_url, str) else ""
    if re.fullmatch(r"https?://[^/\s?#@]+(/[^\s?#]*)?", text, re.IGNORECASE) is None:
        raise FloeConfigurationError(
            "base_url must be an http(s) address such as https://floe.example.com, without user, query or fragment"
        )
    return text.rstrip("/")


def _checked_seconds(timeout_seconds: Any) -> float:
    if _is_positive(timeout_seconds):
        return float(timeout_seconds)
    raise FloeConfigurationError("timeout_seconds must be a positive number")


_CLIENTS: "weakref.WeakSet[Floe]" = weakref.WeakSet()


def _at_exit() -> None:
    for client in list(_CLIENTS):
        client.flush()


def _after_fork() -> None:
    for client in list(_CLIENTS):
        client._after_fork()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
