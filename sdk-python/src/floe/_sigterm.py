from __future__ import annotations

import os
import signal
from typing import Any

from ._bounded import call_within
from ._loop import Heartbeat


def stop_on_sigterm(loop: Heartbeat) -> bool:
    """On SIGTERM sends the loop's last beat, then does what the signal would have done without it.

    False where no handler can be set: outside of the main thread.
    """
    try:
        previous = signal.getsignal(signal.SIGTERM)

        def handler(number: int, frame: Any) -> None:
            # In a thread of its own: the main thread may hold any lock at the moment a signal comes.
            call_within(2.5, lambda: loop.stop(final=True), "floe-sigterm")
            if callable(previous):
                previous(number, frame)
            elif previous != signal.SIG_IGN:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                os.kill(os.getpid(), signal.SIGTERM)

        signal.signal(signal.SIGTERM, handler)
        return True
    except ValueError:
        return False
