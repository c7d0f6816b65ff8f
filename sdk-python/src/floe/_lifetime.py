from __future__ import annotations

import atexit
import os
import weakref
from typing import Any

#: All clients that still exist.
_CLIENTS: "weakref.WeakSet[Any]" = weakref.WeakSet()


def register_client(client: Any) -> None:
    """Calls ``flush`` of the client before the interpreter ends, and ``_after_fork`` in forked child processes."""
    _CLIENTS.add(client)


def _at_exit() -> None:
    for client in list(_CLIENTS):
        client.flush()


def _after_fork() -> None:
    for client in list(_CLIENTS):
        client._after_fork()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
