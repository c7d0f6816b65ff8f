from __future__ import annotations

import os
import signal
from typing import Any

from ._bounded import call_within
from ._loop import Heartbeat


def stop_on_sigterm(loop: Heartbeat) -> bool:
    """Registers a handler that sends the last beat of the loop on SIGTERM before the signal takes effect.

    Returns False if no handler can be registered, which is possible only in the main thread.
    """
    try:
        previous = signal.getsignal(signal.SIGTERM)

        def handler(number: int, frame: Any) -> None:
            # Runs in another thread, because the main thread may hold any lock when the signal arrives.
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
