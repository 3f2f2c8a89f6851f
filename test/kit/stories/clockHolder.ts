/** A holder of a sandbox's clock that does nothing, as a runner that hangs: an advance is then on its way. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

export const hold = (sql: SqlClient.SqlClient, merchantId: string) =>
  Effect.orDie(
    sql`insert into sandbox_clocks (merchant_id, holder, leased_until)
      values (${merchantId}, 'nobody', now() + interval '1 day')
      on conflict (merchant_id) do update set holder = excluded.holder, leased_until = excluded.leased_until`
  )

export const forsake = (sql: SqlClient.SqlClient, merchantId: string) =>
  Effect.orDie(sql`update sandbox_clocks set holder = null, leased_until = null where merchant_id = ${merchantId}`)
