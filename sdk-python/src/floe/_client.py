from __future__ import annotations

import weakref
from typing import Any, Callable, Mapping, Optional, TypeVar

from ._arguments import checked_address, checked_key, checked_seconds, is_id, is_positive
from ._async_loop import AsyncHeartbeat, in_daemon
from ._call import Account, beat_call
from ._delivery import BUDGET_SECONDS, Delivery
from ._errors import FloeConfigurationError, FloeConnectionError
from ._job import Job, Watcher, begin_run
from ._lifetime import follow
from ._loop import Heartbeat
from ._pace import LoopOptions, LoopParts, Metadata
from ._reports import OnError, Reports
from ._send import HeartbeatResult
from ._sigterm import stop_on_sigterm as _stop_on_sigterm
from ._surroundings import Surroundings
from ._watch import Monitor

T = TypeVar("T")

_DEFAULT_EVERY_SECONDS = 60.0


class Floe:
    """Sends heartbeats to Floe.

    The constructor raises ``FloeConfigurationError`` when it can never work; after that nothing raises or waits in the
    job that is watched.

    ``api_key``: a platform key (``eis_…``) with the scope ``beat`` or ``monitoring``. ``base_url``: address of Floe; may
    carry a path. ``timeout_seconds``: how long one attempt may take. ``on_error``: told of every failed beat of this
    client; without it a line goes to the logger ``floe``, at most one per ten minutes and cause.

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
        _around: Optional[Surroundings] = None,
    ) -> None:
        self._account = Account(checked_key(api_key), checked_address(base_url))
        self._around = _around or Surroundings()
        self._reports = Reports(self._around, on_error)
        self._delivery = Delivery(self._around, self._reports, checked_seconds(timeout_seconds))
        self._loops: "weakref.WeakSet[Heartbeat]" = weakref.WeakSet()
        follow(self)

    def heartbeat(self, monitor_id: str, metadata: Optional[Mapping[str, Any]] = None) -> HeartbeatResult:
        """One beat, with up to three retries within 20 seconds. Never raises.

        ``metadata``: a JSON object of up to 16 KB; what cannot be sent is left out and named in the result.

        >>> result = floe.heartbeat("invoices", {"rows": 120})
        >>> result.ok
        True
        >>> result.error is None
        True
        """
        if not is_id(monitor_id):
            return self._delivery.refuse(monitor_id)
        return self._delivery.deliver(
            lambda: beat_call(self._account, monitor_id, metadata, self._around.new_id())
        )

    async def heartbeat_async(
        self, monitor_id: str, metadata: Optional[Mapping[str, Any]] = None
    ) -> HeartbeatResult:
        """As ``heartbeat``, without blocking the event loop.

        >>> import asyncio
        >>> asyncio.run(floe.heartbeat_async("invoices")).ok
        True
        """
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

        >>> beating = floe.start_heartbeat("queue-worker", every_seconds=30)
        >>> beating.running
        True
        >>> beating.stop()
        """
        options = self._options(
            monitor_id, every_seconds, metadata, healthy, stall_after, on_error, beat_at_start
        )
        loop = Heartbeat(monitor_id, options, self._parts(), restart_after_fork)
        if not is_id(monitor_id):
            self._delivery.refuse(monitor_id, on_error)
            return loop
        self._loops.add(loop)
        if not loop._start():
            error = FloeConnectionError("could not start a thread", code="connection_failed")
            self._reports.failed(monitor_id, error, on_error)
        elif stop_on_sigterm and not _stop_on_sigterm(loop):
            self._reports.say(
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
        """As ``start_heartbeat``, in a task of the running event loop: a blocked loop misses its beats.

        Callbacks may be ``async``. Call it from a coroutine; elsewhere the loop does not run and ``on_error`` is told.

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
        if not is_id(monitor_id):
            self._delivery.refuse(monitor_id, on_error)
            return loop
        try:
            loop._start()
        except RuntimeError:
            error = FloeConfigurationError("start_heartbeat_async must be called in a running event loop")
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

        >>> @floe.monitor("add-up")
        ... def add(one, other):
        ...     return one + other
        >>> add(1, 2)
        3
        >>> with floe.monitor("nightly-backup", metadata={"host": "db-1"}):
        ...     back_up()
        """

        watcher = Watcher(self._account, self._around, self._reports, self._delivery)
        job = Job(monitor_id, metadata, beat_url, on_error)
        return Monitor(lambda: begin_run(watcher, job))

    def wrap(
        self,
        monitor_id: str,
        job: Callable[..., T],
        *,
        metadata: Optional[Mapping[str, Any]] = None,
        beat_url: Optional[str] = None,
        on_error: Optional[OnError] = None,
    ) -> Callable[..., T]:
        """``job`` as a function that runs under watch each time it is called.

        >>> total = floe.wrap("add-up", sum)
        >>> total([1, 2])
        3
        """
        return self.monitor(monitor_id, metadata=metadata, beat_url=beat_url, on_error=on_error)(job)

    def flush(self, timeout_seconds: float = 5.0) -> bool:
        """Waits for the beats under way; True when all are through. For programs that end by ``os._exit``.

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
        if not is_positive(every_seconds):
            error = FloeConfigurationError(
                f"every_seconds must be a positive number, got {every_seconds!r}; using {_DEFAULT_EVERY_SECONDS:g} s"
            )
            self._reports.failed(str(monitor_id), error, on_error)
            every_seconds = _DEFAULT_EVERY_SECONDS
        return LoopOptions(every_seconds, metadata, healthy, stall_after, on_error, beat_at_start)

    def _parts(self) -> LoopParts:
        return LoopParts(
            self._account, self._around, self._reports, self._delivery.timeout_seconds, BUDGET_SECONDS
        )

    def _after_fork(self) -> None:
        self._reports.after_fork()
        self._delivery.after_fork()
        for loop in list(self._loops):
            loop._after_fork()
