/** Members of one cluster inside the test, which do nothing but answer each other. */
import * as Drain from "@coffer/cluster/Drain"
import * as MerchantClocks from "../../../src/platform/runtime/MerchantClocks.ts"
import { Context, Effect, Layer, Logger, Metric, type Redacted, Schema } from "effect"
import { askAsOwner } from "../../../src/platform/cluster/ask.ts"
import { ownerOf } from "../../../src/platform/cluster/owner.ts"
import * as Doubt from "@coffer/cluster/Doubt"
import * as Joining from "@coffer/cluster/Joining"
import * as clusterLayers from "../../../src/platform/cluster/clusterLayers.ts"
import * as ClockSkew from "../../../src/platform/postgres/ClockSkew.ts"
import * as Postgres from "../../../src/platform/postgres/Postgres.ts"
import * as Wakeups from "../../../src/platform/commit/Wakeups.ts"
import * as NewIds from "../../../src/platform/runtime/NewIds.ts"
import { Settings } from "../../../src/platform/runtime/Settings.ts"
import { Redacted as Secret } from "effect"
import { freePort } from "../Service.ts"

class Name extends Context.Service<Name, string>()("test/Members/Name") {}

class First extends Context.Service<First, Effect.Effect<void>>()("test/Members/First") {}

/** Every object answers with the name of the member that owns it. */
const objects = ownerOf({
  name: "Objects",
  payload: Schema.Struct({ key: Schema.String }),
  success: Schema.String,
  failure: Schema.Never,
  keyOf: ({ key }) => key,
  perform: Effect.map(
    Effect.all([First, Name]),
    ([first, name]) =>
      () =>
        Effect.as(first, name)
  )
})

class Ask extends Context.Service<Ask, Effect.Success<typeof objects.ask>>()("test/Members/Ask") {}

const keys = Array.from({ length: 40 }, (_, index) => `object ${index}`)

/** Serves until the surrounding scope closes. `first` comes before each of its answers. */
export const member = Effect.fnUntraced(function* (
  name: string,
  database: string,
  secrets: readonly [key: Redacted.Redacted, previous?: Redacted.Redacted],
  first: Effect.Effect<void> = Effect.void
) {
  const registry = Context.make(Metric.MetricRegistry, new Map())
  const [secretKey, secretKeyPrevious] = secrets
  const runner = { host: "127.0.0.1", listenHost: "127.0.0.1", port: yield* freePort, auth: "secret_key" as const }
  const context = yield* Layer.build(
    objects.layer.pipe(
      Layer.provideMerge(Layer.effect(Ask, objects.ask)),
      Layer.provideMerge(Joining.begin),
      Layer.provideMerge(clusterLayers.runner()),
      Layer.provideMerge(Drain.layer),
      Layer.provideMerge(Layer.mergeAll(Joining.layer, Doubt.layer, Layer.provide(ClockSkew.layer, NewIds.layer))),
      Layer.provideMerge(Postgres.layer({ url: Secret.make(database), connections: 3, name: "test" })),
      Layer.provideMerge(Layer.succeed(Settings, { runner, secretKey, secretKeyPrevious } as Settings["Service"])),
      Layer.provideMerge(Wakeups.layer),
      Layer.provideMerge(MerchantClocks.layer),
      Layer.provideMerge(Layer.succeed(Name, name)),
      Layer.provideMerge(Layer.succeed(First, first)),
      Layer.provideMerge(Layer.succeed(Metric.MetricRegistry, Context.get(registry, Metric.MetricRegistry))),
      Layer.provideMerge(Logger.layer([]))
    )
  )
  const ask = Context.get(context, Ask)
  return {
    /** The owners of some objects, as they say themselves. It waits until each has an owner. */
    owners: Effect.forEach(keys, (key) => askAsOwner(ask({ key })), { concurrency: "unbounded" }),
    /** Connections that it has refused, or that were refused to it. */
    refused: () =>
      Metric.snapshotUnsafe(registry)
        .filter(({ id }) => id === "coffer_runner_connections_refused_total")
        .reduce((sum, { state }) => sum + Number((state as { count: number }).count), 0)
  }
})
