/** The switch with which a merchant takes the sandbox's bank off the net (docs/architecture.md, section 7). */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ChannelUnreachable } from "../channel/Channel.ts"

const unreachable = () => Effect.fail(new ChannelUnreachable())

/** A bank whose own books fail is a bank that cannot be reached. */
export const booksFail = { SqlError: unreachable } as const

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
      Effect.catchTags({ ...booksFail, SchemaError: Effect.die, NoSuchElementError: Effect.die })
    )
})
