/**
 * Membership of this process in the cluster: which actors it owns. Alone it owns all of them, still under Postgres'
 * locks, so that a second process on the same database waits instead of deciding beside it. Messages are volatile,
 * so there is no message storage (docs/architecture.md, sections 3 and 6).
 */
import { getHeapStatistics } from "node:v8"
import { NodeClusterSocket } from "@effect/platform-node"
import { type Context, Effect, Layer, Option, type Scope } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  Sharding,
  ShardingConfig,
  SqlRunnerStorage
} from "effect/cluster"
import { SqlClient } from "effect/sql"
import { type RunnerPlace, Settings } from "../Settings.ts"
import { bare } from "./bare.ts"
import * as RealTime from "./realTime.ts"

/** Measured: kill -9 costs 3.9 s to 14.2 s, SIGTERM 0.6 s (docs/effect.md). */
const common = {
  shardLockExpiration: "15 seconds",
  shardLockRefreshInterval: "3 seconds",
  refreshAssignmentsInterval: "500 millis",
  runnerHealthCheckInterval: "3 seconds",
  entityMessagePollInterval: "1 second",
  entityTerminationTimeout: "8 seconds",
  entityMailboxCapacity: 4_096
} as const

/** An actor weighs 15 to 18 kB (docs/performance.md). Half of the heap is for all else. */
const actorBytes = 16_384
export const actorsFitting = (heapBytes: number): number => Math.max(1, Math.floor(heapBytes / 2 / actorBytes))

const storage = (config: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  Layer.merge(MessageStorage.layerNoop, SqlRunnerStorage.layer.pipe(Layer.provide(ShardingConfig.layer(config))))

const layerAlone = (maxResidentEntities: number, remoteSerialization: boolean) => {
  const config = { ...common, maxResidentEntities, simulateRemoteSerialization: remoteSerialization }
  return Sharding.layer.pipe(
    Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop]),
    Layer.provide(storage(config)),
    Layer.provide(ShardingConfig.layer(config))
  )
}

const layerMember = (maxResidentEntities: number, place: RunnerPlace) => {
  const config = {
    ...common,
    maxResidentEntities,
    simulateRemoteSerialization: false,
    runnerAddress: Option.some(RunnerAddress.make(place.host, place.port)),
    runnerListenAddress: Option.some(RunnerAddress.make(place.listenHost, place.port))
  }
  return NodeClusterSocket.layer({ storage: "byo", shardingConfig: config }).pipe(Layer.provide(storage(config)))
}

/**
 * The cluster's own loops follow the real clock: its locks live in Postgres and in other processes, which know nothing
 * of a test that moves the service's time by a day.
 */
export const layer = (options: { readonly remoteSerialization: boolean } = { remoteSerialization: false }) =>
  Layer.unwrap(
    Effect.map(Settings, ({ actorsMax = actorsFitting(getHeapStatistics().heap_size_limit), runner }) =>
      lean(runner === undefined ? layerAlone(actorsMax, options.remoteSerialization) : layerMember(actorsMax, runner))
    )
  ).pipe(Layer.provide(RealTime.layer))

/** What the cluster is built with, every actor's context begins with. */
const lean = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Layer.effectContext(
    Effect.updateContext(Layer.build(layer), (context: Context.Context<R | Scope.Scope>) =>
      bare(context, SqlClient.SqlClient)
    )
  )
