"""
The errors of a call. `code` is for programs, the message for people. No error holds the key or a body that was sent.
"""
from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx


class Failed(NamedTuple):
    """The call that has failed."""

    method: str
    path: str
    idempotency_key: str | None
    """For a write. Under this key the same request is done once, so it may be sent again."""
    attempts: int
    """How many tries were made."""


class CofferError(Exception):
    """The error of a call, unless its arguments cannot be right (`ValueError`)."""

    code: str
    idempotency_key: str | None
    attempts: int

    def __init__(self, code: str, message: str, failed: Failed) -> None:
        super().__init__(f"{failed.method} {failed.path}: {message}")
        self.code = code
        self.idempotency_key = failed.idempotency_key
        self.attempts = failed.attempts


class ConnectionLostError(CofferError):
    """No answer came, or not all of it: whether a write was done is not known."""

    def __init__(self, failed: Failed, why: str, url: str) -> None:
        lost = f"the connection to {_server_of(url)} was lost, or none could be made ({why})"
        super().__init__("connection_lost", f"{lost}{_unknown(failed)}", failed)


class AnswerTimeoutError(CofferError):
    """No answer came in time: whether a write was done is not known."""

    def __init__(self, failed: Failed, seconds: float) -> None:
        super().__init__("timeout", f"no answer within {seconds:.3g} seconds{_unknown(failed)}", failed)


def _server_of(url: str) -> str:
    """Without the path, which the error begins with."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _unknown(failed: Failed) -> str:
    if failed.idempotency_key is None:
        return ""
    return f"; the outcome is unknown: retry with the idempotency_key {failed.idempotency_key}"


class Refusal(NamedTuple):
    """The content of an answer that is none of those a call hopes for."""

    code: str
    message: str
    param: str | None
    reason: str | None
    request_id: str | None
    doc_url: str | None
    retry_after_seconds: float | None


class ApiError(CofferError):
    """The service refused, or something on the way answered in its place (`code` is `unexpected_answer` then)."""

    status: int
    detail: str
    """What the service said, without the call and its number: for developers, in English."""
    param: str | None
    """The field that is to blame, when there is one."""
    reason: str | None
    """Finer than `code`, where the service says more: the header `Coffer-Reason`."""
    request_id: str | None
    """Names the request: for `coffer.api_logs.list({"request_id": …})` and for support."""
    doc_url: str | None
    """The page of this code in the service's documents: its cause, and how it is mended."""
    retry_after_seconds: float | None
    """How long the service asks to wait."""
    headers: httpx.Headers
    text: str

    def __init__(self, refusal: Refusal, failed: Failed, response: httpx.Response, text: str) -> None:
        named = "" if refusal.request_id is None else f" ({refusal.request_id})"
        super().__init__(refusal.code, f"{response.status_code} {refusal.code}: {refusal.message}{named}", failed)
        self.status = response.status_code
        self.detail = refusal.message
        self.param = refusal.param
        self.reason = refusal.reason
        self.request_id = refusal.request_id
        self.doc_url = refusal.doc_url
        self.retry_after_seconds = refusal.retry_after_seconds
        self.headers = response.headers
        self.text = text


class InvalidRequestError(ApiError):
    """400: the request is not valid; `param` names the field."""


class AuthenticationError(ApiError):
    """401: no key, or one that is not valid."""


class PermissionDeniedError(ApiError):
    """403: the key is known and may not do this."""


class NotFoundError(ApiError):
    """404: no such object among this merchant's, in this environment."""


class ConflictError(ApiError):
    """409: the object's state does not allow it, or the first request with this key is still running."""


class RateLimitError(ApiError):
    """429: a quota is used up until `retry_after_seconds` have passed."""


class ServerError(ApiError):
    """5xx: the service, the channel (502 `processor_error`) or something on the way failed."""


_kinds: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def refused_with(envelope: dict[str, Any] | None, failed: Failed, response: httpx.Response, text: str) -> ApiError:
    """`envelope`: the body as JSON, or None for one that is none."""
    body = envelope or {}
    headers, status = response.headers, response.status_code
    code, message = _text_of(body.get("error")), _text_of(body.get("message"))
    is_ours = code is not None and message is not None
    kind = _kinds.get(status, ServerError if status >= 500 else ApiError)
    refusal = Refusal(
        code=code if is_ours and code is not None else "unexpected_answer",
        message=message if is_ours and message is not None else _unexpected(status),
        param=_text_of(body.get("param")),
        reason=headers.get("coffer-reason"),
        request_id=_text_of(body.get("request_id")) or headers.get("x-request-id"),
        doc_url=_doc_url_of(headers.get("link", "")) if is_ours else None,
        retry_after_seconds=_retry_after_of(headers),
    )
    return kind(refusal, failed, response, text)


def _doc_url_of(link: str) -> str | None:
    found = re.search(r'<(https?:[^>]+)>; rel="help"', link)
    return None if found is None else found[1]


def _text_of(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _unexpected(status: int) -> str:
    if 300 <= status < 400:
        return "the service redirected, and redirects are not followed, since they would leak the key; check base_url"
    return "the answer is not the service's; check base_url"


def _retry_after_of(headers: httpx.Headers) -> float | None:
    """Seconds, or a date as proxies say it, which is counted from the date of the answer: no clock of ours is asked."""
    header = headers.get("retry-after", "").strip()
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        until = parsedate_to_datetime(header) - parsedate_to_datetime(headers.get("date", ""))
    except (TypeError, ValueError):
        return None
    return max(0.0, until.total_seconds())
