"""
Lists. Nothing is asked before the program reads. `for order in list` goes through all of it, page after page: newest
first, or, from `ending_before` on, oldest first, as a follower of what happens wants it.
"""
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._calls import Request
from ._options import CallOptions

if TYPE_CHECKING:
    from ._transport import AsyncTransport, Transport

Item = TypeVar("Item")


class _Page(Generic[Item]):
    """One page as the service answers it."""

    data: list[Item]
    """Newest first."""
    has_more: bool
    """Whether another page follows in this direction. A short page does not say so."""
    resource: str
    url: str

    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.data = answer["data"]
        self.has_more = answer["has_more"]
        self.resource = answer["resource"]
        self.url = answer["url"]


class _Listed:
    """The query of a list, and how it goes on."""

    def __init__(self, path: str, id_field: str, query: Mapping[str, Any], options: CallOptions) -> None:
        self.path = path
        self.id_field = id_field
        self.query = dict(query)
        self.options = options
        self.is_forward = query.get("ending_before") is not None

    def request(self, cursor: Mapping[str, str]) -> Request:
        return Request("GET", self.path, query={**self.query, **cursor})

    def after(self, page: _Page[Any]) -> dict[str, str]:
        """Where the next page begins."""
        # Without an object there is no cursor to continue from, and stopping here would hide the rest.
        if not page.data:
            raise RuntimeError(f"{page.url}: an empty page says that more follow")
        last = page.data[0 if self.is_forward else -1]
        return {"ending_before" if self.is_forward else "starting_after": str(last[self.id_field])}


class Page(_Page[Item]):
    """One page of a list."""

    def __init__(self, listed: List[Item], answer: Mapping[str, Any]) -> None:
        super().__init__(answer)
        self._list = listed

    def next(self) -> Page[Item] | None:
        """The page after this one in the direction of the list; None after the last."""
        return self._list._after(self) if self.has_more else None


class List(Generic[Item]):
    """A list of objects, which are read when the program asks for them."""

    def __init__(
        self, transport: Transport, path: str, id_field: str, query: Mapping[str, Any], options: CallOptions
    ) -> None:
        self._transport = transport
        self._listed = _Listed(path, id_field, query, options)

    def page(self) -> Page[Item]:
        """The first page."""
        return self._at({})

    def pages(self) -> Iterator[Page[Item]]:
        """Page after page, as long as the program asks."""
        page: Page[Item] | None = self.page()
        while page is not None:
            yield page
            page = page.next()

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from reversed(page.data) if self._listed.is_forward else page.data

    def _at(self, cursor: Mapping[str, str]) -> Page[Item]:
        return Page(self, self._transport.call(self._listed.request(cursor), {**self._listed.options}))

    def _after(self, page: Page[Item]) -> Page[Item]:
        return self._at(self._listed.after(page))


class AsyncPage(_Page[Item]):
    """One page of a list, for `asyncio`."""

    def __init__(self, listed: AsyncList[Item], answer: Mapping[str, Any]) -> None:
        super().__init__(answer)
        self._list = listed

    async def next(self) -> AsyncPage[Item] | None:
        """The page after this one in the direction of the list; None after the last."""
        return await self._list._after(self) if self.has_more else None


class AsyncList(Generic[Item]):
    """A list of objects, which are read when the program asks for them: `async for`."""

    def __init__(
        self, transport: AsyncTransport, path: str, id_field: str, query: Mapping[str, Any], options: CallOptions
    ) -> None:
        self._transport = transport
        self._listed = _Listed(path, id_field, query, options)

    async def page(self) -> AsyncPage[Item]:
        """The first page."""
        return await self._at({})

    async def pages(self) -> AsyncIterator[AsyncPage[Item]]:
        """Page after page, as long as the program asks."""
        page: AsyncPage[Item] | None = await self.page()
        while page is not None:
            yield page
            page = await page.next()

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in reversed(page.data) if self._listed.is_forward else page.data:
                yield item

    async def _at(self, cursor: Mapping[str, str]) -> AsyncPage[Item]:
        return AsyncPage(self, await self._transport.call(self._listed.request(cursor), {**self._listed.options}))

    async def _after(self, page: AsyncPage[Item]) -> AsyncPage[Item]:
        return await self._at(self._listed.after(page))
