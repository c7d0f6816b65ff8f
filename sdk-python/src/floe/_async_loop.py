from __future__ import annotations

import asyncio
import inspect
import threading
from typing import Any, Callable, Optional, Tuple, TypeVar

from ._bounded import start_daemon
from ._errors import FloeConnectionError, FloeError
from ._metadata import exception_message
from ._loop_state import FINAL_SECONDS, LoopOptions, LoopParts, LoopState, unhealthy_error
from ._send import HeartbeatResult, Limits, failure, send

T = TypeVar("T")


async def run_in_daemon_thread(work: Callable[[], HeartbeatResult]) -> HeartbeatResult:
    """Runs blocking work in a daemon thread, so that it does not block the event loop.

    Does not use ``asyncio.to_thread``: the program uses the default executor too, and the interpreter waits for its
    threads at exit. If the caller is canceled, the work continues in its thread.
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
        except RuntimeError:  # the event loop was closed meanwhile, so no one waits for the result
            pass

    if start_daemon(run, "floe-send") is None:
        return failure(FloeConnectionError("could not start a thread", code="connection_failed"), 0)
    return await future


class AsyncHeartbeat:
    """Controls a heartbeat loop that runs in an asyncio task. It sends beats only while the event loop is not blocked.

    Its methods do not raise. It is also an async context manager, which stops the loop at the end of the block.
    """

    def __init__(self, monitor_id: str, options: LoopOptions, parts: LoopParts) -> None:
        self._state = LoopState(monitor_id, options, parts)
        self._parts = parts
        self._stop = threading.Event()
        # A strong reference is required, because the event loop has only a weak one.
        self._task: "Optional[asyncio.Task[None]]" = None

    @property
    def monitor_id(self) -> str:
        return self._state.monitor_id

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def last_result(self) -> Optional[HeartbeatResult]:
        """The result of the last beat, or None before the first beat."""
        return self._state.last_result

    def touch(self) -> None:
        """Reports that the job makes progress. It only reads the clock, so it can be called often.

        >>> import asyncio
        >>> async def work():
        ...     async with floe.start_heartbeat_async("queue-worker", stall_after=300) as beating:
        ...         beating.touch()
        >>> asyncio.run(work())
        """
        self._state.touch()

    async def stop(self, *, final: bool = False) -> None:
        """Ends the loop. With ``final``, sends a last beat within two seconds, with ``"stopped": true`` in its metadata.

        Sends no last beat if the loop withholds beats because of ``healthy`` or ``stall_after``.

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
        wait = self._state.first_wait
        while True:
            await asyncio.sleep(wait)
            self._state.begin()
            try:
                await self._beat()
            except Exception as error:  # a defect of this SDK; cancellation is not an Exception, so it is not caught
                self._state.defect(error)
            wait = self._state.next_wait()

    async def _beat(self) -> None:
        reason = self._state.stalled() or await self._unhealthy()
        if reason is not None:
            self._state.skip_beat(reason)
            return
        await self._send(self._state.limits(self._stop), final=False)

    async def _final(self) -> None:
        self._state.begin_final()
        reason = self._state.stalled() or await self._unhealthy()
        if reason is not None:
            self._state.skip_beat(reason)
            return
        await self._send(Limits(FINAL_SECONDS, FINAL_SECONDS), final=True)

    async def _send(self, limits: Limits, final: bool) -> None:
        metadata, problem = await self._metadata()
        call = self._state.call(metadata, problem, final)
        self._state.sent(await run_in_daemon_thread(lambda: send(call, limits, self._parts.runtime)))

    async def _unhealthy(self) -> Optional[FloeError]:
        healthy = self._state.options.healthy
        if healthy is None:
            return None
        value, problem = await self._call_callback(healthy, self._state.callback_seconds())
        if value is True:
            return None
        return unhealthy_error("unhealthy", f"healthy() {problem or 'did not return True'}; no beats are sent")

    async def _metadata(self) -> Tuple[Any, Optional[str]]:
        metadata = self._state.options.metadata
        if not callable(metadata):
            return metadata, None
        value, problem = await self._call_callback(metadata, self._state.callback_seconds())
        return value, None if problem is None else f"metadata() {problem}"

    async def _call_callback(self, callback: Callable[[], Any], seconds: float) -> Tuple[Any, Optional[str]]:
        """Calls a callback of the job, which may be ``async``. Returns its result, or why there is none within the time limit."""
        try:
            value = callback()
            if not inspect.isawaitable(value):
                return value, None
            work = asyncio.ensure_future(value)
        except (Exception, asyncio.CancelledError) as error:
            return None, _raised(error)
        try:
            # Unlike wait_for, this raises CancelledError only if the loop is canceled, and not if the callback is.
            await asyncio.wait([work], timeout=seconds)
        finally:
            work.cancel()
            work.add_done_callback(_outcome_of)
        if not work.done():
            return None, f"did not return within {round(seconds, 2):g} s"
        return _outcome_of(work)


def _outcome_of(work: "asyncio.Future[Any]") -> Tuple[Any, Optional[str]]:
    """Returns the result of a callback, or why there is none. Marks its exception as handled."""
    if work.cancelled():
        return None, _raised(asyncio.CancelledError())
    error = work.exception()
    return (work.result(), None) if error is None else (None, _raised(error))


def _raised(error: BaseException) -> str:
    return f"raised: {type(error).__name__}: {exception_message(error)}"
