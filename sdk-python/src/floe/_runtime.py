from __future__ import annotations

import logging
import random
import threading
import time
import uuid
from typing import Union

from ._answer import Received
from ._attempt import attempt
from ._call import Call
from ._errors import FloeError

_LOG = logging.getLogger("floe")


class Runtime:
    """The functions of the interpreter that the SDK uses. Tests replace them."""

    def now(self) -> float:
        """Returns the time of the wall clock in seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Waits until the event is set or the time has passed. Returns whether the event is set."""
        # A lock cannot wait longer than TIMEOUT_MAX, which is only minutes on some platforms.
        until = time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            if event.wait(max(0.0, min(left, threading.TIMEOUT_MAX))):
                return True
            if left <= threading.TIMEOUT_MAX:
                return False

    def random(self) -> float:
        return random.random()

    def new_id(self) -> str:
        """Returns a new UUID, which identifies a run, or a beat with all its retries."""
        return str(uuid.uuid4())

    def attempt(self, call: Call, timeout_seconds: float) -> Union[Received, FloeError]:
        return attempt(call, timeout_seconds)

    def log(self, line: str) -> None:
        _LOG.warning(line)
