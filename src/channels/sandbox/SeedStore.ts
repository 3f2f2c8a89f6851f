/** Merchants whose sandbox is not fully seeded yet (`sandbox_seeds`). */
import { isoText } from "@coffer/model/isoText"
import { MerchantId } from "@coffer/model/Ids"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"

/** A worker retries after this if the seeding has not finished. */
const lease = Duration.minutes(1)

export class SeedStore extends Context.Service<
  SeedStore,
  DueRows<MerchantId> & {
    /** Notes that the sandbox needs seeding. The caller has the lease; a worker takes over when it ends. */
    readonly insert: (merchantId: MerchantId, now: DateTime.Utc) => Effect.Effect<void>
    readonly done: (merchantId: MerchantId) => Effect.Effect<void>
  }
>()("@coffer/sandbox/SeedStore") {}

export const layer = Layer.effect(
  SeedStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wakeups = yield* Wakeups
    const seeds = leasedRows(
      sql,
      {
        table: "sandbox_seeds",
        key: "merchant_id",
        dueAt: "due_at",
        lease: sql`make_interval(secs => ${Duration.toSeconds(lease)})`
      },
      Schema.Struct({ merchant_id: MerchantId }),
      ({ merchant_id }) => merchant_id
    )
    return SeedStore.of({
      ...seeds,
      insert: (merchantId, now) => {
        const due = isoText(DateTime.addDuration(now, lease))
        return sqlDefects(
          Effect.map(
            sql`insert into sandbox_seeds (merchant_id, due_at) values (${merchantId}, ${due}::text::timestamptz)`,
            () => wakeups.raise("sandbox_seeds")
          )
        )
      }
    })
  })
)
