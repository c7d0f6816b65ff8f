from __future__ import annotations

import sys
import threading
from typing import Any, Callable, List, NamedTuple, Optional


class Outcome(NamedTuple):
    #: False: still running when the time was over, or it could not be started.
    done: bool
    value: Any = None
    error: Optional[BaseException] = None


def start_daemon(work: Callable[[], None], name: str) -> Optional[threading.Thread]:
    """A thread that no interpreter waits for; None when there can be none any more (shutdown, limits)."""
    if sys.is_finalizing():
        # It would never run, and start() would wait for it for ever.
        return None
    thread = threading.Thread(target=work, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread


def call_within(seconds: float, work: Callable[[], Any], name: str) -> Outcome:
    """What ``work`` gives or raises, if it does in time. For what cannot be interrupted: a resolver, a callback.

    A call that is late is left behind in its daemon thread. Where no thread can be had, it is made here and now.
    """
    outcomes: List[Outcome] = []
    over = threading.Event()

    def run() -> None:
        try:
            outcomes.append(Outcome(True, value=work()))
        except BaseException as error:  # told to the caller, in its own thread
            outcomes.append(Outcome(True, error=error))
        over.set()

    if start_daemon(run, name) is None:
        run()
    over.wait(max(0.0, seconds))
    return outcomes[0] if outcomes else Outcome(False)
