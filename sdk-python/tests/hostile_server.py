"""Plays a case of ``hostile.json``: a raw TCP server that reads a request and does its steps."""

import socket
import struct
import threading


class HostileServer:
    def __init__(self, case):
        self._case = case
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._open = []
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self.requests = []
        self.origin = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()
        with self._lock:
            for connection in self._open:
                _shut(connection)

    def received(self, count, timeout=30):
        """Waits until that many requests have come."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.requests) >= count, timeout)

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._open.append(connection)
                first = len(self._open) == 1
            steps = self._case["steps"] if first else self._case.get("steps_after", self._case["steps"])
            threading.Thread(target=self._serve, args=(connection, steps), daemon=True).start()

    def _serve(self, connection, steps):
        try:
            request = _read_request(connection)
            with self._changed:
                self.requests.append(request)
                self._changed.notify_all()
            for step in steps:
                self._do(connection, step)
        except OSError:
            pass
        finally:
            _shut(connection)

    def _do(self, connection, step):
        if step.get("silence"):
            while connection.recv(4096):
                pass
        elif step.get("reset"):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        elif step.get("fin"):
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
        else:
            data = step["write"].replace("<origin>", self.origin).encode()
            for _ in range(step.get("times", 1)):
                connection.sendall(data)


def _shut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


def _read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            raise OSError("no request")
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    while len(body) < int(headers.get("content-length", 0)):
        part = connection.recv(65536)
        if not part:
            raise OSError("half a request")
        body += part
    method, path, _ = lines[0].split(" ")
    return {"method": method, "path": path, "headers": headers, "body": body}
