"""The clients: the methods of the merchant API, for one key. Make one and share it."""
from __future__ import annotations

import random as dice
from collections.abc import Callable
from types import TracebackType

import httpx

from . import webhooks
from ._options import (
    AsyncClock,
    AsyncPlatformClock,
    Clock,
    Hooks,
    PlatformClock,
    RequestInfo,
    ResponseInfo,
)
from ._resources import AsyncResources, Resources
from ._transport import AsyncTransport, Core, Transport


class Coffer(Resources):
    """The client that waits for each answer. Threads may share one. An option that is wrong is a `ValueError`."""

    webhooks = webhooks

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout_seconds: float | None = None,
        deadline_seconds: float | None = None,
        max_retries: int | None = None,
        user_agent: str | None = None,
        on_request: Callable[[RequestInfo], object] | None = None,
        on_response: Callable[[ResponseInfo], object] | None = None,
        http_client: httpx.Client | None = None,
        random: Callable[[], float] = dice.random,
        clock: Clock | None = None,
    ) -> None:
        """
        `api_key`: `svc_test_…` opens the sandbox, `svc_live_…` opens live. It belongs on servers only.
        `base_url`: where the service is, with its version: `https://pay.example/v1`.
        `timeout_seconds`: how long one try may take, its answer's body included; 20 unless given.
        `deadline_seconds`: how long a call may take with all its tries and waits; 60 unless given.
        `max_retries`: how many tries may follow the first, 0 to 20; 4 unless given.
        `user_agent`: names the program in the log of calls, before the package: `my-shop/2.1`.
        `on_request`, `on_response`: are called for every try. Exceptions that they raise are ignored.
        `http_client`: sends the requests; one of its own unless given. The program closes the one that it gives.
        `random`, `clock`: a number from 0 up to 1 that spreads retries, and time; a test gives its own.
        """
        core = Core[Clock](
            api_key,
            base_url,
            timeout_seconds,
            deadline_seconds,
            max_retries,
            user_agent,
            Hooks(on_request, on_response),
            random,
            PlatformClock() if clock is None else clock,
        )
        client = httpx.Client() if http_client is None else http_client
        self._own = client if http_client is None else None
        super().__init__(Transport(core, client))

    def close(self) -> None:
        """Closes the connections, but not those of a client that was given."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Coffer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncCoffer(AsyncResources):
    """The same client for `asyncio`."""

    webhooks = webhooks

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout_seconds: float | None = None,
        deadline_seconds: float | None = None,
        max_retries: int | None = None,
        user_agent: str | None = None,
        on_request: Callable[[RequestInfo], object] | None = None,
        on_response: Callable[[ResponseInfo], object] | None = None,
        http_client: httpx.AsyncClient | None = None,
        random: Callable[[], float] = dice.random,
        clock: AsyncClock | None = None,
    ) -> None:
        """The options are those of `Coffer`."""
        core = Core[AsyncClock](
            api_key,
            base_url,
            timeout_seconds,
            deadline_seconds,
            max_retries,
            user_agent,
            Hooks(on_request, on_response),
            random,
            AsyncPlatformClock() if clock is None else clock,
        )
        client = httpx.AsyncClient() if http_client is None else http_client
        self._own = client if http_client is None else None
        super().__init__(AsyncTransport(core, client))

    async def aclose(self) -> None:
        """Closes the connections, but not those of a client that was given."""
        if self._own is not None:
            await self._own.aclose()

    async def __aenter__(self) -> AsyncCoffer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
