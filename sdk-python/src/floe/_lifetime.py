from __future__ import annotations

import atexit
import os
import sys
import time
import weakref
from typing import Any, Set

#: How long the interpreter waits at exit for beats that are being sent, in seconds.
EXIT_SECONDS = 5.0

# These sets contain the parts of clients and not the clients, because the program may drop a client while its beats are
# still being sent or its loops are running. The thread of a beat or a loop refers to its part.
_DELIVERIES: "weakref.WeakSet[Any]" = weakref.WeakSet()
_LOCK_HOLDERS: "weakref.WeakSet[Any]" = weakref.WeakSet()
_RUNNING_LOOPS: Set[Any] = set()


def flush_at_exit(delivery: Any) -> None:
    """Calls ``flush`` of the delivery before the interpreter ends."""
    _DELIVERIES.add(delivery)


def reset_after_fork(lock_holder: Any) -> None:
    """Calls ``after_fork`` in forked child processes."""
    _LOCK_HOLDERS.add(lock_holder)


def loop_started(loop: Any) -> None:
    """Calls ``_after_fork`` of the loop in forked child processes until ``loop_stopped``."""
    _RUNNING_LOOPS.add(loop)


def loop_stopped(loop: Any) -> None:
    _RUNNING_LOOPS.discard(loop)


def before_background_work() -> None:
    """Must be called before a beat is sent in the background, so that the end of the process waits for it.

    A forked process of ``multiprocessing`` ends with ``os._exit`` and calls only the finalizers of that module. It removes
    those of its parent process when it starts, so each process registers its own.
    """
    global _finalized_process
    # Another thread may be importing the module, which then has no `Finalize` yet.
    finalize: Any = getattr(sys.modules.get("multiprocessing.util"), "Finalize", None)
    if finalize is not None and _finalized_process != os.getpid():
        _finalized_process = os.getpid()
        finalize(None, _at_exit, exitpriority=0)


_finalized_process = 0
#: How long the end of this process may still wait, because ``multiprocessing`` and ``atexit`` can both call ``_at_exit``.
_exit_seconds_left = EXIT_SECONDS


def _at_exit() -> None:
    global _exit_seconds_left
    until = time.monotonic() + _exit_seconds_left
    for delivery in list(_DELIVERIES):
        delivery.flush(max(0.0, until - time.monotonic()))
    _exit_seconds_left = max(0.0, until - time.monotonic())


def _after_fork() -> None:
    global _exit_seconds_left
    _exit_seconds_left = EXIT_SECONDS
    for lock_holder in list(_LOCK_HOLDERS):
        lock_holder.after_fork()
    running = list(_RUNNING_LOOPS)
    # A loop that runs in the child process too adds itself again.
    _RUNNING_LOOPS.clear()
    for loop in running:
        loop._after_fork()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
