from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
import urllib.parse
from typing import Any, List, Tuple, Union

from ._answer import Received, origin_of
from ._bounded import call_within
from ._call import Call
from ._errors import FloeConnectionError, FloeError, FloeTimeoutError
from ._metadata import message_of

#: An answer to a beat has 300 bytes; whatever goes on beyond this is something else.
_LONGEST_ANSWER_BYTES = 65_536


def attempt(call: Call, timeout_seconds: float) -> Union[Received, FloeError]:
    """One request, name, connection, head and body of the answer within ``timeout_seconds``. Never raises.

    A connection of its own for each: nothing is shared with a forked child. Redirects are not followed.
    """
    deadline = _Deadline(timeout_seconds)
    try:
        return _exchange(call, deadline)
    except socket.timeout:
        return FloeTimeoutError(
            f"{origin_of(call.url)} did not send a complete response within {timeout_seconds * 1000:.0f} ms",
            code="timed_out",
            retryable=True,
        )
    except Exception as error:  # OSError, HTTPException, ValueError, UnicodeError: http.client raises many
        reason = message_of(error).replace(call.url, origin_of(call.url))
        return FloeConnectionError(
            f"{origin_of(call.url)} could not be reached, or the connection was lost: {type(error).__name__}: {reason}",
            code="connection_failed",
            retryable=True,
        )


class _Deadline:
    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left; raises ``socket.timeout`` when there are none, for 0 would mean "do not block"."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        return left


def _exchange(call: Call, deadline: _Deadline) -> Received:
    url = urllib.parse.urlsplit(call.url)
    secure = url.scheme.lower() == "https"
    host = url.hostname or ""
    port = url.port or (443 if secure else 80)
    sock = _connected(host, port, deadline)
    try:
        if secure:
            sock.settimeout(deadline.left())
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=host)
        connection = http.client.HTTPConnection(host, port)
        connection.sock = _DeadlineSocket(sock, deadline)
        target = urllib.parse.quote(url.path, safe="/%:@!$&'()*+,;=~-._")
        connection.putrequest("POST", f"{target}?{url.query}" if url.query else target, skip_host=True)
        # As it was written: http.client would add the port of https, which it takes for plain http.
        connection.putheader("host", url.netloc.encode("idna"))
        for name, value in call.headers.items():
            connection.putheader(name, value)
        connection.putheader("content-length", str(len(call.body)))
        connection.putheader("connection", "close")
        connection.endheaders(call.body)
        return _received(connection.getresponse())
    finally:
        sock.close()


def _received(response: http.client.HTTPResponse) -> Received:
    body = response.read(_LONGEST_ANSWER_BYTES + 1)
    too_long = len(body) > _LONGEST_ANSWER_BYTES
    if not too_long and response.length:
        # A short read of a body with a length is no error to http.client.
        raise http.client.IncompleteRead(body, response.length)
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Received(response.status, headers, body.decode("utf-8", "replace"), too_long)


def _connected(host: str, port: int, deadline: _Deadline) -> socket.socket:
    addresses = _resolved(host, port, deadline)
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        sock = socket.socket(family, kind, protocol)
        try:
            # A share of the time each, or a dead first address would leave none for the second.
            sock.settimeout(deadline.left() / (len(addresses) - index))
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError:
            sock.close()
            if index == len(addresses) - 1:
                raise
    raise OSError(f"{host} does not resolve to an address")


def _resolved(host: str, port: int, deadline: _Deadline) -> List[Tuple[Any, ...]]:
    """``getaddrinfo`` knows no timeout and may take half a minute."""
    outcome = call_within(
        deadline.left(), lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM), "floe-resolve"
    )
    if not outcome.done:
        raise socket.timeout("timed out")
    if outcome.error is not None:
        raise outcome.error
    found: List[Tuple[Any, ...]] = outcome.value
    return found


class _DeadlineSocket:
    """What ``http.client`` needs of a socket, all of it bounded by one deadline, not by one per read."""

    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self._deadline.left())
        self._sock.sendall(data)

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(_DeadlineReader(self._sock, self._deadline))

    def close(self) -> None:
        """The socket ends with its exchange; http.client would close it before the body is read."""


class _DeadlineReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self._deadline.left())
        return self._sock.recv_into(buffer)
