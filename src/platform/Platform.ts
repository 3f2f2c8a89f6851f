/**
 * The services that all rooms use: rows and their writer, time, ids, secrets, workers, and this runner in its cluster.
 */
import * as Doubt from "@coffer/cluster/Doubt"
import * as Drain from "@coffer/cluster/Drain"
import * as Joining from "@coffer/cluster/Joining"
import { Layer } from "effect"
import * as clusterLayers from "./cluster/clusterLayers.ts"
import * as Transactor from "./commit/Transactor.ts"
import * as Wakeups from "./commit/Wakeups.ts"
import * as Opening from "./jobs/Opening.ts"
import * as Workers from "./jobs/Workers.ts"
import * as ClockSkew from "./postgres/ClockSkew.ts"
import * as ListHorizon from "./postgres/ListHorizon.ts"
import * as Migrator from "./postgres/Migrator.ts"
import * as SecretCheck from "./postgres/SecretCheck.ts"
import * as MerchantClocks from "./runtime/MerchantClocks.ts"
import * as NewIds from "./runtime/NewIds.ts"
import * as Secrets from "./runtime/Secrets.ts"
import * as Vitals from "./runtime/Vitals.ts"

/** One process and its database. */
export const layer = Layer.mergeAll(Transactor.layer, Workers.layer).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Wakeups.layer,
      ListHorizon.layer,
      MerchantClocks.layer,
      Secrets.layer,
      Layer.provideMerge(clusterLayers.runs, Doubt.layer),
      Layer.provideMerge(ClockSkew.layer, NewIds.layer),
      Drain.layer,
      Joining.layer,
      Opening.layer
    )
  ),
  Layer.provideMerge(Vitals.layer),
  Layer.provideMerge(SecretCheck.layer),
  Layer.provideMerge(Migrator.layer),
  Layer.provideMerge(clusterLayers.talkable)
)

/** This process as a runner. It is registered from before it has shards until after it has given them back. */
export const runner = (options: { readonly remoteSerialization: boolean }) =>
  Layer.provideMerge(clusterLayers.runner(options), clusterLayers.vitals)
