/**
 * A developer's work with the clock of a sandbox, by HTTP alone: each call goes to the next of the services given,
 * whichever of them has moved the clock.
 */
import { webhookRedeliveryDelays } from "@coffer/model/Limits"
import { assert } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Api, Merchant, Reply } from "../Api.ts"
import { assertLedgerWhole } from "../ledger.ts"
import { receiver } from "../Receiver.ts"

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
type Json = any

export interface Stage {
  readonly apis: ReadonlyArray<Api>
  readonly merchant: Merchant
  /** A merchant whose clock is not moved. */
  readonly other: Merchant
  readonly sql: SqlClient.SqlClient
  /** How late real time may make what has a moment: 0 where it stands still. */
  readonly late: number
}

/** Calls with one key, in turn to each of the services. */
export const callerOf = (apis: ReadonlyArray<Api>, key: string) => {
  let turn = 0
  const call = (method: string, path: string, body?: unknown): Effect.Effect<Reply> =>
    Effect.suspend(() =>
      apis[turn++ % apis.length]!.call(method, `/v1${path}`, { key, ...(body === undefined ? {} : { body }) })
    )
  const said =
    (...codes: ReadonlyArray<number>) =>
    (reply: Reply): Json => {
      assert.include(codes, reply.status, reply.text)
      return reply.body.data
    }
  const get = (path: string) => Effect.map(call("GET", path), said(200))
  const post = (path: string, body: unknown = {}) => Effect.map(call("POST", path, body), said(200, 201, 202))
  return {
    call,
    get,
    post,
    clock: get("/test_helpers/clock"),
    /** Waits until it is there, however long that takes. */
    advance: (to: Json): Effect.Effect<Json> =>
      Effect.gen(function* () {
        let clock = yield* post("/test_helpers/clock/advance", to)
        while (clock.status !== "ready") clock = yield* get("/test_helpers/clock")
        return clock
      }),
    order: (terms: object = {}) => post("/orders", { amount: 1_000, ...terms }),
    paid: (method: string, terms: object = {}) =>
      Effect.gen(function* () {
        const { trade_no } = yield* post("/orders", { amount: 1_000, ...terms })
        return yield* post(`/test_helpers/orders/${trade_no}/pay`, { payment_method: method })
      })
  }
}

const millis = (text: string) => Date.parse(text)
const iso = (at: number) => new Date(at).toISOString()
const day = 86_400_000

/** From one order to a lost dispute, and nothing of it in the other merchant's time. */
export const clockStory = Effect.fnUntraced(function* ({ apis, late, merchant, other, sql }: Stage) {
  const { advance, call, clock, get, order, paid, post } = callerOf(apis, merchant.sandboxKey)
  const others = callerOf(apis, other.sandboxKey)
  const isAt = (seen: string | number, expected: number, what: string) => {
    const at = typeof seen === "number" ? seen : millis(seen)
    assert.isAtLeast(at, expected, what)
    assert.isAtMost(at, expected + late, what)
  }
  const theirs = yield* others.order()
  const began = yield* clock
  assert.deepStrictEqual([began.status, began.ahead_ms, began.target], ["ready", 0, null])

  // A webhook is refused seven times, at the moments of the specification.
  const hook = yield* receiver
  hook.answer(500)
  yield* post("/webhook_signing_secret/rotate")
  const alipay = yield* paid("alipay", { notify_url: hook.url })
  const unpaid = yield* order()
  const card = yield* paid("card")
  const night = yield* advance({ by: "9h" })
  // The first may have been made before.
  assert.include([6, 7], night.happened.webhook_attempts, JSON.stringify(night))
  assert.strictEqual(hook.all.length, 7)
  const [delivery] = (yield* get("/webhook_deliveries?limit=1")).data
  assert.deepStrictEqual([delivery.status, delivery.attempts.length], ["failed", 7])
  let due = millis(alipay.paid_at)
  for (const [index, { at, duration_ms }] of delivery.attempts.entries()) {
    isAt(at, due, `attempt ${index}`)
    const signed = Number(hook.all[index]!.headers["webhook-timestamp"]) * 1_000
    isAt(signed, Math.floor(millis(began.now) / 1_000) * 1_000, "a signature has real time")
    assert.strictEqual(String(hook.all[index]!.headers["x-service-signature"]).match(/v1=/g)?.length, 2)
    const delay = webhookRedeliveryDelays[index]
    if (delay !== undefined) due = millis(at) + duration_ms + Duration.toMillis(delay)
  }

  // An unpaid order expires at exactly 24 hours.
  isAt(millis(unpaid.created_at) + day, millis(unpaid.expires_at), "24 hours")
  yield* advance({ to: iso(millis(unpaid.expires_at) - 60_000) })
  assert.strictEqual((yield* get(`/orders/${unpaid.trade_no}`)).status, "pending")
  assert.deepStrictEqual((yield* advance({ to: unpaid.expires_at })).happened, { "payment.expired": 1 })
  assert.strictEqual((yield* get(`/orders/${unpaid.trade_no}`)).status, "expired")
  const [expired] = (yield* get("/events?type=payment.expired")).data
  isAt(expired.created_at, millis(unpaid.expires_at), "the event")

  // The old secret is dead after 24 hours.
  yield* advance({ by: 60 })
  const single = hook.all.length
  yield* paid("card", { notify_url: hook.url })
  yield* advance({ by: 1 })
  assert.isAbove(hook.all.length, single)
  assert.strictEqual(String(hook.all[single]!.headers["x-service-signature"]).match(/v1=/g)?.length, 1)

  // A dispute is lost at its deadline.
  const dispute = yield* post(`/test_helpers/orders/${card.trade_no}/dispute`)
  yield* advance({ to: iso(millis(dispute.evidence_due_by) - 60_000) })
  assert.strictEqual((yield* get(`/disputes/${dispute.dispute_no}`)).status, "needs_response")
  yield* advance({ by: "1h" })
  const lost = yield* get(`/disputes/${dispute.dispute_no}`)
  assert.strictEqual(lost.status, "lost")
  assert.isAtLeast(millis(lost.closed_at), millis(dispute.evidence_due_by))
  assert.isAtMost(millis(lost.closed_at), millis(dispute.evidence_due_by) + 120_000)

  // A refund on day 90 is allowed, and a millisecond later it is not.
  isAt(alipay.refundable_until, millis(alipay.paid_at) + 90 * day, "the window")
  yield* advance({ to: late === 0 ? alipay.refundable_until : iso(millis(alipay.refundable_until) - 60_000) })
  const refund = yield* post("/refunds", { trade_no: alipay.trade_no, amount: 100 })
  assert.strictEqual(refund.status, "pending")
  yield* advance({ to: iso(millis(alipay.refundable_until) + 1) })
  const refused = yield* call("POST", "/refunds", { trade_no: alipay.trade_no, amount: 100 })
  assert.deepStrictEqual([refused.status, refused.body.error], [400, "refund_window_expired"], refused.text)
  yield* advance({ by: "10m" })
  const settled = yield* get(`/refunds/${refund.refund_no}`)
  assert.strictEqual(settled.status, "succeeded")

  // Nothing of it has happened to the other.
  // Each runner has an address of its own.
  const still = yield* others.get(`/orders/${theirs.trade_no}`)
  assert.deepStrictEqual({ ...still, checkout_url: "" }, { ...theirs, checkout_url: "" })
  assert.strictEqual((yield* others.clock).ahead_ms, 0)
  isAt((yield* others.order()).created_at, millis(theirs.created_at), "the other's time")
  yield* assertLedgerWhole(sql)
})
