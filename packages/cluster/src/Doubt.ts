/**
 * Whether this runner may judge which others have ended. Their locks in Postgres show it, but all are gone for a moment
 * when Postgres restarts or closes all connections. A runner that has just lost its own session judges no other, until
 * they had the time to open theirs again. Model: models/shards.pml.
 */
import { Context, Layer } from "effect"
import { elapsedMillis } from "./realTime.ts"

/** A runner opens its session again within a second and a half of the moment when Postgres answers. */
export const doubtMillis = 5_000

export class Doubt extends Context.Service<
  Doubt,
  {
    /** Postgres did not answer. */
    readonly begin: () => void
    /**
     * The session that Postgres says holds the lock of this run; null without one. The first begins no doubt. So a
     * runner that starts within a second of Postgres may consider others ended that have not reconnected yet. It takes
     * over their shards and unfinished requests then, and nothing is lost: a shard is a lock that one of them gets, and
     * of two that work on one row its version lets one write. The other decides again.
     */
    readonly saw: (session: number | null) => void
    /** True while no other runner may be judged. */
    readonly isOpen: () => boolean
  }
>()("@coffer/cluster/Doubt") {}

export const make = (): Doubt["Service"] => {
  let session: number | undefined
  let until = -Infinity
  const begin = () => void (until = elapsedMillis() + doubtMillis)
  return Doubt.of({
    begin,
    saw: (found) => {
      if (found === null || (session !== undefined && found !== session)) begin()
      session = found ?? session
    },
    isOpen: () => elapsedMillis() < until
  })
}

export const layer = Layer.sync(Doubt, make)
