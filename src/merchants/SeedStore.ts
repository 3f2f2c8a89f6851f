/** Which merchants' sandboxes are not seeded yet (`sandbox_seeds`). */
import { MerchantId } from "@coffer/model/Ids"
import { Context, DateTime, Duration, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { dieIfBroken } from "../ground/broken.ts"
import { isoText } from "../ground/codecs.ts"
import { dueRows } from "../ground/due.ts"
import { Signals } from "../ground/Signals.ts"

/** Whoever seeds has this long before a worker tries again. */
const lease = Duration.minutes(1)

export class SeedStore extends Context.Service<
  SeedStore,
  {
    /** To be seeded, by whoever asks now; by a worker when that is not done when the lease ends. */
    readonly insert: (merchantId: MerchantId, now: DateTime.Utc) => Effect.Effect<void>
    readonly done: (merchantId: MerchantId) => Effect.Effect<void>
    readonly claimDue: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<MerchantId>>
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
  }
>()("@coffer/merchants/SeedStore") {}

export const layer = Layer.effect(
  SeedStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const seeds = dueRows(
      sql,
      { table: "sandbox_seeds", key: "merchant_id", dueAt: "due_at" },
      Schema.Struct({ merchant_id: MerchantId })
    )
    return SeedStore.of({
      insert: (merchantId, now) => {
        const due = isoText(DateTime.addDuration(now, lease))
        return dieIfBroken(
          Effect.map(
            sql`insert into sandbox_seeds (merchant_id, due_at) values (${merchantId}, ${due}::text::timestamptz)`,
            () => signals.raise("sandbox_seeds")
          )
        )
      },
      done: seeds.done,
      claimDue: (now, limit) =>
        dieIfBroken(
          Effect.map(
            seeds.claim((at) => sql`due_at = ${at} + make_interval(secs => ${Duration.toSeconds(lease)})`, now, limit),
            (rows) => rows.map(({ merchant_id }) => merchant_id)
          )
        ),
      nextDue: dieIfBroken(seeds.next)
    })
  })
)
