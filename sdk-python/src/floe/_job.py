from __future__ import annotations

import threading
from typing import Any, Mapping, NamedTuple, Optional

from ._arguments import is_id
from ._call import Account, Call, beat_call, signal_call
from ._delivery import BUDGET_SECONDS, Delivery
from ._reports import OnError, Reports
from ._signal import problem_of_beat_url
from ._surroundings import Surroundings
from ._watch import Ended


class Watcher(NamedTuple):
    """What the runs of watched jobs share with their client."""

    account: Account
    around: Surroundings
    reports: Reports
    delivery: Delivery


class Job(NamedTuple):
    """A job under watch, run after run."""

    monitor_id: str
    metadata: Optional[Mapping[str, Any]]
    #: The monitor's secret URL, which takes start and failure too; without it only success is told.
    beat_url: Optional[str]
    on_error: Optional[OnError]


def begin_run(watcher: Watcher, job: Job) -> Ended:
    """Tells that a run begins, and how it ended when that is called. Neither raises: the job must run."""
    reports, monitor_id = watcher.reports, job.monitor_id
    try:
        ended = _begun(watcher, job)
    except Exception as error:  # a defect of this SDK must not keep the job from running
        reports.say(f"defect {monitor_id}", f"{monitor_id}: {error}")
        return lambda _: None

    def told(error: Optional[BaseException]) -> None:
        try:
            ended(error)
        except Exception as defect:
            reports.say(f"defect {monitor_id}", f"{monitor_id}: {defect}")

    return told


def _begun(watcher: Watcher, job: Job) -> Ended:
    around = watcher.around
    started = around.monotonic()
    run_id = around.new_id()
    started_told = threading.Event()
    if job.beat_url is not None:
        _signal(watcher, job, "start", run_id, job.metadata, then=started_told)

    def ended(error: Optional[BaseException]) -> None:
        duration_ms = round((around.monotonic() - started) * 1000)
        told = {**(job.metadata or {}), "duration_ms": duration_ms}
        if job.beat_url is not None:
            # The name of the error and not its text, which may hold what no monitor should know.
            told = told if error is None else {**told, "error": type(error).__name__}
            kind = "success" if error is None else "fail"
            _signal(watcher, job, kind, run_id, told, after=started_told)
        elif error is None and is_id(job.monitor_id):
            watcher.delivery.in_background(
                lambda: beat_call(watcher.account, job.monitor_id, told, run_id), job.on_error
            )
        elif error is None:
            watcher.delivery.refuse(job.monitor_id, job.on_error)

    return ended


def _signal(
    watcher: Watcher,
    job: Job,
    kind: str,
    run_id: str,
    metadata: Optional[Mapping[str, Any]],
    after: Optional[threading.Event] = None,
    then: Optional[threading.Event] = None,
) -> None:
    """``after``: what has to be through before, so that an end never overtakes its start."""
    beat_url = job.beat_url or ""
    wrong = problem_of_beat_url(beat_url)
    if wrong is not None:
        watcher.reports.failed(job.monitor_id, wrong, job.on_error)
        return

    def call() -> Call:
        if after is not None:
            after.wait(BUDGET_SECONDS)
        return signal_call(beat_url, kind, monitor_id=job.monitor_id, run_id=run_id, metadata=metadata)

    watcher.delivery.in_background(call, job.on_error, then)
