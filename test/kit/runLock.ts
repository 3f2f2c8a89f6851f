/** A run of the program with a lock of its own, as every process of a cluster has (`beneath` of a service in a test). */
import { Effect, Layer, Redacted } from "effect"
import * as Tenancy from "../../src/platform/cluster/Tenancy.ts"

export const runLock = (url: string) =>
  Layer.effect(
    Tenancy.Run,
    Tenancy.acquire({ url: Redacted.make(url), alone: false, whileWaiting: () => Effect.never })
  ).pipe(Layer.orDie)
