/** The order in which rooms, slots and jobs begin and end. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Opening from "../../src/platform/jobs/Opening.ts"

const noting = (notes: Array<string>) => (name: string) =>
  Layer.effectDiscard(
    Effect.acquireRelease(
      Effect.sync(() => void notes.push(`${name} begins`)),
      () => Effect.sync(() => void notes.push(`${name} ends`))
    )
  )

it.effect("slots wait for all rooms and jobs for all slots, and they end in the reverse order", () =>
  Effect.gen(function* () {
    const notes: Array<string> = []
    const note = noting(notes)
    const room = (name: string) =>
      Layer.mergeAll(Opening.jobs(note("a job")), Opening.slots(note("a slot"))).pipe(Layer.provideMerge(note(name)))
    const house = Opening.opened.pipe(
      Layer.provideMerge(room("the upper room")),
      Layer.provideMerge(room("the lower room")),
      Layer.provideMerge(Opening.layer)
    )
    yield* Effect.scoped(Layer.build(house))
    assert.deepStrictEqual(notes, [
      "the lower room begins",
      "the upper room begins",
      "a slot begins",
      "a slot begins",
      "a job begins",
      "a job begins",
      "a job ends",
      "a job ends",
      "a slot ends",
      "a slot ends",
      "the upper room ends",
      "the lower room ends"
    ])
  })
)
