/** Compares the lines of an `ANCHOR_FILE` with the chains (law I11). A superuser could change the table of anchors. */
import type { Violation } from "@coffer/rules/wallet/laws"
import { Effect, Schema, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { patiently } from "../../platform/runtime/patience.ts"
import * as AnchorFile from "./AnchorFile.ts"
import { comparison } from "./anchorCheck.ts"

const patience = "1 minute"

/**
 * Reports each anchor that its chain does not have. Returns how many lines were compared, and how many are not anchors.
 */
export const checkAnchorFile = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  path: string,
  report: (violation: Violation) => Effect.Effect<unknown>
) {
  const counts = { compared: 0, unread: 0 }
  yield* Stream.runForEach(AnchorFile.read(path), ({ anchors, unread }) =>
    Effect.gen(function* () {
      for (const { detail, key } of yield* compare(sql, anchors)) {
        yield* report({ law: "I11", table: "anchors", key, detail: `${detail} (ANCHOR_FILE)` })
      }
      counts.compared += anchors.length
      counts.unread += unread
    })
  )
  return counts
})

const compare = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, anchors: ReadonlyArray<AnchorFile.Anchor>) {
  const column = (name: keyof AnchorFile.Anchor) => anchors.map((anchor) => String(anchor[name]))
  const anchorRows = `select chain, sequence::bigint as sequence, row_id, hash, at
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) t (chain, sequence, row_id, hash, at)`
  const rows = yield* patiently(patience)(
    sql.unsafe(
      `select * from (${comparison(anchorRows)}) found where detail is not null`,
      (["chain", "sequence", "id", "hash", "at"] as const).map(column)
    )
  )
  return yield* decodeFound(rows)
})

const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.String, detail: Schema.String }))
)
