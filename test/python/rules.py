"""
The rules of the Python package that need no service: scripted answers, time in the test's hands. Each holds for both
clients. `story.test.ts` runs it.
"""
from __future__ import annotations

import asyncio
import inspect
import json
import re
import unittest
from collections.abc import Callable
from typing import Any

import httpx

import coffer as package
from coffer import AsyncCoffer, Coffer, WebhookVerificationError, webhooks

key = "svc_test_a-key-that-nobody-may-see"
url = "https://pay.example/v1"
secret = "whsec_6mLxQ0PZzqk3c5m3dJbq0H0y5oQw1YJpYF5R7xkq0yE="
Answer = Callable[[httpx.Request], httpx.Response]


class Clock:
    """A wait ends at once, and time passes by it."""

    def __init__(self, wait: Callable[[float], Any]) -> None:
        self.slept: list[float] = []
        self.at = 0.0
        self.longer = 0.0
        self.wait = wait

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> Any:
        self.slept.append(seconds)
        self.at += seconds + self.longer
        return self.wait(seconds)


async def at_once(_: float) -> None:
    pass


class Scripted:
    """A client whose requests get these answers, one after the other; the last one again and again."""

    def __init__(self, is_async: bool, answers: list[Answer], options: dict[str, Any]) -> None:
        self.sent: list[httpx.Request] = []
        self.is_async = is_async
        self.clock = Clock(at_once if is_async else lambda _: None)

        def handle(request: httpx.Request) -> httpx.Response:
            self.sent.append(request)
            return answers[min(len(self.sent), len(answers)) - 1](request)

        transport = httpx.MockTransport(handle)
        http_client: Any = httpx.AsyncClient(transport=transport) if is_async else httpx.Client(transport=transport)
        kind: Any = AsyncCoffer if is_async else Coffer
        given = {"random": lambda: 0.5, "clock": self.clock, **options}
        self.coffer: Any = kind(key, url, http_client=http_client, **given)

    def run(self, use: Callable[[Any], Any]) -> Any:
        """The result of a call, or of all objects of a list."""

        async def awaited() -> Any:
            result = use(self.coffer)
            return await result if inspect.isawaitable(result) else [item async for item in result]

        if self.is_async:
            return asyncio.run(awaited())
        result = use(self.coffer)
        return list(result) if isinstance(result, package.List) else result


def answered(data: Any, status: int = 200, **headers: str) -> Answer:
    return lambda _: httpx.Response(status, json={"data": data}, headers=headers)


def refused(status: int, code: str, param: str = "amount", **headers: str) -> Answer:
    body = {"error": code, "message": "no", "param": param, "request_id": "req_1"}
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: httpx.Response(status, json=body, headers=sent)


def page(has_more: bool, *ids: str) -> Answer:
    listed = {"object": "list", "resource": "x", "url": "/x", "has_more": has_more}
    return answered({**listed, "data": [{"object": "order", "trade_no": each, "id": each} for each in ids]})


def lost(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("reset", request=request)


def late(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("late", request=request)


class Rules(unittest.TestCase):
    def both(self, *answers: Answer, **options: Any) -> list[Scripted]:
        return [Scripted(is_async, list(answers), options) for is_async in (False, True)]

    def failure(self, scripted: Scripted, use: Callable[[Any], Any]) -> package.ApiError:
        with self.assertRaises(package.CofferError) as caught:
            scripted.run(use)
        return caught.exception  # type: ignore[return-value]

    def test_a_write_is_sent_again_under_the_same_key_until_it_is_done(self) -> None:
        passing = [lost, late, refused(503, "internal_error"), refused(409, "idempotency_in_progress")]
        for scripted in self.both(*passing, answered({"trade_no": "1"}, 201)):
            order = scripted.run(lambda coffer: coffer.orders.create({"amount": 1}))
            self.assertEqual(order, {"trade_no": "1"})
            keys = {request.headers["idempotency-key"] for request in scripted.sent}
            self.assertEqual((len(scripted.sent), len(keys)), (5, 1))
            self.assertEqual({request.content for request in scripted.sent}, {b'{"amount": 1}'})
            self.assertEqual(scripted.clock.slept, [0.25, 0.5, 1.0, 2.0])

    def test_each_call_has_a_key_of_its_own_and_a_read_has_none(self) -> None:
        for scripted in self.both(answered({})):
            scripted.run(lambda coffer: coffer.orders.expire("1"))
            scripted.run(lambda coffer: coffer.webhook_endpoints.delete("1"))
            scripted.run(lambda coffer: coffer.orders.get("1"))
            first, second, read = (request.headers.get("idempotency-key") for request in scripted.sent)
            self.assertTrue(first and second and first != second)
            self.assertIsNone(read)

    def test_retry_after_is_waited_for_in_seconds_and_as_a_date(self) -> None:
        dates = {"retry_after": "Thu, 01 Jan 2026 00:00:10 GMT", "date": "Thu, 01 Jan 2026 00:00:03 GMT"}
        answers = [refused(429, "rate_limited", retry_after="3"), refused(429, "rate_limited", **dates)]
        for scripted in self.both(*answers, answered({})):
            scripted.run(lambda coffer: coffer.balance.get())
            self.assertEqual(scripted.clock.slept, [3.25, 7.5])

    def test_a_call_ends_within_its_deadline_and_its_retries(self) -> None:
        for scripted in self.both(refused(429, "rate_limited", retry_after="70")):
            error = self.failure(scripted, lambda coffer: coffer.balance.get())
            self.assertEqual((len(scripted.sent), error.retry_after_seconds), (1, 70.0))
            self.assertEqual(scripted.clock.slept, [])
            self.assertIsInstance(error, package.RateLimitError)
        for scripted in self.both(lost):
            error = self.failure(scripted, lambda coffer: coffer.orders.create({"amount": 1}))
            self.assertEqual((len(scripted.sent), error.attempts, error.code), (5, 5, "connection_lost"))
            self.assertIn(error.idempotency_key or "?", str(error))
        for scripted in self.both(lost):
            # The machine slept as well.
            scripted.clock.longer = 60.0
            self.failure(scripted, lambda coffer: coffer.balance.get())
            self.assertEqual(len(scripted.sent), 1)
        for scripted in self.both(late, max_retries=0):
            error = self.failure(scripted, lambda coffer: coffer.balance.get())
            self.assertIsInstance(error, package.AnswerTimeoutError)
            self.assertEqual(len(scripted.sent), 1)

    def test_an_option_that_a_call_does_not_take_is_refused_with_the_nearest_or_all(self) -> None:
        for scripted in self.both(answered({})):
            wrong = [
                (lambda coffer: coffer.orders.create({"amount": 1}, idempotencyKey="a"), "did you mean idempotency_key?"),
                (lambda coffer: coffer.orders.get("1", idempotency_key="a"), "idempotency_key: unknown option; the options"),
                (lambda coffer: coffer.orders.get("1", timeout=1), "did you mean timeout_seconds?"),
            ]
            for call, says in wrong:
                with self.assertRaisesRegex(ValueError, re.escape(says)):
                    scripted.run(call)
            self.assertEqual(scripted.sent, [])

    def test_a_lost_connection_names_the_address_and_the_cause(self) -> None:
        def refusing(_: httpx.Request) -> httpx.Response:
            raise httpx.ConnectError("[Errno 111] Connection refused")

        for scripted in self.both(refusing, max_retries=0):
            error = self.failure(scripted, lambda coffer: coffer.orders.get("1"))
            self.assertIn("GET /orders/1: the connection to https://pay.example was lost", str(error))
            self.assertIn("Connection refused; is the service running?", str(error))

    def test_a_refusal_is_not_sent_again_and_says_what_is_wrong(self) -> None:
        kinds = {
            400: package.InvalidRequestError,
            401: package.AuthenticationError,
            403: package.PermissionDeniedError,
            404: package.NotFoundError,
            409: package.ConflictError,
            418: package.ApiError,
        }
        link = '<https://pay.example/docs/errors/conflict>; rel="help"'
        for status, kind in kinds.items():
            for scripted in self.both(refused(status, "conflict", coffer_reason="just_paid", link=link)):
                error = self.failure(scripted, lambda coffer: coffer.orders.expire("1"))
                self.assertIs(type(error), kind)
                self.assertEqual(error.doc_url, "https://pay.example/docs/errors/conflict")
                said = (error.status, error.code, error.reason, error.param, error.request_id)
                self.assertEqual(said, (status, "conflict", "just_paid", "amount", "req_1"))
                self.assertEqual(len(scripted.sent), 1)

    def test_a_file_is_sent_again_only_when_it_was_refused_unread(self) -> None:
        for scripted in self.both(refused(429, "rate_limited"), lost):
            error = self.failure(scripted, lambda coffer: coffer.files.upload(b"%PDF"))
            self.assertEqual((len(scripted.sent), error.code), (2, "connection_lost"))
            self.assertIn(b'name="file"', scripted.sent[0].content)

    def test_a_redirect_is_not_followed_and_a_strange_answer_is_no_success(self) -> None:
        elsewhere = {"location": "https://elsewhere.example/"}
        for answer in (
            lambda _: httpx.Response(307, headers=elsewhere),
            lambda _: httpx.Response(200, text="<html>"),
            lambda _: httpx.Response(200, json=[1]),
        ):
            for scripted in self.both(answer):
                error = self.failure(scripted, lambda coffer: coffer.balance.get())
                self.assertEqual((error.code, len(scripted.sent)), ("unexpected_answer", 1))

    def test_a_datetime_in_a_body_is_written_as_in_a_query_and_has_a_time_zone(self) -> None:
        from datetime import datetime, timedelta, timezone

        east = timezone(timedelta(hours=8))
        for scripted in self.both(answered({})):
            body = {"amount": 1, "expires_at": datetime(2026, 1, 1, 8, tzinfo=east), "metadata": {"a": None}}
            scripted.run(lambda coffer: coffer.payment_links.create(body))
            sent = json.loads(scripted.sent[0].content)
            self.assertEqual(
                sent, {"amount": 1, "expires_at": "2026-01-01T00:00:00.000Z", "metadata": {"a": None}}
            )
            with self.assertRaisesRegex(ValueError, "expires_at: expected a datetime with a time zone"):
                scripted.run(lambda coffer: coffer.payment_links.create({"expires_at": datetime(2026, 1, 1)}))
            self.assertEqual(len(scripted.sent), 1)

    def test_a_body_is_strict_and_an_address_is_one_segment(self) -> None:
        for scripted in self.both(answered({})):
            scripted.run(lambda coffer: coffer.orders.get("a/../b c?#ä%2F"))
            scripted.run(lambda coffer: coffer.orders.create({"amount": 1}))
            read, written = scripted.sent
            self.assertEqual(read.url.raw_path, b"/v1/orders/a%2F..%2Fb%20c%3F%23%C3%A4%252F")
            self.assertEqual(
                [request.headers.get("coffer-strict") for request in (read, written)], [None, "true"]
            )
            self.assertEqual(read.headers["user-agent"], f"coffer-python/{package.__version__}")
            for number in ("", ".", "..", None, 5):
                with self.assertRaises(ValueError):
                    scripted.run(self.reading(number))

    def reading(self, number: Any) -> Callable[[Any], Any]:
        return lambda coffer: coffer.orders.get(number)

    def test_a_query_is_written_as_the_service_reads_it(self) -> None:
        from datetime import datetime, timedelta, timezone

        east = timezone(timedelta(hours=8))
        query = {
            "created": {"gte": datetime(2026, 1, 1, 8, tzinfo=east), "lte": None},
            "metadata": {"shelf": "A 7"},
            "limit": 2,
            "status": None,
        }
        for scripted in self.both(page(False, "1")):
            scripted.run(lambda coffer: coffer.orders.list(query))
            self.assertEqual(
                dict(scripted.sent[0].url.params),
                {"created[gte]": "2026-01-01T00:00:00.000Z", "metadata[shelf]": "A 7", "limit": "2"},
            )
            with self.assertRaises(ValueError):
                scripted.run(lambda coffer: coffer.orders.list({"created": {"gte": datetime(2026, 1, 1)}}))

    def test_a_list_is_read_to_its_end_in_both_directions(self) -> None:
        for scripted in self.both(page(True, "4", "3"), page(False, "2", "1")):
            items = scripted.run(lambda coffer: coffer.orders.list({"limit": 2}))
            self.assertEqual([each["trade_no"] for each in items], ["4", "3", "2", "1"])
            self.assertEqual(scripted.sent[1].url.params["starting_after"], "3")
        for scripted in self.both(page(True, "2", "1"), page(False, "4", "3")):
            items = scripted.run(lambda coffer: coffer.orders.list({"ending_before": "0"}))
            self.assertEqual([each["trade_no"] for each in items], ["1", "2", "3", "4"])
            self.assertEqual(scripted.sent[1].url.params["ending_before"], "2")
        for scripted in self.both(page(True)):
            with self.assertRaises(RuntimeError):
                list(scripted.run(lambda coffer: coffer.orders.list()))

    def test_a_follower_misses_nothing_over_a_lost_connection(self) -> None:
        told: list[str] = []
        options = {"on_lost": lambda error: told.append(error.code), "on_found": lambda: told.append("found")}
        answers = [page(False, "2", "1"), lost, lost, page(False, "4", "3")]
        for scripted in self.both(*answers, refused(401, "invalid_api_key")):
            found: list[str] = []
            told.clear()

            async def follow_async() -> None:
                async for event in scripted.coffer.events.follow({"after": "0"}, **options):
                    found.append(event["id"])

            def follow() -> None:
                for event in scripted.coffer.events.follow({"after": "0"}, **options):
                    found.append(event["id"])

            with self.assertRaises(package.AuthenticationError):
                asyncio.run(follow_async()) if scripted.is_async else follow()
            self.assertEqual((found, told), (["1", "2", "3", "4"], ["connection_lost", "found"]))
            cursors = [request.url.params.get("ending_before") for request in scripted.sent]
            self.assertEqual(cursors, ["0", "2", "2", "2", "4"])

    def test_a_follower_asks_now_and_then_where_the_service_is_older_than_the_wait(self) -> None:
        older = refused(400, "invalid_request", param="wait")
        for scripted in self.both(older, page(False), page(False, "1"), refused(401, "invalid_api_key")):
            found: list[str] = []

            async def follow_async() -> None:
                async for event in scripted.coffer.events.follow({"after": "0"}):
                    found.append(event["id"])

            def follow() -> None:
                for event in scripted.coffer.events.follow({"after": "0"}):
                    found.append(event["id"])

            with self.assertRaises(package.AuthenticationError):
                asyncio.run(follow_async()) if scripted.is_async else follow()
            waits = [request.url.params.get("wait") for request in scripted.sent]
            self.assertEqual((found, waits), (["1"], ["25", None, None, None]))
            self.assertEqual(scripted.clock.slept, [3.0, 3.0])

    def test_a_follower_begins_again_where_the_newest_that_it_read_was_removed_and_never_else(self) -> None:
        too_far = refused(400, "invalid_request", param="ending_before")
        for answers, expected in (
            ([page(False, "1"), too_far, page(False, "8", "7")], ["1", "7", "8"]),
            ([too_far], []),
        ):
            for scripted in self.both(*answers, refused(401, "invalid_api_key")):
                found: list[str] = []

                async def follow_async() -> None:
                    async for event in scripted.coffer.events.follow({"after": "0"}):
                        found.append(event["id"])

                def follow() -> None:
                    for event in scripted.coffer.events.follow({"after": "0"}):
                        found.append(event["id"])

                ends = package.AuthenticationError if expected else package.InvalidRequestError
                with self.assertRaises(ends):
                    asyncio.run(follow_async()) if scripted.is_async else follow()
                self.assertEqual(found, expected)

    def test_hooks_are_told_of_each_try_and_change_nothing(self) -> None:
        seen: list[Any] = []

        def broken(info: Any) -> None:
            seen.append(info)
            raise RuntimeError("of the program")

        for scripted in self.both(lost, answered({}), on_request=broken, on_response=broken):
            seen.clear()
            scripted.run(lambda coffer: coffer.balance.get())
            self.assertEqual(len(seen), 4)
            self.assertEqual([seen[1].retry_in_seconds, seen[3].status], [0.25, 200])

    def test_the_key_is_printed_nowhere(self) -> None:
        for scripted in self.both(lost, max_retries=0):
            error = self.failure(scripted, lambda coffer: coffer.orders.create({"amount": 1}))
            things = [error, error.__cause__, error.__context__, vars(error), scripted.coffer, vars(scripted.coffer)]
            core = scripted.coffer.orders._transport._core
            self.assertNotIn(key, repr([*things, vars(core)]))
        for wrong in ("", " svc_test_x", "svc_test_nobody may see", "sk_nobody-may-see", None):
            with self.assertRaises(ValueError) as caught:
                Coffer(wrong, url)  # type: ignore[arg-type]
            self.assertNotIn("may", str(caught.exception))

    def test_an_option_that_cannot_be_right_is_named(self) -> None:
        addresses = ("", "pay.example/v1", "https://pay.example", "https://a:b@pay.example/v1", "ftp://pay.example/v1")
        for wrong in (*addresses, f"{url}?a", f"{url}#", "https://pay.example:x/v1", f"{url}\n", None):
            with self.assertRaisesRegex(ValueError, "^base_url: "):
                Coffer(key, wrong)  # type: ignore[arg-type]
        for name, values in {
            "timeout_seconds": (0, -1, float("nan"), float("inf"), True, "1"),
            "deadline_seconds": (0,),
            "max_retries": (-1, 21, 1.5, True),
            "user_agent": ("", " a", "ä", "a\n"),
        }.items():
            for value in values:
                with self.assertRaisesRegex(ValueError, f"^{name}: "):
                    Coffer(key, url, **{name: value})  # type: ignore[arg-type]
        with Coffer(key, url) as coffer:
            for wrong_key in ("", "ä", "a\n", "x" * 256):
                with self.assertRaisesRegex(ValueError, "^idempotency_key: "):
                    coffer.orders.create({"amount": 1}, idempotency_key=wrong_key)


class Webhooks(unittest.TestCase):
    body = json.dumps({"id": "evt_1", "type": "payment.succeeded", "data": {"subject": "Ä 日本"}}, ensure_ascii=False)
    other = f"whsec_{'A' * 40}"

    def now(self) -> float:
        return 1_800_000_000.9

    def code(self, body: Any, headers: Any, secrets: Any = secret, now: float = 1_800_000_000) -> str:
        with self.assertRaises(WebhookVerificationError) as caught:
            webhooks.verify(body, headers, secrets, now=lambda: now)
        return caught.exception.code

    def signed(self, secrets: Any = secret) -> list[dict[str, str]]:
        """By each of the two families of headers."""
        headers = webhooks.sign(self.body, secrets, now=self.now)
        names = [each for each in headers if each.startswith("x-service")]
        return [
            {name: headers[name] for name in names},
            {name: value for name, value in headers.items() if name not in names},
        ]

    def test_a_delivery_is_genuine_whatever_its_bytes_and_headers_are_kept_in(self) -> None:
        raw = self.body.encode()
        for headers in self.signed([self.other, secret]):
            for body in (self.body, raw, bytearray(raw), memoryview(raw)):
                for kept in (
                    headers,
                    list(headers.items()),
                    httpx.Headers(headers),
                    {name.upper(): [value] for name, value in headers.items()},
                    [(name.encode(), value.encode()) for name, value in headers.items()],
                ):
                    self.assertEqual(webhooks.verify(body, kept, secret, now=self.now)["id"], "evt_1")
            self.assertEqual(webhooks.verify(raw, headers, [self.other], now=self.now)["id"], "evt_1")

    def test_a_failure_says_what_is_wrong(self) -> None:
        for headers in self.signed():
            self.assertEqual(self.code({"id": 1}, headers), "body_parsed")
            self.assertEqual(self.code(b"", headers), "body_empty")
            strange = ("whsec_short", f"{secret} ", f"{secret}\n", [secret, None], f"whsec_{'ä' * 40}")
            for wrong in (None, "", [], *strange):
                self.assertEqual(self.code(self.body, headers, wrong), "bad_secret")
            self.assertEqual(self.code(self.body, headers, self.other), "no_match")
            self.assertEqual(self.code(f"{self.body} ", headers), "no_match")
            self.assertEqual(self.code(self.body, headers, now=1_800_000_301), "too_old")
            self.assertEqual(self.code(self.body, headers, now=1_799_999_699), "too_new")
            webhooks.verify(self.body, headers, secret, now=lambda: 1_800_000_300)
            webhooks.verify(self.body, headers, secret, now=lambda: 1_799_999_700)
        self.assertEqual(self.code(self.body, {}), "no_header")
        zeros = f"v1={'0' * 64}"
        for header in ("", "t=1", "v1=00", f"t=1,v1={'g' * 64}", f"t={'9' * 5_000},{zeros}", f"t=١,{zeros}"):
            self.assertEqual(self.code(self.body, {"X-Service-Signature": header}), "bad_header")
        own, standard = self.signed()
        for name in standard:
            code = "no_match" if name == "webhook-id" else "bad_header"
            self.assertEqual(self.code(self.body, {**standard, name: ""}), code)
        plain = webhooks.sign('{"id": "x"}', secret, now=self.now)
        self.assertEqual(self.code('{"id": "x"}', plain), "not_an_event")
        with self.assertRaises(ValueError):
            webhooks.verify(self.body, own, secret, tolerance_seconds=-1)


if __name__ == "__main__":
    unittest.main()
