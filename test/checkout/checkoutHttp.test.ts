/**
 * The checkout's routes without the service behind them: which requests each step makes to the bank, and its answer.
 * Orders and the buyer are scripted here; the real ones meet the page in test/pages (silences: K, O14).
 */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { type Order, OrderConflict } from "@coffer/rules/order/Order"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { ChannelUnreachable } from "../../src/shared/channel/payments.ts"
import type { Attempt } from "../../src/shared/channel/Channel.ts"
import { texts as allTexts } from "../../src/door/checkout/texts.ts"
import { OwnerUnavailable } from "../../src/platform/cluster/ask.ts"
import { NotCommitted } from "../../src/platform/commit/Change.ts"
import { OrderNotFound } from "../../src/money/orders/OrderCommands.ts"
import { type BankError, card, openScripted as open, type Script } from "../kit/pages/scriptedCheckout.ts"
import { createdAt, declined, expiresAt, facts, pendingOrder, untouched } from "../kit/rules/fixtures.ts"

const texts = allTexts.en

const paid: Order = { ...facts, ...untouched, ...pendingOrder, status: "paid" }
const failed: Order = { ...pendingOrder, status: "failed" }
const expired: Order = { ...pendingOrder, status: "expired" }

const good = card("4242 4242 4242 4242")

describe("checkout: opening", () => {
  it.effect("of a refunded order says when the last of it went back, and has its receipt for ten minutes", () =>
    Effect.gen(function* () {
      const order: Order = { ...paid, status: "refunded", refundedAmount: facts.amount }
      const refundedAt = DateTime.addDuration(createdAt, "3 days")
      for (const [after, hasReceipt] of [
        ["9 minutes", true],
        ["11 minutes", false]
      ] as const) {
        const { get } = yield* open({ order, refundedAt, at: DateTime.addDuration(refundedAt, after) })
        const { text } = yield* get
        assert.match(text, /<dt>Refunded on<\/dt>\s*<dd>[^]*?4 Jan 2026, 00:00 UTC/)
        assert.strictEqual(text.includes("/prefix/receipts/token"), hasReceipt, after)
      }
    })
  )

  it.effect("shows the order, under headers that let nothing in, out or be kept", () =>
    Effect.gen(function* () {
      const { asked, get } = yield* open()
      const { headers, status, text } = yield* get
      assert.strictEqual(status, 200)
      assert.include(text, "Pay US$10.00")
      assert.match(
        headers.get("content-security-policy") ?? "",
        new RegExp(
          "^default-src 'none'; style-src 'sha256-[^']+'; img-src data: 'self'; script-src 'sha256-[^']+'; " +
            "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$"
        )
      )
      const kept = ["content-type", "cache-control", "referrer-policy", "x-content-type-options", "x-robots-tag"]
      assert.deepStrictEqual(
        kept.map((name) => headers.get(name)),
        ["text/html; charset=utf-8", "no-store", "no-referrer", "nosniff", "noindex"]
      )
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("answers 404 to an address that we did not sign, and to one whose order is not there", () =>
    Effect.gen(function* () {
      const stranger = yield* open()
      const lost = yield* open({ order: null })
      for (const reply of [
        yield* stranger.call("/checkout/forged"),
        yield* stranger.call("/checkout/forged", "step=pay&method=alipay"),
        yield* lost.get,
        yield* lost.post(good)
      ]) {
        assert.strictEqual(reply.status, 404)
        assert.include(reply.text, texts.invalidLink.heading)
        assert.strictEqual(reply.headers.get("referrer-policy"), "no-referrer")
      }
    })
  )
})

describe("checkout: paying", () => {
  const attempts: ReadonlyArray<readonly [string, Record<string, string>, readonly [PaymentMethod, Attempt], Order]> = [
    ["4242 4242 4242 4242 pays", good, ["card", "succeed"], paid],
    ["4000 0000 0000 0002 is declined", card("4000000000000002"), ["card", "decline"], pendingOrder],
    ["4000 0027 6000 3184 asks for 3DS", card("4000 0027 6000 3184"), ["card", "redirect"], pendingOrder],
    ["3DS complete pays", { step: "confirm", method: "card" }, ["card", "succeed"], paid],
    ["3DS failed is declined", { step: "cancel", method: "card" }, ["card", "decline"], pendingOrder],
    ["a wallet is a redirect", { step: "pay", method: "alipay" }, ["alipay", "redirect"], pendingOrder],
    ["a wallet's yes pays", { step: "confirm", method: "wechat_pay" }, ["wechat_pay", "succeed"], paid],
    ["a wallet's no is no decline", { step: "cancel", method: "google_pay" }, ["google_pay", "cancel"], pendingOrder]
  ]
  for (const [name, form, expected, after] of attempts) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { asked, post } = yield* open({ after })
        const reply = yield* post(form)
        assert.deepStrictEqual(asked, [expected])
        if (after === paid) {
          assert.strictEqual(reply.status, 303)
          assert.strictEqual(reply.headers.get("location"), "/prefix/checkout/good")
          assert.strictEqual(reply.headers.get("cache-control"), "no-store")
        } else {
          assert.strictEqual(reply.status, 200)
          assert.strictEqual(reply.text.includes('value="confirm"'), expected[1] === "redirect")
          assert.strictEqual(/data-notice>\s*<div class="alert"/.test(reply.text), expected[1] === "decline")
          assert.strictEqual(/data-notice>\s*<p class="note" role="status"/.test(reply.text), expected[1] === "cancel")
        }
      })
    )
  }

  it.effect("4000 0000 0000 0077 is reported later, on a page that is read by GET", () =>
    Effect.gen(function* () {
      const { asked, get, post } = yield* open()
      const reply = yield* post(card("4000000000000077"))
      assert.deepStrictEqual(asked, [["card", "succeed_later"]])
      assert.deepStrictEqual([reply.status, reply.headers.get("location")], [303, "/prefix/checkout/good"])
      assert.include((yield* get).text, texts.processing.heading)
    })
  )

  it.effect("after too many declines the page says how long to wait, and the bank is not asked", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* open({ order: { ...pendingOrder, declines: 10 }, paused: true })
      const reply = yield* post(card("4242424242424242"))
      assert.strictEqual(reply.status, 429)
      assert.include(reply.text, texts.notices.tooManyDeclines.title)
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("the decline that begins the lockout says so, and not to try again", () =>
    Effect.gen(function* () {
      const attempts = Array.from({ length: 10 }, (_, no) => ({ ...declined, id: `pay_${no}` }))
      const { post } = yield* open({ after: { ...pendingOrder, declines: 10, attempts } })
      for (const number of ["4000000000000002", "4000000000009995"]) {
        const { text } = yield* post(card(number))
        assert.include(text, texts.notices.tooManyDeclines.text)
        assert.notMatch(text, /Try again, or/)
      }
    })
  )

  for (const [left, announced] of [
    [3, undefined],
    [2, "You have 2 more tries"],
    [1, "You have one more try"]
  ] as const) {
    it.effect(`with ${left} tries left the page ${announced === undefined ? "says nothing of them" : "says so"}`, () =>
      Effect.gen(function* () {
        const attempts = Array.from({ length: 10 - left }, (_, no) => ({ ...declined, id: `pay_${no}` }))
        const { post } = yield* open({ after: { ...pendingOrder, declines: 10 - left, attempts } })
        const { text } = yield* post(card("4000000000000002"))
        assert.include(text, announced ?? texts.notices.declined.text)
        assert.strictEqual(/more tr(y|ies)/.test(text), announced !== undefined)
      })
    )
  }

  it.effect("the final word of the channel shows that the order has failed", () =>
    Effect.gen(function* () {
      const { post } = yield* open({ after: failed })
      assert.include((yield* post(card("4000000000000002"))).text, texts.failed.heading)
    })
  )
})

describe("checkout: the bank is not asked", () => {
  const wallet = { step: "pay", method: "alipay" }
  const confirm = { step: "confirm", method: "alipay" }
  const live: Order = { ...pendingOrder, mode: "live" }
  const cases: ReadonlyArray<readonly [string, Script, Record<string, string>, string, number?]> = [
    ["about a paid order", { order: paid }, good, texts.paid.headingLater],
    ["about a paid order's wallet", { order: paid }, confirm, texts.paid.headingLater],
    ["about a failed order", { order: failed }, good, texts.failed.heading],
    ["about an expired order", { order: expired }, confirm, texts.ended.heading],
    ["for a payment once the end has come", { at: expiresAt }, good, texts.closed.heading],
    ["for a wallet once the end has come", { at: expiresAt }, wallet, texts.closed.heading],
    ["about a live order", { order: live }, good, texts.live.heading],
    ["about a live order's wallet", { order: live }, confirm, texts.live.heading],
    ["about a live order after its end", { order: live, at: expiresAt }, confirm, texts.closed.heading],
    ["about a card that is no test card", {}, card("5555 5555 5555 4444"), texts.notices.notATestCard.title],
    ["about a mistyped number", {}, card("4242 4242 4242 4241"), texts.mistakes.number, 422],
    ["about a card that is over", {}, { ...good, expiry: "12/25" }, texts.mistakes.expiry, 422],
    ["about a wrong CVC", {}, { ...good, cvc: "12" }, texts.mistakes.cvc, 422],
    ["about a form without card details", {}, { step: "pay", method: "card" }, texts.missing.number, 422],
    ["about a method that is none", {}, { ...good, method: "cash" }, texts.notices.unreadable.title, 422],
    ["about a step that is none", {}, { ...good, step: "refund" }, texts.notices.unreadable.title, 422]
  ]
  for (const [name, script, form, says, status = 200] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const at = script.order === paid ? DateTime.add(createdAt, { hours: 20 }) : createdAt
        const { asked, post } = yield* open({ at, ...script })
        const reply = yield* post(form)
        assert.include(reply.text, says)
        assert.strictEqual(reply.status, status)
        assert.deepStrictEqual(asked, [])
        const number = form["number"]
        if (number !== undefined && !number.startsWith("4242 4242 4242 4242")) {
          assert.notInclude(reply.text, number, "a card's number does not come back")
        }
      })
    )
  }

  it.effect("about a form with a field twice, or a body that is no form", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* open()
      for (const body of ["step=pay&method=card&method=alipay", "", `{"step":"pay"}`, "%%%=%ff&&&", "step=pay"]) {
        const reply = yield* call("/checkout/good", body)
        assert.strictEqual(reply.status, 422)
        assert.include(reply.text, texts.notices.unreadable.title)
      }
      assert.deepStrictEqual(asked, [])
    })
  )
})

describe("checkout: a payment that is being processed", () => {
  it.effect("is what the page shows, however it is opened, and the form never comes back", () =>
    Effect.gen(function* () {
      for (const at of [createdAt, DateTime.add(expiresAt, { minutes: 1 })]) {
        const { asked, call, get, post } = yield* open({ works: true, at })
        for (const { text } of [yield* get, yield* call("/checkout/good?wallet=alipay&lang=en")]) {
          assert.include(text, texts.processing.heading)
          assert.notInclude(text, "<form")
        }
        for (const form of [good, { step: "pay", method: "alipay" }, { step: "confirm", method: "alipay" }]) {
          assert.strictEqual((yield* post(form)).status, 303)
        }
        assert.deepStrictEqual(asked, [], "nothing is paid a second time")
      }
    })
  )

  it.effect("is followed by the script, and without one looked at again every five seconds", () =>
    Effect.gen(function* () {
      const { get } = yield* open({ works: true })
      const { text } = yield* get
      assert.include(text, "data-watch")
      assert.match(text, /<noscript\s*>\s*<meta http-equiv="refresh" content="5"/)
    })
  )

  it.effect("gives way to the order's state once the order has one", () =>
    Effect.gen(function* () {
      const { get } = yield* open({ works: true, order: paid })
      assert.include((yield* get).text, texts.paid.heading)
    })
  )
})

describe("checkout: methods that the merchant does not offer", () => {
  const offered = ["card", "apple_pay"] as const

  it.effect("are not shown, and a code on another screen does not lead to one", () =>
    Effect.gen(function* () {
      const { call, get } = yield* open({ offered })
      const { text } = yield* get
      const shown = Array.from(text.matchAll(/name="method"\s[^>]*value="(\w+)"|name="method" value="(\w+)"/g))
      assert.sameMembers(
        shown.map(([, choice, button]) => choice ?? button),
        ["card", "apple_pay"]
      )
      assert.notInclude((yield* call("/checkout/good?wallet=alipay")).text, "Confirm in Alipay")
    })
  )

  it.effect("are refused with words, and the bank is not asked", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* open({ offered })
      for (const method of ["alipay", "wechat_pay", "google_pay"]) {
        const reply = yield* post({ step: "pay", method })
        assert.strictEqual(reply.status, 422)
        assert.include(reply.text, texts.notices.notOffered.title)
      }
      const cardless = yield* open({ offered: ["alipay"] })
      const reply = yield* cardless.post(good)
      assert.deepStrictEqual([reply.status, reply.text.includes('id="number"')], [422, false])
      assert.deepStrictEqual([asked, cardless.asked], [[], []])
    })
  )

  it.effect("take nothing from who was in the wallet when they ended, and the bank hears that it is over", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* open({ offered })
      const reply = yield* post({ step: "confirm", method: "alipay" })
      assert.include(reply.text, texts.notices.notOffered.title)
      yield* post({ step: "cancel", method: "alipay" })
      assert.deepStrictEqual(asked, [
        ["alipay", "cancel"],
        ["alipay", "cancel"]
      ])
    })
  )
})

describe("checkout: back from the wallet after the end", () => {
  for (const step of ["confirm", "cancel"]) {
    it.effect(`${step} ends the attempt at the bank and pays nothing`, () =>
      Effect.gen(function* () {
        const { asked, post } = yield* open({ at: expiresAt })
        const reply = yield* post({ step, method: "alipay" })
        assert.deepStrictEqual(asked, [["alipay", "cancel"]])
        assert.include(reply.text, texts.closed.heading)
      })
    )
  }

  it.effect("shows the end even when the bank does not answer", () =>
    Effect.gen(function* () {
      const { post } = yield* open({ at: expiresAt, after: new ChannelUnreachable() })
      assert.include((yield* post({ step: "confirm", method: "alipay" })).text, texts.closed.heading)
    })
  )
})

describe("checkout: without an answer", () => {
  const errors: ReadonlyArray<readonly [BankError, number, string]> = [
    [new ChannelUnreachable(), 502, texts.unreachable.heading],
    [new NotCommitted({ reason: "unknown" }), 503, texts.uncertain.heading],
    [new OwnerUnavailable({ reason: "TimeoutError" }), 503, texts.uncertain.heading],
    [new OrderConflict({ tradeNo: pendingOrder.tradeNo, reason: "buyer_busy" }), 503, texts.uncertain.heading],
    [new OrderNotFound({ ref: pendingOrder.tradeNo }), 404, texts.invalidLink.heading]
  ]
  for (const [error, status, heading] of errors) {
    it.effect(`${error._tag} is ${status}: "${heading}"`, () =>
      Effect.gen(function* () {
        const { post } = yield* open({ after: error })
        const reply = yield* post(good)
        assert.strictEqual(reply.status, status)
        assert.include(reply.text, heading)
        if (status !== 404) assert.include(reply.text, '<a class="button" href="?">')
      })
    )
  }
})
