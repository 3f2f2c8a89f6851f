/** Any division of the same span into advances leaves the same sandbox (docs/decisions/0005). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { callerOf } from "../../kit/stories/clockStory.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import type { Json } from "../../kit/Merchant.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"
import { rounds } from "../../kit/run/soak.ts"

const day = 86_400
const farDays = 100

/** Seconds after the beginning, each once, in order: the stops of the clock. */
const stopsOf = fc
  .uniqueArray(fc.oneof(fc.integer({ min: 1, max: 2 * day }), fc.integer({ min: 1, max: farDays * day - 1 })), {
    maxLength: 6
  })
  .map((stops) => stops.toSorted((a, b) => a - b))

/** Numbers and addresses differ from merchant to merchant: each is replaced by its order of appearance. */
const nameless = (value: unknown): unknown => {
  const names = new Map<string, string>()
  const text = JSON.stringify(value, (key, inner) => (key === "checkout_url" || key === "receipt_url" ? "" : inner))
  return JSON.parse(
    text.replace(/\b([a-zA-Z]{2,6}_(?:SB_)?)[0-9A-HJKMNP-TV-Z]{26}\b/g, (id, prefix: string) => {
      if (!names.has(id)) names.set(id, `${prefix}${names.size}`)
      return names.get(id)!
    })
  )
}

/** One due thing of each kind, then the span in these steps; the state at its end. */
const travelled = Effect.fnUntraced(function* (running: Running, stops: ReadonlyArray<number>, hookUrl: string) {
  const merchant = yield* running.api.newMerchant()
  const { advance, clock, get, order, paid, post } = callerOf([running.api], merchant.sandboxKey)
  const began = Date.parse((yield* clock).now)
  yield* order()
  const alipay = yield* paid("alipay", { notify_url: hookUrl })
  yield* post("/refunds", { trade_no: alipay.trade_no, amount: 300 })
  const card = yield* paid("card", { amount: 2_000 })
  yield* post(`/test_helpers/orders/${card.trade_no}/dispute`)
  for (const stop of [...stops, farDays * day]) {
    yield* advance({ to: new Date(began + stop * 1_000).toISOString() })
  }
  const all = (path: string) => Effect.map(get(`${path}?limit=100`), ({ data }: Json) => data.toReversed())
  return {
    orders: yield* all("/orders"),
    refunds: yield* all("/refunds"),
    disputes: yield* all("/disputes"),
    events: yield* all("/events"),
    ledger: yield* all("/balance_transactions"),
    attempts: (yield* all("/webhook_deliveries")).map(({ attempts, status }: Json) => ({
      status,
      at: attempts.map(({ at }: Json) => at)
    }))
  }
})

it.live("any sequence of advances gives the same objects, events, ledger and attempts as one advance to the end", () =>
  Effect.gen(function* () {
    const running = yield* start({ clock: "test" })
    const hook = yield* receiver
    hook.answer(500)
    const first = yield* travelled(running, [], hook.url)
    assert.includeMembers(
      first.events.map(({ type }: Json) => type),
      ["payment.expired", "refund.succeeded", "dispute.lost"]
    )
    assert.include(
      first.attempts.map(({ at }: Json) => at.length),
      7
    )
    const once = nameless(first)
    for (const stops of fc.sample(stopsOf, { numRuns: rounds(4, 200), seed: 24 })) {
      const stepped = nameless(yield* travelled(running, stops, hook.url))
      assert.deepStrictEqual(stepped, once, `stops after ${stops.join(", ")} seconds`)
    }
    yield* assertLedgerWhole(running.sql)
  })
)
