from __future__ import annotations

import sys
import threading
from typing import Any, Callable, List, NamedTuple, Optional


class Outcome(NamedTuple):
    """The result of a call with a time limit."""

    #: False if the call did not end in time.
    done: bool
    value: Any = None
    error: Optional[BaseException] = None


def start_daemon(work: Callable[[], None], name: str) -> Optional[threading.Thread]:
    """Starts a thread for which the interpreter does not wait. Returns None if no thread can be started."""
    if sys.is_finalizing():
        # The thread would never run, and start() would wait for it forever.
        return None
    thread = threading.Thread(target=work, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread


def call_within(seconds: float, work: Callable[[], Any], name: str) -> Outcome:
    """Calls ``work`` in a daemon thread and returns its result if it ends in time.

    Use it for work that cannot be interrupted, such as name resolution or a callback. Work that does not end in time
    continues in its thread. If no thread can be started, ``work`` is called in the current thread without a time limit.
    """
    outcomes: List[Outcome] = []
    over = threading.Event()

    def run() -> None:
        try:
            outcomes.append(Outcome(True, value=work()))
        except BaseException as error:  # passed to the caller
            outcomes.append(Outcome(True, error=error))
        over.set()

    if start_daemon(run, name) is None:
        run()
    over.wait(max(0.0, seconds))
    return outcomes[0] if outcomes else Outcome(False)
