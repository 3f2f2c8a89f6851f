/** Rows of files: the owner and type of each. Written once, by a plain statement, and never changed. */
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { isoText, TimeColumn } from "../platform/runtime/codecs.ts"
import { Faults } from "../platform/runtime/Faults.ts"

const FileRow = Schema.Struct({
  name: Schema.String,
  merchant_id: MerchantId,
  mode: Mode,
  content_type: Schema.String,
  size: Schema.Int,
  created_at: TimeColumn
})
export type FileRow = typeof FileRow.Type

export class FileStore extends Context.Service<
  FileStore,
  {
    readonly byName: (name: string) => Effect.Effect<Option.Option<FileRow>>
    readonly insert: (row: FileRow) => Effect.Effect<void>
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
      execute: (name) => sql`select * from files where name = ${name}`
    })
    return FileStore.of({
      byName: (name) => sqlDefects(byName(name)),
      insert: (row) =>
        faults.around(
          "Store.write",
          sqlDefects(
            Effect.asVoid(sql`insert into files (name, merchant_id, mode, content_type, size, created_at)
            values (${row.name}, ${row.merchant_id}, ${row.mode}, ${row.content_type}, ${row.size},
              ${isoText(row.created_at)}::text::timestamptz)`)
          ),
          () => "files"
        )
    })
  })
)
