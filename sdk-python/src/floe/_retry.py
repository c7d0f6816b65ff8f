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
    """Seconds until the next attempt, or None to give up (golden ``retries.json``).

    Full jitter, doubling; a Retry-After is kept whole or not at all, for coming back early is what the server asked us
    not to do. ``attempts`` were made, the failed one included; ``random`` is in [0, 1).
    """
    if not retryable or attempts > MAX_RETRIES:
        return None
    delay = (retry_after_seconds or 0.0) + random * _FIRST_DELAY_SECONDS * 2 ** (attempts - 1)
    return delay if elapsed_seconds + delay < budget_seconds else None
