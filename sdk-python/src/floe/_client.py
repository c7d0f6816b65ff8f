from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, TypeVar

from ._arguments import validate_base_url, validate_api_key, validate_timeout, is_monitor_id, is_positive
from ._async_loop import AsyncHeartbeat, run_in_daemon_thread
from ._call import Account, beat_call
from ._delivery import BUDGET_SECONDS, Delivery
from ._errors import FloeInvalidArgumentError, FloeConnectionError
from ._job import Job, RunDependencies, begin_run
from ._loop import Heartbeat
from ._loop_state import LoopOptions, LoopParts, Metadata
from ._failure_reporter import OnError, FailureReporter
from ._send import HeartbeatResult
from ._sigterm import stop_on_sigterm as _stop_on_sigterm
from ._runtime import Runtime
from ._monitor import Monitor

T = TypeVar("T")

_DEFAULT_EVERY_SECONDS = 60.0


class Floe:
    """Sends heartbeats to Floe.

    The constructor raises ``FloeInvalidArgumentError`` if an argument is not valid. After that, no method raises an
    exception or blocks the monitored job.

    ``api_key``: a platform key (``eis_…``) with the scope ``beat`` or ``monitoring``. ``base_url``: the URL of Floe, which
    may have a path. ``timeout_seconds``: the time limit of one attempt. ``on_error``: called for every failed beat of
    this client. Without it, the logger ``floe`` logs errors, at most once in ten minutes per cause.

    >>> floe = Floe(api_key, "https://floe.example")
    >>> with floe.monitor("nightly-backup"):
    ...     back_up()
    >>> floe.flush()
    True
    """

    def __init__(
        self,
        api_key: str,
        base_url: str = "http://127.0.0.1:3563",
        *,
        timeout_seconds: float = 5.0,
        on_error: Optional[OnError] = None,
        _runtime: Optional[Runtime] = None,
    ) -> None:
        self._account = Account(validate_api_key(api_key), validate_base_url(base_url))
        self._runtime = _runtime or Runtime()
        self._reporter = FailureReporter(self._runtime, on_error)
        self._delivery = Delivery(self._runtime, self._reporter, validate_timeout(timeout_seconds))

    def heartbeat(self, monitor_id: str, metadata: Optional[Mapping[str, Any]] = None) -> HeartbeatResult:
        """Sends one beat, with up to three retries within 20 seconds, and returns the result. Never raises.

        ``metadata``: a JSON object of up to 16 KB. Parts that cannot be sent are omitted and named in the result.

        >>> result = floe.heartbeat("invoices", {"rows": 120})
        >>> result.ok
        True
        >>> result.error is None
        True
        """
        if not is_monitor_id(monitor_id):
            return self._delivery.refuse(monitor_id)
        return self._delivery.deliver(
            lambda: beat_call(self._account, monitor_id, metadata, self._runtime.new_id())
        )

    async def heartbeat_async(
        self, monitor_id: str, metadata: Optional[Mapping[str, Any]] = None
    ) -> HeartbeatResult:
        """Sends one beat like ``heartbeat``, without blocking the event loop.

        >>> import asyncio
        >>> asyncio.run(floe.heartbeat_async("invoices")).ok
        True
        """
        return await run_in_daemon_thread(lambda: self.heartbeat(monitor_id, metadata))

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
        """Sends beats in a daemon thread until the returned handle is stopped. Never raises.

        ``every_seconds``: seconds between beats, a half or a third of the monitor's interval. ``metadata``: sent with each
        beat. If it is a function, it is called for each beat. ``healthy``: called before each beat. If it does not return
        True within the time limit, no beat is sent, so that the monitor fails. ``stall_after``: if ``touch()`` is not
        called for this many seconds, no beats are sent. ``stop_on_sigterm``: send a last beat on SIGTERM, within two
        seconds, before the signal takes effect. ``restart_after_fork``: also send beats in forked child processes.

        >>> beating = floe.start_heartbeat("queue-worker", every_seconds=30)
        >>> beating.running
        True
        >>> beating.stop()
        """
        options = self._options(
            monitor_id, every_seconds, metadata, healthy, stall_after, on_error, beat_at_start
        )
        loop = Heartbeat(monitor_id, options, self._parts(), restart_after_fork)
        if not is_monitor_id(monitor_id):
            self._delivery.refuse(monitor_id, on_error)
            return loop
        if not loop._start():
            error = FloeConnectionError("could not start a thread", code="connection_failed")
            self._reporter.report_failure(monitor_id, error, on_error)
        elif stop_on_sigterm and not _stop_on_sigterm(loop):
            self._reporter.log_limited(
                f"sigterm {monitor_id}", f"{monitor_id}: stop_on_sigterm works only in the main thread"
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
        """Sends beats like ``start_heartbeat``, in a task of the running event loop. A blocked event loop sends no beats.

        Callbacks may be ``async``. Must be called in a running event loop. Otherwise, no beats are sent, and ``on_error``
        is called.

        >>> import asyncio
        >>> async def work():
        ...     async with floe.start_heartbeat_async("queue-worker", every_seconds=30) as beating:
        ...         return beating.running
        >>> asyncio.run(work())
        True
        """
        options = self._options(
            monitor_id, every_seconds, metadata, healthy, stall_after, on_error, beat_at_start
        )
        loop = AsyncHeartbeat(monitor_id, options, self._parts())
        if not is_monitor_id(monitor_id):
            self._delivery.refuse(monitor_id, on_error)
            return loop
        try:
            loop._start()
        except RuntimeError:
            error = FloeInvalidArgumentError("start_heartbeat_async must be called in a running event loop")
            self._reporter.report_failure(monitor_id, error, on_error)
        return loop

    def monitor(
        self,
        monitor_id: str,
        *,
        metadata: Optional[Mapping[str, Any]] = None,
        beat_url: Optional[str] = None,
        on_error: Optional[OnError] = None,
    ) -> Monitor:
        """Monitors a job, as a decorator (``@floe.monitor("id")``) or a context manager (``with floe.monitor("id"):``).

        The job may be ``async``. If it succeeds, a beat with its ``duration_ms`` is sent in the background. ``flush()``
        waits for this beat. At exit, the interpreter waits for it too, at most five seconds. With ``beat_url``, the secret
        beat URL of the monitor, the start and a failure of the job are also reported. Without it, a failed job sends
        nothing, and the monitor misses its beat.

        >>> @floe.monitor("add-up")
        ... def add(one, other):
        ...     return one + other
        >>> add(1, 2)
        3
        >>> with floe.monitor("nightly-backup", metadata={"host": "db-1"}):
        ...     back_up()
        """

        dependencies = RunDependencies(self._account, self._runtime, self._reporter, self._delivery)
        job = Job(monitor_id, metadata, beat_url, on_error)
        return Monitor(lambda: begin_run(dependencies, job))

    def wrap(
        self,
        monitor_id: str,
        job: Callable[..., T],
        *,
        metadata: Optional[Mapping[str, Any]] = None,
        beat_url: Optional[str] = None,
        on_error: Optional[OnError] = None,
    ) -> Callable[..., T]:
        """Returns a function that calls ``job`` and sends a beat for each successful call.

        >>> total = floe.wrap("add-up", sum)
        >>> total([1, 2])
        3
        """
        return self.monitor(monitor_id, metadata=metadata, beat_url=beat_url, on_error=on_error)(job)

    def flush(self, timeout_seconds: float = 5.0) -> bool:
        """Waits until all beats that are being sent are delivered or failed. Returns False if the timeout passes first.

        Call it before ``os._exit``.

        >>> floe.flush(timeout_seconds=10)
        True
        """
        return self._delivery.flush(timeout_seconds)

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
        problems = []
        if not is_positive(every_seconds):
            problems.append(
                f"every_seconds must be a positive number, got {every_seconds!r}; using {_DEFAULT_EVERY_SECONDS:g} s"
            )
            every_seconds = _DEFAULT_EVERY_SECONDS
        if stall_after is not None and not is_positive(stall_after):
            problems.append(
                f"stall_after must be a positive number, got {stall_after!r}; a job that hangs is not detected"
            )
            stall_after = None
        if problems:
            # One error, because only the first error of a kind is logged.
            error = FloeInvalidArgumentError("; ".join(problems))
            self._reporter.report_failure(str(monitor_id), error, on_error)
        return LoopOptions(every_seconds, metadata, healthy, stall_after, on_error, beat_at_start)

    def _parts(self) -> LoopParts:
        return LoopParts(
            self._account, self._runtime, self._reporter, self._delivery.timeout_seconds, BUDGET_SECONDS
        )
