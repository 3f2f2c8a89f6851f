/** Three runners on one database, as separate processes, and which of them owns what. */
import { Effect, Hash } from "effect"
import type { SqlClient } from "effect/sql"
import { connect, eventually } from "./Process.ts"
import { freshDatabase } from "./Service.ts"
import { runner } from "./TwoRunners.ts"

export const threeRunners = Effect.gen(function* () {
  const databaseUrl = yield* freshDatabase
  const sql = yield* connect(databaseUrl)
  const nodes = yield* Effect.replicateEffect(runner(databaseUrl), 3)
  for (const { ready } of nodes) yield* ready
  return { databaseUrl, sql, nodes }
})

/** As the framework hashes the name of a slot (effect/cluster/internal/hash). */
const hashOf = (text: string) => {
  let hash = 5381
  for (let at = text.length - 1; at >= 0; at--) hash = (hash * 33) ^ text.charCodeAt(at)
  return (hash & 0xbfffffff) | ((hash >>> 1) & 0x40000000)
}

/** The shard of an object, as `platform/cluster/owner.ts` has it. */
const shardOf = (key: string) => {
  const slot = String(Math.abs(Hash.string(key) % 300))
  return Math.abs(hashOf(slot) % 300) + 1
}

/** By shard, the pid of the process that holds its lock. */
export const holders = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ shard: number; pid: string }>`select (objid::int8 - 1000000)::int4 as shard,
        substring(application_name from '^coffer (\\d+)@') as pid
      from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and objsubid = 2 and objid between 1000001 and 1000300
        and database = (select oid from pg_database where datname = current_database())`,
    (rows) => new Map(rows.map(({ pid, shard }) => [shard, Number(pid)]))
  )

/** Waits until all shards are held, by so many runners. Who holds which. */
export const eachOwnsAPart = (sql: SqlClient.SqlClient, runners: number) =>
  Effect.andThen(
    eventually(
      "each to own a part",
      Effect.map(holders(sql), (held) => held.size === 300 && new Set(held.values()).size === runners)
    ),
    holders(sql)
  )

export const ownerOf = (key: string, held: ReadonlyMap<number, number>) => held.get(shardOf(key))
