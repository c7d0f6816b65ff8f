from __future__ import annotations

import threading
from typing import Any, Mapping, NamedTuple, Optional

from ._arguments import is_monitor_id
from ._call import Account, Call, beat_call, signal_call
from ._delivery import BUDGET_SECONDS, Delivery
from ._failure_reporter import OnError, FailureReporter
from ._metadata import add_fields
from ._signal import validate_beat_url
from ._runtime import Runtime
from ._monitor import OnRunEnd


class RunDependencies(NamedTuple):
    """The parts of the client that monitored jobs use."""

    account: Account
    runtime: Runtime
    reporter: FailureReporter
    delivery: Delivery


class Job(NamedTuple):
    """A monitored job, which can run many times."""

    monitor_id: str
    metadata: Optional[Mapping[str, Any]]
    #: The secret beat URL of the monitor. Without it, only success is reported.
    beat_url: Optional[str]
    on_error: Optional[OnError]


def begin_run(dependencies: RunDependencies, job: Job) -> OnRunEnd:
    """Reports that a run starts. Returns a function that reports how the run ended. Neither raises, so that the job runs."""
    reporter, monitor_id = dependencies.reporter, job.monitor_id
    try:
        ended = _begin(dependencies, job)
    except Exception as error:  # a defect of this SDK must not prevent the job from running
        reporter.log_limited(f"defect {monitor_id}", f"{monitor_id}: {error}")
        return lambda _: None

    def on_end(error: Optional[BaseException]) -> None:
        try:
            ended(error)
        except Exception as defect:
            reporter.log_limited(f"defect {monitor_id}", f"{monitor_id}: {defect}")

    return on_end


def _begin(dependencies: RunDependencies, job: Job) -> OnRunEnd:
    runtime = dependencies.runtime
    started = runtime.monotonic()
    run_id = runtime.new_id()
    start_sent, job_ended = threading.Event(), threading.Event()
    if job.beat_url is not None:
        _signal(dependencies, job, "start", run_id, job.metadata, then=start_sent, stop=job_ended)

    def ended(error: Optional[BaseException]) -> None:
        # The process must not wait for the retries of both requests when it ends.
        job_ended.set()
        duration_ms = round((runtime.monotonic() - started) * 1000)
        metadata, problem = add_fields(job.metadata, {"duration_ms": duration_ms})
        if problem is not None:
            dependencies.reporter.log_limited(f"metadata {job.monitor_id}", f"{job.monitor_id}: {problem}")
        if job.beat_url is not None:
            # The name of the error and not its message, which may contain confidential data.
            metadata = metadata if error is None else {**metadata, "error": type(error).__name__}
            kind = "success" if error is None else "fail"
            _signal(dependencies, job, kind, run_id, metadata, after=start_sent)
        elif error is None and is_monitor_id(job.monitor_id):
            dependencies.delivery.in_background(
                lambda: beat_call(dependencies.account, job.monitor_id, metadata, run_id), job.on_error
            )
        elif error is None:
            dependencies.delivery.refuse(job.monitor_id, job.on_error)

    return ended


def _signal(
    dependencies: RunDependencies,
    job: Job,
    kind: str,
    run_id: str,
    metadata: Optional[Mapping[str, Any]],
    after: Optional[threading.Event] = None,
    then: Optional[threading.Event] = None,
    stop: Optional[threading.Event] = None,
) -> None:
    """Reports an event of a run in the background.

    ``after``: the event that must be set first, so that the end of a run is never sent before its start. ``stop``: ends the
    retries when it is set.
    """
    beat_url = job.beat_url or ""
    wrong = validate_beat_url(beat_url)
    if wrong is not None:
        dependencies.reporter.report_failure(job.monitor_id, wrong, job.on_error)
        return

    def call() -> Call:
        if after is not None:
            after.wait(BUDGET_SECONDS)
        return signal_call(beat_url, kind, monitor_id=job.monitor_id, run_id=run_id, metadata=metadata)

    dependencies.delivery.in_background(call, job.on_error, then, stop)
