/**
 * This process as a runner of the cluster, which decides what it owns. A single process owns everything, but still
 * takes the locks in Postgres, so that a second process on the same database has to wait. Messages are volatile, so
 * there is no message storage (docs/architecture.md, sections 3 and 6).
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { Array, Context, Effect, Layer, Option, References, type Scope } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerServer,
  Sharding,
  ShardingConfig
} from "effect/cluster"
import { RpcSerialization, RpcServer } from "effect/rpc"
import { SqlClient } from "effect/sql"
import { Wakeups } from "../commit/Wakeups.ts"
import type { RunnerPlace } from "../runtime/runnerPlace.ts"
import { Settings } from "../runtime/Settings.ts"
import { withoutServices } from "../runtime/withoutServices.ts"
import * as RealTime from "../runtime/realTime.ts"
import { make as makeNote, type Note } from "./refusedPeers.ts"
import { Doubt } from "./Doubt.ts"
import * as Joining from "./Joining.ts"
import * as Roster from "./Roster.ts"
import * as RunnerDialler from "./RunnerDialler.ts"
import * as RunnerPort from "./RunnerPort.ts"
import * as RunnerTls from "./RunnerTls.ts"
import * as ShardLocks from "./ShardLocks.ts"
import * as Suspects from "./Suspects.ts"

/** Measured: SIGTERM costs 0.6 s, kill -9 more (docs/effect.md, section 2). */
const common = {
  shardLockExpiration: "15 seconds",
  shardLockRefreshInterval: "3 seconds",
  refreshAssignmentsInterval: "500 millis",
  runnerHealthCheckInterval: "3 seconds",
  entityMessagePollInterval: "1 second",
  // HTTP drains before it and the locks are released after it, all within the 9 s of a stop (commandLine.ts).
  entityTerminationTimeout: "3 seconds",
  entityMailboxCapacity: 4_096
} as const

const storage = (config: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  Layer.merge(MessageStorage.layerNoop, ShardLocks.layer.pipe(Layer.provide(ShardingConfig.layer(config))))

const layerAlone = (remoteSerialization: boolean) => {
  const config = { ...common, simulateRemoteSerialization: remoteSerialization }
  return Sharding.layer.pipe(
    Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop]),
    Layer.provideMerge(storage(config)),
    Layer.provideMerge(ShardingConfig.layer(config))
  )
}

const layerMember = (place: RunnerPlace, wire: Wire) => {
  const config = {
    ...common,
    simulateRemoteSerialization: false,
    runnerAddress: Option.some(RunnerAddress.make(place.host, place.port)),
    runnerListenAddress: Option.some(RunnerAddress.make(place.listenHost, place.port))
  }
  return RunnerServer.layer.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(RpcServer.layerProtocolSocketServer),
    Layer.provide(RunnerHealth.layerPing),
    Layer.provide(Suspects.layerRunners.pipe(Layer.provide(Runners.layerRpc))),
    Layer.provide([wire.port, wire.dialler]),
    Layer.provide(RpcSerialization.layerSchemaBinary()),
    Layer.provideMerge(storage(config)),
    Layer.provideMerge(ShardingConfig.layer(config)),
    // The library would report the broken connections of a peer that died as errors of this runner.
    Layer.provide(Layer.succeed(References.UnhandledLogLevel, "Info"))
  )
}

/** How runners reach each other. */
const wireOf = Effect.fnUntraced(function* (
  { auth, host, listenHost, port }: RunnerPlace,
  { secretKey, secretKeyPrevious }: Pick<Settings["Service"], "secretKey" | "secretKeyPrevious">,
  note: Note,
  left: () => void
) {
  if (auth === "none") {
    return { port: NodeClusterSocket.layerSocketServer, dialler: NodeClusterSocket.layerClientProtocol }
  }
  const tls =
    auth === "secret_key"
      ? RunnerTls.ofSecretKeys({ host, port }, [secretKey, ...Array.fromNullishOr(secretKeyPrevious)])
      : yield* RunnerTls.ofCertificates(auth)
  return {
    port: RunnerPort.layer({ host: listenHost, port }, tls, note, left),
    dialler: RunnerDialler.layer(tls, note, left)
  }
})
type Wire = Effect.Success<ReturnType<typeof wireOf>>

/**
 * The cluster's own loops use the real clock. Its locks are in Postgres and concern other processes, which do not
 * follow a test that moves the service's time by a day.
 */
export const layer = (options: { readonly remoteSerialization: boolean } = { remoteSerialization: false }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* Settings
      const wakeups = yield* Wakeups
      const note = yield* makeNote
      const { runner } = settings
      if (runner === undefined) return withLeanContext(layerAlone(options.remoteSerialization))
      return withLeanContext(layerMember(runner, yield* wireOf(runner, settings, note, wakeups.runnerLeft)))
    })
  ).pipe(Layer.provide([Roster.layer, Suspects.layer, RealTime.layer]))

/** Builds the cluster without the services of its context, because each slot's context would contain them. */
const withLeanContext = <E, R>(
  layer: Layer.Layer<Sharding.Sharding | ShardingConfig.ShardingConfig | ShardLocks.ShardLocks, E, R>
) =>
  Layer.effectContext(
    Effect.updateContext(Layer.build(layer), (context: Context.Context<R | Scope.Scope>) =>
      withoutServices(context, SqlClient.SqlClient, Roster.Roster, Suspects.Suspects, Joining.Joining, Doubt)
    ).pipe(
      // The slots are built after the cluster, so they have ended when this finalizer runs.
      Effect.tap((built) => Effect.addFinalizer(() => Context.get(built, ShardLocks.ShardLocks).actorsAreGone)),
      Effect.map(Context.pick(Sharding.Sharding, ShardingConfig.ShardingConfig))
    )
  )
