from __future__ import annotations

import threading
from typing import Any, Callable, Dict, Optional

from ._errors import FloeError
from ._surroundings import Surroundings

OnError = Callable[[FloeError], Any]

_REPEAT_AFTER_SECONDS = 600


class Reports:
    """Where failures go: to ``on_error`` when there is one, else to one log line (logger ``floe``).

    The line is said again after ten minutes at the earliest. What ``on_error`` raises goes no further.
    """

    def __init__(self, around: Surroundings, on_error: Optional[OnError]) -> None:
        self._around = around
        self._on_error = on_error
        self._said_at: Dict[str, float] = {}
        self.after_fork()

    def after_fork(self) -> None:
        """The parent may have held the lock at the moment of the fork."""
        self._lock = threading.RLock()

    def failed(self, monitor_id: str, error: FloeError, on_error: Optional[OnError] = None) -> None:
        told = on_error or self._on_error
        if told is None:
            self.say(f"monitor {monitor_id}: {error.code}", f"{monitor_id}: {error}")
            return
        try:
            told(error)
        except Exception:  # the job's own mistake in its own callback; beating goes on
            pass

    def say(self, about: str, line: str) -> None:
        """A line for the log, unless one about the same thing was said in the last ten minutes."""
        now = self._around.monotonic()
        with self._lock:
            said_at = self._said_at.get(about)
            if said_at is not None and now - said_at < _REPEAT_AFTER_SECONDS:
                return
            # Codes come from a server: a new one with every answer must not fill the memory.
            if len(self._said_at) >= 1000:
                self._said_at.clear()
            self._said_at[about] = now
        try:
            self._around.log(f"floe: {line}")
        except Exception:  # nothing left to tell it to
            pass
