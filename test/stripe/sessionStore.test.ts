/** The row of a session at Stripe, while one request makes it and another gives it up. */
import { assert, describe, it } from "@effect/vitest"
import { TradeNo } from "@coffer/model/Ids"
import { Context, Effect, Option } from "effect"
import { SessionStore } from "../../src/channels/stripe/SessionStore.ts"
import { connected } from "./kit.ts"

const planned = Effect.gen(function* () {
  const { choose, context, order, sql } = yield* connected()
  const store = Context.get(context, SessionStore)
  const made = yield* order()
  yield* choose(made)
  yield* sql`update stripe_sessions set state = 'asked', session_id = null`
  const tradeNo = TradeNo.make(made.trade_no)
  const row = Option.getOrThrow(yield* store.active(tradeNo))
  return { store, tradeNo, key: row.key }
})

describe("a session of which it is not known whether Stripe has made it", () => {
  it.live("is not given up when it becomes known meanwhile: its buyer may be paying", () =>
    Effect.gen(function* () {
      const { key, store, tradeNo } = yield* planned
      assert.isTrue(Option.isSome(yield* store.opened(key, "cs_1")))
      assert.isFalse(yield* store.giveUp(key))
      assert.isTrue(Option.exists(yield* store.active(tradeNo), ({ session_id }) => session_id === "cs_1"))
    })
  )

  it.live("is not opened when it was given up meanwhile: its maker ends it at Stripe", () =>
    Effect.gen(function* () {
      const { key, store, tradeNo } = yield* planned
      assert.isTrue(yield* store.giveUp(key))
      assert.isTrue(yield* store.giveUp(key), "and may be given up twice")
      assert.isTrue(Option.isNone(yield* store.opened(key, "cs_1")))
      assert.isTrue(Option.isNone(yield* store.active(tradeNo)))
    })
  )
})
