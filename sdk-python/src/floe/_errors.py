from __future__ import annotations

from typing import Any, Dict, Optional, Type


class FloeError(Exception):
    """Everything this SDK reports. Only the constructor of ``Floe`` raises one; all others are handed over."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        retryable: bool = False,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after_seconds: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        #: Stable, for programs: the server's own code where it gave one, else one of this SDK.
        self.code = code
        #: Whether the same call may succeed a moment later.
        self.retryable = retryable
        #: HTTP status, when an answer came.
        self.status = status
        #: The server's name for this request; quote it when asking for help.
        self.request_id = request_id
        #: How long the server asked to wait.
        self.retry_after_seconds = retry_after_seconds

    def __reduce__(self) -> Any:
        """Results travel between processes; by default an exception is rebuilt from its message alone."""
        return (_rebuilt, (type(self), str(self), self.__dict__))


def _rebuilt(kind: Type["FloeError"], message: str, members: Dict[str, Any]) -> "FloeError":
    error = kind.__new__(kind, message)
    error.__dict__.update(members)
    return error


class FloeConfigurationError(FloeError):
    """An argument that can never work: no key, no address. Code ``invalid_argument``."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="invalid_argument")


class FloeConnectionError(FloeError):
    """No answer, or not all of it: refused, reset, no such host, broken off. Code ``connection_failed``."""


class FloeTimeoutError(FloeError):
    """The answer was not complete in time. Code ``timed_out``."""


class FloeResponseError(FloeError):
    """Something answered that is not Floe: a page, a redirect, half of a JSON.

    Code ``unexpected_answer`` or ``redirected``.
    """


class FloeApiError(FloeError):
    """The server refused the call."""


class FloeAuthenticationError(FloeApiError):
    """401, 403: the key is missing, wrong, revoked or lacks the scope."""


class FloeMonitorNotFoundError(FloeApiError):
    """404: no such monitor in the organization of this key, or the base address is not Floe's."""


class FloeRateLimitError(FloeApiError):
    """429."""


class FloeServerError(FloeApiError):
    """408 and 5xx: the server could not, this time."""


class FloeRequestError(FloeApiError):
    """Any other 4xx: the server will not take this call."""


class FloeUnhealthyError(FloeError):
    """A loop kept its beat back, so that the monitor fails.

    ``healthy`` did not return True, raised or timed out (code ``unhealthy``), or nobody called ``touch()`` for longer than
    ``stall_after`` (code ``stalled``).
    """


def api_error(
    message: str,
    *,
    status: int,
    code: str,
    request_id: Optional[str],
    retry_after_seconds: Optional[float],
) -> FloeApiError:
    """The error for an HTTP status of 400 and above."""
    retryable = False
    kind: Type[FloeApiError] = FloeRequestError
    if status in (401, 403):
        kind = FloeAuthenticationError
    elif status == 404:
        kind = FloeMonitorNotFoundError
    elif status == 429:
        kind, retryable = FloeRateLimitError, True
    elif status == 408 or status >= 500:
        kind, retryable = FloeServerError, True
    return kind(
        message,
        code=code,
        retryable=retryable,
        status=status,
        request_id=request_id,
        retry_after_seconds=retry_after_seconds,
    )
