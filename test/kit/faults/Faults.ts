/**
 * Faults at the named points of `src/platform/runtime/Faults.ts`. A test waits until the program has reached the
 * point, looks at the world as it is there, and lets it go on, or never does: what a crash would leave.
 */
import { Deferred, Effect, Layer } from "effect"
import { Faults } from "../../../src/platform/runtime/Faults.ts"

interface Blocking {
  readonly layer: Layer.Layer<Faults>
  /** The program stands at the point. */
  readonly reached: Deferred.Deferred<void>
  readonly release: Effect.Effect<void>
}

/** Stops the first that comes to the point and is meant, before or after what happens there. Others pass. */
export const blocking = Effect.fnUntraced(function* (
  point: string,
  where: "before" | "after",
  isMeant: (detail: string) => boolean = () => true
) {
  const reached = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  let taken = false
  const stop = Effect.suspend(() => {
    if (taken) return Effect.void
    taken = true
    return Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
  })
  const layer = Layer.succeed(Faults, {
    around: (at, effect, detailOf) => {
      if (at !== point || !isMeant(detailOf?.() ?? "")) return effect
      return where === "before" ? Effect.andThen(stop, effect) : Effect.tap(effect, () => stop)
    }
  })
  const built: Blocking = { layer, reached, release: Effect.asVoid(Deferred.succeed(gate, undefined)) }
  return built
})

/** Dies at the first visit of the point, before or after its effect; and lists the visits. */
export const dying = (point: string, where: "before" | "after") => {
  const came: Array<string> = []
  let dead = false
  const die = Effect.suspend(() => {
    if (dead) return Effect.void
    dead = true
    return Effect.die(`died ${where} ${point}`)
  })
  const layer = Layer.succeed(Faults, {
    around: (at, effect) => {
      came.push(at)
      if (at !== point) return effect
      return where === "before" ? Effect.andThen(die, effect) : Effect.tap(effect, () => die)
    }
  })
  return { layer, times: (at: string) => came.filter((each) => each === at).length }
}

/**
 * Every call that goes by this point happens twice, as a message does whose answer was lost; the second time is
 * answered.
 */
export const doubling = (point: string) =>
  Layer.succeed(Faults, {
    around: (at, effect) => (at === point ? Effect.andThen(Effect.exit(effect), effect) : effect)
  })
