/** Where requests are counted: in Redis where there is one, else in Postgres for several runners, else in memory. */
import { Effect, Layer, Metric } from "effect"
import { Settings } from "../platform/runtime/Settings.ts"
import * as PostgresQuotas from "./PostgresQuotas.ts"
import { failures, layerMemory, layerRedis } from "./QuotaStore.ts"

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { redisUrl, runner } = yield* Settings
    yield* Metric.update(failures, 0)
    if (redisUrl !== undefined) return layerRedis(redisUrl)
    if (runner === undefined) return layerMemory
    yield* Effect.logInfo(
      "REDIS_URL is not set: Postgres counts requests for all runners, one statement or less for each"
    )
    return PostgresQuotas.layer
  })
)
