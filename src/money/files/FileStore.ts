/**
 * Rows of files: the owner and type of each, and until when it is kept without a reference. They are written by plain
 * statements. `file_bytes` has the sum of the sizes of a merchant's environment, and its row is the guard.
 */
import { isoText } from "@coffer/model/isoText"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { filesBytesMax, unnamedFileKept } from "@coffer/model/Limits"
import { Context, DateTime, Duration, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { Faults } from "../../platform/runtime/Faults.ts"

const FileRow = Schema.Struct({
  name: Schema.String,
  merchant_id: MerchantId,
  mode: Mode,
  content_type: Schema.String,
  size: Schema.Int,
  created_at: TimeColumn
})
export type FileRow = typeof FileRow.Type

export interface Dropped {
  readonly names: ReadonlyArray<string>
  /** How many were looked at. */
  readonly looked: number
}

export class FileStore extends Context.Service<
  FileStore,
  {
    readonly byName: (name: string) => Effect.Effect<Option.Option<FileRow>>
    /** False, and nothing is written, where the merchant's files would hold more than they may. */
    readonly insert: (row: FileRow) => Effect.Effect<boolean>
    /** Whether there is room for this many more bytes now. */
    readonly hasRoom: (row: Pick<FileRow, "merchant_id" | "mode" | "size">) => Effect.Effect<boolean>
    /** The file of this name, which is about to be referenced: it is kept for at least one more day. */
    readonly named: (name: string) => Effect.Effect<Option.Option<FileRow>>
    /** Whether there was one. */
    readonly remove: (name: string) => Effect.Effect<boolean>
    /** Removes rows of files without a reference, at most `limit`, and answers their names. */
    readonly dropUnnamed: (now: DateTime.Utc, limit: number) => Effect.Effect<Dropped>
  }
>()("@coffer/files/FileStore") {}

export const layer = Layer.effect(
  FileStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const byName = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: FileRow,
      execute: (name) =>
        sql`select name, merchant_id, mode, content_type, size, created_at from files where name = ${name}`
    })
    const columns = sql`name, merchant_id, mode, content_type, size, created_at`
    const inSql = (time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`
    const named = SqlSchema.findOneOption({
      Request: Schema.Struct({ name: Schema.String, until: Schema.DateTimeUtc }),
      Result: FileRow,
      execute: ({ name, until }) =>
        sql`update files set kept_until = greatest(kept_until, ${inSql(until)}) where name = ${name}
          returning ${columns}`
    })
    // One statement: concurrent uploads lock the row of `file_bytes` in turn.
    const insert = Effect.fnUntraced(function* (row: FileRow) {
      const until = DateTime.addDuration(yield* unmovedTime, unnamedFileKept)
      const written = yield* sql`with room as (insert into file_bytes as held (merchant_id, mode, bytes)
          values (${row.merchant_id}, ${row.mode}, ${row.size})
          on conflict (merchant_id, mode) do update set bytes = held.bytes + excluded.bytes
            where held.bytes + excluded.bytes <= ${filesBytesMax[row.mode]} returning 1)
        insert into files (${columns}, kept_until)
        select ${row.name}, ${row.merchant_id}, ${row.mode}, ${row.content_type}, ${row.size}::int4,
          ${isoText(row.created_at)}::text::timestamptz, ${inSql(until)} from room returning 1`
      return written.length > 0
    })
    const hasRoom = ({ merchant_id, mode, size }: Pick<FileRow, "merchant_id" | "mode" | "size">) =>
      Effect.map(
        sql`select 1 from file_bytes where merchant_id = ${merchant_id} and mode = ${mode}
          and bytes + ${size} > ${filesBytesMax[mode]}`,
        (full) => full.length === 0
      )
    // A name is unguessable, and its only wildcard of `like` is `_`, so no other text matches it.
    const isNamed = sql`(exists (select from merchants m where m.merchant_id = f.merchant_id and m.logo = f.name)
      or exists (select from disputes d join dispute_evidence e using (dispute_no)
        where d.merchant_id = f.merchant_id and d.mode = f.mode
          and (position(f.name in e.files::text) > 0 or position(f.name in e.submitting::text) > 0)))`
    const dropUnnamed = Effect.fnUntraced(function* (now: DateTime.Utc, limit: number) {
      const at = inSql(now)
      const later = inSql(DateTime.addDuration(now, Duration.times(unnamedFileKept, 4)))
      const due = sql`select f.name, ${isNamed} as is_named from files f where f.kept_until <= ${at}
        order by f.kept_until limit ${limit} for update skip locked`
      const rows = yield* sql<{ readonly name: string; readonly is_named: boolean }>`with due as materialized (${due}),
          gone as (delete from files f using due where f.name = due.name and not due.is_named
            returning f.merchant_id, f.mode, f.size),
          stays as (update files f set kept_until = ${later} from due where f.name = due.name and due.is_named),
          freed as (update file_bytes held set bytes = greatest(held.bytes - less.bytes, 0)
            from (select merchant_id, mode, sum(size) as bytes from gone group by merchant_id, mode) less
            where held.merchant_id = less.merchant_id and held.mode = less.mode)
        select name, is_named from due`
      return { names: rows.filter(({ is_named }) => !is_named).map(({ name }) => name), looked: rows.length }
    })
    const remove = (name: string) =>
      sql`with gone as (delete from files where name = ${name} returning merchant_id, mode, size)
        update file_bytes held set bytes = greatest(held.bytes - gone.size, 0) from gone
        where held.merchant_id = gone.merchant_id and held.mode = gone.mode returning 1`
    const writing = <A>(write: Effect.Effect<A>) => faults.around("Store.write", write, () => "files")

    return FileStore.of({
      byName: (name) => sqlDefects(byName(name)),
      insert: (row) => writing(sqlDefects(insert(row))),
      hasRoom: (row) => sqlDefects(hasRoom(row)),
      named: Effect.fnUntraced(function* (name) {
        const until = DateTime.add(yield* unmovedTime, { days: 1 })
        return yield* writing(sqlDefects(named({ name, until })))
      }),
      remove: (name) => writing(Effect.map(sqlDefects(remove(name)), ({ length }) => length > 0)),
      dropUnnamed: (now, limit) => writing(sqlDefects(dropUnnamed(now, limit)))
    })
  })
)
