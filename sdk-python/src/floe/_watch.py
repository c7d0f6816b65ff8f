from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from typing import Any, Callable, Dict, Hashable, List, Optional, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: Told how a run ended: None for success, else what was raised.
Ended = Callable[[Optional[BaseException]], None]


class Monitor:
    """A job under watch, as a decorator or a context manager, plain or ``async``.

    What the job returns or raises reaches the caller unchanged.
    """

    def __init__(self, begin: Callable[[], Ended]) -> None:
        self._begin = begin
        self._open: Dict[Hashable, List[Ended]] = {}

    def __call__(self, job: F) -> F:
        return _wrapped(job, self._begin)  # type: ignore[return-value]

    def __enter__(self) -> "Monitor":
        self._open.setdefault(_place(), []).append(self._begin())
        return self

    def __exit__(self, _: Any, error: Optional[BaseException], __: Any) -> None:
        place = _place()
        runs = self._open.get(place, [])
        if runs:
            ended = runs.pop()
            if not runs:
                self._open.pop(place, None)
            ended(_failure(error))

    async def __aenter__(self) -> "Monitor":
        return self.__enter__()

    async def __aexit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        self.__exit__(kind, error, trace)


def _place() -> Hashable:
    """Where a ``with`` stands: one object may watch several threads and tasks at once."""
    try:
        task: Any = asyncio.current_task()
    except RuntimeError:
        task = None
    return (threading.get_ident(), id(task))


def _failure(error: Optional[BaseException]) -> Optional[BaseException]:
    """``sys.exit(0)`` is a success, and so is a generator its consumer has had enough of."""
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return None
    return None if isinstance(error, GeneratorExit) else error


def _wrapped(job: Callable[..., Any], begin: Callable[[], Ended]) -> Callable[..., Any]:
    if inspect.isasyncgenfunction(job):

        @functools.wraps(job)
        async def watched_steps(*args: Any, **kwargs: Any) -> Any:
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

        return watched_steps
    if inspect.isgeneratorfunction(job):

        @functools.wraps(job)
        def watched_generator(*args: Any, **kwargs: Any) -> Any:
            with _Run(begin()):
                return (yield from job(*args, **kwargs))

        return watched_generator
    if inspect.iscoroutinefunction(job):

        @functools.wraps(job)
        async def watched_coroutine(*args: Any, **kwargs: Any) -> Any:
            with _Run(begin()):
                return await job(*args, **kwargs)

        return watched_coroutine

    @functools.wraps(job)
    def watched(*args: Any, **kwargs: Any) -> Any:
        run = _Run(begin())
        with run:
            result = job(*args, **kwargs)
            if inspect.iscoroutine(result):
                # A plain function that hands out a coroutine: the job is over when that is.
                run.handed_on = True
                return _awaited(result, run)
            return result

    return watched


async def _awaited(result: Any, run: "_Run") -> Any:
    run.handed_on = False
    with run:
        return await result


class _Run:
    """Tells the end of one run, once."""

    def __init__(self, ended: Ended) -> None:
        self._ended = ended
        self.handed_on = False

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: Any, error: Optional[BaseException], __: Any) -> None:
        if not self.handed_on:
            self._ended(_failure(error))
