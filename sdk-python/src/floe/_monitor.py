from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import inspect
import threading
from typing import Any, Callable, Hashable, List, Optional, Tuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: Called when a run has ended, with the exception that the job raised, or None if the job succeeded.
OnRunEnd = Callable[[Optional[BaseException]], None]


class Monitor:
    """Monitors a job, as a decorator or a context manager. The job may be ``async``.

    The caller gets the return value or the exception of the job unchanged.
    """

    def __init__(self, begin: Callable[[], OnRunEnd]) -> None:
        self._begin = begin
        #: The open runs with the contexts in which they began, oldest first. There is no lock, because a signal handler or
        #: the garbage collector can end another block of this object in the same thread at any time.
        self._open: List[Tuple[Hashable, OnRunEnd]] = []

    def __call__(self, job: F) -> F:
        return _wrapped(job, self._begin)  # type: ignore[return-value]

    def __enter__(self) -> "Monitor":
        self._open.append((_current_context(), self._begin()))
        return self

    def __exit__(self, _: Any, error: Optional[BaseException], __: Any) -> None:
        ended = self._close_run()
        if ended is not None:
            ended(_failure(error))

    def _close_run(self) -> Optional[OnRunEnd]:
        """Removes and returns the newest open run of the current thread and task, or of another one.

        A block can end in another thread or task than it began, for example in a generator or an exit stack.
        """
        context = _current_context()
        while True:
            newest_first = self._open[::-1]
            if not newest_first:
                return None
            run = next((run for run in newest_first if run[0] == context), newest_first[0])
            try:
                self._open.remove(run)
            except ValueError:  # another thread has closed it meanwhile
                continue
            return run[1]

    async def __aenter__(self) -> "Monitor":
        return self.__enter__()

    async def __aexit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        self.__exit__(kind, error, trace)


def _current_context() -> Hashable:
    """Identifies the current thread and task, because one object can be used in several of them at the same time."""
    try:
        task: Any = asyncio.current_task()
    except RuntimeError:
        task = None
    return (threading.get_ident(), id(task))


def _failure(error: Optional[BaseException]) -> Optional[BaseException]:
    """Returns the exception that makes a run fail, or None. ``sys.exit(0)`` and closing a generator are successes."""
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return None
    return None if isinstance(error, GeneratorExit) else error


def _wrapped(job: Callable[..., Any], begin: Callable[[], OnRunEnd]) -> Callable[..., Any]:
    if inspect.isasyncgenfunction(job):

        @functools.wraps(job)
        async def monitored_async_generator(*args: Any, **kwargs: Any) -> Any:
            run = _Run(begin())
            inner = job(*args, **kwargs)
            with run:
                try:
                    given = await inner.__anext__()
                    while True:
                        try:
                            sent = yield given
                        except GeneratorExit:
                            await inner.aclose()
                            raise
                        except BaseException as error:
                            given = await inner.athrow(error)
                        else:
                            given = await inner.asend(sent)
                except StopAsyncIteration:
                    return

        return monitored_async_generator
    if inspect.isgeneratorfunction(job):

        @functools.wraps(job)
        def monitored_generator(*args: Any, **kwargs: Any) -> Any:
            with _Run(begin()):
                return (yield from job(*args, **kwargs))

        return monitored_generator
    if inspect.iscoroutinefunction(job):

        @functools.wraps(job)
        async def monitored_coroutine(*args: Any, **kwargs: Any) -> Any:
            with _Run(begin()):
                return await job(*args, **kwargs)

        return monitored_coroutine

    @functools.wraps(job)
    def monitored(*args: Any, **kwargs: Any) -> Any:
        run = _Run(begin())
        with run:
            result = job(*args, **kwargs)
            if inspect.iscoroutine(result):
                # If a plain function returns a coroutine, the job ends when the coroutine ends.
                run.is_deferred = True
                return _awaited(result, run)
            if _is_future(result):
                # The caller gets the same future, which may already be done.
                run.is_deferred = True
                result.add_done_callback(run.end_with)
            return result

    return monitored


async def _awaited(result: Any, run: "_Run") -> Any:
    run.is_deferred = False
    with run:
        return await result


def _is_future(result: Any) -> bool:
    return asyncio.isfuture(result) or isinstance(result, concurrent.futures.Future)


class _Run:
    """Reports the end of one run exactly once."""

    def __init__(self, ended: OnRunEnd) -> None:
        self._ended = ended
        self.is_deferred = False

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: Any, error: Optional[BaseException], __: Any) -> None:
        if not self.is_deferred:
            self._ended(_failure(error))

    def end_with(self, future: Any) -> None:
        """Reports the end of a run whose job returned a future, such as an ``asyncio.Task``."""
        # `exception()` would mark the error as handled, and asyncio would no longer log it.
        error = asyncio.CancelledError() if future.cancelled() else _failure(future._exception)
        self._ended(error)
