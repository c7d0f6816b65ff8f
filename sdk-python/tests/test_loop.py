import threading
import unittest

from floe import Floe, FloeTimeoutError

from .fakes import FakeSurroundings, answer, committed


def run(around, errors=None, **options):
    """A loop from its start until the fake time is over."""
    client = Floe("eis_test_key", _around=around)
    if errors is not None:
        options["on_error"] = lambda error: errors.append(error.code)
    loop = client.start_heartbeat("job", **{"every_seconds": 60, **options})
    loop._thread.join(30)
    assert not loop._thread.is_alive()
    return loop


class Loop(unittest.TestCase):
    def test_it_beats_at_once_and_then_once_per_interval_with_fresh_metadata(self):
        around = FakeSurroundings(until=180)
        count = iter(range(1, 100))
        run(around, metadata=lambda: {"n": next(count)})
        self.assertEqual(
            around.bodies(), [{"monitor_id": "job", "metadata": {"n": n}} for n in (1, 2, 3, 4)]
        )
        self.assertEqual(len({call.headers["idempotency-key"] for call in around.calls}), 4)

    def test_jitter_never_adds_up(self):
        for draw in (0.0, 0.5, 0.999):
            around = FakeSurroundings(until=3603.001)
            around.draw = draw
            run(around)
            self.assertEqual(len(around.calls), 61, draw)

    def test_without_a_beat_at_the_start_the_first_comes_after_a_random_part(self):
        around = FakeSurroundings(until=30)
        run(around, beat_at_start=False)
        self.assertEqual((around.waits[0], len(around.calls)), (30.0, 1))

    def test_a_suspended_machine_owes_one_beat_not_those_it_missed(self):
        around = FakeSurroundings(until=720)
        asleep = [600.0]

        def sleep_once():
            if around.time > 1000 and asleep:
                around.time += asleep.pop()

        around.on_wait = sleep_once
        run(around)
        # At 0, late at 660, then on the grid again at 720.
        self.assertEqual(len(around.calls), 3)

    def test_a_beat_ends_before_the_next_is_due(self):
        around = FakeSurroundings(until=39)
        errors = []

        def slow(_, timeout):
            around.time += timeout
            return FloeTimeoutError("late", code="timed_out", retryable=True)

        around.respond = slow
        run(around, errors, every_seconds=4)
        self.assertEqual(errors, ["timed_out"] * 10)
        self.assertEqual(len({call.headers["idempotency-key"] for call in around.calls}), 10)

    def test_a_job_that_stops_touching_is_kept_from_looking_alive_and_told_once(self):
        around = FakeSurroundings(until=360)
        errors = []
        run(around, errors, stall_after=150)
        self.assertEqual((len(around.calls), errors), (3, ["stalled"]))

    def test_touching_brings_the_beats_back(self):
        around = FakeSurroundings(until=600)
        errors = []
        box = {}

        def touch():
            if around.time >= 1360 and "loop" in box:
                box["loop"].touch()

        around.on_wait = touch
        ready = threading.Event()
        around.respond = lambda *_: (ready.wait(30), committed())[1]
        client = Floe("eis_test_key", _around=around)
        loop = client.start_heartbeat(
            "job", every_seconds=60, stall_after=150, on_error=lambda error: errors.append(error.code)
        )
        box["loop"] = loop
        ready.set()
        loop._thread.join(30)
        self.assertEqual((len(around.calls), errors), (8, ["stalled"]))

    def test_anything_but_a_timely_true_from_healthy_keeps_the_beat_back(self):
        def fails():
            raise RuntimeError("no database")

        hang = threading.Event()
        for healthy, every in ((lambda: False, 60), (lambda: "yes", 60), (fails, 60), (hang.wait, 0.04)):
            around = FakeSurroundings(until=every * 3)
            errors = []
            run(around, errors, every_seconds=every, healthy=healthy)
            self.assertEqual((around.calls, errors), ([], ["unhealthy"]))
        hang.set()
        around = FakeSurroundings(until=0)
        run(around, healthy=lambda: True)
        self.assertEqual(len(around.calls), 1)

    def test_metadata_that_raises_or_hangs_costs_the_metadata_not_the_beat(self):
        def fails():
            raise RuntimeError("no")

        hang = threading.Event()
        for metadata, every in ((fails, 60), (hang.wait, 0.04)):
            around = FakeSurroundings(until=0)
            loop = run(around, every_seconds=every, metadata=metadata)
            self.assertEqual(around.bodies(), [{"monitor_id": "job"}])
            self.assertTrue(loop.last_result.ok)
            self.assertRegex(loop.last_result.metadata_dropped, r"^metadata\(\) ")
            self.assertIn("metadata()", around.lines[0])
        hang.set()

    def test_an_on_error_that_raises_changes_nothing(self):
        around = FakeSurroundings(until=60)
        around.respond = lambda *_: answer(404, "")

        def fails(_):
            raise RuntimeError("mine")

        run(around, on_error=fails)
        self.assertEqual(len(around.calls), 2)

    def test_an_unknown_monitor_is_logged_once_in_ten_minutes_and_asked_for_at_the_usual_pace(self):
        around = FakeSurroundings(until=540)
        around.respond = lambda *_: answer(404, "")
        run(around)
        self.assertEqual((len(around.calls), len(around.lines)), (10, 1))
        self.assertRegex(around.lines[0], r"^floe: job: .*404 http_404.*Check the monitor id")
        again = FakeSurroundings(until=600)
        again.respond = around.respond
        run(again)
        self.assertEqual(len(again.lines), 2)

    def test_no_line_and_no_error_names_the_key(self):
        around = FakeSurroundings()
        around.respond = lambda call, _: answer(
            400, {"error": {"code": "x", "message": f"bad {call.headers['x-api-key']}"}}
        )
        result = Floe("eis_test_key", _around=around).heartbeat("job")
        self.assertIn("bad [key]", str(result.error))
        self.assertNotIn("eis_test_key", "".join(around.lines))

    def test_a_loop_as_slow_as_its_monitor_expects_is_told_to_be_quicker(self):
        around = FakeSurroundings(until=120)
        around.respond = lambda *_: committed(60)
        run(around)
        self.assertEqual(len(around.lines), 1)
        self.assertIn("expects a beat every 60 s; set every_seconds to half", around.lines[0])

    def test_stop_sends_a_marked_last_beat_when_asked_and_only_once(self):
        around = FakeSurroundings()
        gate = threading.Event()
        around.wait = lambda event, _: event.wait(30)
        client = Floe("eis_test_key", _around=around)
        with client.start_heartbeat("job", metadata={"host": "a"}, beat_at_start=False) as loop:
            self.assertTrue(loop.running)
            loop.stop(final=True)
            loop.stop(final=True)
        gate.set()
        self.assertFalse(loop.running)
        self.assertEqual(
            around.bodies(), [{"monitor_id": "job", "metadata": {"host": "a", "stopped": True}}]
        )

    def test_stop_ends_the_retries_of_a_beat_under_way(self):
        around = FakeSurroundings()
        around.respond = lambda *_: answer(503, "")
        waiting = threading.Event()
        errors = []

        def wait(event, seconds):
            if around.calls:
                waiting.set()
                return event.wait(30)
            return event.is_set()

        around.wait = wait
        client = Floe("eis_test_key", _around=around)
        loop = client.start_heartbeat("job", on_error=errors.append)
        self.assertTrue(waiting.wait(30))
        loop.stop()
        loop._thread.join(30)
        self.assertFalse(loop._thread.is_alive())
        self.assertEqual((len(around.calls), errors), (1, []))
