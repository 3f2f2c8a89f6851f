/**
 * The connection pool. Its time-outs are about sockets, so they follow the real clock even where a test moves the
 * service's time by a day.
 */
import { PgClient } from "@effect/sql-pg"
import { Layer, type Redacted } from "effect"
import { types } from "./pgTypes.ts"
import * as RealTime from "./realTime.ts"

export const layer = (options: {
  readonly url: Redacted.Redacted
  readonly connections: number
  readonly name: string
}) =>
  PgClient.layer({
    url: options.url,
    applicationName: options.name,
    maxConnections: options.connections,
    minConnections: Math.min(4, options.connections),
    multiplex: true,
    types,
    startupParameters: {
      // A process that is paused in the middle of a transaction, or cut off, keeps its rows' locks; others wait.
      idle_in_transaction_session_timeout: "5s",
      // Postgres keeps the plan that it made for a statement while a table was small, and reads all of it to find one
      // row when it has grown. What has an index goes by it from the start.
      enable_seqscan: "off"
    }
  }).pipe(Layer.provide(RealTime.layer))
