/** Shops' own hosts for checkout: which may be asked for, what proves one, and when one is looked at (decision 0201). */
import {
  afterLook,
  askFor,
  type Domain,
  type DomainProblem,
  goesBackAfter,
  goesBackAt,
  hostProblem,
  mailAfter,
  problemOf,
  recordValueOf
} from "@coffer/rules/shop/domain"
import { atBase } from "@coffer/rules/signedAddresses"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"

const begin = DateTime.makeUnsafe("2026-11-26T09:00:00Z")
const after = (duration: Duration.Input) => DateTime.addDuration(begin, Duration.fromInputUnsafe(duration))
const own = ["pay.coffer.example", "shops.coffer.example"]
const domain = askFor(null, "pay.shop.example", "token", begin)

describe("a host that a merchant asks for", () => {
  it("is a name of three parts or more, in small letters, that everybody's browser finds", () => {
    for (const host of ["pay.shop.example", "a.b.c.d.example", "pay-1.my-shop.co.uk", "1.shop.example"]) {
      assert.isUndefined(hostProblem(host, own), host)
    }
    for (const host of [
      "",
      "localhost",
      "shop",
      "shop.example",
      "co.uk",
      "PAY.shop.example",
      "pay.shop.example.",
      ".shop.example",
      "pay..example",
      "-a.shop.example",
      "a_b.shop.example",
      "_coffer.shop.example",
      "*.shop.example",
      "https://pay.shop.example",
      "pay.shop.example:443",
      "pay.shop.example/",
      "ada@pay.shop.example",
      "203.0.113.7",
      "1.2.3",
      "[2001:db8::7]",
      "2001:db8::7",
      "a.b.1",
      "pay.xn--fiqs8s.example",
      "xn--pay.shop.example",
      "商店.shop.example",
      "pay.shop.localhost",
      "pay.shop.local",
      "pay.shop.internal",
      `${"a".repeat(64)}.shop.example`,
      `${"a.".repeat(120)}shop.example`
    ]) {
      assert.strictEqual(hostProblem(host, own)?.param, "checkout_domain", host)
    }
  })

  it("is not one of the installation's own hosts, nor below one", () => {
    for (const host of [...own, "a.pay.coffer.example", "a.b.shops.coffer.example"]) {
      assert.include(hostProblem(host, own)?.problem, "belongs to this service", host)
    }
    assert.isUndefined(hostProblem("notpay.coffer.example", own))
  })
})

describe("the proof of a host", () => {
  const value = recordValueOf("token")

  it("is the merchant's own text in a TXT record, among others or alone, and a host that points here", () => {
    const judged: ReadonlyArray<readonly [Parameters<typeof problemOf>[0], DomainProblem | undefined]> = [
      [{ texts: [value], points: true }, undefined],
      [{ texts: ["v=spf1 -all", value], points: true }, undefined],
      [{ texts: [], points: true }, "no_record"],
      [{ texts: [recordValueOf("other")], points: true }, "other_record"],
      [{ texts: [`${value}x`], points: true }, "other_record"],
      // As a form of a provider may have kept what was pasted.
      [{ texts: [` ${value} `], points: true }, undefined],
      [{ texts: [`"${value}"`], points: true }, undefined],
      [{ texts: [value.toUpperCase()], points: true }, undefined],
      [{ texts: [value], points: false }, "not_pointing"],
      [{ texts: "silent", points: true }, "no_answer"],
      [{ texts: [value], points: "silent" }, "no_answer"]
    ]
    for (const [looked, problem] of judged) assert.strictEqual(problemOf(looked, domain), problem)
  })

  it("verifies the host, which is then checked once a day", () => {
    const verified = afterLook(domain, undefined, after("1 minute"))
    assert.deepInclude(verified, { verified_at: after("1 minute"), problem: null })
    assert.deepEqual(verified.next_check_at, after("1441 minutes"))
    assert.deepEqual(afterLook(verified, undefined, after("2 days")).verified_at, after("1 minute"))
  })

  it("is looked for each minute of the first hour, each quarter of the first day, four times a day for a month, and then no more", () => {
    const next = (age: Duration.Input) => afterLook(domain, "no_record", after(age)).next_check_at
    assert.deepEqual(next("59 minutes"), after("60 minutes"))
    assert.deepEqual(next("60 minutes"), after("75 minutes"))
    assert.deepEqual(next("1 day"), after("30 hours"))
    assert.isNull(next("30 days"))
    let looks = 0
    let at: DateTime.Utc | null = begin
    for (; at !== null; looks++) at = afterLook(domain, "no_record", at).next_check_at
    assert.isBelow(looks, 300)
  })

  it("may be lost for three days, with a look each hour, before the host is used no more", () => {
    let verified: Domain = afterLook(domain, undefined, begin)
    verified = afterLook(verified, "no_record", after("1 day"))
    assert.deepInclude(verified, { verified_at: begin, problem: "no_record" })
    assert.deepEqual(verified.next_check_at, after("25 hours"))
    assert.deepEqual(goesBackAt(verified), after("4 days"))
    const late = after(Duration.sum(Duration.days(1), goesBackAfter))
    assert.isNotNull(afterLook(verified, "not_pointing", DateTime.subtract(late, { minutes: 1 })).verified_at)
    const gone = afterLook(verified, "no_record", late)
    assert.deepInclude(gone, { verified_at: null, unproven_since: null, problem: "no_record" })
    assert.deepEqual(gone.pending_since, late)
    assert.isNull(goesBackAt(gone))
    const proven = afterLook(verified, undefined, after("2 days"))
    assert.isNotNull(afterLook(proven, "no_record", late).verified_at)
  })

  it("is not lost while DNS is silent, and is lost immediately to another merchant's", () => {
    const verified = afterLook(domain, undefined, begin)
    const silent = afterLook(verified, "no_answer", after("100 days"))
    assert.deepInclude(silent, { verified_at: begin, unproven_since: null, problem: "no_answer" })
    assert.isNull(afterLook(verified, "taken", after("1 hour")).verified_at)
  })

  it("keeps its record when the same host is asked for again, and gets another for another host", () => {
    const verified = afterLook(domain, undefined, begin)
    const again = askFor(verified, "pay.shop.example", "other", after("1 day"))
    assert.deepInclude(again, { token: "token", verified_at: begin, next_check_at: after("1 day") })
    const other = askFor(verified, "pay2.shop.example", "other", after("1 day"))
    assert.deepInclude(other, { token: "other", verified_at: null, pending_since: after("1 day") })
  })
})

describe("a mail about a host", () => {
  const verified = afterLook(domain, undefined, begin)
  const unproven = afterLook(verified, "no_record", after("1 day"))
  const lost = afterLook(unproven, "no_record", after("5 days"))

  it("tells once that the proof is gone, and once that the host is used no more", () => {
    assert.strictEqual(mailAfter(verified, unproven), "unproven")
    assert.isUndefined(mailAfter(unproven, afterLook(unproven, "other_record", after("2 days"))))
    assert.strictEqual(mailAfter(unproven, lost), "lost")
    assert.isUndefined(mailAfter(lost, afterLook(lost, "no_record", after("6 days"))))
    assert.strictEqual(mailAfter(verified, afterLook(verified, "taken", after("1 day"))), "lost")
  })

  it("is absent while DNS is silent or a host waits for its first proof, and is removed when the proof is back", () => {
    assert.isUndefined(mailAfter(domain, afterLook(domain, "no_record", begin)))
    assert.isUndefined(mailAfter(unproven, afterLook(unproven, "no_answer", after("2 days"))))
    assert.strictEqual(mailAfter(unproven, afterLook(unproven, undefined, after("2 days"))), "none")
    assert.strictEqual(mailAfter(lost, afterLook(lost, undefined, after("6 days"))), "none")
  })
})

describe("a stored view", () => {
  const here = "https://pay.shop.example"
  const order = {
    object: "order",
    merchant_id: "mer_1",
    checkout_url: "https://lost.shop.example/checkout/TRD.1.sig",
    receipt_url: null,
    return_url: "https://shop.example/checkout/"
  }

  it("is shown at the host of this moment, whatever it was stored with", () => {
    const moved = { ...order, checkout_url: `${here}/checkout/TRD.1.sig` }
    assert.deepStrictEqual(
      atBase(order, () => here),
      moved
    )
    assert.strictEqual(
      atBase(moved, () => here),
      moved
    )
    const link = { object: "payment_link", merchant_id: "mer_1", url: "http://old/prefix/pay/plink_1" }
    assert.strictEqual(atBase(link, () => `${here}/prefix`).url, `${here}/prefix/pay/plink_1`)
  })

  it("is left alone where it is of no merchant, or no order and no link", () => {
    for (const view of [{ checkout_url: "x/checkout/1" }, { ...order, object: "refund" }]) {
      assert.strictEqual(
        atBase(view, () => here),
        view
      )
    }
  })
})
