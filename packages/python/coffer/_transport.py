"""
Sends calls: one try after the other, each within its time, all of them within the call's. Each try of a write has the
same Idempotency-Key, so the service does it once. The order of the steps is written once (`Core.steps`); the two
transports carry them out, by waiting or for `asyncio`.
"""
from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar, Union

import httpx

from ._calls import Prepared, Request, prepared
from ._errors import AnswerTimeoutError, ApiError, CofferError, ConnectionLostError, Failed, refused_with
from ._follow import Ask, Rest, follow_steps
from ._options import (
    Answer,
    AsyncClock,
    CallOptions,
    Clock,
    FollowOptions,
    Hooks,
    RequestInfo,
    ResponseInfo,
    api_key_of,
    base_url_of,
    check_options,
    default_limits,
    limits_of,
    user_agent_of,
)
from ._retry import retry_delay

AnyClock = TypeVar("AnyClock", Clock, AsyncClock)


class Send(NamedTuple):
    """One try is to be made."""

    call: Prepared
    seconds: float


class Sleep(NamedTuple):
    """A wait between two tries."""

    seconds: float


class Raw(NamedTuple):
    """An answer as it came."""

    response: httpx.Response
    content: bytes


class Late(NamedTuple):
    """No answer came in time."""


class Lost(NamedTuple):
    """No answer came, or not all of it."""

    why: str


Exchanged = Union[Raw, Late, Lost]
Steps = Generator[Union[Send, Sleep], Union[Exchanged, None], Answer]


class Core(Generic[AnyClock]):
    """The rules of sending, without a socket. The key is never printed."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        timeout_seconds: float | None,
        deadline_seconds: float | None,
        max_retries: int | None,
        user_agent: str | None,
        hooks: Hooks,
        random: Callable[[], float],
        clock: AnyClock,
    ) -> None:
        key = api_key_of(api_key)
        self.key: Callable[[], str] = lambda: key
        self.base_url = base_url_of(base_url)
        self.limits = limits_of(default_limits, timeout_seconds, deadline_seconds, max_retries)
        self.user_agent = user_agent_of(user_agent)
        self.hooks = hooks
        self.random = random
        self.clock: AnyClock = clock

    def steps(self, request: Request, options: CallOptions) -> Steps:
        """The steps of a call. Each gets how the last try ended; the last returns the answer."""
        call = prepared(request, self.base_url, self.user_agent, self.limits, options)
        now = self.clock.now
        ends = now() + call.limits.deadline_seconds
        attempt = 0
        while True:
            attempt += 1
            began = now()
            info = RequestInfo(call.method, call.url, attempt, call.idempotency_key)
            _tell(self.hooks.on_request, info)
            seconds = min(call.limits.timeout_seconds, ends - began)
            ended = _ended(call, attempt, seconds, (yield Send(call, seconds)))
            at = now()
            retry_in = self._retry_in(call, ended, attempt, ends - at)
            _tell(self.hooks.on_response, _response_info(info, ended, at - began, retry_in))
            if isinstance(ended, Answer):
                if call.on_answer is not None:
                    call.on_answer(ended)
                return ended
            if retry_in is None:
                raise ended
            yield Sleep(retry_in)
            # A pause may last longer than planned: no time is left, and the last attempt's error is returned.
            if now() >= ends:
                raise ended

    def _retry_in(self, call: Prepared, ended: Answer | CofferError, attempt: int, left: float) -> float | None:
        if isinstance(ended, Answer) or attempt > call.limits.max_retries:
            return None
        delay = retry_delay(ended, attempt, self.random, call.is_repeatable)
        return delay if delay is not None and delay < left else None

    def sent(self, call: Prepared, seconds: float) -> dict[str, Any]:
        """The arguments with which httpx builds the request of one try."""
        return {
            "method": call.method,
            "url": call.url,
            "headers": {**call.headers, "X-Api-Key": self.key()},
            "content": call.content,
            "files": None if call.file is None else {"file": call.file},
            "timeout": httpx.Timeout(seconds),
        }


class Transport:
    """Carries calls out and waits for them."""

    def __init__(self, core: Core[Clock], client: httpx.Client) -> None:
        self._core = core
        self._client = client

    def call(self, request: Request, options: CallOptions) -> Any:
        """The answer's data."""
        steps = self._core.steps(request, options)
        step = next(steps)
        while True:
            result = self._done(step)
            try:
                step = steps.send(result)
            except StopIteration as done:
                return done.value.data

    def follow(self, path: str, id_field: str, query: Mapping[str, Any], options: FollowOptions) -> Iterator[Any]:
        """Each object once, oldest first."""
        filters, asking = _followed(query, options)
        steps = follow_steps(id_field, query, options, self._core.clock.now, self._core.random)
        step = next(steps)
        while True:
            page: dict[str, Any] | CofferError | None = None
            if isinstance(step, Ask):
                try:
                    page = self.call(Request("GET", path, query={**filters, **step.query}), asking)
                except CofferError as error:
                    page = error
            elif isinstance(step, Rest):
                self._core.clock.sleep(step.seconds)
            else:
                yield step.item
            step = steps.send(page)

    def _done(self, step: Send | Sleep) -> Exchanged | None:
        if isinstance(step, Send):
            return self._exchange(step.call, step.seconds)
        self._core.clock.sleep(step.seconds)
        return None

    def _exchange(self, call: Prepared, seconds: float) -> Exchanged:
        ends = self._core.clock.now() + seconds
        request = self._client.build_request(**self._core.sent(call, seconds))
        try:
            # A redirect would send the key to another server, and we must not read a netrc file.
            response = self._client.send(request, stream=True, follow_redirects=False, auth=httpx.Auth())
            try:
                content = bytearray()
                for chunk in response.iter_bytes():
                    content += chunk
                    # In httpx each wait for bytes has its own limit, which a slowly dripping answer would never reach.
                    if self._core.clock.now() > ends:
                        return Late()
                return Raw(response, bytes(content))
            finally:
                response.close()
        except httpx.TimeoutException:
            return Late()
        except httpx.HTTPError as error:
            return Lost(_why(error))


class AsyncTransport:
    """Carries calls out for `asyncio`."""

    def __init__(self, core: Core[AsyncClock], client: httpx.AsyncClient) -> None:
        self._core = core
        self._client = client

    async def call(self, request: Request, options: CallOptions) -> Any:
        """The answer's data."""
        steps = self._core.steps(request, options)
        step = next(steps)
        while True:
            result = await self._done(step)
            try:
                step = steps.send(result)
            except StopIteration as done:
                return done.value.data

    async def follow(
        self, path: str, id_field: str, query: Mapping[str, Any], options: FollowOptions
    ) -> AsyncIterator[Any]:
        """Each object once, oldest first."""
        filters, asking = _followed(query, options)
        steps = follow_steps(id_field, query, options, self._core.clock.now, self._core.random)
        step = next(steps)
        while True:
            page: dict[str, Any] | CofferError | None = None
            if isinstance(step, Ask):
                try:
                    page = await self.call(Request("GET", path, query={**filters, **step.query}), asking)
                except CofferError as error:
                    page = error
            elif isinstance(step, Rest):
                await self._core.clock.sleep(step.seconds)
            else:
                yield step.item
            step = steps.send(page)

    async def _done(self, step: Send | Sleep) -> Exchanged | None:
        if isinstance(step, Send):
            return await self._exchange(step.call, step.seconds)
        await self._core.clock.sleep(step.seconds)
        return None

    async def _exchange(self, call: Prepared, seconds: float) -> Exchanged:
        request = self._client.build_request(**self._core.sent(call, seconds))
        try:
            async with asyncio.timeout(seconds):
                response = await self._client.send(request, stream=True, follow_redirects=False, auth=httpx.Auth())
                try:
                    return Raw(response, await response.aread())
                finally:
                    await response.aclose()
        except (TimeoutError, httpx.TimeoutException):
            return Late()
        except httpx.HTTPError as error:
            return Lost(_why(error))


def _followed(query: Mapping[str, Any], options: FollowOptions) -> tuple[dict[str, Any], CallOptions]:
    """The filters of a follower, and the options of each of its calls: it tries again by itself."""
    check_options(options, FollowOptions.__annotations__)
    asking: CallOptions = {"max_retries": 0}
    if "timeout_seconds" in options:
        asking["timeout_seconds"] = options["timeout_seconds"]
    return {name: value for name, value in query.items() if name != "after"}, asking


def _why(error: httpx.HTTPError) -> str:
    text = str(error)
    why = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{why}; is the service running?" if "refused" in text else why


def _ended(call: Prepared, attempt: int, seconds: float, result: Exchanged | None) -> Answer | CofferError:
    failed = Failed(call.method, call.path, call.idempotency_key, attempt)
    if isinstance(result, Raw):
        return _answer_of(call, failed, result)
    if isinstance(result, Lost):
        return ConnectionLostError(failed, result.why, call.url)
    return AnswerTimeoutError(failed, seconds)


def _answer_of(call: Prepared, failed: Failed, raw: Raw) -> Answer | ApiError:
    response = raw.response
    is_done = 200 <= response.status_code < 300
    is_binary = is_done and call.form == "bytes"
    # Keeps the byte order mark, by which spreadsheets recognize UTF-8.
    text = "" if is_binary else raw.content.decode("utf-8", errors="replace")
    envelope = _parsed(text) if call.form == "json" or not is_done else None
    data: Any
    if call.form == "json":
        is_done = is_done and envelope is not None and "data" in envelope
        data = envelope.get("data") if envelope is not None else None
    else:
        data = raw.content if is_binary else text
    if not is_done:
        return refused_with(None if 200 <= response.status_code < 300 else envelope, failed, response, text)
    return Answer(
        data=data,
        status=response.status_code,
        headers=response.headers,
        text=text,
        request_id=response.headers.get("x-request-id"),
        idempotency_key=call.idempotency_key,
        is_replayed=response.headers.get("idempotent-replayed") == "true",
        is_truncated=response.headers.get("x-truncated") == "true",
        attempts=failed.attempts,
    )


def _parsed(text: str) -> dict[str, Any] | None:
    """None for what is no JSON, or no object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _response_info(
    info: RequestInfo, ended: Answer | CofferError, seconds: float, retry_in: float | None
) -> ResponseInfo:
    return ResponseInfo(
        request=info,
        status=ended.status if isinstance(ended, (Answer, ApiError)) else None,
        request_id=ended.request_id if isinstance(ended, (Answer, ApiError)) else None,
        duration_seconds=seconds,
        error=None if isinstance(ended, Answer) else ended,
        retry_in_seconds=retry_in,
    )


Info = TypeVar("Info", RequestInfo, ResponseInfo)


def _tell(hook: Callable[[Info], object] | None, info: Info) -> None:
    """An exception in a hook never affects the call."""
    if hook is None:
        return
    try:
        hook(info)
    except Exception:  # Its own.
        pass
