import asyncio
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from floe import Floe
from floe._runtime import Runtime

from .golden import golden
from .hostile_server import HostileServer

PATH = "/api/monitoring/heartbeat"


class Impatient(Runtime):
    """The real world, but waits between attempts pass at once."""

    def random(self):
        return 0.0

    def wait(self, event, seconds):
        return super().wait(event, 0.0 if seconds <= 1 else seconds)

    def log(self, line):
        pass


class Nowhere:
    """The server of a case that has none."""

    requests = ()

    def __init__(self, case):
        self.origin = f"http://{case['host']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def against(case):
    server = Nowhere(case) if "host" in case else HostileServer(case)
    client = Floe(
        "eis_test_key",
        server.origin,
        timeout_seconds=case["timeout_seconds"],
        on_error=lambda _: None,
        _runtime=Impatient(),
    )
    return client, server


class Hostile(unittest.TestCase):
    """One list for every SDK: the job under watch never fails, hangs or is delayed."""

    def each(self, play):
        cases = golden("hostile")
        with ThreadPoolExecutor(8) as pool:
            for case, done in [(case, pool.submit(play, case)) for case in cases]:
                with self.subTest(case["name"]):
                    done.result(60)

    def check(self, case, result, server):
        expect = case["expect"]
        error = result.error
        self.assertEqual(result.ok, expect["ok"], error)
        self.assertEqual(result.attempts, expect["attempts"], error)
        self.assertEqual(None if error is None else type(error).__name__, expect.get("class"), error)
        self.assertEqual(None if error is None else error.code, expect.get("code"))
        if "host" in case:
            return
        # On a busy machine a short attempt can be over before its request arrives.
        arrived = len(server.requests)
        few = case["timeout_seconds"] < 1 and arrived < expect["attempts"]
        self.assertTrue(arrived == expect["attempts"] or few, arrived)
        self.assertEqual({request["path"] for request in server.requests} - {PATH}, set())
        hosts = {request["headers"]["host"] for request in server.requests}
        self.assertEqual(hosts - {server.origin.split("//")[1]}, set())
        names = {request["headers"]["idempotency-key"] for request in server.requests}
        self.assertEqual(len(names), min(1, arrived))

    def test_a_beat_ends_with_a_result_and_never_raises(self):
        def play(case):
            client, server = against(case)
            with server:
                self.check(case, client.heartbeat("job"), server)

        self.each(play)

    def test_an_async_beat_too(self):
        def play(case):
            client, server = against(case)
            with server:
                self.check(case, asyncio.run(client.heartbeat_async("job")), server)

        self.each(play)

    def test_the_job_under_watch_keeps_its_value_its_error_and_its_time(self):
        def play(case):
            client, server = against(case)
            with server:
                mine = ValueError("the job's own")

                def failing():
                    raise mine

                self.assertEqual(client.wrap("job", lambda: 42)(), 42)
                with self.assertRaises(ValueError) as raised:
                    client.wrap("job", failing)()
                self.assertIs(raised.exception, mine)
                with client.monitor("job"):
                    pass
                self.assertTrue(client.flush(50))
                self.assertEqual({request["path"] for request in server.requests} - {PATH}, set())

        self.each(play)

    def test_a_loop_tells_on_error_goes_on_and_stops_when_told(self):
        def play(case):
            client, server = against(case)
            with server:
                told = threading.Event()
                loop = client.start_heartbeat("job", every_seconds=3600, on_error=lambda _: told.set())
                if case["expect"]["ok"]:
                    while loop.last_result is None:
                        told.wait(0.01)
                else:
                    self.assertTrue(told.wait(50))
                self.assertTrue(loop.running)
                self.check(case, loop.last_result, server)
                loop.stop()
                self.assertFalse(loop.running)

        self.each(play)
