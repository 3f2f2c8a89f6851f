/** Deliveries that wait while their endpoint is paused: which of them are due again (silences: W24). */
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect } from "effect"
import { DeliveryStore } from "../../src/webhooks/deliveries/DeliveryStore.ts"
import { hooksOf } from "../kit/callers/Hooks.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { start } from "../kit/Service.ts"

it.effect("waiting deliveries continue once their endpoint is no longer paused: for the named one, or for all", () =>
  Effect.gen(function* () {
    // Its clock is stopped, so that the service's own workers release nothing.
    const running = yield* start({ clock: "test" })
    const { context, merchant, sql } = running
    const hooks = hooksOf(running, merchant)
    const create = Effect.fnUntraced(function* (path: string) {
      const { id } = yield* hooks.create({ url: `http://127.0.0.1:1/${path}` })
      yield* insertDeliveries(sql, { merchantId: merchant.merchantId, count: 2 }, "'127.0.0.1:1'", `/${id}`)
      return String(id)
    })
    const ids = yield* Effect.forEach(["first", "second", "third", "paused"], create)
    const [first, second, third, paused] = ids as [string, string, string, string]
    yield* hooks.update(paused, { status: "paused" })
    yield* sql`update deliveries set endpoint_id = split_part(url, '/', 4), next_attempt_at = null`
    const store = Context.get(context as Context.Context<DeliveryStore>, DeliveryStore)
    const now = DateTime.makeUnsafe(0)
    const waiting = Effect.map(
      sql<{ readonly id: string }>`select distinct endpoint_id as id from deliveries where next_attempt_at is null`,
      (rows) => rows.map(({ id }) => id).toSorted()
    )
    assert.deepStrictEqual(ids, ids.toSorted(), "in the order in which the statement goes from one to the next")
    assert.strictEqual(yield* store.release(now, second), 2)
    assert.deepStrictEqual(yield* waiting, [first, third, paused])
    assert.strictEqual(yield* store.release(now, paused), 0)
    assert.strictEqual(yield* store.release(now), 4)
    assert.deepStrictEqual(yield* waiting, [paused])
  })
)
