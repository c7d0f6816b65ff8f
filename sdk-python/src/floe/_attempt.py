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
from ._metadata import exception_message

#: A response to a beat has about 300 bytes. A longer response is not from Floe.
_LONGEST_ANSWER_BYTES = 65_536


def attempt(call: Call, timeout_seconds: float) -> Union[Received, FloeError]:
    """Sends one request and reads the response within ``timeout_seconds``. Never raises.

    The time limit includes name resolution and the connection. Each request uses a new connection, so that nothing is
    shared with a forked child process. Redirects are not followed.
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
        reason = exception_message(error).replace(call.url, origin_of(call.url))
        return FloeConnectionError(
            f"{origin_of(call.url)} could not be reached, or the connection was lost: {type(error).__name__}: {reason}",
            code="connection_failed",
            retryable=True,
        )


class _Deadline:
    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        """Returns the remaining seconds. Raises ``socket.timeout`` if there are none, because 0 would mean "do not block"."""
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
        # Set explicitly: http.client would add port 443, because it does not know that the connection uses TLS.
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
        # http.client does not report a body that is shorter than its content length.
        raise http.client.IncompleteRead(body, response.length)
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Received(response.status, headers, body.decode("utf-8", "replace"), too_long)


def _connected(host: str, port: int, deadline: _Deadline) -> socket.socket:
    addresses = _resolved(host, port, deadline)
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        sock = None
        try:
            # Fails for IPv6 addresses if the system does not support IPv6. The next address may be an IPv4 address.
            sock = socket.socket(family, kind, protocol)
            # Each address gets a share of the time. Otherwise, an unreachable first address would leave none for the second.
            sock.settimeout(deadline.left() / (len(addresses) - index))
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError:
            if sock is not None:
                sock.close()
            if index == len(addresses) - 1:
                raise
    raise OSError(f"{host} does not resolve to an address")


def _resolved(host: str, port: int, deadline: _Deadline) -> List[Tuple[Any, ...]]:
    """Resolves a host name within the deadline. ``getaddrinfo`` has no timeout and can take half a minute."""
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
    """A socket for ``http.client`` with one deadline for all operations instead of one timeout per operation."""

    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self._deadline.left())
        self._sock.sendall(data)

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(_DeadlineReader(self._sock, self._deadline))

    def close(self) -> None:
        """Does nothing, because http.client would close the socket before the body is read."""


class _DeadlineReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self._deadline.left())
        return self._sock.recv_into(buffer)
