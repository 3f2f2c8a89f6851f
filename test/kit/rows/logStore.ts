/** API logs without a service around them: the queue and the table on a database of their own. */
import { MerchantId } from "@coffer/model/Ids"
import * as MerchantClocks from "../../../src/platform/runtime/MerchantClocks.ts"
import { DateTime, Effect, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as Faults from "../../../src/platform/runtime/Faults.ts"
import * as NewIds from "../../../src/platform/runtime/NewIds.ts"
import * as ListHorizon from "../../../src/platform/postgres/ListHorizon.ts"
import { Settings } from "../../../src/platform/runtime/Settings.ts"
import * as Postgres from "../../../src/platform/postgres/Postgres.ts"
import * as Logs from "../../../src/shared/logs/Logs.ts"
import type { LoggedCall } from "../../../src/shared/logs/logRow.ts"
import * as LogStore from "../../../src/shared/logs/LogStore.ts"
import { freshDatabase, ownersConnection } from "../Service.ts"

export const merchantId = MerchantId.make("mer_00000000000000000000000001")
export const now = DateTime.makeUnsafe("2026-03-01T12:00:00.000Z")
export const idOf = (index: number) => `req_${String(index).padStart(26, "0")}`
export const numbers = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index)

export const callOf = (index: number, more: Partial<LoggedCall> = {}): LoggedCall => ({
  requestId: idOf(index),
  merchantId,
  mode: "sandbox",
  method: "GET",
  path: "/v1/balance",
  status: 200,
  at: now,
  durationMillis: 1,
  ip: undefined,
  userAgent: undefined,
  idempotencyKey: undefined,
  requestBody: undefined,
  responseBody: '{"code":200}',
  ...more
})

export const layerOn = (url: string, faults: Layer.Layer<Faults.Faults> = Faults.layer) =>
  Logs.layer.pipe(
    Layer.provide(faults),
    Layer.provideMerge(Layer.provideMerge(LogStore.layer, Layer.merge(ListHorizon.layer, NewIds.layer))),
    Layer.provideMerge(MerchantClocks.layer),
    Layer.provide(Layer.succeed(Settings, { runner: undefined, keep: { apiLogDays: 30 } } as Settings["Service"])),
    Layer.provideMerge(Postgres.layer({ url: Redacted.make(url), connections: 8, name: "test" }))
  )

export const withLogs = <A, E>(
  use: Effect.Effect<A, E, Logs.Logs | LogStore.LogStore | SqlClient.SqlClient | Scope.Scope>,
  faults?: Layer.Layer<Faults.Faults>
) => Effect.scoped(Effect.flatMap(freshDatabase, (url) => Effect.provide(use, layerOn(url, faults))))

/** A connection of the owner of the tables. */
export const owner = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(sql<{ name: string }>`select current_database() as name`, ([row]) => ownersConnection(row!.name))
)

export const appendAll = (calls: ReadonlyArray<LoggedCall>) =>
  Effect.flatMap(Logs.Logs, (logs) => Effect.sync(() => calls.forEach((call) => logs.append(call))))

export const count = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`select 1 from api_logs`, (rows) => rows.length)
)
