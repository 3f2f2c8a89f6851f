"""
Which failures are tried again, and after how long: back-off with full jitter, on top of what the service asks for, so
that clients that were refused together do not come back together.
"""
from __future__ import annotations

from collections.abc import Callable

from ._errors import AnswerTimeoutError, ApiError, CofferError, ConnectionLostError

_base_seconds = 0.5
_cap_seconds = 8.0


def _is_passing(error: CofferError) -> bool:
    if isinstance(error, (ConnectionLostError, AnswerTimeoutError)):
        return True
    return isinstance(error, ApiError) and (
        error.status >= 500 or error.status == 429 or error.code == "idempotency_in_progress"
    )


def _is_refused_unread(error: CofferError) -> bool:
    """Nothing was done: the call was refused before anybody looked at it."""
    return isinstance(error, ApiError) and error.status == 429


def retry_delay(
    error: CofferError, attempt: int, random: Callable[[], float], is_repeatable: bool
) -> float | None:
    """
    Seconds until the next try; None when another try would end the same, or might do twice what the call does.
    `attempt`: how many were made. `is_repeatable`: the same call twice does the same as once.
    """
    if not (_is_passing(error) if is_repeatable else _is_refused_unread(error)):
        return None
    retry_after = (error.retry_after_seconds or 0.0) if isinstance(error, ApiError) else 0.0
    return retry_after + random() * min(_cap_seconds, _base_seconds * 2.0 ** min(attempt - 1, 10))
