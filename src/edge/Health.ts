/**
 * `/healthz`: the process answers. `/readyz`: a load balancer may send requests here, because Postgres answers and
 * takes writes, this runner holds its shards and has seen that all others have an owner, its clock agrees with that of
 * Postgres, and it is not shutting down. Otherwise `reason` says why not.
 */
import { Context, Effect, Layer } from "effect"
import { ShardId, Sharding, ShardingConfig } from "effect/cluster"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { ClockSkew } from "../platform/postgres/ClockSkew.ts"
import { Joining } from "@coffer/cluster/Joining"
import { DatabaseHealth } from "../platform/postgres/DatabaseHealth.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { closedText, Settings } from "../platform/runtime/Settings.ts"

/** Whether this process is shutting down: it finishes open requests, and asks clients to send new ones elsewhere. */
export class Draining extends Context.Service<Draining, { now: boolean }>()("@coffer/edge/Draining") {}

export const layerDraining = Layer.sync(Draining, () => ({ now: false }))

/** Sets `now` as the first step of a shutdown, so that load balancers and clients on open connections notice it. */
export const announced = Layer.effectDiscard(
  Effect.flatMap(Draining, (draining) =>
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        draining.now = true
      })
    )
  )
)

/** Longer than any write may wait. If no write has succeeded for so long, this runner cannot take payments. */
const stalledMillisMax = 5_000

const { shardsPerGroup } = ShardingConfig.defaults
const shards = Array.from({ length: shardsPerGroup }, (_, index) => ShardId.make("default", index + 1))

/** A single process holds all shards, a member of a cluster some. With none, its locks are missing or lost. */
export const holdsShards = ({ hasShardId }: Sharding.Sharding["Service"]): boolean => shards.some(hasShardId)

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const database = yield* DatabaseHealth
    const sharding = yield* Sharding.Sharding
    const { balanced } = yield* Joining
    const draining = yield* Draining
    const clock = yield* ClockSkew
    const transactor = yield* Transactor
    const { noOutbound } = yield* Settings
    const outbound = noOutbound ? { outbound: closedText } : {}

    yield* router.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok" }))
    yield* router.add(
      "GET",
      "/readyz",
      Effect.gen(function* () {
        const checks = {
          postgres: yield* database.answers,
          writes: transactor.stalledMillis() <= stalledMillisMax,
          cluster: balanced.isOpen() && holdsShards(sharding),
          clock: !clock.isTooLarge(),
          accepting: !draining.now
        }
        const reasons = {
          postgres: "Postgres does not answer.",
          writes: "No write has succeeded for more than 5 seconds.",
          cluster: balanced.isOpen()
            ? "This runner holds no shards: others have them all, or its locks are not there yet."
            : "This runner has just started, and some shards have no owner yet.",
          clock: `This machine's clock and Postgres' are ${Math.round(clock.seconds())} s apart.`,
          accepting: "This process is stopping."
        }
        const failed = (["postgres", "writes", "cluster", "clock", "accepting"] as const).filter(
          (check) => !checks[check]
        )
        return failed.length === 0
          ? HttpServerResponse.jsonUnsafe({ status: "ready", checks, ...outbound })
          : HttpServerResponse.jsonUnsafe(
              { status: "not ready", checks, ...outbound, reason: failed.map((check) => reasons[check]).join(" ") },
              { status: 503 }
            )
      })
    )
  })
)
