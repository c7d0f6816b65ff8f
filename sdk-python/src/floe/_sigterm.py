from __future__ import annotations

import os
import signal
import threading
import time
import weakref
from typing import Any

from ._bounded import start_daemon
from ._loop import Heartbeat

#: The time limit for the last beats of all loops, in seconds.
_STOP_SECONDS = 2.5

#: The loops to stop. A loop that runs is referred to by its thread.
_loops: "weakref.WeakSet[Heartbeat]" = weakref.WeakSet()


def stop_on_sigterm(loop: Heartbeat) -> bool:
    """Registers a handler that sends the last beats of all loops on SIGTERM before the signal takes effect.

    Returns False if no handler can be registered, which is possible only in the main thread.
    """
    try:
        previous = signal.getsignal(signal.SIGTERM)
        if not getattr(previous, "_stops_floe_loops", False):
            signal.signal(signal.SIGTERM, _handler(previous))
        _loops.add(loop)
        return True
    except ValueError:
        return False


def _handler(previous: Any) -> Any:
    def handler(number: int, frame: Any) -> None:
        _stop_all()
        if callable(previous):
            previous(number, frame)
        elif previous != signal.SIG_IGN:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)

    handler._stops_floe_loops = True  # type: ignore[attr-defined]
    return handler


def _stop_all() -> None:
    """Stops the loops at the same time, in other threads, because the main thread may hold any lock when the signal arrives."""
    until = time.monotonic() + _STOP_SECONDS
    ends = [_stop(loop) for loop in list(_loops)]
    for ended in ends:
        ended.wait(max(0.0, until - time.monotonic()))


def _stop(loop: Heartbeat) -> threading.Event:
    ended = threading.Event()

    def run() -> None:
        try:
            loop.stop(final=True)
        finally:
            ended.set()

    if start_daemon(run, "floe-sigterm") is None:
        ended.set()
    return ended
