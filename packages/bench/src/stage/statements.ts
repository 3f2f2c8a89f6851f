/** The most expensive statements, by `pg_stat_statements`: the first thing to look at when a side is slow. */
import type { Postgres } from "./Postgres.ts"

export const preload = "shared_preload_libraries=pg_stat_statements"

/** Counts from here on. */
export const reset = async (postgres: Postgres) => {
  await postgres.query("coffer", "create extension if not exists pg_stat_statements")
  await postgres.query("coffer", "select pg_stat_statements_reset()")
}

const shown = 8
const textLengthMax = 110

/** The most expensive ones of this database, a line each. */
export const top = async (postgres: Postgres, database: string): Promise<ReadonlyArray<string>> => {
  const rows = await postgres.query(
    "coffer",
    `select calls::int4 as calls, mean_exec_time * 1000 as micros, rows::float8 / calls as rows, query,
        100 * total_exec_time / sum(total_exec_time) over () as percent
      from pg_stat_statements where dbid = (select oid from pg_database where datname = $1)
      order by total_exec_time desc limit ${shown}`,
    [database]
  )
  const fixed = (value: unknown, digits = 0) => Number(value).toFixed(digits)
  return rows.map(({ calls, micros, percent, query, rows: found }) => {
    const text = String(query).replace(/\s+/g, " ").slice(0, textLengthMax)
    return `${fixed(percent)} %: ${calls} of ${fixed(micros)} µs, ${fixed(found, 1)} rows: ${text}`
  })
}
