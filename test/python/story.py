"""
A merchant's server in Python, against the running service: what is sent is taken, and what is answered is typed. The
same story is told twice, by the client that waits and by the one for asyncio. `story.test.ts` runs it.
"""
from __future__ import annotations

import os
import queue
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import coffer as package
from coffer import AsyncCoffer, Coffer, WebhookVerificationError, webhooks

key, other_key, base_url = (os.environ[name] for name in ("COFFER_KEY", "COFFER_OTHER_KEY", "COFFER_BASE_URL"))
other_secret = "whsec_6mLxQ0PZzqk3c5m3dJbq0H0y5oQw1YJpYF5R7xkq0yE="
pdf = b"%PDF-1.7\n" + bytes(1_000)


class Receiver:
    """A merchant's endpoint: what it was sent waits in a queue."""

    def __init__(self) -> None:
        received: queue.Queue[tuple[bytes, dict[str, str]]] = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                received.put((body, dict(self.headers.items())))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.received = received
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self) -> tuple[bytes, dict[str, str]]:
        return self.received.get(timeout=120)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Story(unittest.TestCase):
    def check_delivery(self, body: bytes, headers: dict[str, str], secret: str, out_trade_no: str) -> None:
        """The delivery is genuine by its own secret, and by nothing else."""
        for known in (secret, [other_secret, secret]):
            event = webhooks.verify(body, headers, known)
            self.assertEqual(event["type"], "payment.succeeded")
            self.assertEqual(event["data"]["object"]["out_trade_no"], out_trade_no)
        standard = {name: value for name, value in headers.items() if not name.lower().startswith("x-service")}
        self.assertEqual(webhooks.verify(body, standard, secret)["id"], event["id"])
        for raw, known, now, code in (
            (body, other_secret, time.time, "no_match"),
            (body.replace(b"1999", b"9999"), secret, time.time, "no_match"),
            (body, secret, lambda: 0.0, "too_new"),
            (body, secret, lambda: 4e9, "too_old"),
        ):
            with self.assertRaises(WebhookVerificationError) as caught:
                webhooks.verify(raw, headers, known, now=now)
            self.assertEqual(caught.exception.code, code)


class WaitingStory(Story):
    def setUp(self) -> None:
        self.coffer = Coffer(key, base_url, user_agent="story/1")
        self.addCleanup(self.coffer.close)

    def test_collects_refunds_and_reads_the_ledger_page_by_page(self) -> None:
        coffer = self.coffer
        answers: list[package.Answer] = []
        terms: package.types.CreateOrder = {"amount": 1999, "out_trade_no": "cart-1", "metadata": {"shelf": "A7"}}
        before = coffer.balance.get()["available_balance"]
        order = coffer.orders.create(terms, idempotency_key="cart-1", on_answer=answers.append)
        again = coffer.orders.create(terms, idempotency_key="cart-1", on_answer=answers.append)
        self.assertEqual((order["status"], order["metadata"]), ("pending", {"shelf": "A7"}))
        self.assertEqual(again["trade_no"], order["trade_no"])
        self.assertEqual([(each.status, each.is_replayed) for each in answers], [(201, False), (201, True)])
        paid = coffer.test_helpers.orders.pay("cart-1")
        self.assertEqual(paid["status"], "paid")
        refund = coffer.refunds.create({"trade_no": order["trade_no"], "amount": 500})
        self.assertEqual((refund["status"], refund["amount"]), ("succeeded", 500))
        self.assertEqual(coffer.orders.get("cart-1")["status"], "partially_refunded")
        gained = coffer.balance.get()["available_balance"] - before
        self.assertEqual(gained, 1999 - (paid["fee"] or 0) - 500)
        rows = coffer.ledger.list({"reference_id": order["trade_no"], "limit": 1})
        self.assertEqual([row["type"] for row in rows], ["fee_debit", "payment_credit"])
        self.assertEqual([page.has_more for page in rows.pages()], [True, False])
        self.assertEqual(coffer.orders.csv({"out_trade_no": "cart-1"})[0], "\ufeff")

    def test_answers_a_dispute_with_a_file_as_evidence(self) -> None:
        coffer = self.coffer
        order = coffer.orders.create({"amount": 5000})
        coffer.test_helpers.orders.pay(order["trade_no"])
        number = coffer.test_helpers.orders.dispute(order["trade_no"], {"reason": "fraudulent"})["dispute_no"]
        url = coffer.files.upload(pdf)["url"]
        sent: package.types.SubmitEvidence = {
            "evidence": {"customer_name": "A. Buyer"},
            "files": [{"type": "receipt", "url": url}],
            "submit": True,
        }
        self.assertEqual(coffer.disputes.submit_evidence(number, sent)["status"], "under_review")
        kept = coffer.disputes.get_evidence(number)
        self.assertEqual((kept["evidence"]["customer_name"], kept["submitted"]), ("A. Buyer", True))
        self.assertEqual(coffer.test_helpers.disputes.resolve(number, {"outcome": "won"})["status"], "won")

    def test_takes_a_delivery_that_the_service_signed_and_no_other(self) -> None:
        receiver = Receiver()
        self.addCleanup(receiver.close)
        endpoint = self.coffer.webhook_endpoints.create({"url": receiver.url, "enabled_events": ["payment.succeeded"]})
        self.coffer.orders.create({"amount": 1999, "out_trade_no": "hooked"})
        self.coffer.test_helpers.orders.pay("hooked")
        self.check_delivery(*receiver.next(), endpoint["secret"], "hooked")
        self.assertTrue(self.coffer.webhook_endpoints.delete(endpoint["id"])["deleted"])

    def test_is_told_the_wrong_field_by_an_error_of_its_kind(self) -> None:
        orders = self.coffer.orders
        with self.assertRaises(package.InvalidRequestError) as invalid:
            orders.create({"amount": 0})
        error = invalid.exception
        self.assertEqual((error.status, error.code, error.param), (400, "invalid_request", "amount"))
        self.assertRegex(error.request_id or "", "^req_")
        with self.assertRaises(package.InvalidRequestError) as misspelt:
            orders.create({"amount": 100, "subjekt": "Two books"})  # type: ignore[typeddict-unknown-key]
        self.assertEqual(misspelt.exception.param, "subjekt")
        with self.assertRaises(package.NotFoundError) as missing:
            self.coffer.refunds.get("nothing")
        self.assertEqual(missing.exception.code, "refund_not_found")
        orders.create({"amount": 100, "out_trade_no": "same"})
        with self.assertRaises(package.ConflictError) as conflict:
            orders.create({"amount": 200, "out_trade_no": "same"})
        self.assertEqual((conflict.exception.code, conflict.exception.attempts), ("conflict", 1))
        self.assertTrue(conflict.exception.reason)
        with Coffer("svc_test_of-nobody", base_url) as stranger, self.assertRaises(package.AuthenticationError):
            stranger.balance.get()

    def test_follows_events_oldest_first(self) -> None:
        for amount in (1100, 1200, 1300):
            number = self.coffer.orders.create({"amount": amount})["trade_no"]
            last = self.coffer.test_helpers.orders.pay(number)
        found: list[int] = []
        for event in self.coffer.events.follow({"after": None, "type": "payment.succeeded"}):
            found.append(event["data"]["object"]["amount"])
            if found[-1] == last["amount"]:
                break
        self.assertEqual([amount for amount in found if amount in (1100, 1200, 1300)], [1100, 1200, 1300])


class AsyncStory(unittest.IsolatedAsyncioTestCase, Story):
    async def asyncSetUp(self) -> None:
        self.coffer = AsyncCoffer(other_key, base_url)
        self.addAsyncCleanup(self.coffer.aclose)

    async def test_collects_refunds_and_reads_the_ledger_page_by_page(self) -> None:
        coffer = self.coffer
        answers: list[package.Answer] = []
        terms: package.types.CreateOrder = {"amount": 1999, "out_trade_no": "cart-1"}
        order = await coffer.orders.create(terms, idempotency_key="cart-1", on_answer=answers.append)
        again = await coffer.orders.create(terms, idempotency_key="cart-1", on_answer=answers.append)
        self.assertEqual(again["trade_no"], order["trade_no"])
        self.assertEqual([each.is_replayed for each in answers], [False, True])
        paid = await coffer.test_helpers.orders.pay("cart-1")
        refund = await coffer.refunds.create({"trade_no": order["trade_no"], "amount": 500})
        self.assertEqual((paid["status"], refund["status"]), ("paid", "succeeded"))
        rows = coffer.ledger.list({"reference_id": order["trade_no"], "limit": 1})
        self.assertEqual([row["type"] async for row in rows], ["fee_debit", "payment_credit"])
        self.assertEqual([page.has_more async for page in rows.pages()], [True, False])
        link = await coffer.payment_links.create({"amount": 100})
        self.assertRegex(await coffer.payment_links.qr_code(link["link_id"]), "^<svg")

    async def test_answers_a_dispute_with_a_file_as_evidence(self) -> None:
        coffer = self.coffer
        order = await coffer.orders.create({"amount": 5000})
        await coffer.test_helpers.orders.pay(order["trade_no"])
        dispute = await coffer.test_helpers.orders.dispute(order["trade_no"], {"reason": "fraudulent"})
        url = (await coffer.files.upload(pdf))["url"]
        sent: package.types.SubmitEvidence = {
            "evidence": {"customer_name": "A. Buyer"},
            "files": [{"type": "receipt", "url": url}],
            "submit": True,
        }
        answered = await coffer.disputes.submit_evidence(dispute["dispute_no"], sent)
        self.assertEqual(answered["status"], "under_review")

    async def test_takes_a_delivery_that_the_service_signed_and_no_other(self) -> None:
        receiver = Receiver()
        self.addCleanup(receiver.close)
        endpoint = await self.coffer.webhook_endpoints.create(
            {"url": receiver.url, "enabled_events": ["payment.succeeded"]}
        )
        await self.coffer.orders.create({"amount": 1999, "out_trade_no": "hooked"})
        await self.coffer.test_helpers.orders.pay("hooked")
        self.check_delivery(*receiver.next(), endpoint["secret"], "hooked")

    async def test_is_told_the_wrong_field_by_an_error_of_its_kind(self) -> None:
        with self.assertRaises(package.InvalidRequestError) as invalid:
            await self.coffer.orders.create({"amount": 0})
        self.assertEqual((invalid.exception.code, invalid.exception.param), ("invalid_request", "amount"))
        with self.assertRaises(package.NotFoundError):
            await self.coffer.orders.get("nothing")

    async def test_follows_events_oldest_first(self) -> None:
        for amount in (1100, 1200):
            order = await self.coffer.orders.create({"amount": amount})
            await self.coffer.test_helpers.orders.pay(order["trade_no"])
        found: list[int] = []
        async for event in self.coffer.events.follow({"after": None, "type": "payment.succeeded"}):
            found.append(event["data"]["object"]["amount"])
            if found[-1] == 1200:
                break
        self.assertEqual([amount for amount in found if amount in (1100, 1200)], [1100, 1200])


# It has no rules of its own.
del Story

if __name__ == "__main__":
    unittest.main()
