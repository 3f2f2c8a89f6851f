/**
 * The row with the progress of a rotation of `SECRET_KEY`. Each page of the walk through all encrypted texts is one
 * transaction that holds this row: runners take turns, and a runner that dies loses one page.
 */
import { isoText } from "@coffer/model/isoText"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Doubt } from "@coffer/cluster/Doubt"
import { markHolders, Run } from "@coffer/cluster/Tenancy"
import { Channel } from "../../shared/channel/Channel.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { sealKept } from "../../platform/postgres/SecretCheck.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { bytesOf, checkOf, lockOf, SecretKeys, Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { parts } from "./SealedRows.ts"

/** A runner that learns late that it may use the new key has encrypted with the old one until then. */
const grace = "30 seconds"

/** `waits`: texts may be encrypted with the previous key, and `SECRET_KEY` is not used yet. */
export type Stage = "waits" | "walks" | "done"

export interface Step {
  readonly resealed: number
  /** When there is a next page; none at the end of the walk. */
  readonly next: Option.Option<DateTime.Utc>
}

export class KeyStore extends Context.Service<
  KeyStore,
  {
    readonly stage: Effect.Effect<Stage>
    /** Whether all processes on this database can decrypt with `SECRET_KEY`, as far as this one knows. */
    readonly keyIsWith: Effect.Effect<"all" | "some" | "unknown">
    /** Makes `SECRET_KEY` the key of the database: a process without it no longer starts. */
    readonly move: (now: DateTime.Utc) => Effect.Effect<void>
    /** Encrypts one page again. None while another runner does. */
    readonly step: (now: DateTime.Utc) => Effect.Effect<Option.Option<Step>>
  }
>()("@coffer/secretKey/KeyStore") {}

export const layer = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { secretKey, secretKeyPrevious } = yield* Settings
    const keys = yield* SecretKeys
    const doubt = yield* Doubt
    const run = yield* Run
    const allParts = parts(sql, yield* Secrets, yield* Channel)
    const current = checkOf(bytesOf(secretKey))
    const previous = secretKeyPrevious === undefined ? "" : checkOf(bytesOf(secretKeyPrevious))

    const stage = Effect.gen(function* () {
      const [row] = yield* decodeKeys(yield* sql`select value, previous from secret_check`)
      if (row!.value !== current) return "waits" as const
      return row!.previous === null ? ("done" as const) : ("walks" as const)
    })

    const keyIsWith = Effect.gen(function* () {
      const { own, someLack } = yield* markHolders(sql, lockOf(bytesOf(secretKey)), run)
      if (run !== null) doubt.saw(own)
      if (someLack) return "some" as const
      // Another process that has just lost its session, too, is not seen.
      return doubt.isOpen() ? ("unknown" as const) : ("all" as const)
    })

    const move = (now: DateTime.Utc) => {
      const at = isoText(now)
      return sql`update secret_check set value = ${current}, previous = ${previous}, kept = ${sealKept(keys)},
          moved_at = ${at}::text::timestamptz, walk_from = ${at}::text::timestamptz, walk_part = ${allParts[0]!.name},
          walk_after = '', walk_resealed = 0
        where value = ${previous} and previous is null`
    }

    const step = Effect.fnUntraced(function* (now: DateTime.Utc) {
      const [walk] = yield* decodeWalk(
        yield* sql`select moved_at, walk_from, walk_part, walk_after, walk_resealed
        from secret_check where value = ${current} and previous is not null for update skip locked`
      )
      if (walk === undefined) return Option.none()
      if (DateTime.isGreaterThan(walk.walk_from, now)) {
        return Option.some<Step>({ resealed: 0, next: Option.some(walk.walk_from) })
      }
      const index = allParts.findIndex(({ name }) => name === walk.walk_part)
      const { last, resealed } = yield* allParts[index]!.page(walk.walk_after)
      if (last !== undefined) {
        yield* sql`update secret_check set walk_after = ${last}, walk_resealed = walk_resealed + ${resealed}::int4`
        return Option.some<Step>({ resealed, next: Option.some(now) })
      }
      const part = allParts[index + 1]
      if (part !== undefined) {
        yield* sql`update secret_check set walk_part = ${part.name}, walk_after = ''`
        return Option.some<Step>({ resealed, next: Option.some(now) })
      }
      return Option.some<Step>({ resealed, next: yield* endWalk(sql, walk, allParts[0]!.name, now) })
    })

    return KeyStore.of({
      stage: sqlDefects(stage),
      keyIsWith: sqlDefects(keyIsWith),
      move: (now) => Effect.asVoid(sqlDefects(move(now))),
      step: (now) => sqlDefects(sql.withTransaction(step(now)))
    })
  })
)

/** Done once a walk has found nothing to encrypt, and began when all runners had the new key. */
const endWalk = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  walk: typeof Walk.Type,
  firstPart: string,
  now: DateTime.Utc
) {
  const certain = DateTime.addDuration(walk.moved_at, grace)
  if (walk.walk_resealed === 0 && !DateTime.isLessThan(walk.walk_from, certain)) {
    yield* sql`update secret_check set previous = null, walk_part = null, walk_after = null`
    return Option.none()
  }
  const from = DateTime.max(now, certain)
  yield* sql`update secret_check set walk_from = ${isoText(from)}::text::timestamptz, walk_part = ${firstPart},
    walk_after = '', walk_resealed = 0`
  return Option.some(from)
})

const Walk = Schema.Struct({
  moved_at: TimeColumn,
  walk_from: TimeColumn,
  walk_part: Schema.String,
  walk_after: Schema.String,
  walk_resealed: Schema.Int
})
const decodeWalk = Schema.decodeUnknownEffect(Schema.Array(Walk))
const decodeKeys = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ value: Schema.String, previous: Schema.NullOr(Schema.String) }))
)
