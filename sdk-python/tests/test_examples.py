import doctest
import inspect
import unittest
from unittest import mock

import floe
from floe import AsyncHeartbeat, Floe, Heartbeat, send_signal

from .fakes import FakeRuntime


def public_functions():
    """The functions of the package, and the methods of its classes, by name."""
    found = {"Floe": Floe, "send_signal": send_signal}
    for owner in (Floe, Heartbeat, AsyncHeartbeat):
        for name, member in vars(owner).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                found[f"{owner.__name__}.{name}"] = member
    return found


class Examples(unittest.TestCase):
    """Every public function shows a call in its docstring, and the call does what it shows."""

    def test_every_public_function_is_among_them(self):
        functions = [name for name in floe.__all__ if inspect.isfunction(getattr(floe, name))]
        self.assertEqual(functions, ["send_signal"])

    def test_each_does_what_it_shows(self):
        for name, member in public_functions().items():
            with self.subTest(name):
                runtime = FakeRuntime(until=10)
                scope = {
                    "Floe": lambda *args: Floe(*args, _runtime=runtime),
                    "api_key": "eis_test_key",
                    "back_up": lambda: None,
                    "beat_url": "https://floe.example/beat/secret",
                    "floe": Floe("eis_test_key", _runtime=runtime),
                    "send_signal": send_signal,
                }
                example = doctest.DocTestParser().get_doctest(
                    inspect.getdoc(member) or "", scope, name, None, 0
                )
                self.assertTrue(example.examples, f"{name} has no example")
                report = []
                with mock.patch("floe._signal.Runtime", lambda: runtime):
                    outcome = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
                self.assertEqual(outcome.failed, 0, "".join(report))


if __name__ == "__main__":
    unittest.main()
