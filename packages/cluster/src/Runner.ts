/**
 * This process as a runner of the cluster, which decides what it owns. A single process owns everything, but still
 * takes the locks in Postgres, so that a second process on the same database has to wait. Messages are volatile, so
 * there is no message storage.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { Context, Effect, Layer, Option, References, type Scope } from "effect"
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
import * as DirectCalls from "./DirectCalls.ts"
import { Doubt } from "./Doubt.ts"
import * as Joining from "./Joining.ts"
import * as RealTime from "./realTime.ts"
import { make as makeNote } from "./refusedPeers.ts"
import * as Roster from "./Roster.ts"
import * as RunnerDialler from "./RunnerDialler.ts"
import * as RunnerPort from "./RunnerPort.ts"
import type { RunnerTls } from "./RunnerTls.ts"
import * as ShardLocks from "./ShardLocks.ts"
import * as Suspects from "./Suspects.ts"
import { type Place, TakesPart, ThisRunner } from "./ThisRunner.ts"
import { withoutServices } from "./withoutServices.ts"

export interface Options {
  /**
   * How runners prove to each other that they are runners. "none" is for runners on one machine: a program that reaches
   * the runner port can send any message.
   */
  readonly tls: RunnerTls | "none"
  /** Where the runner port listens. The host at which others reach this runner, unless given. */
  readonly listenHost?: string
  /** Called when another runner has gone, as far as connections with TLS tell. */
  readonly onLeft?: () => void
  /** Encodes each message of a process without a cluster as if it went to another machine. Tests find what cannot. */
  readonly remoteSerialization?: boolean
}

/** With these a stop costs the cluster 0.6 s, as measured, and a runner that is killed somewhat more. */
const common = {
  shardLockExpiration: "15 seconds",
  shardLockRefreshInterval: "3 seconds",
  refreshAssignmentsInterval: "500 millis",
  runnerHealthCheckInterval: "3 seconds",
  entityMessagePollInterval: "1 second",
  // The application drains before this, and the locks are released after it.
  entityTerminationTimeout: "3 seconds",
  entityMailboxCapacity: 4_096
} as const

const storage = (config: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  Layer.merge(MessageStorage.layerNoop, ShardLocks.layer.pipe(Layer.provide(ShardingConfig.layer(config))))

const layerSingle = (remoteSerialization: boolean) => {
  const config = { ...common, simulateRemoteSerialization: remoteSerialization }
  return Sharding.layer.pipe(
    Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop]),
    Layer.provideMerge(storage(config)),
    Layer.provideMerge(ShardingConfig.layer(config))
  )
}

const layerMember = ({ host, port }: Place, listenHost: string, { dialler, heard, port: server }: Wire) => {
  const config = {
    ...common,
    simulateRemoteSerialization: false,
    runnerAddress: Option.some(RunnerAddress.make(host, port)),
    runnerListenAddress: Option.some(RunnerAddress.make(listenHost, port))
  }
  return RunnerServer.layer.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(RpcServer.layerProtocolSocketServer),
    Layer.provide(RunnerHealth.layerPing),
    Layer.provide(
      Layer.unwrap(Effect.map(Roster.Roster, ({ closeSilent }) => Suspects.layerRunners(heard, closeSilent))).pipe(
        Layer.provide(Runners.layerRpc)
      )
    ),
    Layer.provide([server, dialler]),
    Layer.provide(RpcSerialization.layerSchemaBinary()),
    Layer.provideMerge(storage(config)),
    Layer.provideMerge(ShardingConfig.layer(config)),
    // The library would report the broken connections of a peer that died as errors of this runner.
    Layer.provide(Layer.succeed(References.UnhandledLogLevel, "Info"))
  )
}

/** How runners reach each other. */
const wireOf = Effect.fnUntraced(function* (listen: Place, application: string, { onLeft, tls }: Options) {
  const count = yield* DirectCalls.makeCounts(application)
  const note = yield* makeNote(application)
  if (tls === "none") {
    const { layerClientProtocol: dialler, layerSocketServer: port } = NodeClusterSocket
    return { port, dialler, calls: DirectCalls.none, heard: undefined }
  }
  const direct = yield* DirectCalls.make(tls, note, count)
  return {
    port: RunnerPort.layer(listen, tls, direct, note, onLeft),
    dialler: RunnerDialler.layer(tls, note, onLeft),
    calls: direct.calls,
    heard: direct.heard
  }
})
type Wire = Effect.Success<ReturnType<typeof wireOf>>

/**
 * The cluster's own loops use the real clock. Its locks are in Postgres and concern other processes, which do not
 * follow a test that moves the service's time by a day.
 */
export const layer = (options: Options) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { application, place } = yield* ThisRunner
      if (place === undefined) {
        // Their metrics are there for any process.
        yield* Effect.all([makeNote(application), DirectCalls.makeCounts(application)])
        const single = withLeanContext(layerSingle(options.remoteSerialization ?? false))
        return Layer.merge(single, Layer.succeed(DirectCalls.DirectCalls, DirectCalls.none))
      }
      const host = options.listenHost ?? place.host
      const wire = yield* wireOf({ host, port: place.port }, application, options)
      const member = withLeanContext(layerMember(place, host, wire))
      return Layer.merge(member, Layer.succeed(DirectCalls.DirectCalls, wire.calls))
    })
  ).pipe(Layer.provide([Roster.layer, Suspects.layer, RealTime.layer]))

/** Builds the cluster without the services of its context, because each slot's context would contain them. */
const withLeanContext = <E, R>(
  layer: Layer.Layer<Sharding.Sharding | ShardingConfig.ShardingConfig | ShardLocks.ShardLocks, E, R>
) =>
  Layer.effectContext(
    Effect.updateContext(Layer.build(layer), (context: Context.Context<R | Scope.Scope>) =>
      withoutServices(
        context,
        SqlClient.SqlClient,
        Roster.Roster,
        Suspects.Suspects,
        Joining.Joining,
        Doubt,
        ThisRunner,
        TakesPart
      )
    ).pipe(
      // The slots are built after the cluster, so they have ended when this finalizer runs.
      Effect.tap((built) => Effect.addFinalizer(() => Context.get(built, ShardLocks.ShardLocks).actorsAreGone)),
      Effect.map(Context.pick(Sharding.Sharding, ShardingConfig.ShardingConfig))
    )
  )
