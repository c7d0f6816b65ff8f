import json
import pickle
import types
import unittest
from datetime import datetime

from floe import Floe
from floe._answer import Received
from floe._retry import retry_delay

from .fakes import FakeRuntime, answer, committed
from .golden import golden


class Requests(unittest.TestCase):
    def test_a_call_becomes_the_bytes_that_are_written_down(self):
        for case in golden("requests"):
            with self.subTest(case["name"]):
                runtime = FakeRuntime()
                runtime.new_id = lambda: case["idempotency_key"]
                client = Floe(case["api_key"], case["base_url"], _runtime=runtime)
                metadata = case.get("metadata")
                if "metadata_repeat" in case:
                    repeat = case["metadata_repeat"]
                    metadata = {**metadata, repeat["key"]: repeat["text"] * repeat["times"]}
                result = client.heartbeat(case["monitor_id"], metadata)
                expect = case["expect"]
                self.assertTrue(result.ok)
                self.assertEqual(result.metadata_dropped, expect["metadata_dropped"])
                (call,) = runtime.calls
                self.assertEqual(call.url, expect["url"])
                headers = dict(call.headers)
                self.assertRegex(headers.pop("user-agent"), r"^floe-sdk-python/\d")
                self.assertEqual(headers, expect["headers"])
                if "body" in expect:
                    self.assertEqual(call.body, expect["body"].encode())
                else:
                    sent = metadata if expect["metadata"] == "as given" else expect["metadata"]
                    self.assertEqual(
                        json.loads(call.body), {"monitor_id": case["monitor_id"], "metadata": sent}
                    )

    def test_metadata_that_is_no_json_costs_the_metadata_not_the_beat(self):
        circle = {}
        circle["self"] = circle
        for metadata in (circle, {"a": object()}, {"a": float("nan")}, {(1, 2): 3}, {"a": {1, 2}}):
            runtime = FakeRuntime()
            result = Floe("eis_test_key", _runtime=runtime).heartbeat("job", metadata)
            self.assertTrue(result.ok)
            self.assertIn("cannot be serialized as JSON", result.metadata_dropped)
            self.assertEqual(runtime.bodies(), [{"monitor_id": "job"}])

    def test_only_the_fields_that_cannot_be_serialized_are_omitted_and_named(self):
        circle = {"host": "db-1"}
        circle["self"] = circle
        cases = [(circle, "self")]
        cases += [({"host": "db-1", "at": value}, "at") for value in (object(), float("nan"), {1, 2}, b"x")]
        cases += [({"host": "db-1", (1, 2): 3}, "tuple")]
        for metadata, omitted in cases:
            runtime = FakeRuntime()
            result = Floe("eis_test_key", _runtime=runtime).heartbeat("job", metadata)
            self.assertRegex(result.metadata_dropped, f"cannot be serialized as JSON: {omitted}$")
            self.assertEqual(runtime.bodies(), [{"monitor_id": "job", "metadata": {"host": "db-1"}}])

    def test_any_mapping_is_metadata(self):
        runtime = FakeRuntime()
        metadata = types.MappingProxyType({"host": "db-1"})
        result = Floe("eis_test_key", _runtime=runtime).heartbeat("job", metadata)
        self.assertIsNone(result.metadata_dropped)
        self.assertEqual(runtime.bodies(), [{"monitor_id": "job", "metadata": {"host": "db-1"}}])


class Answers(unittest.TestCase):
    def test_an_answer_becomes_the_result_that_is_written_down(self):
        for case in golden("answers"):
            with self.subTest(case["name"]):
                runtime = FakeRuntime()
                runtime.now = lambda: datetime.fromisoformat(case["now"].replace("Z", "+00:00")).timestamp()
                repeat = case.get("body_repeat")
                body = case["body"] if repeat is None else repeat["text"] * repeat["times"]
                text, too_long = body[:65536], len(body) > 65536
                runtime.respond = lambda *_: Received(case["status"], case["headers"], text, too_long)
                client = Floe("eis_test_key", on_error=lambda _: None, _runtime=runtime)
                self.assertEqual(_told(client.heartbeat("nightly-backup")), case["expect"])


def _told(result):
    if result.error is not None:
        error = result.error
        return {
            "ok": result.ok,
            "error": {
                "class": type(error).__name__,
                "code": error.code,
                "status": error.status,
                "request_id": error.request_id,
                "retryable": error.retryable,
                "retry_after_seconds": error.retry_after_seconds,
            },
        }
    return {"ok": result.ok, "beat": result.beat._asdict(), "metadata_dropped": result.metadata_dropped}


class Retries(unittest.TestCase):
    def test_a_failure_becomes_the_delay_that_is_written_down(self):
        for case in golden("retries"):
            with self.subTest(case["name"]):
                delay = retry_delay(
                    retryable=case["error"]["retryable"],
                    retry_after_seconds=case["error"]["retry_after_seconds"],
                    attempts=case["attempts"],
                    elapsed_seconds=case["elapsed_seconds"],
                    budget_seconds=case["budget_seconds"],
                    random=case["random"],
                )
                expect = case["expect"]
                self.assertEqual(delay, None if expect is None else expect["delay_seconds"])

    def test_a_beat_with_a_retry_keeps_its_name_and_the_next_has_another(self):
        runtime = FakeRuntime()
        runtime.respond = lambda *_: answer(503, "") if len(runtime.calls) == 1 else committed()
        client = Floe("eis_test_key", on_error=lambda _: None, _runtime=runtime)
        self.assertEqual(client.heartbeat("job").attempts, 2)
        client.heartbeat("job")
        names = [call.headers["idempotency-key"] for call in runtime.calls]
        self.assertEqual(names, ["beat-1", "beat-1", "beat-2"])


class Errors(unittest.TestCase):
    def test_a_result_survives_the_way_to_another_process(self):
        runtime = FakeRuntime()
        runtime.respond = lambda *_: answer(429, {"error": {"code": "slow"}}, {"retry-after": "3600"})
        result = Floe("eis_test_key", on_error=lambda _: None, _runtime=runtime).heartbeat("job")
        error = pickle.loads(pickle.dumps(result)).error
        told = (type(error).__name__, str(error), error.code, error.retry_after_seconds)
        self.assertEqual(told, ("FloeRateLimitError", str(result.error), "slow", 3600))


class Arguments(unittest.TestCase):
    def test_wrong_arguments_raise_in_the_constructor_only(self):
        from floe import FloeInvalidArgumentError

        for arguments in (
            {"api_key": ""},
            {"api_key": None},
            {"api_key": "eis_a\nb"},
            {"api_key": "eis_a", "base_url": "floe.example.com"},
            {"api_key": "eis_a", "base_url": "https://user:word@floe.example.com"},
            {"api_key": "eis_a", "base_url": "https://floe.example.com/?x=1"},
            {"api_key": "eis_a", "timeout_seconds": 0},
        ):
            with self.subTest(arguments), self.assertRaises(FloeInvalidArgumentError):
                Floe(**arguments)
        errors = []
        runtime = FakeRuntime(until=60)
        client = Floe("eis_test_key", on_error=lambda error: errors.append(error.code), _runtime=runtime)
        self.assertEqual(client.heartbeat("").error.code, "invalid_argument")
        self.assertFalse(client.start_heartbeat("").running)
        client.start_heartbeat("job", every_seconds=float("nan"))._thread.join(30)
        self.assertEqual(len(runtime.calls), 2)
        with client.monitor(""):
            pass
        self.assertEqual(errors, ["invalid_argument"] * 4)
