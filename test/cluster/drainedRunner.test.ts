/** A runner that is drained, by an operator or by a signal, while merchants call (docs/operating-runners.md). */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Json } from "../kit/Merchant.ts"
import { eventually, run } from "../kit/Process.ts"
import { usedHome } from "../kit/program/usedHome.ts"
import { operatorToken } from "../kit/Service.ts"

it.live("a runner that is drained gives its work to the others, no call is refused, and another takes its place", () =>
  Effect.gen(function* () {
    const home = yield* usedHome
    const coffer = yield* run({ env: { COFFER_HOME: home, OPERATOR_TOKEN: operatorToken }, runners: 2 })
    const { api } = coffer
    const runners = Effect.map(api.operator("GET", "/cluster"), ({ body }) => body.data["runners"] as Array<Json>)
    const { sandboxKey } = yield* api.newMerchant()
    const statuses: Array<number> = []
    const calls = yield* Effect.forkScoped(
      Effect.forever(
        Effect.map(api.post("/v1/orders", sandboxKey, { amount: 1_000 }), ({ status }) => void statuses.push(status))
      )
    )
    const { instance_id } = (yield* runners)[1]!
    const drained = yield* api.operator("POST", `/cluster/runners/${instance_id}/drain`)
    assert.strictEqual(drained.status, 202, drained.text)
    yield* eventually(
      "another in its place",
      Effect.map(runners, (known) => {
        const alive = known.filter((each) => each["state"] === "alive" && each["draining"] === false)
        return alive.length === 2 && known.every((each) => each["instance_id"] !== instance_id)
      }),
      "2 minutes"
    )
    yield* Fiber.interrupt(calls)
    assert.isNotEmpty(statuses)
    assert.deepStrictEqual(
      statuses.filter((status) => status !== 201),
      []
    )
  }).pipe(Effect.scoped)
)
