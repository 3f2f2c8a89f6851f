"""A small shop that is complete: it sells, receives webhooks, refunds, cancels, compares its books, and may be
restarted at any moment. With COFFER_KEY and COFFER_BASE_URL set: python shop.py"""

import json
import os
import re
import threading
import uuid
from collections import Counter, defaultdict
from contextlib import suppress
from datetime import datetime, timezone
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import sleep, time

from coffer import ApiError, Coffer, CofferError, ConflictError, WebhookVerificationError, webhooks

PORT = int(os.environ.get("PORT", "3000"))
HOME = os.environ.get("SHOP_URL", f"http://127.0.0.1:{PORT}")  # Coffer posts to it, and buyers return to it.
FOLDER = Path(os.environ.get("SHOP_FOLDER", "sales"))
PRICES = {"Moby Dick": 1999, "Emma": 1499}  # Whole cents: 1999 is $19.99.
coffer = Coffer(os.environ["COFFER_KEY"], os.environ["COFFER_BASE_URL"])


class Refused(Exception):
    """What the shop itself refuses: a status and a text."""


# Sales: a file each, replaced whole, so that a crash leaves the old one or the new one. Yours are rows of a database.

FOLDER.mkdir(parents=True, exist_ok=True)
turns = defaultdict(threading.Lock)  # Acts on one order run in turn, so that no older answer overwrites a newer one.


def checked(number):
    if re.fullmatch(r"[\w-]{1,60}", str(number), re.ASCII):
        return number
    raise Refused(400, "A number has 1 to 60 letters, digits, - and _.")


def load(number, new=None):
    file = FOLDER / f"{checked(number)}.json"
    if not file.exists() and new is None:
        raise Refused(404, f"There is no order {number}.")
    return json.loads(file.read_text()) if file.exists() else new


def save(sale):
    new = FOLDER / f"{sale['number']}.new"
    new.write_text(json.dumps(sale))
    new.replace(FOLDER / f"{sale['number']}.json")


def numbers():
    return [file.stem for file in FOLDER.glob("*.json")]


def buy(typed):
    """The cart has a number before Coffer is asked. So a repeated request is the same order, and is paid once."""
    title = typed.get("title")
    if title not in PRICES:
        raise Refused(400, f"We sell {' and '.join(PRICES)}.")
    new = {"number": typed["cart"], "title": title, "amount": PRICES[title], "home": HOME, "refunds": {}, "events": []}
    sale = load(typed["cart"], new)
    if sale["title"] != title:
        raise Refused(409, "This cart has another book.")
    save(sale)
    return refresh(sale)


def refresh(sale):
    """Reads an order's state. An event says only that it has changed, so events may come twice, late, in any order."""
    if "created_at" not in sale:
        # The shop's own price, never one from the browser. The number makes a repeated create the same order.
        terms = {"amount": sale["amount"], "currency": "USD", "out_trade_no": sale["number"], "subject": sale["title"]}
        home = sale["home"]  # Of that day: the same number with another address would be refused.
        links = {"notify_url": f"{home}/hook", "return_url": f"{home}/orders/{{OUT_TRADE_NO}}"}
        coffer.orders.create({**terms, **links})
    order = coffer.orders.get(sale["number"])
    sale["status"], sale["created_at"] = order["status"], order["created_at"]
    sale["paid"] = order["paid_at"] is not None  # The status goes on: `refunded` was paid, too.
    sale["refunded"] = order["refunded_amount"]  # It falls when the bank sends a refund back.
    sale["dispute"] = order["dispute_status"]
    disputes = [] if sale["dispute"] is None else coffer.disputes.list({"trade_no": order["trade_no"]})
    # A dispute that was lost can still be won.
    sale["lost"] = sum(dispute["amount"] for dispute in disputes if dispute["status"] == "lost")
    for id, refund in sale["refunds"].items():
        if refund["status"] != "asked":
            refund["status"] = coffer.refunds.get(f"{sale['number']}.{id}")["status"]
    if sale["paid"] and sale["status"] != "refunded":  # Not where all of it was refunded by then.
        sale.setdefault("shipped_at", datetime.now(timezone.utc).isoformat())  # Once, whatever comes later.
    save(sale)
    return {**sale, "checkout_url": order["checkout_url"]}  # Whoever has it can pay, so it is not stored.


def refund(sale, id=None, amount=None):
    """`id` is the intention, such as the number of the returned parcel. The same id is the same refund."""
    if sale["refunds"].setdefault(checked(id), {"status": "asked", "amount": amount})["amount"] != amount:
        raise Refused(409, "This id is a refund of another amount.")
    save(sale)  # Before the call, so that it is repeated with the same number, whatever happens now.
    return send_refund(sale, id)


def send_refund(sale, id):
    number, refund = f"{sale['number']}.{id}", sale["refunds"][id]
    terms = {"trade_no": sale["number"], "out_refund_no": number}
    if refund["amount"] is not None:  # Without one: all that is left.
        terms["amount"] = refund["amount"]
    try:
        refund["status"] = coffer.refunds.create(terms)["status"]
    except CofferError as error:
        # A refusal has done nothing. Without an answer it may be done: it stays `asked`, and is sent again. So it does
        # where the key or the pace was refused, which says nothing about an earlier try.
        is_open = not isinstance(error, ApiError) or error.status >= 500 or error.status in (401, 403, 429)
        is_final = getattr(error, "reason", None) == "channel_refused"
        is_final = is_final or (not is_open and error.code != "idempotency_in_progress")
        if is_final and refund["status"] == "asked":
            del sale["refunds"][id]
            save(sale)
        raise
    return refresh(sale)


def cancel(sale):
    reason = ""  # `just_paid`: the buyer was faster. `buyer_busy`: again in a minute. `not_pending`: it had ended.
    refresh(sale)  # Where the create had no answer, it is repeated.
    try:
        coffer.orders.expire(sale["number"])
    except ConflictError as error:
        reason = error.reason
    sale = refresh(sale)
    if sale["status"] != "expired":
        raise Refused(409, f"{reason}: the order is {sale['status']}.")
    return sale


@lru_cache(1)
def secret(minute):
    """Of orders with a notify_url it is the account's. For a day after its rotation each post has both signatures."""
    return coffer.webhook_signing_secret.get()["secret"]


def hear(body, headers):
    event = webhooks.verify(body, headers, secret(time() // 60))  # Raises when it is forged, or 300 seconds old.
    number = event["data"]["object"].get("out_trade_no")
    if number not in numbers():
        return  # It is no sale of this shop.
    with turns[number]:
        sale = load(number)
        if event["id"] not in sale["events"]:
            sale["events"].append(event["id"])  # Saved with its work. If that fails we answer 5xx, and it comes again.
            refresh(sale)


def catch_up(number):
    """Repeats what has no answer, and reads what was missed: at the start, each ten minutes, and before the books."""
    with turns[number]:
        sale = load(number)
        for id in [id for id, refund in sale["refunds"].items() if refund["status"] == "asked"]:
            try:
                send_refund(sale, id)
            except CofferError:
                if id in sale["refunds"]:  # Otherwise it was refused, and is none.
                    raise
        return refresh(sale)


def books():
    sales = [catch_up(number) for number in numbers()]
    query = {"currency": "USD"}
    if sales:
        query["created"] = {"gte": min(sale["created_at"] for sale in sales)}
    moved, decided = Counter(), set()
    for row in coffer.ledger.list(query):
        if row["out_trade_no"] is None or row["type"] in ("fee_debit", "dispute_fee"):
            continue
        # Newest first. Of a payment, refund or dispute the last row counts: an unfreeze after a debit gives it back.
        is_kept = row["type"] in ("payment_credit", "refund_debit", "dispute_debit")
        if is_kept and row["reference_id"] not in decided:
            moved[row["out_trade_no"]] += row["amount"]
        decided.add(row["reference_id"])
    lines = []
    for sale in sales:
        ours = sale["amount"] - sale["refunded"] - sale["lost"] if sale["paid"] else 0
        ledger = moved[sale["number"]]
        lines.append({"number": sale["number"], "ours": ours, "ledger": ledger, "agrees": ours == ledger})
    return {"agree": all(line["agrees"] for line in lines), "lines": lines}


class Shop(BaseHTTPRequestHandler):
    def route(self):
        _, place, number, act = (*self.path.split("?")[0].split("/"), "", "", "")[:4]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        match self.command, place, act:
            case "POST", "hook", "":
                return hear(body, self.headers)  # The signature is of these bytes, before they are parsed.
            case "GET", "books", "":
                return books()
            case "POST", "buy", "":
                typed = {"cart": str(uuid.uuid4()), **json.loads(body)}
                with turns[typed["cart"]]:
                    return buy(typed)
        with turns[number]:
            match self.command, place, act:
                case "GET", "orders", "":
                    return refresh(load(number))
                case "POST", "orders", "refund":
                    return refund(load(number), **json.loads(body))
                case "POST", "orders", "cancel":
                    return cancel(load(number))
        raise Refused(404, "POST /buy, GET /orders/N, POST /orders/N/refund, POST /orders/N/cancel, GET /books")

    def do_GET(self):
        try:
            status, made = 200, self.route() or {}
        except Refused as error:
            status, made = error.args[0], {"error": error.args[1]}
        except WebhookVerificationError as error:
            status, made = 400, {"error": error.code}
        except (json.JSONDecodeError, TypeError) as error:
            status, made = 400, {"error": str(error)}
        except CofferError as error:
            status, made = 502, {"error": "The outcome is not known. Send the same again."}
            if isinstance(error, ApiError) and error.status < 500:
                status, made = error.status, {"error": error.code, "reason": error.reason, "message": error.detail}
        text = json.dumps(made).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET


def repeat():
    while True:
        for number in numbers():
            with suppress(CofferError):
                catch_up(number)
        sleep(600)


server = ThreadingHTTPServer(("", PORT), Shop)
threading.Thread(target=repeat, daemon=True).start()
print(f"The shop is open: {HOME}", flush=True)
server.serve_forever()
