from __future__ import annotations

import asyncio
import inspect
import threading
from typing import Any, Callable, Optional, Tuple, TypeVar

from ._bounded import start_daemon
from ._errors import FloeConnectionError, FloeError
from ._metadata import message_of
from ._pace import FINAL_SECONDS, LoopOptions, LoopParts, Pace, kept_back
from ._send import HeartbeatResult, Limits, failure, send

T = TypeVar("T")


async def in_daemon(work: Callable[[], HeartbeatResult]) -> HeartbeatResult:
    """Runs blocking work beside the event loop.

    A daemon thread and not ``asyncio.to_thread``: the default executor is the program's own, and at exit the interpreter
    waits for its threads. Cancelling leaves the work to end by itself.
    """
    loop = asyncio.get_running_loop()
    future: "asyncio.Future[HeartbeatResult]" = loop.create_future()

    def settle(result: HeartbeatResult) -> None:
        if not future.done():
            future.set_result(result)

    def run() -> None:
        result = work()
        try:
            loop.call_soon_threadsafe(settle, result)
        except RuntimeError:  # the event loop was closed meanwhile; nobody waits any more
            pass

    if start_daemon(run, "floe-send") is None:
        return failure(FloeConnectionError("could not start a thread", code="connection_failed"), 0)
    return await future


class AsyncHeartbeat:
    """A running loop in an asyncio task: it beats only while the event loop turns.

    Nothing in it raises; an async context manager that stops at its end.
    """

    def __init__(self, monitor_id: str, options: LoopOptions, parts: LoopParts) -> None:
        self._pace = Pace(monitor_id, options, parts)
        self._parts = parts
        self._stop = threading.Event()
        # A strong reference: the event loop itself keeps only a weak one.
        self._task: "Optional[asyncio.Task[None]]" = None

    @property
    def monitor_id(self) -> str:
        return self._pace.monitor_id

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def last_result(self) -> Optional[HeartbeatResult]:
        """Of the newest beat that was tried; None before the first."""
        return self._pace.last_result

    def touch(self) -> None:
        """The job made progress. Costs one reading of the clock.

        >>> import asyncio
        >>> async def work():
        ...     async with floe.start_heartbeat_async("queue-worker", stall_after=300) as beating:
        ...         beating.touch()
        >>> asyncio.run(work())
        """
        self._pace.touch()

    async def stop(self, *, final: bool = False) -> None:
        """Ends the loop. With ``final`` one last beat goes out within two seconds, marked ``"stopped": true``.

        >>> import asyncio
        >>> async def work():
        ...     beating = floe.start_heartbeat_async("queue-worker")
        ...     await beating.stop(final=True)
        ...     return beating.running
        >>> asyncio.run(work())
        False
        """
        was_running = self.running
        self._stop.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if not (final and was_running):
            return
        try:
            await asyncio.wait_for(self._final(), FINAL_SECONDS)
        except asyncio.TimeoutError:
            pass

    async def __aenter__(self) -> "AsyncHeartbeat":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.stop()

    def _start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        wait = self._pace.first_wait
        while True:
            await asyncio.sleep(wait)
            self._pace.begin()
            try:
                await self._beat()
            except Exception as error:  # a defect of this SDK; cancellation is not an Exception and passes
                self._pace.defect(error)
            wait = self._pace.next_wait()

    async def _beat(self) -> None:
        reason = self._pace.stalled() or await self._unhealthy()
        if reason is not None:
            self._pace.keep_back(reason)
            return
        await self._send(self._pace.limits(self._stop), final=False)

    async def _final(self) -> None:
        await self._send(Limits(FINAL_SECONDS, FINAL_SECONDS), final=True)

    async def _send(self, limits: Limits, final: bool) -> None:
        metadata, problem = await self._metadata()
        call = self._pace.call(metadata, problem, final)
        self._pace.sent(await in_daemon(lambda: send(call, limits, self._parts.around)))

    async def _unhealthy(self) -> Optional[FloeError]:
        healthy = self._pace.options.healthy
        if healthy is None:
            return None
        value, problem = await self._asked(healthy)
        if value is True:
            return None
        return kept_back("unhealthy", f"healthy() {problem or 'did not return True'}; no beats are sent")

    async def _metadata(self) -> Tuple[Any, Optional[str]]:
        metadata = self._pace.options.metadata
        if not callable(metadata):
            return metadata, None
        value, problem = await self._asked(metadata)
        return value, None if problem is None else f"metadata() {problem}"

    async def _asked(self, callback: Callable[[], Any]) -> Tuple[Any, Optional[str]]:
        """One of the job's own callbacks, plain or ``async``, in time."""
        seconds = self._pace.callback_seconds()
        try:
            value = callback()
            if inspect.isawaitable(value):
                value = await asyncio.wait_for(value, seconds)
            return value, None
        except asyncio.TimeoutError:
            return None, f"did not return within {seconds:g} s"
        except Exception as error:
            return None, f"raised: {type(error).__name__}: {message_of(error)}"
