/**
 * When this runner enters the cluster's register. The others give its part of the shards up as soon as they see it
 * there. While the rest of the service is built, its event loop is busy, on a busy machine for seconds, and nobody
 * would own them (docs/effect.md, section 2).
 */
import { Context, Effect, Latch, Layer } from "effect"

/** Open when the service is built. */
export class Joining extends Context.Service<Joining, Latch.Latch>()("@coffer/platform/Joining") {}

export const layer = Layer.sync(Joining, () => Latch.makeUnsafe(false))

/** Built after all that a runner needs to do its part. */
export const begin = Layer.effectDiscard(Effect.flatMap(Joining, (joining) => joining.open))
