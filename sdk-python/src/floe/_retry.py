from __future__ import annotations

from typing import Optional

MAX_RETRIES = 3
_FIRST_DELAY_SECONDS = 0.5


def retry_delay(
    *,
    retryable: bool,
    retry_after_seconds: Optional[float],
    attempts: int,
    elapsed_seconds: float,
    budget_seconds: float,
    random: float,
) -> Optional[float]:
    """Returns the seconds until the next attempt, or None if there must be no further attempt.

    The golden file ``retries.json`` defines the expected results. The maximum delay doubles with each attempt, and the
    actual delay is random (full jitter). If the delay would exceed the remaining time, returns None. ``attempts`` is the
    number of attempts so far, including the failed one. ``random`` is in [0, 1).
    """
    if not retryable or attempts > MAX_RETRIES:
        return None
    delay = (retry_after_seconds or 0.0) + random * _FIRST_DELAY_SECONDS * 2 ** (attempts - 1)
    return delay if elapsed_seconds + delay < budget_seconds else None
