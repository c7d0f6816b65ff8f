from __future__ import annotations

from typing import Any, Dict, Optional, Type


class FloeError(Exception):
    """The base class of all errors in this SDK.

    Only the constructor of ``Floe`` raises errors. All other errors are part of results or are passed to ``on_error``.
    """

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
        #: A stable code for programs: from the server if available, otherwise from this SDK.
        self.code = code
        #: Whether the same request may succeed shortly after.
        self.retryable = retryable
        #: The HTTP status, or None if there was no response.
        self.status = status
        #: The server's id of this request. Include it in support requests.
        self.request_id = request_id
        #: The delay in seconds that the server requested, or None.
        self.retry_after_seconds = retry_after_seconds

    def __reduce__(self) -> Any:
        """Lets an error be pickled with all its attributes. By default, only the message would be restored."""
        return (_rebuilt, (type(self), str(self), self.__dict__))


def _rebuilt(kind: Type["FloeError"], message: str, members: Dict[str, Any]) -> "FloeError":
    error = kind.__new__(kind, message)
    error.__dict__.update(members)
    return error


class FloeInvalidArgumentError(FloeError):
    """Indicates that an argument is not valid, such as a missing key or URL. The code is ``invalid_argument``."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="invalid_argument")


class FloeConnectionError(FloeError):
    """Indicates that there was no complete response.

    The connection was refused or reset, the host is unknown, or the response was cut off. The code is
    ``connection_failed``, or ``dropped`` if too many beats were already being sent.
    """


class FloeTimeoutError(FloeError):
    """Indicates that the response was not complete within the time limit. The code is ``timed_out``."""


class FloeUnexpectedResponseError(FloeError):
    """Indicates that the response is not from Floe: it is an HTML page, a redirect, or incomplete JSON.

    The code is ``unexpected_response`` or ``redirected``.
    """


class FloeApiError(FloeError):
    """Indicates that the server rejected the request. This is the base class of the errors for each status."""


class FloeAuthenticationError(FloeApiError):
    """Indicates status 401 or 403: the key is missing, not valid or revoked, or does not have the required scope."""


class FloeMonitorNotFoundError(FloeApiError):
    """Indicates status 404: the organization of the key has no such monitor, or the base URL is not that of Floe."""


class FloeRateLimitError(FloeApiError):
    """Indicates status 429: there were too many requests."""


class FloeServerError(FloeApiError):
    """Indicates status 408 or 5xx, which are temporary errors."""


class FloeRequestError(FloeApiError):
    """Indicates any other 4xx status. The server will reject the same request again."""


class FloeUnhealthyError(FloeError):
    """Indicates that a heartbeat loop did not send a beat, so that the monitor fails.

    Either ``healthy`` did not return True within the time limit (code ``unhealthy``), or ``touch()`` was not called for
    ``stall_after`` seconds (code ``stalled``).
    """


def api_error(
    message: str,
    *,
    status: int,
    code: str,
    request_id: Optional[str],
    retry_after_seconds: Optional[float],
) -> FloeApiError:
    """Returns the error for a response with an HTTP status of 400 or above."""
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
