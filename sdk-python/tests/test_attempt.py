"""How one request reaches its server."""

import socket
import unittest
from unittest import mock

from floe import Floe

from .golden import golden
from .hostile_server import HostileServer

CASES = {case["name"]: case for case in golden("hostile")}


class Attempt(unittest.TestCase):
    def test_without_ipv6_the_ipv4_address_of_a_host_is_used(self):
        create = socket.socket

        def without_ipv6(family=-1, *rest, **options):
            if family == socket.AF_INET6:
                raise OSError(97, "Address family not supported by protocol")
            return create(family, *rest, **options)

        with HostileServer(CASES["healthy"]) as server:
            port = int(server.origin.rsplit(":", 1)[1])
            found = [
                (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", port, 0, 0)),
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)),
            ]
            with mock.patch("socket.getaddrinfo", lambda *_, **__: found), mock.patch("socket.socket", without_ipv6):
                result = Floe("eis_test_key", server.origin, on_error=lambda _: None).heartbeat("job")
            self.assertTrue(result.ok, result.error)


if __name__ == "__main__":
    unittest.main()
