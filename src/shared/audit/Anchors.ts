/**
 * Anchors the heads of chains: of all wallets' ledgers and of the audit log. A function of the tables' owner writes
 * them (migration 0192), so the service's role can add a true anchor and no more. With `ANCHOR_FILE` each anchor is a
 * line of that file too, on the disk before Postgres commits it.
 */
import { isoText } from "@coffer/model/isoText"
import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { patiently } from "../../platform/runtime/patience.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import * as AnchorFile from "./AnchorFile.ts"

/** Wallets that one statement looks at. */
const sliceMax = 5_000
const patience = "1 minute"

export class Anchors extends Context.Service<
  Anchors,
  {
    /** Anchors each head that has moved since its last anchor. Returns how many there were. */
    readonly take: (at: DateTime.Utc, alive: Effect.Effect<void>) => Effect.Effect<number, AnchorFile.AnchorFileFailed>
  }
>()("@coffer/audit/Anchors") {}

export const layer = Layer.effect(
  Anchors,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { anchorFile, noOutbound } = yield* Settings
    // The file belongs to the original of this copy, whose chains continue there.
    const file = anchorFile === undefined || noOutbound ? undefined : yield* AnchorFile.open(anchorFile)

    /** The lines are written before the rows. If the commit is lost, the next round writes the lines again. */
    const anchor = Effect.fnUntraced(function* (chains: ReadonlyArray<string>, at: DateTime.Utc) {
      const heads = yield* decodeHeads(
        yield* sql`select chain, sequence, row_id as id, hash
          from anchor_heads(${chains}::text[], ${isoText(at)}::text::timestamptz)`
      )
      if (file !== undefined && heads.length > 0)
        yield* file.append(heads.map((head) => ({ at: isoText(at), ...head })))
      return heads.length
    })

    const walletsAfter = (key: string) =>
      Effect.flatMap(
        sql`select wallet_id as key from wallets where wallet_id > ${key} order by wallet_id limit ${sliceMax}::int4`,
        decodeKeys
      )

    const take = span("Anchors.take")(
      function* (at: DateTime.Utc, alive: Effect.Effect<void>) {
        const inOne = (chains: ReadonlyArray<string>) => sql.withTransaction(anchor(chains, at))
        let heads = yield* inOne([auditLog])
        for (let rows = yield* walletsAfter(""); rows.length > 0; rows = yield* walletsAfter(rows.at(-1)!.key)) {
          heads += yield* inOne(rows.map(({ key }) => key))
          yield* alive
        }
        if (heads > 0) yield* Effect.logDebug("heads of chains anchored", { heads })
        return heads
      },
      patiently(patience),
      sqlDefects
    )

    return Anchors.of({ take })
  })
)

/** The name of its chain. */
const auditLog = "audit_log"

const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Schema.String })))
const decodeHeads = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ chain: Schema.String, sequence: Schema.Int, id: Schema.String, hash: Schema.String }))
)
