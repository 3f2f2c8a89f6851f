/** A run of the program with a lock of its own, as every process of a cluster has (`beneath` of a service in a test). */
import { Effect, Layer, Redacted } from "effect"
import * as Tenancy from "@coffer/cluster/Tenancy"
import { enterDatabase } from "../../../src/platform/cluster/clusterLayers.ts"

export const runLock = (url: string) =>
  Layer.effect(
    Tenancy.Run,
    enterDatabase({ url: Redacted.make(url), isSingle: false, whileWaiting: () => Effect.never })
  ).pipe(Layer.orDie)
