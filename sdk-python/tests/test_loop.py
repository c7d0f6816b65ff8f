import threading
import unittest

from floe import Floe, FloeTimeoutError

from .fakes import FakeRuntime, Unreadable, answer, committed


def run(runtime, errors=None, **options):
    """A loop from its start until the fake time is over."""
    client = Floe("eis_test_key", _runtime=runtime)
    if errors is not None:
        options["on_error"] = lambda error: errors.append(error.code)
    loop = client.start_heartbeat("job", **{"every_seconds": 60, **options})
    loop._thread.join(30)
    assert not loop._thread.is_alive()
    return loop


class Loop(unittest.TestCase):
    def test_it_beats_at_once_and_then_once_per_interval_with_fresh_metadata(self):
        runtime = FakeRuntime(until=180)
        count = iter(range(1, 100))
        run(runtime, metadata=lambda: {"n": next(count)})
        self.assertEqual(
            runtime.bodies(), [{"monitor_id": "job", "metadata": {"n": n}} for n in (1, 2, 3, 4)]
        )
        self.assertEqual(len({call.headers["idempotency-key"] for call in runtime.calls}), 4)

    def test_jitter_never_adds_up(self):
        for draw in (0.0, 0.5, 0.999):
            runtime = FakeRuntime(until=3603.001)
            runtime.draw = draw
            run(runtime)
            self.assertEqual(len(runtime.calls), 61, draw)

    def test_without_a_beat_at_the_start_the_first_comes_after_a_random_part(self):
        runtime = FakeRuntime(until=30)
        run(runtime, beat_at_start=False)
        self.assertEqual((runtime.waits[0], len(runtime.calls)), (30.0, 1))

    def test_a_suspended_machine_owes_one_beat_not_those_it_missed(self):
        runtime = FakeRuntime(until=720)
        asleep = [600.0]

        def sleep_once():
            if runtime.time > 1000 and asleep:
                runtime.time += asleep.pop()

        runtime.on_wait = sleep_once
        run(runtime)
        # At 0, late at 660, then on the grid again at 720.
        self.assertEqual(len(runtime.calls), 3)

    def test_a_beat_ends_before_the_next_is_due(self):
        runtime = FakeRuntime(until=39)
        errors = []

        def slow(_, timeout):
            runtime.time += timeout
            return FloeTimeoutError("late", code="timed_out", retryable=True)

        runtime.respond = slow
        run(runtime, errors, every_seconds=4)
        self.assertEqual(errors, ["timed_out"] * 10)
        self.assertEqual(len({call.headers["idempotency-key"] for call in runtime.calls}), 10)

    def test_a_job_that_stops_touching_is_kept_from_looking_alive_and_told_once(self):
        runtime = FakeRuntime(until=360)
        errors = []
        run(runtime, errors, stall_after=150)
        self.assertEqual((len(runtime.calls), errors), (3, ["stalled"]))

    def test_an_invalid_stall_time_is_reported_and_the_beats_continue(self):
        for wrong in ("300", 0, float("nan")):
            runtime, errors = FakeRuntime(until=100), []
            client = Floe("eis_test_key", _runtime=runtime)
            loop = client.start_heartbeat("job", stall_after=wrong, on_error=errors.append)
            loop._thread.join(30)
            self.assertEqual(len(runtime.calls), 2)
            self.assertEqual([error.code for error in errors], ["invalid_argument"])

    def test_all_options_that_are_not_valid_are_logged(self):
        runtime = FakeRuntime(until=100)
        Floe("eis_test_key", _runtime=runtime).start_heartbeat("job", every_seconds=0, stall_after="300").stop()
        self.assertRegex("".join(runtime.lines), "every_seconds must be a positive number.*stall_after must be")

    def test_touching_brings_the_beats_back(self):
        runtime = FakeRuntime(until=600)
        errors = []
        box = {}

        def touch():
            if runtime.time >= 1360 and "loop" in box:
                box["loop"].touch()

        runtime.on_wait = touch
        ready = threading.Event()
        runtime.respond = lambda *_: (ready.wait(30), committed())[1]
        client = Floe("eis_test_key", _runtime=runtime)
        loop = client.start_heartbeat(
            "job", every_seconds=60, stall_after=150, on_error=lambda error: errors.append(error.code)
        )
        box["loop"] = loop
        ready.set()
        loop._thread.join(30)
        self.assertEqual((len(runtime.calls), errors), (8, ["stalled"]))

    def test_anything_but_a_timely_true_from_healthy_keeps_the_beat_back(self):
        def fails():
            raise RuntimeError("no database")

        hang = threading.Event()
        for healthy, every in ((lambda: False, 60), (lambda: "yes", 60), (fails, 60), (hang.wait, 0.04)):
            runtime = FakeRuntime(until=every * 3)
            errors = []
            run(runtime, errors, every_seconds=every, healthy=healthy)
            self.assertEqual((runtime.calls, errors), ([], ["unhealthy"]))
        hang.set()
        runtime = FakeRuntime(until=0)
        run(runtime, healthy=lambda: True)
        self.assertEqual(len(runtime.calls), 1)

    def test_metadata_that_raises_or_hangs_costs_the_metadata_not_the_beat(self):
        def fails():
            raise RuntimeError("no")

        hang = threading.Event()
        for metadata, every in ((fails, 60), (hang.wait, 0.04)):
            runtime = FakeRuntime(until=0)
            loop = run(runtime, every_seconds=every, metadata=metadata)
            self.assertEqual(runtime.bodies(), [{"monitor_id": "job"}])
            self.assertTrue(loop.last_result.ok)
            self.assertRegex(loop.last_result.metadata_dropped, r"^metadata\(\) ")
            self.assertIn("metadata()", runtime.lines[0])
        hang.set()

    def test_an_on_error_that_raises_changes_nothing(self):
        runtime = FakeRuntime(until=60)
        runtime.respond = lambda *_: answer(404, "")

        def fails(_):
            raise RuntimeError("mine")

        run(runtime, on_error=fails)
        self.assertEqual(len(runtime.calls), 2)

    def test_an_unknown_monitor_is_logged_once_in_ten_minutes_and_asked_for_at_the_usual_pace(self):
        runtime = FakeRuntime(until=540)
        runtime.respond = lambda *_: answer(404, "")
        run(runtime)
        self.assertEqual((len(runtime.calls), len(runtime.lines)), (10, 1))
        self.assertRegex(runtime.lines[0], r"^floe: job: .*404 http_404.*Check the monitor id")
        again = FakeRuntime(until=600)
        again.respond = runtime.respond
        run(again)
        self.assertEqual(len(again.lines), 2)

    def test_no_line_and_no_error_names_the_key(self):
        runtime = FakeRuntime()
        runtime.respond = lambda call, _: answer(
            400, {"error": {"code": "x", "message": f"bad {call.headers['x-api-key']}"}}
        )
        result = Floe("eis_test_key", _runtime=runtime).heartbeat("job")
        self.assertIn("bad [key]", str(result.error))
        self.assertNotIn("eis_test_key", "".join(runtime.lines))

    def test_a_loop_as_slow_as_its_monitor_expects_is_told_to_be_quicker(self):
        runtime = FakeRuntime(until=120)
        runtime.respond = lambda *_: committed(60)
        run(runtime)
        self.assertEqual(len(runtime.lines), 1)
        self.assertIn("expects the next beat within 60 s; set every_seconds to half", runtime.lines[0])

    def test_stop_sends_a_marked_last_beat_when_asked_and_only_once(self):
        runtime = FakeRuntime()
        gate = threading.Event()
        runtime.wait = lambda event, _: event.wait(30)
        client = Floe("eis_test_key", _runtime=runtime)
        with client.start_heartbeat("job", metadata={"host": "a"}, beat_at_start=False) as loop:
            self.assertTrue(loop.running)
            loop.stop(final=True)
            loop.stop(final=True)
        gate.set()
        self.assertFalse(loop.running)
        self.assertEqual(
            runtime.bodies(), [{"monitor_id": "job", "metadata": {"host": "a", "stopped": True}}]
        )

    def test_the_last_beat_is_sent_without_metadata_that_hangs_or_cannot_be_read(self):
        over = threading.Event()
        self.addCleanup(over.set)
        for metadata, line in ((over.wait, "did not return within 1 s"), (Unreadable(), "is not a mapping that can be read: no")):
            runtime = FakeRuntime()
            runtime.wait = lambda event, _: event.wait(30)
            client = Floe("eis_test_key", _runtime=runtime)
            client.start_heartbeat("job", metadata=metadata, beat_at_start=False).stop(final=True)
            self.assertEqual(runtime.bodies(), [{"monitor_id": "job", "metadata": {"stopped": True}}])
            self.assertIn(line, runtime.lines[0])

    def test_the_last_beat_waits_for_a_callback_that_is_running(self):
        for name, value in (("healthy", True), ("metadata", {"host": "a"})):
            runtime = FakeRuntime()
            runtime.wait = lambda event, seconds: event.wait(min(seconds, 30))
            begun, over = threading.Event(), threading.Event()
            self.addCleanup(over.set)

            def callback(begun=begun, over=over, value=value):
                begun.set()
                over.wait(30)
                return value

            loop = Floe("eis_test_key", _runtime=runtime).start_heartbeat("job", **{name: callback})
            begun.wait(30)
            threading.Timer(0.2, over.set).start()
            loop.stop(final=True)
            self.assertEqual([body["metadata"]["stopped"] for body in runtime.bodies()], [True], name)
            self.assertEqual(runtime.lines, [])

    def test_no_last_beat_is_sent_for_a_job_that_hangs_or_is_not_healthy(self):
        over = threading.Event()
        self.addCleanup(over.set)
        for options, code in (({"stall_after": 5}, "stalled"), ({"healthy": lambda: False}, "unhealthy"), ({"healthy": over.wait}, "unhealthy")):
            runtime = FakeRuntime()
            runtime.wait = lambda event, _: event.wait(30)
            errors = []
            client = Floe("eis_test_key", _runtime=runtime)
            loop = client.start_heartbeat("job", beat_at_start=False, on_error=lambda error: errors.append(error.code), **options)
            runtime.time += 10
            loop.stop(final=True)
            self.assertEqual((runtime.calls, errors), ([], [code]))

    def test_stop_ends_the_retries_of_a_beat_under_way(self):
        runtime = FakeRuntime()
        runtime.respond = lambda *_: answer(503, "")
        waiting = threading.Event()
        errors = []

        def wait(event, seconds):
            if runtime.calls:
                waiting.set()
                return event.wait(30)
            return event.is_set()

        runtime.wait = wait
        client = Floe("eis_test_key", _runtime=runtime)
        loop = client.start_heartbeat("job", on_error=errors.append)
        self.assertTrue(waiting.wait(30))
        loop.stop()
        loop._thread.join(30)
        self.assertFalse(loop._thread.is_alive())
        self.assertEqual((len(runtime.calls), errors), (1, []))
