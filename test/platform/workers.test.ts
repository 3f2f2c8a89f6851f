/** Workers and a Postgres that does not answer, or a clock that is wrong. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Latch, Layer, Option } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import * as Wakeups from "../../src/platform/commit/Wakeups.ts"
import * as Workers from "../../src/platform/jobs/Workers.ts"
import { ClockSkew } from "../../src/platform/postgres/ClockSkew.ts"
import { Settings } from "../../src/platform/runtime/Settings.ts"
import { DeliveryStore } from "../../src/webhooks/deliveries/DeliveryStore.ts"
import { receiver } from "../kit/Receiver.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { settingsOf } from "../kit/program/settings.ts"
import { operatorToken, secretKey, start } from "../kit/Service.ts"

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
    Context.get(context as Context.Context<Wakeups.Wakeups>, Wakeups.Wakeups).raise("deliveries")
    yield* atRest
    assert.strictEqual(hook.all.length, 1)
  })
)

it.effect("a worker does nothing while this machine's clock is beyond the limit, and goes on when it is right", () =>
  Effect.gen(function* () {
    const right = Latch.makeUnsafe(true)
    let rounds = 0
    const clock = ClockSkew.of({
      seconds: () => (right.isOpen() ? 0 : 400),
      isTooLarge: () => !right.isOpen(),
      whenRight: right.await,
      measure: Effect.void
    })
    const settings = yield* settingsOf({
      SECRET_KEY: secretKey,
      OPERATOR_TOKEN: operatorToken,
      WORKER_POLL: "5 seconds"
    })
    const context = yield* Layer.build(
      Layer.provide(Workers.layer, [Wakeups.layer, Layer.succeed(ClockSkew, clock), Layer.succeed(Settings, settings)])
    )
    const { supervise } = Context.get(context, Workers.Workers)
    yield* supervise(() => ({
      name: "test",
      run: Effect.sync(() => ((rounds += 1), 0)),
      next: Effect.succeed(Option.none())
    }))
    yield* TestClock.adjust("1 minute")
    assert.isAtLeast(rounds, 10)
    right.closeUnsafe()
    // The round that has begun to wait for its time may be the last one.
    yield* TestClock.adjust("5 seconds")
    const before = rounds
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(rounds, before)
    right.openUnsafe()
    yield* TestClock.adjust("5 seconds")
    assert.isAbove(rounds, before)
  }).pipe(Effect.scoped)
)
