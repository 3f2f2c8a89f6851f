"""The options of a client and of a call, with their defaults, and the checks that say which option is wrong."""
from __future__ import annotations

import asyncio
import difflib
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypedDict
from urllib.parse import urlsplit

import httpx

from ._errors import CofferError
from ._version import version


@dataclass(frozen=True)
class Answer:
    """The whole answer of a call, for `on_answer`."""

    data: Any
    status: int
    headers: httpx.Headers
    text: str
    request_id: str | None
    idempotency_key: str | None
    """For a write."""
    is_replayed: bool
    """It is the stored answer of an earlier request with the same Idempotency-Key."""
    is_truncated: bool
    """It is a file that was cut off at 10,000 rows. Narrower filters give the rest."""
    attempts: int
    """How many tries it took."""


class CallOptions(TypedDict, total=False):
    """The options of one call. Those left out are as the client has them."""

    timeout_seconds: float
    deadline_seconds: float
    max_retries: int
    on_answer: Callable[[Answer], object]
    """Called with the whole answer: status, headers, text. A list calls it for each page."""


class WriteOptions(CallOptions, total=False):
    """The options of a write."""

    idempotency_key: str
    """1 to 255 printable ASCII characters, kept for 24 hours; a random one for each call unless given."""


class FollowOptions(TypedDict, total=False):
    """The options of a follower."""

    timeout_seconds: float
    on_lost: Callable[[CofferError], object]
    """Called once when the service stops answering. It is retried, as its `Retry-After` says, until it answers."""
    on_found: Callable[[], object]
    """Called once when the service answers again."""


@dataclass(frozen=True)
class RequestInfo:
    """A try that is about to be sent. The key is not in it."""

    method: str
    url: str
    attempt: int
    """1 for the first try of a call."""
    idempotency_key: str | None
    """For a write: the same in each of its tries."""


@dataclass(frozen=True)
class ResponseInfo:
    """How a try has ended. The key is not in it."""

    request: RequestInfo
    status: int | None
    """None when no answer came."""
    request_id: str | None
    duration_seconds: float
    error: CofferError | None
    """None when the try has succeeded."""
    retry_in_seconds: float | None
    """When another try follows: how long the call waits before it."""


class Hooks(NamedTuple):
    """The functions called for each try. Exceptions that they raise are ignored."""

    on_request: Callable[[RequestInfo], object] | None
    on_response: Callable[[ResponseInfo], object] | None


class Clock(Protocol):
    """Time and waits. A test gives its own."""

    def now(self) -> float:
        """Seconds since any moment: only differences are used."""

    def sleep(self, seconds: float) -> object:
        """Ends after that many seconds."""


class AsyncClock(Protocol):
    """Time and waits of an event loop. A test gives its own."""

    def now(self) -> float:
        """Seconds since any moment: only differences are used."""

    def sleep(self, seconds: float) -> Awaitable[object]:
        """Ends after that many seconds."""


class PlatformClock:
    """The clock of the machine."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class AsyncPlatformClock:
    """The clock of the machine, for `asyncio`."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Limits(NamedTuple):
    """How long a call may take, and how often it is sent."""

    timeout_seconds: float
    deadline_seconds: float
    max_retries: int


default_limits = Limits(timeout_seconds=20.0, deadline_seconds=60.0, max_retries=4)

# The maximum delay of platforms' timers.
_seconds_max = 2_147_483.0
_retries_max = 20


def limits_of(base: Limits, timeout_seconds: object, deadline_seconds: object, max_retries: object) -> Limits:
    """What is given over `base`, checked."""
    return Limits(
        base.timeout_seconds if timeout_seconds is None else _seconds_of("timeout_seconds", timeout_seconds),
        base.deadline_seconds if deadline_seconds is None else _seconds_of("deadline_seconds", deadline_seconds),
        base.max_retries if max_retries is None else _retries_of(max_retries),
    )


def _seconds_of(name: str, seconds: object) -> float:
    if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 < seconds <= _seconds_max:
        return float(seconds)
    raise ValueError(f"{name}: expected seconds, more than 0 and at most {_seconds_max:.0f}")


def _retries_of(retries: object) -> int:
    if isinstance(retries, int) and not isinstance(retries, bool) and 0 <= retries <= _retries_max:
        return retries
    raise ValueError(f"max_retries: expected a whole number from 0 to {_retries_max}")


def api_key_of(api_key: object) -> str:
    """The key is never part of a message."""
    if not isinstance(api_key, str) or api_key == "":
        raise ValueError("api_key: expected a key, svc_test_… or svc_live_…")
    if re.fullmatch(r"svc_(test|live)_[\x21-\x7e]+", api_key) is None:
        why = "; it has a space or a line break in it" if re.search(r"\s", api_key) else ""
        raise ValueError(f"api_key: expected a key that begins with svc_test_ or svc_live_{why}")
    return api_key


def base_url_of(base_url: object) -> str:
    """Without a slash at its end."""
    expected = ValueError(
        "base_url: expected the address of the service with its version, like https://pay.example/v1"
    )
    if not isinstance(base_url, str) or re.fullmatch(r"[\x21-\x7e]+", base_url) is None:
        raise expected
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError:
        raise expected from None
    if parts.username is not None or parts.password is not None:
        raise ValueError("base_url: expected no user and no password in it")
    path = parts.path.rstrip("/")
    is_plain = parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"[?#\\]", base_url)
    if not is_plain or not path.endswith("/v1"):
        raise expected
    return f"{parts.scheme}://{parts.netloc}{path}"


def user_agent_of(own: object) -> str:
    """The name of the program, if it gave one, before that of the package."""
    sdk = f"coffer-python/{version}"
    if own is None:
        return sdk
    if isinstance(own, str) and re.fullmatch(r"[\x21-\x7e][\x20-\x7e]{0,199}", own) is not None:
        return f"{own} {sdk}"
    raise ValueError("user_agent: expected 1 to 200 printable ASCII characters")


def idempotency_key_of(key: object) -> str:
    """A random one unless it was given."""
    if key is None:
        return str(uuid.uuid4())
    if isinstance(key, str) and re.fullmatch(r"[\x20-\x7e]{1,255}", key) is not None:
        return key
    raise ValueError("idempotency_key: expected 1 to 255 printable ASCII characters")


def check_options(options: Mapping[str, Any], known: Collection[str]) -> None:
    """A misspelt option would silently have no effect."""
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name.lower(), known, 1)
            hint = f"did you mean {near[0]}?" if near else f"the options are {', '.join(sorted(known))}"
            raise ValueError(f"{name[:40]}: unknown option; {hint}")
