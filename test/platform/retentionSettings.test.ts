/** KEEP_*: how long rows are kept, with a lower bound for each kind that is relied on. */
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Result } from "effect"
import { settingsOf } from "../kit/program/settings.ts"

const given = {
  SECRET_KEY: "bm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZyE=",
  OPERATOR_TOKEN: "an-operators-token-of-a-test-0123456789"
}

it.effect("a setting below its bound is refused by its name, with the bound", () =>
  Effect.gen(function* () {
    const refused: ReadonlyArray<readonly [env: Readonly<Record<string, string>>, message: string]> = [
      [{ KEEP_EVENTS: "29 days", KEEP_DELIVERIES: "30 days" }, "KEEP_EVENTS must be 30 days or more"],
      [{ KEEP_DELIVERIES: "1 day" }, "KEEP_DELIVERIES must be 30 days or more"],
      [{ KEEP_MAILS: "29 days" }, "KEEP_MAILS must be 30 days or more"],
      [{ KEEP_SANDBOX_ORDERS: "29 days" }, "KEEP_SANDBOX_ORDERS must be 30 days or more"],
      [{ KEEP_API_LOGS: "29 days" }, "KEEP_API_LOGS must be 30 to 90 whole days"],
      [{ KEEP_API_LOGS: "91 days" }, "KEEP_API_LOGS must be 30 to 90 whole days"],
      [{ KEEP_API_LOGS: "732 hours" }, "KEEP_API_LOGS must be 30 to 90 whole days"],
      [{ KEEP_IDEMPOTENCY_KEYS: "23 hours" }, "KEEP_IDEMPOTENCY_KEYS must be 24 hours to 30 days"],
      [{ KEEP_IDEMPOTENCY_KEYS: "31 days" }, "KEEP_IDEMPOTENCY_KEYS must be 24 hours to 30 days"]
    ]
    for (const [env, message] of refused) {
      const told = yield* Effect.result(settingsOf({ ...given, ...env }))
      assert.isTrue(Result.isFailure(told), message)
      assert.include(JSON.stringify(told), message)
    }
  })
)

it.effect("events are kept as long as deliveries at least, which name them", () =>
  Effect.gen(function* () {
    for (const env of [{ KEEP_EVENTS: "40 days" }, { KEEP_EVENTS: "40 days", KEEP_DELIVERIES: "41 days" }]) {
      const told = yield* Effect.result(settingsOf({ ...given, ...env }))
      assert.include(JSON.stringify(told), "KEEP_EVENTS needs KEEP_DELIVERIES and must not be shorter")
    }
    const { keep } = yield* settingsOf({ ...given, KEEP_EVENTS: "400 days", KEEP_DELIVERIES: "400 days" })
    assert.deepStrictEqual(keep.events, Duration.days(400))
  })
)

it.effect("without settings API logs are kept for 30 days, answers for a day, and all else for ever", () =>
  Effect.gen(function* () {
    const { keep } = yield* settingsOf(given)
    assert.deepStrictEqual(keep, {
      events: undefined,
      deliveries: undefined,
      mails: undefined,
      sandboxOrders: undefined,
      apiLogDays: 30,
      answers: Duration.days(1)
    })
  })
)
