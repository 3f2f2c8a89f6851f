/**
 * Whether this runner was asked to leave: it gives up its shards while it still answers, and stops without any. Nothing
 * takes that back. The next start is another runner.
 */
import { Context, Latch, Layer } from "effect"

export class Drain extends Context.Service<
  Drain,
  {
    /** Open once it was asked. */
    readonly requested: Latch.Latch
  }
>()("@coffer/cluster/Drain") {}

export const layer = Layer.sync(Drain, () => ({ requested: Latch.makeUnsafe(false) }))
