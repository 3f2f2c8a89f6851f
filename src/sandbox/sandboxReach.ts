/** Each merchant can switch its sandbox bank off, so that it cannot be reached (docs/architecture.md, section 7). */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ChannelUnreachable } from "../channel/Channel.ts"

const unreachable = () => Effect.fail(new ChannelUnreachable())

/** While the bank's own tables cannot be used, the bank cannot be reached. */
export const unreachableOnSqlError = { SqlError: unreachable } as const

/** Fails while this merchant's bank cannot be reached. */
export const sandboxReach = Effect.map(SqlClient.SqlClient, (sql) => {
  const isReachable = SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ reachable: Schema.Boolean }),
    execute: (merchantId) => sql`select
      coalesce((select reachable from sandbox_switches where merchant_id = ${merchantId}), true) as reachable`
  })
  return (merchantId: string) =>
    isReachable(merchantId).pipe(
      Effect.flatMap(({ reachable }) => (reachable ? Effect.void : unreachable())),
      Effect.catchTags({ ...unreachableOnSqlError, SchemaError: Effect.die, NoSuchElementError: Effect.die })
    )
})
