"""What the end, a signal or a fork of a process does to its beats, in real processes."""

import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from floe import _lifetime, _sigterm

from .golden import golden
from .hostile_server import HostileServer

SOURCE = str(Path(__file__).resolve().parents[1] / "src")
CASES = {case["name"]: case for case in golden("hostile")}


def start(code, server, *arguments):
    prelude = f"from floe import Floe\nfloe = Floe('eis_test_key', {server.origin!r}, on_error=lambda e: None)\n"
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", prelude + code, *arguments],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(child):
    try:
        out, err = child.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        raise
    return child.returncode, out, err


class Process(unittest.TestCase):
    def test_a_process_in_which_only_a_loop_is_left_ends(self):
        with HostileServer(CASES["black-hole"]) as server:
            code = "floe.start_heartbeat('job', every_seconds=3600)\nprint('end')"
            self.assertEqual(finish(start(code, server)), (0, "end\n", ""))

    def test_the_end_of_the_interpreter_waits_for_the_beat_of_a_job(self):
        with HostileServer(CASES["healthy"]) as server:
            code = "with floe.monitor('job'): print('done')"
            self.assertEqual(finish(start(code, server)), (0, "done\n", ""))
            self.assertEqual(len(server.requests), 1)

    def test_the_end_of_the_interpreter_waits_for_beats_of_clients_that_were_dropped(self):
        with HostileServer({"steps": CASES["healthy"]["steps"]}) as server:
            code = f"""
def main():
    floe = Floe('eis_test_key', {server.origin!r}, on_error=lambda e: None)
    with floe.monitor('job'): print('done')
main()
with Floe('eis_test_key', {server.origin!r}).monitor('job'): pass
"""
            self.assertEqual(finish(start(code, server)), (0, "done\n", ""))
            self.assertEqual(len(server.requests), 2)

    def test_the_end_of_the_interpreter_waits_five_seconds_in_total(self):
        # The time passes only while the SDK waits, so that the load of the machine does not matter.
        clock = mock.Mock()
        clock.monotonic.return_value = 0.0
        waits = []

        def flush(seconds):
            waits.append(seconds)
            clock.monotonic.return_value += min(seconds, 2.0)

        deliveries = [mock.Mock(flush=flush) for _ in range(4)]
        with mock.patch.multiple(_lifetime, time=clock, _DELIVERIES=deliveries, _exit_seconds_left=5.0):
            # A program that uses multiprocessing has a second end, at which the SDK waits too.
            _lifetime._at_exit()
            _lifetime._at_exit()
        self.assertEqual(waits, [5.0, 3.0, 1.0, 0.0] + [0.0] * 4)

    def test_sigterm_waits_two_and_a_half_seconds_for_all_loops_together(self):
        clock = mock.Mock()
        clock.monotonic.return_value = 0.0
        waits = []

        def wait(seconds):
            waits.append(seconds)
            clock.monotonic.return_value += min(seconds, 2.0)

        ended = mock.Mock(wait=wait)
        with mock.patch.multiple(_sigterm, time=clock, _loops=[None] * 4, _stop=lambda loop: ended):
            _sigterm._stop_all()
        self.assertEqual(waits, [2.5, 0.5, 0.0, 0.0])

    def test_the_interpreter_ends_without_an_error_although_no_server_responds(self):
        with HostileServer(CASES["black-hole"]) as server:
            code = f"""
clients = [Floe('eis_test_key', {server.origin!r}, on_error=lambda e: None) for _ in range(4)]
for client in clients:
    with client.monitor('job'): pass
"""
            for imports in ("", "import multiprocessing.util"):
                self.assertEqual(finish(start(imports + code, server)), (0, "", ""))

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_the_end_of_a_process_of_multiprocessing_waits_for_the_beat_of_its_job(self):
        with HostileServer({"steps": CASES["healthy"]["steps"]}) as server:
            code = """
import multiprocessing
@floe.monitor('job')
def job():
    pass
process = multiprocessing.get_context('fork').Process(target=job)
process.start()
process.join()
print(process.exitcode)
"""
            self.assertEqual(finish(start(code, server)), (0, "0\n", ""))
            self.assertEqual(len(server.requests), 1)

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_loop_restarts_after_a_fork_although_its_client_was_dropped(self):
        with HostileServer(CASES["healthy"]) as server:
            code = f"""
import os
Floe('eis_test_key', {server.origin!r}).start_heartbeat('job', every_seconds=3600, beat_at_start=False, restart_after_fork=True)
child = os.fork()
if child == 0:
    import threading
    print([thread.name for thread in threading.enumerate()], flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
            self.assertEqual(finish(start(code, server)), (0, "['MainThread', 'floe-heartbeat-job']\n", ""))

    def test_a_failing_job_ends_its_process_as_python_would(self):
        with HostileServer(CASES["black-hole"]) as server:
            code, _, err = finish(start("with floe.monitor('job'): raise KeyError('mine')", server))
            self.assertEqual(code, 1)
            self.assertIn("KeyError: 'mine'", err)
            self.assertNotIn("During handling", err)

    def test_sigterm_has_its_own_effect_whatever_the_server_does(self):
        with HostileServer(CASES["black-hole"]) as server:
            code = "floe.start_heartbeat('job')\nprint('ready', flush=True)\nimport time\ntime.sleep(60)"
            child = start(code, server)
            child.stdout.readline()
            child.terminate()
            self.assertEqual(finish(child)[0], -signal.SIGTERM)

    def test_sigterm_sends_the_last_beat_when_asked_and_then_has_its_own_effect(self):
        loop = "loop = floe.start_heartbeat('job', every_seconds=3600, beat_at_start=False, stop_on_sigterm=True)\n"
        rest = "print('ready', flush=True)\nimport time\ntime.sleep(60)"
        own = "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\n"
        for code, name, status in (
            (loop + rest, "healthy", -signal.SIGTERM),
            (loop + rest, "black-hole", -signal.SIGTERM),
            (own + loop + rest, "healthy", 3),
        ):
            with HostileServer(CASES[name]) as server:
                child = start(code, server)
                child.stdout.readline()
                child.terminate()
                self.assertEqual(finish(child)[0], status)
                self.assertEqual(json.loads(server.requests[0]["body"])["metadata"], {"stopped": True})

    def test_sigterm_stops_several_loops_at_the_same_time(self):
        code = """
for name in ('one', 'two', 'three', 'four'):
    floe.start_heartbeat(name, every_seconds=3600, beat_at_start=False, stop_on_sigterm=True)
print('ready', flush=True)
import time
time.sleep(60)
"""
        for name in ("healthy", "black-hole"):
            with HostileServer({"steps": CASES[name]["steps"] * 4}) as server:
                child = start(code, server)
                child.stdout.readline()
                child.terminate()
                self.assertEqual(finish(child)[0], -signal.SIGTERM)
                self.assertEqual(
                    sorted(json.loads(request["body"])["monitor_id"] for request in server.requests),
                    ["four", "one", "three", "two"],
                )

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_forked_child_is_silent_unless_told_otherwise_and_its_locks_are_free(self):
        code = """
import os, sys, threading
restart = sys.argv[1] == 'restart'
loop = floe.start_heartbeat('job', every_seconds=3600, beat_at_start=False, restart_after_fork=restart)
held, go = threading.Event(), threading.Event()
def hold():
    with floe._reporter._lock, floe._delivery._idle:
        floe._delivery._under_way += 1
        held.set()
        go.wait(30)
threading.Thread(target=hold, daemon=True).start()
held.wait(30)
child = os.fork()
if child == 0:
    running = loop.running
    with floe.monitor('job', metadata={'child': True}):
        pass
    floe.heartbeat('')
    print(running, floe.flush(30), flush=True)
    os._exit(0)
go.set()
os.waitpid(child, 0)
floe._delivery._under_way -= 1
print(loop.running)
"""
        for argument, said in (("silent", "False True\nTrue\n"), ("restart", "True True\nTrue\n")):
            with HostileServer({"steps": CASES["healthy"]["steps"]}) as server:
                self.assertEqual(finish(start(code, server, argument)), (0, said, ""))
                bodies = [json.loads(request["body"]) for request in server.requests]
                self.assertEqual([body["metadata"]["child"] for body in bodies], [True])

    def test_a_name_that_never_resolves_does_not_hold_a_beat(self):
        with HostileServer(CASES["healthy"]) as server:
            code = """
import socket, threading
socket.getaddrinfo = lambda *a, **k: threading.Event().wait(50)
floe = Floe('eis_test_key', 'http://slow.example.com', timeout_seconds=0.1, on_error=lambda e: None)
print(floe.heartbeat('job').error.code)
"""
            self.assertEqual(finish(start(code, server)), (0, "timed_out\n", ""))

    def test_beats_at_the_very_end_of_the_interpreter_do_no_harm(self):
        with HostileServer(CASES["healthy"]) as server:
            code = """
import atexit
@floe.monitor('job')
def job():
    print('ran')
atexit.register(job)
class Late:
    def __del__(self):
        floe.heartbeat('job')
        job()
late = Late()
"""
            status, out, _ = finish(start(code, server))
            self.assertEqual((status, out.splitlines()[0]), (0, "ran"))
