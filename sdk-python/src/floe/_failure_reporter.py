from __future__ import annotations

import threading
from typing import Any, Callable, Dict, Optional

from ._errors import FloeError
from ._lifetime import reset_after_fork
from ._runtime import Runtime

OnError = Callable[[FloeError], Any]

_REPEAT_AFTER_SECONDS = 600


class FailureReporter:
    """Passes errors to ``on_error``. Without ``on_error``, the logger ``floe`` logs one line for each error.

    The same line is logged again after ten minutes at the earliest. Exceptions of ``on_error`` are ignored.
    """

    def __init__(self, runtime: Runtime, on_error: Optional[OnError]) -> None:
        self._runtime = runtime
        self._on_error = on_error
        self._logged_at: Dict[str, float] = {}
        self.after_fork()
        reset_after_fork(self)

    def after_fork(self) -> None:
        """Replaces the lock, which a thread of the parent process may have held during the fork."""
        self._lock = threading.RLock()

    def report_failure(self, monitor_id: str, error: FloeError, on_error: Optional[OnError] = None) -> None:
        callback = on_error or self._on_error
        if callback is None:
            self.log_limited(f"monitor {monitor_id}: {error.code}", f"{monitor_id}: {error}")
            return
        try:
            callback(error)
        except Exception:  # an error in the callback of the job; beats continue
            pass

    def log_limited(self, about: str, line: str) -> None:
        """Logs a line, unless a line with the same ``about`` was logged in the last ten minutes."""
        now = self._runtime.monotonic()
        with self._lock:
            logged_at = self._logged_at.get(about)
            if logged_at is not None and now - logged_at < _REPEAT_AFTER_SECONDS:
                return
            # Codes come from the server. New codes in every response must not exhaust the memory.
            if len(self._logged_at) >= 1000:
                self._logged_at.clear()
            self._logged_at[about] = now
        try:
            self._runtime.log(f"floe: {line}")
        except Exception:  # the log itself failed, so there is no place to report this
            pass
