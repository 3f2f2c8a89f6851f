/** The suite tells each fault that is planted into the channel in memory, by a law that it breaks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import type { MemoryAcquirer } from "../../kit/stories/memoryAcquirer.ts"
import type { Parts } from "../../kit/stories/memoryChannel.ts"
import type { World } from "./Harness.ts"
import { memory, memoryWorld } from "./memory.ts"
import { faults } from "./planted.ts"
import { laws, observe } from "./suite.ts"

/** One service for all faults: each call goes through the fault that is planted then. */
const changeable = () => {
  let plant: (parts: Parts, acquirer: MemoryAcquirer) => Parts = (same) => same
  const world = memoryWorld((parts, acquirer) => {
    const now = () => plant(parts, acquirer)
    const channel = new Proxy(parts.channel, { get: (_, name) => Reflect.get(now().channel, name) })
    return { channel, take: (notice) => now().take(notice) }
  })
  return { world, set: (next: typeof plant) => void (plant = next) }
}

describe("the suite of laws", () => {
  const life = Scope.makeUnsafe()
  const { set, world: made } = changeable()
  let world: World
  beforeAll(() => Effect.runPromise(Effect.map(Scope.provide(made, life), (begun) => void (world = begun))))
  afterAll(() => Effect.runPromise(Scope.close(life, Exit.void)))

  for (const { breaks, name, plant } of faults) {
    it.live(`tells when ${name}`, () =>
      Effect.gen(function* () {
        const law = laws.find((each) => each.name === breaks)
        assert.isDefined(law, `there is the law: ${breaks}`)
        set(plant)
        const told = yield* Effect.exit(
          Effect.ensuring(
            observe(world, memory, law!),
            Effect.sync(() => set((same) => same))
          )
        )
        assert.isTrue(Exit.isFailure(told), "the law is broken")
      })
    )
  }
})
