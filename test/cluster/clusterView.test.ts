/** The cluster view of two runners when one is killed, and when one is stopped. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { shapes } from "../../src/platform/cluster/messages.ts"
import { type Coffer, eventually } from "../kit/Process.ts"
import { twoRunners } from "../kit/runners/TwoRunners.ts"

interface Shown {
  readonly state: string
  readonly shards: number
  readonly messages: ReadonlyArray<number>
}

const shownBy = ({ api }: Coffer) =>
  Effect.map(api.operator("GET", "/cluster"), ({ body }) => {
    const { runners, shards } = body.data as { runners: ReadonlyArray<Shown>; shards: { held: number } }
    return {
      runners,
      held: shards.held,
      states: runners
        .map(({ state }) => state)
        .toSorted()
        .join()
    }
  })

it.live("each runner shows both; a killed one is gone immediately, and a stopped one is no longer listed", () =>
  Effect.gen(function* () {
    const { a, b, sql } = yield* twoRunners
    yield* eventually(
      "both to have told that they hold all shards together",
      Effect.map(shownBy(b), ({ held, runners }) => held === 300 && runners.every(({ shards }) => shards > 0))
    )
    const both = yield* shownBy(a)
    assert.strictEqual(both.states, "alive,alive")
    assert.deepStrictEqual(
      both.runners.map(({ messages }) => messages),
      [shapes, shapes]
    )

    b.signal("SIGKILL")
    yield* b.ended
    yield* eventually(
      "the killed one to be gone",
      Effect.map(shownBy(a), ({ states }) => states === "alive,gone"),
      "2 minutes"
    )

    a.signal("SIGTERM")
    yield* a.ended
    const left = yield* sql`select instance from runner_vitals`
    assert.lengthOf(left, 1)
  })
)
