import asyncio
import gc
import inspect
import json
import sys
import threading
import types
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from floe import Floe, _lifetime, _monitor

from .fakes import FakeRuntime, answer

BEAT_URL = "https://floe.example.com/beat/secret-token/"


class Watch(unittest.TestCase):
    def setUp(self):
        self.runtime = FakeRuntime()
        self.client = Floe("eis_test_key", _runtime=self.runtime)

    def beats(self):
        self.assertTrue(self.client.flush(30))
        return self.runtime.bodies()

    def test_a_decorated_job_sends_one_beat_with_how_long_it_took(self):
        @self.client.monitor("job", metadata={"host": "a"})
        def job(by, *, and_by=0):
            """What it does."""
            self.runtime.time += 1.234
            return by + and_by

        self.assertEqual(job(1, and_by=2), 3)
        self.assertEqual((job.__name__, job.__doc__), ("job", "What it does."))
        self.assertEqual(
            self.beats(), [{"monitor_id": "job", "metadata": {"host": "a", "duration_ms": 1234}}]
        )

    def test_a_job_that_fails_keeps_its_error_and_sends_nothing(self):
        mine = KeyError("mine")

        @self.client.monitor("job")
        def job():
            raise mine

        for run in (job, self.in_context(mine), lambda: asyncio.run(self.in_async_context(mine))):
            with self.assertRaises(KeyError) as raised:
                run()
            self.assertIs(raised.exception, mine)
        self.assertEqual(self.beats(), [])

    def test_a_block_that_ends_in_another_thread_or_task_sends_its_beat(self):
        def generator():
            with self.client.monitor("job"):
                yield

        async def async_generator():
            async with self.client.monitor("job"):
                yield

        async def in_two_tasks():
            steps = async_generator()
            await asyncio.create_task(steps.__anext__())
            with self.assertRaises(StopAsyncIteration):
                await asyncio.create_task(steps.__anext__())

        steps = generator()
        with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
            one.submit(next, steps).result()
            other.submit(next, steps, None).result()
        asyncio.run(in_two_tasks())
        self.assertEqual(len(self.beats()), 2)

    def test_a_beat_is_sent_while_another_thread_imports_multiprocessing(self):
        half_imported = {"multiprocessing.util": types.ModuleType("multiprocessing.util")}
        with mock.patch.dict(sys.modules, half_imported), mock.patch.object(_lifetime, "_finalized_process", 0):
            with self.client.monitor("job"):
                pass
            self.assertEqual(len(self.beats()), 1)

    def test_blocks_of_one_object_that_overlap_send_one_beat_each(self):
        monitored = self.client.monitor("job")
        with ThreadPoolExecutor(1) as other:
            other.submit(monitored.__enter__).result()
            with monitored:
                other.submit(monitored.__enter__).result()
            for _ in range(2):
                monitored.__exit__(None, None, None)
            monitored.__exit__(None, None, None)
        self.assertEqual(len(self.beats()), 3)
        self.assertEqual(monitored._open, [])

    def test_a_block_can_end_while_another_block_of_the_same_object_begins_in_the_same_thread(self):
        monitored = self.client.monitor("job")

        def generator():
            with monitored:
                yield

        def interrupted():
            # As if a signal handler or the garbage collector ran here.
            with mock.patch.object(_monitor, "_current_context", current_context):
                steps.close()
            return current_context()

        def run():
            with mock.patch.object(_monitor, "_current_context", interrupted):
                monitored.__enter__()
            monitored.__exit__(None, None, None)

        current_context = _monitor._current_context
        steps = generator()
        next(steps)
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(10)
        self.assertFalse(thread.is_alive())
        self.assertEqual(len(self.beats()), 2)

    def in_context(self, error):
        def run():
            with self.client.monitor("job"):
                raise error

        return run

    async def in_async_context(self, error):
        async with self.client.monitor("job"):
            raise error

    def test_sys_exit_with_0_is_a_success_and_with_1_is_not(self):
        for code, count in ((1, 0), (0, 1), (None, 2)):
            with self.assertRaises(SystemExit), self.client.monitor("job"):
                raise SystemExit(code)
            self.assertEqual(len(self.beats()), count)

    def test_coroutines_are_awaited_and_stay_coroutines(self):
        @self.client.monitor("job")
        async def job():
            self.runtime.time += 2
            return "done"

        async def inner():
            return "handed on"

        self.assertTrue(inspect.iscoroutinefunction(job))
        self.assertEqual(asyncio.run(job()), "done")
        self.assertEqual(asyncio.run(self.client.wrap("job", lambda: inner())()), "handed on")
        took = sorted(beat["metadata"]["duration_ms"] for beat in self.beats())
        self.assertEqual(took, [0, 2000])

    def test_a_job_that_returns_a_future_ends_when_the_future_ends(self):
        async def inner(error):
            await asyncio.sleep(0)
            if error is not None:
                raise error

        async def run(error):
            task = self.client.wrap("job", lambda: asyncio.ensure_future(inner(error)))()
            self.assertIsInstance(task, asyncio.Task)
            await task

        asyncio.run(run(None))
        self.assertEqual(len(self.beats()), 1)
        with self.assertRaises(KeyError):
            asyncio.run(run(KeyError("mine")))
        with ThreadPoolExecutor(1) as pool:
            ended = self.client.wrap("job", lambda: pool.submit(int, "1"))()
            failed = self.client.wrap("job", lambda: pool.submit(int, "x"))()
        self.assertEqual(ended.result(), 1)
        self.assertIsInstance(failed.exception(), ValueError)
        self.assertEqual(len(self.beats()), 2)

    def test_the_error_of_a_task_that_nobody_awaits_is_still_logged(self):
        logged = []

        async def fail():
            raise KeyError("mine")

        async def run():
            asyncio.get_running_loop().set_exception_handler(lambda _, given: logged.append(given))
            self.client.wrap("job", lambda: asyncio.ensure_future(fail()))()
            for _ in range(3):
                await asyncio.sleep(0)
            gc.collect()

        asyncio.run(run())
        self.assertEqual([type(given["exception"]) for given in logged], [KeyError])
        self.assertEqual(self.beats(), [])

    def test_metadata_that_is_not_a_mapping_does_not_prevent_the_beat(self):
        class Broken:
            def keys(self):
                raise ValueError("no")

        for metadata in (["a"], "text", 5, Broken()):
            with self.client.monitor(str(metadata), metadata=metadata):
                pass
            self.assertEqual(list(self.beats()[-1]["metadata"]), ["duration_ms"])

    def test_a_cancelled_job_is_cancelled_and_sends_nothing(self):
        @self.client.monitor("job")
        async def job():
            await asyncio.sleep(3600)

        async def cancel():
            task = asyncio.ensure_future(job())
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(cancel())
        self.assertEqual(self.beats(), [])

    def test_generators_count_from_their_first_to_their_last_step(self):
        @self.client.monitor("job")
        def steps():
            told = yield 1
            yield told
            return "end"

        walk = steps()
        self.assertEqual(next(walk), 1)
        self.runtime.time += 0.5
        self.assertEqual(walk.send("two"), "two")
        self.assertEqual(self.beats(), [])
        with self.assertRaises(StopIteration) as stopped:
            next(walk)
        self.assertEqual(stopped.exception.value, "end")
        self.assertEqual(self.beats(), [{"monitor_id": "job", "metadata": {"duration_ms": 500}}])

    def test_async_generators_keep_what_is_sent_and_thrown_into_them(self):
        closed = []

        @self.client.monitor("job")
        async def steps():
            try:
                told = yield 1
                try:
                    yield told
                except KeyError:
                    yield "caught"
            finally:
                closed.append(True)

        async def walk():
            inner = steps()
            self.assertEqual(await inner.__anext__(), 1)
            self.assertEqual(await inner.asend("two"), "two")
            self.assertEqual(await inner.athrow(KeyError("x")), "caught")
            self.assertEqual([step async for step in inner], [])
            early = steps()
            await early.__anext__()
            await early.aclose()

        asyncio.run(walk())
        self.assertEqual(closed, [True, True])
        self.assertEqual(len(self.beats()), 2)

    def test_one_context_manager_serves_threads_and_nests(self):
        watched = self.client.monitor("job")
        inside = threading.Barrier(3)

        def work():
            with watched:
                inside.wait(30)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        with watched:
            inside.wait(30)
            with watched:
                pass
        for thread in threads:
            thread.join(30)
        self.assertEqual(len(self.beats()), 4)
        self.assertEqual(watched._open, [])

    def test_with_the_secret_url_start_success_and_failure_are_told_in_order_without_the_key(self):
        self.runtime.respond = lambda *_: answer(200, "OK", {"content-type": "text/plain"})
        with self.client.monitor("job", beat_url=BEAT_URL):
            pass
        self.client.flush(30)
        with self.assertRaises(IndexError), self.client.monitor("job", beat_url=BEAT_URL, metadata={"a": 1}):
            raise IndexError("secret detail")
        self.client.flush(30)
        seen = [(call.url.split("secret-token")[1], call.body.decode()) for call in self.runtime.calls]
        self.assertEqual(
            seen,
            [
                ("/start?rid=beat-1", ""),
                ("?rid=beat-1", '{"duration_ms":0}'),
                ("/start?rid=beat-2", '{"a":1}'),
                ("/fail?rid=beat-2", '{"a":1,"duration_ms":0,"error":"IndexError"}'),
            ],
        )
        self.assertTrue(all("x-api-key" not in call.headers for call in self.runtime.calls))
        self.assertEqual(len({call.headers["idempotency-key"] for call in self.runtime.calls}), 4)

    def test_the_end_of_a_run_ends_the_retries_of_its_start(self):
        answered = threading.Event()

        def respond(call, _):
            answered.set()
            return answer(503, "") if "/start" in call.url else answer(200, "OK", {"content-type": "text/plain"})

        self.runtime.respond = respond
        self.runtime.wait = lambda event, _: event.wait(30)
        with self.client.monitor("job", beat_url=BEAT_URL):
            answered.wait(30)
        self.assertTrue(self.client.flush(5))
        self.assertEqual([call.url.split("secret-token")[1] for call in self.runtime.calls], ["/start?rid=beat-1", "?rid=beat-1"])

    def test_no_line_names_the_secret_url(self):
        real = Floe("eis_test_key", _runtime=NoNetwork())
        for url in ("http://[broken/beat/secret-token", "secret-token"):
            with real.monitor("job", beat_url=url):
                pass
        self.assertTrue(real.flush(30))
        self.assertGreaterEqual(len(real._runtime.lines), 1)
        self.assertNotIn("secret-token", "".join(real._runtime.lines))

    def test_a_dead_server_holds_neither_job_nor_flush_and_is_not_piled_upon(self):
        gate = threading.Event()
        self.runtime.respond = lambda *_: (gate.wait(60), answer(503, ""))[1]
        errors = []
        job = self.client.wrap("job", lambda: 42, on_error=lambda error: errors.append(error.code))
        self.assertEqual([job() for _ in range(103)], [42] * 103)
        self.assertFalse(self.client.flush(0))
        self.assertEqual(errors, ["dropped"] * 3)
        gate.set()
        self.assertTrue(self.client.flush(60))


class NoNetwork(FakeRuntime):
    def attempt(self, call, timeout_seconds):
        from floe._attempt import attempt

        return attempt(call, timeout_seconds)


class Answers(unittest.TestCase):
    def test_a_page_is_no_answer_of_a_beat_url(self):
        runtime = FakeRuntime()
        runtime.respond = lambda *_: answer(200, "<html>", {"content-type": "text/html"})
        errors = []
        client = Floe("eis_test_key", on_error=lambda error: errors.append(error.code), _runtime=runtime)
        with client.monitor("job", beat_url=BEAT_URL):
            pass
        self.assertTrue(client.flush(30))
        self.assertEqual(errors, ["unexpected_response"] * 2)
        self.assertEqual(json.loads(runtime.calls[1].body), {"duration_ms": 0})
