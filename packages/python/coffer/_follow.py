"""
Follows a list: each object once, oldest first, as it happens. The service answers when there is something newer than
the newest object that was read, and shows nothing that a later object could precede. So nothing is missed and nothing
comes twice, whatever becomes of a connection. These are the steps; the transports carry them out.
"""
from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple, Union

from ._errors import CofferError, InvalidRequestError
from ._options import FollowOptions
from ._retry import retry_delay

# Seconds that the service may hold an answer; it accepts at most 25.
_wait_seconds = 25
# The maximum page size.
_page_max = 100
# The pause between two answers, so that bursts arrive as pages; and after an empty answer that came too early.
_rest_seconds = 0.25
_early_seconds = 1.0
# The poll interval for a service without `wait`: it leaves most of the read quota to others.
_poll_seconds = 3.0


class Ask(NamedTuple):
    """A page is to be read, with this on top of the filters."""

    query: dict[str, Any]


class Rest(NamedTuple):
    """A wait."""

    seconds: float


class Found(NamedTuple):
    """An object for the program."""

    item: Any


Step = Union[Ask, Rest, Found]
Told = Union[dict[str, Any], CofferError, None]


def follow_steps(
    id_field: str,
    query: Mapping[str, Any],
    options: FollowOptions,
    now: Callable[[], float],
    random: Callable[[], float],
) -> Generator[Step, Told, None]:
    """`after` of the query: the newest object that was read before; None: from the first one; left out: from now on."""

    # A service from before `wait` refuses the parameter by name, and is polled instead.
    wait: dict[str, Any] = {"wait": _wait_seconds}

    def answer_of(ask: dict[str, Any]) -> Generator[Step, Told, dict[str, Any]]:
        """Asks until an answer comes. A refusal that would come again ends it."""
        misses = 0
        while True:
            told = yield Ask(ask)
            if isinstance(told, InvalidRequestError) and told.param == "wait" and ask.pop("wait", None) is not None:
                wait.clear()
                continue
            if isinstance(told, dict):
                on_found = options.get("on_found")
                if misses > 0 and on_found is not None:
                    on_found()
                return told
            if told is None:
                raise RuntimeError("a step that asks is told an answer")
            misses += 1
            delay = retry_delay(told, misses, random, True)
            if delay is None:
                raise told
            on_lost = options.get("on_lost")
            if misses == 1 and on_lost is not None:
                on_lost(told)
            yield Rest(max(delay, _rest_seconds))

    def first_of() -> Generator[Step, Told, list[Any]]:
        """All that there is, newest first, once there is any."""
        page = yield from answer_of({"limit": _page_max, **wait})
        items: list[Any] = list(page["data"])
        while page["has_more"]:
            page = yield from answer_of({"limit": _page_max, "starting_after": items[-1][id_field]})
            items += page["data"]
        return items

    if "after" in query:
        position: str | None = query["after"]
    else:
        newest = (yield from answer_of({"limit": 1}))["data"]
        position = newest[0][id_field] if newest else None
    # The service has taken the position.
    is_taken = False
    while True:
        began = now()
        if position is None:
            items = yield from first_of()
        else:
            ask = {"limit": _page_max, **wait, "ending_before": position}
            try:
                items = (yield from answer_of(ask))["data"]
            except InvalidRequestError as error:
                if not is_taken or error.param != "ending_before":
                    raise
                # It was removed after its days, and everything that is left is newer.
                position = None
                continue
        is_taken = True
        for item in reversed(items):
            position = item[id_field]
            yield Found(item)
        is_early = not items and now() - began < _early_seconds
        yield Rest(_poll_seconds if not wait else _early_seconds if is_early else _rest_seconds)
