/** The parts of every request: a key, known parameters, idempotency, pages of lists, and what goes wrong on purpose. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, begin, clientOf, paid, refusal, sessionOf } from "./kit.ts"

describe("requests", () => {
  it.live("a key that is missing, malformed or revoked is refused with 401", () =>
    Effect.gen(function* () {
      const { control, url } = yield* begin()
      yield* control.revoke_key({ key: "sk_test_old" })
      for (const key of ["not_a_key", "sk_test_old"]) {
        const error = yield* refusal(() => clientOf(url, key).balance.retrieve())
        assert.deepInclude(error, { type: "StripeAuthenticationError", statusCode: 401 })
      }
    }).pipe(Effect.scoped)
  )

  it.live("a parameter that Stripe does not know is refused by name, and so is one that is not simulated", () =>
    Effect.gen(function* () {
      const { stripe } = yield* begin()
      const unknown = yield* refusal(() => stripe.refunds.create({ colour: "red" } as never))
      assert.deepInclude(unknown, { code: "parameter_unknown", param: "colour" })
      const wrong = yield* refusal(() => stripe.refunds.create({ charge: "ch_1", amount: "much" } as never))
      assert.deepInclude(wrong, { code: "parameter_invalid_integer", param: "amount" })
      const missing = yield* refusal(() => stripe.paymentIntents.create({ amount: 100 } as never))
      assert.deepInclude(missing, { code: "parameter_missing", param: "currency" })
      const odd = yield* refusal(() => stripe.refunds.create({ charge: "ch_1", reason: "bored" as "duplicate" }))
      assert.strictEqual(odd.param, "reason")
      const later = yield* refusal(() =>
        stripe.checkout.sessions.create({ ...sessionOf(), tax_id_collection: { enabled: true } })
      )
      assert.deepInclude(later, { code: "simulator_unsupported", param: "tax_id_collection" })
      const none = yield* refusal(() => stripe.charges.retrieve("ch_none"))
      assert.deepInclude(none, { code: "resource_missing", statusCode: 404 })
    }).pipe(Effect.scoped)
  )

  it.live("the same key has the same answer, other parameters are refused, and after a day it is forgotten", () =>
    Effect.gen(function* () {
      const { control, stripe } = yield* begin()
      const create = (amount: number) =>
        stripe.paymentIntents.create({ amount, currency: "usd" }, { idempotencyKey: "K1" })
      const first = yield* ask(() => create(500))
      const second = yield* ask(() => create(500))
      assert.strictEqual(second.id, first.id)
      assert.strictEqual(second.lastResponse.headers["idempotent-replayed"], "true")
      const other = yield* refusal(() => create(501))
      assert.strictEqual(other.type, "StripeIdempotencyError")
      yield* control.advance({ seconds: 86_400 })
      assert.notStrictEqual((yield* ask(() => create(501))).id, first.id)
    }).pipe(Effect.scoped)
  )

  it.live("what was refused before it began is not kept under its key", () =>
    Effect.gen(function* () {
      const { stripe } = yield* begin()
      const create = (amount: unknown) =>
        stripe.paymentIntents.create({ amount, currency: "usd" } as never, { idempotencyKey: "K1" })
      assert.strictEqual((yield* refusal(() => create("much"))).code, "parameter_invalid_integer")
      assert.strictEqual((yield* ask(() => create(100))).amount, 100)
    }).pipe(Effect.scoped)
  )

  it.live("what was refused once it had begun is answered again to its key for a day", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const { control, stripe } = world
      const charge = yield* paid(world)
      const refund = (key: string, amount: number) =>
        stripe.refunds.create({ charge: charge.id, amount }, { idempotencyKey: key })
      yield* ask(() => refund("part", 1_500))
      assert.strictEqual((yield* refusal(() => refund("K1", 600))).statusCode, 400)
      yield* control.fault({ on: "POST /v1/refunds", kind: "refused" })
      assert.strictEqual((yield* refusal(() => refund("K2", 100))).code, "balance_insufficient")
      const again = yield* refusal(() => refund("K2", 100))
      assert.deepStrictEqual([again.code, again.headers?.["idempotent-replayed"]], ["balance_insufficient", "true"])
      yield* control.advance({ seconds: 86_400 })
      assert.strictEqual((yield* ask(() => refund("K2", 100))).amount, 100)
    }).pipe(Effect.scoped)
  )

  it.live("a fault before the effect leaves nothing, one after it leaves the effect, and the key finds it", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const { control, stripe } = world
      const charge = yield* paid(world)
      const refund = (key: string, timeout = 80_000) =>
        stripe.refunds.create({ charge: charge.id, amount: 100 }, { idempotencyKey: key, timeout })
      const count = () =>
        Effect.map(
          ask(() => stripe.refunds.list({ charge: charge.id })),
          ({ data }) => data.length
        )
      for (const [kind, effects] of [
        ["cut_before", 0],
        ["error_before", 0],
        ["timeout_before", 0],
        ["rate_limited", 0],
        ["cut_after", 1],
        ["error_after", 1],
        ["timeout_after", 1]
      ] as const) {
        const before = yield* count()
        // The official client asks once more by itself when a connection is cut, even with retries off.
        yield* control.fault({ on: "POST /v1/refunds", kind, times: kind.startsWith("cut") ? 2 : 1 })
        yield* refusal(() => refund(kind, kind.startsWith("timeout") ? 200 : undefined))
        assert.strictEqual(yield* count(), before + effects, kind)
        yield* ask(() => refund(kind))
        assert.strictEqual(yield* count(), before + 1, `${kind}, asked again`)
      }
    }).pipe(Effect.scoped)
  )

  it.live("an error that is kept is answered again to its key, whether or not anything was done", () =>
    Effect.gen(function* () {
      const { control, stripe } = yield* begin()
      const create = (key: string) =>
        stripe.paymentIntents.create({ amount: 500, currency: "usd" }, { idempotencyKey: key })
      for (const kind of ["error_kept_before", "error_kept_after"] as const) {
        yield* control.fault({ on: "POST /v1/payment_intents", kind, status: 503 })
        assert.strictEqual((yield* refusal(() => create(kind))).statusCode, 503)
        assert.strictEqual((yield* refusal(() => create(kind))).statusCode, 503)
      }
      assert.strictEqual((yield* ask(() => stripe.paymentIntents.list())).data.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a slow request keeps its key, and has its effect when its time has come", () =>
    Effect.gen(function* () {
      const { control, stripe } = yield* begin()
      yield* control.fault({ on: "POST /v1/payment_intents", kind: "slow", seconds: 30 })
      const create = (timeout = 80_000) =>
        stripe.paymentIntents.create({ amount: 500, currency: "usd" }, { idempotencyKey: "K1", timeout })
      yield* refusal(() => create(200))
      assert.deepInclude(yield* refusal(() => create()), { statusCode: 409, code: "idempotency_key_in_use" })
      assert.strictEqual((yield* ask(() => stripe.paymentIntents.list())).data.length, 0)
      yield* control.advance({ seconds: 30 })
      const made = yield* ask(() => create())
      assert.strictEqual((yield* ask(() => stripe.paymentIntents.list())).data[0]?.id, made.id)
    }).pipe(Effect.scoped)
  )

  it.live("lists have pages, the newest first, in both directions", () =>
    Effect.gen(function* () {
      const { stripe } = yield* begin()
      const ids: Array<string> = []
      for (let index = 0; index < 7; index++) {
        ids.unshift((yield* ask(() => stripe.paymentIntents.create({ amount: 100 + index, currency: "usd" }))).id)
      }
      const all = yield* ask(() => stripe.paymentIntents.list({ limit: 3 }).autoPagingToArray({ limit: 100 }))
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        ids
      )
      const back = yield* ask(() => stripe.paymentIntents.list({ ending_before: ids[5]!, limit: 2 }))
      assert.deepStrictEqual([back.data.map(({ id }) => id), back.has_more], [[ids[3], ids[4]], true])
      assert.strictEqual((yield* refusal(() => stripe.paymentIntents.list({ limit: 101 }))).param, "limit")
    }).pipe(Effect.scoped)
  )

  it.live("more requests a second than the limit are refused with 429", () =>
    Effect.gen(function* () {
      const { control, stripe } = yield* begin({ rateLimit: 2 })
      yield* ask(() => stripe.balance.retrieve())
      yield* ask(() => stripe.balance.retrieve())
      assert.deepInclude(yield* refusal(() => stripe.balance.retrieve()), {
        type: "StripeRateLimitError",
        statusCode: 429
      })
      yield* control.advance({ seconds: 1 })
      yield* ask(() => stripe.balance.retrieve())
      yield* control.fault({ on: "*", kind: "rate_limited", reason: "endpoint-rate", retry_after: 3 })
      const { headers } = yield* refusal(() => stripe.balance.retrieve())
      assert.deepInclude(headers, { "stripe-rate-limited-reason": "endpoint-rate", "retry-after": "3" })
    }).pipe(Effect.scoped)
  )
})
