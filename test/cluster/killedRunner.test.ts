/** `POST /operator/v1/cluster/runners/{instance_id}/kill`, where several runners share the embedded database. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../kit/Merchant.ts"
import { eventually, run } from "../kit/Process.ts"
import { usedHome } from "../kit/program/usedHome.ts"
import { operatorToken } from "../kit/Service.ts"

const runners = 3

it.live("an operator kills a runner, gets the answer, and another takes its place", () =>
  Effect.gen(function* () {
    const home = yield* usedHome
    const coffer = yield* run({ env: { COFFER_HOME: home, OPERATOR_TOKEN: operatorToken }, runners })
    const cluster = Effect.map(coffer.api.operator("GET", "/cluster"), ({ body }) => body.data as Json)
    const { can_kill, runners: known } = yield* cluster
    assert.isTrue(can_kill)
    const { instance_id } = known[1]
    const kill = coffer.api.operator("POST", `/cluster/runners/${instance_id}/kill`)
    const killed = yield* kill
    assert.strictEqual(killed.status, 202, killed.text)
    // A connection to the one that died is reset.
    yield* eventually(
      "another in its place",
      Effect.map(Effect.exit(cluster), (exit) => {
        if (exit._tag === "Failure") return false
        const alive = exit.value["runners"].filter((each: Json) => each["state"] === "alive")
        return alive.length === runners && alive.every((each: Json) => each["instance_id"] !== instance_id)
      })
    )
    yield* eventually(
      "409 about the one that is gone",
      Effect.map(Effect.exit(kill), (exit) => exit._tag === "Success" && exit.value.status === 409)
    )
  })
)
