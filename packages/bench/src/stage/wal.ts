/**
 * The content of a stretch of Postgres' log: its bytes, and the entries that each index was given, by `pg_walinspect`.
 */
import type { Postgres } from "./Postgres.ts"

/** Where the log ends now. */
export const end = async (postgres: Postgres): Promise<string> => {
  const [row] = await postgres.query("coffer", "select pg_current_wal_insert_lsn()::text as lsn")
  return String(row!["lsn"])
}

export interface Wal {
  /** Without full pages. */
  readonly bytes: number
  /** Full-page images: each page that existed at the last checkpoint, once. */
  readonly fullPageBytes: number
  /** Entries by the name of the index. A partition's index has the name of its parent's. */
  readonly entries: ReadonlyMap<string, number>
}

/**
 * An entry is one record: an insert in a leaf, in a list of equal keys, or with a split. Splits of upper levels are
 * counted too: there is one for thousands of entries.
 */
const entriesText = `
  select coalesce(parent.relname, c.relname) as name, count(*)::int4 as entries
  from pg_get_wal_block_info($1::pg_lsn, $2::pg_lsn, false) b
    join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
    left join pg_inherits i on i.inhrelid = c.oid left join pg_class parent on parent.oid = i.inhparent
  where b.reldatabase = (select oid from pg_database where datname = current_database())
    and b.resource_manager = 'Btree' and b.block_id = 0
    and b.record_type in ('INSERT_LEAF', 'INSERT_POST', 'SPLIT_L', 'SPLIT_R')
  group by 1`

const bytesText = `select sum(record_size)::float8 as bytes, sum(fpi_size)::float8 as full_pages
  from pg_get_wal_stats($1::pg_lsn, $2::pg_lsn)`

export const between = async (postgres: Postgres, database: string, from: string, to: string): Promise<Wal> => {
  await postgres.query(database, "create extension if not exists pg_walinspect")
  const [sums] = await postgres.query(database, bytesText, [from, to])
  const rows = await postgres.query(database, entriesText, [from, to])
  return {
    bytes: Number(sums!["bytes"]),
    fullPageBytes: Number(sums!["full_pages"]),
    entries: new Map(rows.map(({ entries, name }) => [String(name), Number(entries)]))
  }
}
