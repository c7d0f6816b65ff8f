from __future__ import annotations

import atexit
import os
import weakref
from typing import Any

#: Clients with ``flush`` and ``_after_fork``, for as long as somebody holds them.
_CLIENTS: "weakref.WeakSet[Any]" = weakref.WeakSet()


def follow(client: Any) -> None:
    """From now on the client sends what is under way before the interpreter ends, and knows when it is forked."""
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
