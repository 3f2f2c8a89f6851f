/**
 * The payment link's rules: when a visit makes an order, and what an update changes (spec: Payment link; silences: L).
 */
import { LinkId, TradeNo } from "@coffer/model/Ids"
import {
  closedBy,
  consequences,
  decide,
  evolve,
  LinkCommand,
  type PaymentLink,
  repeatOf,
  VisitNo
} from "@coffer/rules/link/PaymentLink"
import { nothing } from "@coffer/rules/Consequence"
import { accept } from "@coffer/rules/Decision"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import { createdAt, pendingOrder } from "../kit/rules/fixtures.ts"

const { Update, Visit } = LinkCommand.cases
const { amount, currency, merchantId, mode, tradeNo } = pendingOrder
const otherTradeNo = TradeNo.make(tradeNo.replace(/.$/, (last) => (last === "0" ? "1" : "0")))
const linkId = LinkId.make("plink_01KAJ52N7Q8V4T6B3XWMRE9CZD")

const link: PaymentLink = {
  linkId,
  merchantId,
  mode,
  amount,
  currency,
  notifyUrl: null,
  returnUrl: null,
  createdAt,
  status: "active",
  subject: null,
  maxUses: null,
  expiresAt: null,
  usedCount: 0,
  recentVisits: [],
  metadata: {}
}
const visit = Visit.make({ at: createdAt, tradeNo })
const visitNoOf = (nth: number) => String(nth).padStart(26, "0")
const after = (before: PaymentLink, ...commands: ReadonlyArray<LinkCommand>) =>
  commands.reduce((state, command) => decide(state, command).events.reduce(evolve, state), before)
const reasonOf = (state: PaymentLink) => {
  const { refusal } = decide(state, visit)
  return refusal?._tag === "LinkClosed" ? refusal.reason : refusal
}

describe("link: visits", () => {
  it("a visit's number is 26 characters of base 32, and nothing before or after them", () => {
    const isVisitNo = Schema.is(VisitNo)
    assert.isTrue(isVisitNo(visitNoOf(1)))
    for (const text of ["", `${visitNoOf(1)}0`, `0${visitNoOf(1)}`, "I".repeat(26)]) assert.isFalse(isVisitNo(text))
  })

  it("a visit counts one, and is numbered by the count", () => {
    const { events } = decide({ ...link, usedCount: 6 }, visit)
    assert.deepStrictEqual(
      events.map((event) => (event._tag === "LinkVisited" ? event.ordinal : event)),
      [7]
    )
    assert.strictEqual(after({ ...link, usedCount: 6 }, visit).usedCount, 7)
  })

  it("a link that is inactive takes none", () =>
    assert.strictEqual(reasonOf({ ...link, status: "inactive" }), "inactive"))

  it("a link takes none from expires_at on, and takes one the millisecond before", () => {
    const end = DateTime.add(createdAt, { milliseconds: 1 })
    assert.isUndefined(reasonOf({ ...link, expiresAt: end }))
    assert.strictEqual(closedBy({ ...link, expiresAt: end }, end), "expired")
  })

  it("a link with max_uses below what was used is used up", () =>
    assert.strictEqual(reasonOf({ ...link, maxUses: 2, usedCount: 3 }), "used_up"))

  it("a visit of a number that is known makes no other order, also when it was the link's last use", () => {
    const press = Visit.make({ at: createdAt, tradeNo, visitNo: visitNoOf(1) })
    const once = after({ ...link, maxUses: 1 }, press)
    assert.deepStrictEqual([once.usedCount, repeatOf(once, press)?.tradeNo], [1, tradeNo])
    assert.deepStrictEqual(decide(once, press), accept())
    assert.isDefined(decide(once, { ...press, visitNo: visitNoOf(2) }).refusal)
  })

  it("a visit of a number that is known is refused once the link is switched off or has expired", () => {
    const press = Visit.make({ at: createdAt, tradeNo, visitNo: visitNoOf(1) })
    const once = after(link, press)
    for (const change of [{ status: "inactive" as const }, { expiresAt: createdAt }]) {
      assert.strictEqual(decide({ ...once, ...change }, press).refusal?._tag, "LinkClosed")
      assert.isUndefined(repeatOf({ ...once, ...change }, press))
    }
  })

  it("a number stands for its order for ten minutes; then it makes another, and stands for that", () => {
    const at = (minutes: number) => DateTime.add(createdAt, { minutes })
    const press = Visit.make({ at: createdAt, tradeNo, visitNo: visitNoOf(1) })
    const once = after(link, press)
    assert.strictEqual(after(once, { ...press, at: at(9) }).usedCount, 1)
    const twice = after(once, { ...press, at: at(10), tradeNo: otherTradeNo })
    assert.deepStrictEqual([twice.usedCount, repeatOf(twice, { ...press, at: at(11) })?.tradeNo], [2, otherTradeNo])
  })

  it("the last sixteen numbers are known, whatever visits without one come between", () => {
    const numbered = Array.from({ length: 20 }, (_, nth) => [
      visit,
      Visit.make({ at: createdAt, tradeNo, visitNo: visitNoOf(nth) })
    ])
    const { recentVisits, usedCount } = after(link, ...numbered.flat())
    assert.strictEqual(usedCount, 40)
    assert.deepStrictEqual(
      recentVisits.map(({ visitNo }) => visitNo),
      Array.from({ length: 16 }, (_, nth) => visitNoOf(nth + 4))
    )
  })

  it("any number of visits uses a link max_uses times", () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 80 }), (maxUses, visits) => {
        const used = after({ ...link, maxUses }, ...Array.from({ length: visits }, () => visit))
        assert.strictEqual(used.usedCount, Math.min(maxUses, visits))
      })
    ))

  it("a visit moves no money and announces nothing", () => assert.deepStrictEqual(consequences(), nothing))
})

describe("link: updates", () => {
  it("change what is sent and leave the rest", () => {
    const changed = after(
      { ...link, maxUses: 3, subject: "Tea" },
      Update.make({ changes: { status: "inactive", maxUses: null }, metadata: { a: "1" } })
    )
    assert.deepStrictEqual(changed, { ...link, status: "inactive", subject: "Tea", metadata: { a: "1" } })
  })

  it("open a closed link again", () =>
    assert.isUndefined(
      reasonOf(after({ ...link, status: "inactive" }, Update.make({ changes: { status: "active" } })))
    ))

  it("the second of two concurrent ones that add up to more than 50 keys is refused", () => {
    const keys = (prefix: string) => Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${prefix}${n}`, "v"]))
    const first = after(link, Update.make({ changes: {}, metadata: keys("a") }))
    assert.strictEqual(decide(first, Update.make({ changes: {}, metadata: keys("b") })).refusal?._tag, "LinkConflict")
  })
})
