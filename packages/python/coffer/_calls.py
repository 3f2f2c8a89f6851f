"""A call before it is sent: its address, its headers and its body as the service reads them."""
from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import IO, Any, Literal, NamedTuple, Union, cast
from urllib.parse import quote, urlencode

from ._options import (
    Answer,
    CallOptions,
    FollowOptions,
    Limits,
    WriteOptions,
    check_options,
    idempotency_key_of,
    limits_of,
)

__all__ = ["CallOptions", "FollowOptions", "Prepared", "Request", "Upload", "WriteOptions", "path", "prepared"]

Upload = Union[bytes, bytearray, memoryview, IO[bytes]]
"""A file: its bytes, or a file that is open for reading bytes. The service reads its kind from its content."""


class Request(NamedTuple):
    """A call as a method says it."""

    method: str
    path: str
    query: Mapping[str, Any] = {}
    body: Mapping[str, Any] | None = None
    upload: Upload | None = None
    is_keyed: bool = False
    """A write, which takes an Idempotency-Key."""
    form: Literal["json", "text", "bytes"] = "json"
    """The answer is an envelope, or a file."""


class Prepared(NamedTuple):
    """A call as it is sent, each time."""

    method: str
    path: str
    url: str
    headers: dict[str, str]
    content: bytes | None
    file: tuple[str, bytes, str] | None
    """Its name, its content, and its kind, which the service reads from the content."""
    idempotency_key: str | None
    form: Literal["json", "text", "bytes"]
    limits: Limits
    on_answer: Callable[[Answer], object] | None

    @property
    def is_repeatable(self) -> bool:
        """A read, or a write that its key makes the same."""
        return self.method == "GET" or self.idempotency_key is not None


def path(template: str, *values: str) -> str:
    """A path whose parameters are one segment each. One that would lead elsewhere is refused."""
    return template.format(*map(_segment, values))


def _segment(value: object) -> str:
    if not isinstance(value, str) or value == "":
        raise ValueError("expected an object ID, got an empty string")
    # URLs normalize these away, in any spelling.
    if value in (".", ".."):
        raise ValueError(f'"{value}" is not a valid ID')
    return quote(value, safe="")


def prepared(request: Request, base_url: str, user_agent: str, base: Limits, options: CallOptions) -> Prepared:
    """The body is encoded once, so each try sends the same bytes."""
    body, upload = request.body, request.upload
    check_options(options, (WriteOptions if request.is_keyed else CallOptions).__annotations__)
    # Only methods of writes accept this option.
    key = idempotency_key_of(cast("WriteOptions", options).get("idempotency_key")) if request.is_keyed else None
    headers = {"User-Agent": user_agent}
    if body is not None:
        headers |= {"Content-Type": "application/json", "Coffer-Strict": "true"}
    if key is not None:
        headers["Idempotency-Key"] = key
    limits = limits_of(
        base, options.get("timeout_seconds"), options.get("deadline_seconds"), options.get("max_retries")
    )
    return Prepared(
        method=request.method,
        path=request.path,
        url=f"{base_url}{request.path}{query_string(request.query)}",
        headers=headers,
        content=None if body is None else json.dumps(_sendable("body", body), allow_nan=False).encode(),
        file=None if upload is None else _file_of(upload),
        idempotency_key=key,
        form=request.form,
        limits=_longer_by(_wait_in(request.query), limits),
        on_answer=options.get("on_answer"),
    )


def _wait_in(query: Mapping[str, Any]) -> float:
    """Seconds that the service may wait by the query before it answers."""
    wait = query.get("wait")
    return float(wait) if isinstance(wait, (int, float)) else 0.0


def _longer_by(seconds: float, limits: Limits) -> Limits:
    return Limits(limits.timeout_seconds + seconds, limits.deadline_seconds + seconds, limits.max_retries)


_file_type = "application/octet-stream"


def _file_of(upload: Upload) -> tuple[str, bytes, str]:
    if isinstance(upload, (bytes, bytearray, memoryview)):
        return ("file", bytes(upload), _file_type)
    content = upload.read()
    if not isinstance(content, bytes):
        raise ValueError('file: expected bytes; open it with "rb"')
    name = getattr(upload, "name", None)
    return (os.path.basename(name) if isinstance(name, str) and name else "file", content, _file_type)


def _sendable(name: str, value: object) -> object:
    """A datetime as a query has it, however deep it stands; all else as it is."""
    if isinstance(value, Mapping):
        return {key: _sendable(str(key), inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_sendable(name, each) for each in value]
    return _text_of(name, value) if isinstance(value, datetime) else value


def query_string(query: Mapping[str, Any]) -> str:
    """With the question mark, or empty."""
    pairs = [pair for name, value in query.items() for pair in _pairs_of(name, value)]
    return f"?{urlencode(pairs)}" if pairs else ""


def _pairs_of(name: str, value: object) -> list[tuple[str, str]]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [pair for key, inner in value.items() for pair in _pairs_of(f"{name}[{key}]", inner)]
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [pair for each in value for pair in _pairs_of(name, each)]
    return [(name, _text_of(name, value))]


def _text_of(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{name}: expected a datetime with a time zone")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return str(value)
