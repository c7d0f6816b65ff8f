import asyncio
import threading
import unittest

from floe import Floe

from .fakes import FakeRuntime, Unreadable, answer, committed


class AsyncLoop(unittest.IsolatedAsyncioTestCase):
    """The event loop's own time is real here; intervals are an hour, so that one beat is one beat."""

    def client(self):
        self.runtime = FakeRuntime()
        self.sent = asyncio.Semaphore(0)
        loop = asyncio.get_running_loop()

        def respond(*_):
            loop.call_soon_threadsafe(self.sent.release)
            return committed(7200)

        self.runtime.respond = respond
        return Floe("eis_test_key", _runtime=self.runtime)

    async def test_it_beats_at_once_and_async_callbacks_are_awaited(self):
        async def metadata():
            return {"n": 1}

        async def healthy():
            return True

        client = self.client()
        async with client.start_heartbeat_async(
            "job", every_seconds=3600, metadata=metadata, healthy=healthy
        ) as loop:
            await asyncio.wait_for(self.sent.acquire(), 30)
            self.assertTrue(loop.running)
        self.assertFalse(loop.running)
        self.assertEqual(self.runtime.bodies(), [{"monitor_id": "job", "metadata": {"n": 1}}])

    async def test_callbacks_that_fail_or_hang_are_told_and_the_loop_goes_on(self):
        async def hangs():
            await asyncio.sleep(3600)

        def fails():
            raise RuntimeError("no")

        async def swallows_its_cancellation():
            while not over.is_set():
                try:
                    await over.wait()
                except asyncio.CancelledError:
                    pass

        async def awaits_a_canceled_task():
            task = asyncio.ensure_future(asyncio.sleep(3600))
            task.cancel()
            await task

        def is_canceled():
            raise asyncio.CancelledError

        over = asyncio.Event()
        self.addCleanup(over.set)
        canceled = (swallows_its_cancellation, awaits_a_canceled_task, is_canceled)
        for healthy in (hangs, fails, lambda: False, lambda: 1, *canceled):
            told = asyncio.Event()
            errors = []

            def on_error(error, told=told, errors=errors):
                errors.append(error.code)
                told.set()

            client = self.client()
            client._delivery.timeout_seconds = 0.01
            loop = client.start_heartbeat_async("job", every_seconds=3600, healthy=healthy, on_error=on_error)
            await asyncio.wait_for(told.wait(), 30)
            self.assertTrue(loop.running)
            await loop.stop()
            self.assertEqual((errors, self.runtime.calls), (["unhealthy"], []))

    async def test_a_blocked_event_loop_owes_one_beat(self):
        client = self.client()
        loop = client.start_heartbeat_async("job", every_seconds=3600)
        await asyncio.wait_for(self.sent.acquire(), 30)
        while loop.last_result is None:
            await asyncio.sleep(0)
        state = loop._state
        self.runtime.time += 10 * 3600 + 1800
        state.begin()
        self.assertEqual(state.next_wait(), 1800)
        await loop.stop()

    async def test_stop_sends_a_marked_last_beat_and_cancelling_is_cancelling(self):
        client = self.client()
        loop = client.start_heartbeat_async("job", every_seconds=3600, beat_at_start=False)
        await loop.stop(final=True)
        await loop.stop(final=True)
        self.assertEqual(self.runtime.bodies(), [{"monitor_id": "job", "metadata": {"stopped": True}}])
        for metadata in (lambda: asyncio.sleep(30), Unreadable()):
            client = self.client()
            loop = client.start_heartbeat_async("job", metadata=metadata, beat_at_start=False)
            await loop.stop(final=True)
            self.assertEqual(self.runtime.bodies(), [{"monitor_id": "job", "metadata": {"stopped": True}}])
        other = client.start_heartbeat_async("job", every_seconds=3600, beat_at_start=False)
        await asyncio.sleep(0)
        other._task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await other._task

    async def test_no_last_beat_is_sent_for_a_job_that_hangs_or_is_not_healthy(self):
        for options, code in (({"stall_after": 5}, "stalled"), ({"healthy": lambda: False}, "unhealthy")):
            client = self.client()
            errors = []
            loop = client.start_heartbeat_async(
                "job", beat_at_start=False, on_error=lambda error: errors.append(error.code), **options
            )
            self.runtime.time += 10
            await loop.stop(final=True)
            self.assertEqual((self.runtime.calls, errors), ([], [code]))

    async def test_a_hanging_server_holds_up_neither_the_event_loop_nor_stop(self):
        gate = threading.Event()
        client = self.client()
        self.runtime.respond = lambda *_: (gate.wait(60), answer(503, ""))[1]
        loop = client.start_heartbeat_async("job", every_seconds=3600)
        while not self.runtime.calls:
            await asyncio.sleep(0)
        await asyncio.wait_for(loop.stop(), 30)
        beat = asyncio.ensure_future(client.heartbeat_async("job"))
        while len(self.runtime.calls) < 2:
            await asyncio.sleep(0)
        beat.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await beat
        gate.set()


class NoEventLoop(unittest.TestCase):
    def test_outside_of_an_event_loop_it_is_told_not_raised(self):
        errors = []
        client = Floe("eis_test_key", on_error=errors.append, _runtime=FakeRuntime())
        loop = client.start_heartbeat_async("job")
        self.assertFalse(loop.running)
        self.assertEqual([error.code for error in errors], ["invalid_argument"])
