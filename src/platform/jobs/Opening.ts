/**
 * Slots and jobs that wait until all rooms are built. A room registers its slots and jobs where it is wired. The slots
 * take the commands of other runners once every room is there. The jobs begin after that. At the end the jobs stop
 * first, then the slots leave, and only then the rooms close.
 */
import { Context, Effect, Layer } from "effect"

export class Opening extends Context.Service<
  Opening,
  { readonly slots: Array<Layer.Layer<never>>; readonly jobs: Array<Layer.Layer<never>> }
>()("@coffer/platform/Opening") {}

export const layer = Layer.sync(Opening, () => ({ slots: [], jobs: [] }))

const handIn =
  (step: "slots" | "jobs") =>
  <R>(part: Layer.Layer<never, never, R>) =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const context = yield* Effect.context<R>()
        const opening = yield* Opening
        opening[step].push(Layer.provide(part, Layer.succeedContext(context)))
      })
    )

/** The slots of a room, for when all rooms are built. */
export const slots = handIn("slots")

/** The jobs of a room, for when the slots of all rooms take commands. */
export const jobs = handIn("jobs")

/** Wired above all rooms. */
export const opened = Layer.unwrap(
  Effect.map(Opening, (opening) => Layer.provideMerge(together(opening.jobs), together(opening.slots)))
)

const together = (parts: ReadonlyArray<Layer.Layer<never>>) =>
  parts.reduce((all, part) => Layer.merge(all, part), Layer.empty)
