/** Runners of one cluster while `SECRET_KEY` is replaced on one after the other (docs/decisions/0027). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { member } from "../kit/runners/Members.ts"
import { keyNamed } from "../kit/runners/Peers.ts"
import { eventually } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"

const [older, newer] = [keyNamed("older"), keyNamed("newer")]
const keys = { old: [older], both: [newer, older], new: [newer] } as const

describe("two runners whose SECRET_KEY is replaced", () => {
  it.live("own their parts and answer each other at every step, without refusals", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      let started = 0
      const start = Effect.fnUntraced(function* (stage: keyof typeof keys) {
        const scope = yield* Scope.make()
        yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
        const name = `${stage} ${++started}`
        const one = yield* Effect.provideService(member(name, database, keys[stage]), Scope.Scope, scope)
        return { ...one, name, stop: Scope.close(scope, Exit.void) }
      })

      let pair = [yield* start("old"), yield* start("old")] as const
      for (const stage of ["both", "both", "new", "new", "new"] as const) {
        const names = pair.map(({ name }) => name).toSorted()
        for (const one of pair) {
          yield* eventually(
            `both of ${names} to own a part, as ${one.name} sees it`,
            Effect.map(one.owners, (owners) => String([...new Set(owners)].toSorted()) === String(names)),
            "1 minute"
          )
        }
        for (const one of pair) assert.strictEqual(one.refused(), 0)
        const [leaving, staying] = pair
        // Meanwhile requests are answered, at last by the owner.
        const asked = yield* Effect.forkChild(staying.owners)
        yield* leaving.stop
        pair = [staying, yield* start(stage)]
        yield* Fiber.join(asked)
      }
    })
  )
})
