"""A server in the place of the network, and time moved by hand."""

import json
import threading
from collections.abc import Mapping

from floe._answer import Received
from floe._runtime import Runtime


def answer(status=200, body=None, headers=None):
    text = body if isinstance(body, str) else json.dumps(body)
    return Received(status, {"content-type": "application/json", **(headers or {})}, text, False)


def committed(interval_seconds=3600):
    due = f"2026-11-21T{12 + interval_seconds // 3600:02d}:{interval_seconds % 3600 // 60:02d}:00.000Z"
    return answer(
        body={
            "ok": True,
            "monitor_id": "job",
            "beat_id": "beat_1",
            "received_at": "2026-11-21T12:00:00.000Z",
            "status": "healthy",
            "next_due_at": due,
        }
    )


class Unreadable(Mapping):
    """Metadata whose field raises an exception when it is read."""

    def __getitem__(self, key):
        raise ValueError("no")

    def __iter__(self):
        return iter(["host"])

    def __len__(self):
        return 1


class FakeRuntime(Runtime):
    """Waits pass at once and move the clock; a loop is told to stop when ``until`` is reached."""

    def __init__(self, until=None):
        self.calls = []
        self.lines = []
        self.waits = []
        self.time = 1000.0
        self.until = None if until is None else self.time + until
        self.draw = 0.5
        self.respond = lambda call, timeout: committed()
        self.on_wait = lambda: None
        self._ids = 0
        self._lock = threading.Lock()

    def now(self):
        return 1_795_262_400.0

    def monotonic(self):
        return self.time

    def wait(self, event, seconds):
        self.waits.append(seconds)
        if event.is_set():
            return True
        if self.until is not None and self.time + seconds > self.until:
            self.time = self.until
            return True
        self.time += seconds
        self.on_wait()
        return event.is_set()

    def random(self):
        return self.draw

    def new_id(self):
        with self._lock:
            self._ids += 1
            return f"beat-{self._ids}"

    def attempt(self, call, timeout_seconds):
        with self._lock:
            self.calls.append(call)
        return self.respond(call, timeout_seconds)

    def log(self, line):
        self.lines.append(line)

    def bodies(self):
        return [json.loads(call.body) for call in self.calls]
