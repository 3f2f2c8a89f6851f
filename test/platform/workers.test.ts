/** Workers and a Postgres that does not answer. */
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { Wakeups } from "../../src/platform/commit/Wakeups.ts"
import { DeliveryStore } from "../../src/webhooks/DeliveryStore.ts"
import { receiver } from "../kit/Receiver.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { start } from "../kit/Service.ts"

const away = new SqlError({ reason: new ConnectionError({ cause: new Error("no answer in time") }) })

it.live("a worker that Postgres does not answer is not at rest: it asks again, while the service's clock stands", () =>
  Effect.gen(function* () {
    const { atRest, context, merchant, sql } = yield* start({ clock: "test" })
    const hook = yield* receiver
    const store: { oldest: DeliveryStore["Service"]["oldest"] } = Context.get(
      context as Context.Context<DeliveryStore>,
      DeliveryStore
    )
    const { oldest } = store
    let unanswered = 1
    store.oldest = (now) => Effect.suspend(() => (unanswered-- > 0 ? Effect.die(away) : oldest(now)))
    yield* insertDeliveries(sql, { merchantId: merchant.merchantId, count: 1 }, `'${new URL(hook.url).host}'`)
    Context.get(context as Context.Context<Wakeups>, Wakeups).raise("deliveries")
    yield* atRest
    assert.strictEqual(hook.all.length, 1)
  })
)
