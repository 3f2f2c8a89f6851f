/**
 * At which channel an order's session may be (`order_routes`, migration 0225). A question is written before it is
 * put: where a process dies over it, it stays unanswered, and the order stays with its channel
 * (docs/decisions/0277).
 */
import { isoText } from "@coffer/model/isoText"
import { ChannelName, type TradeNo } from "@coffer/model/Ids"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Faults } from "../../platform/runtime/Faults.ts"

const Route = Schema.Struct({
  channel: ChannelName,
  /** How many questions for a session there were, at whichever channel. */
  attempts: Schema.Int,
  /** Of these, how many have no answer that we know. */
  unanswered: Schema.Int,
  may_be_paid: Schema.Boolean
})
export type Route = typeof Route.Type
const decodeRoutes = Schema.decodeUnknownEffect(Schema.Array(Route))

export class RouteStore extends Context.Service<
  RouteStore,
  {
    readonly find: (tradeNo: TradeNo) => Effect.Effect<Option.Option<Route>>
    /** Before a question for a session. None: the order is at another channel. */
    readonly ask: (tradeNo: TradeNo, channel: ChannelName) => Effect.Effect<Option.Option<Route>>
    /** After its answer. `mayBePaid`: a session may be there. */
    readonly answered: (tradeNo: TradeNo, mayBePaid: boolean) => Effect.Effect<void>
    /** To another channel, unless there was a question since the route was read. */
    readonly move: (tradeNo: TradeNo, from: Route, to: ChannelName, mayBePaid: boolean) => Effect.Effect<void>
  }
>()("@coffer/orders/RouteStore") {}

export const layer = Layer.effect(
  RouteStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const first = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>) =>
      sqlDefects(Effect.map(Effect.flatMap(rows, decodeRoutes), ([row]) => Option.fromUndefinedOr(row)))
    const write = <A>(effect: Effect.Effect<A>) => faults.around("Store.write", effect, () => "order_routes")

    return RouteStore.of({
      find: (tradeNo) => first(sql`select * from order_routes where trade_no = ${tradeNo}`),
      ask: (tradeNo, channel) =>
        Effect.flatMap(currentTime, (now) =>
          write(
            first(sql`insert into order_routes as r (trade_no, channel, attempts, unanswered, asked_at)
              values (${tradeNo}, ${channel}, 1, 1, ${isoText(now)}::text::timestamptz)
              on conflict (trade_no) do update
                set attempts = r.attempts + 1, unanswered = r.unanswered + 1, asked_at = excluded.asked_at
                where r.channel = excluded.channel
              returning *`)
          )
        ),
      answered: (tradeNo, mayBePaid) =>
        write(
          sqlDefects(
            Effect.asVoid(sql`update order_routes
              set unanswered = unanswered - 1, may_be_paid = may_be_paid or ${mayBePaid}::boolean
              where trade_no = ${tradeNo} and unanswered > 0`)
          )
        ),
      move: (tradeNo, from, to, mayBePaid) =>
        write(
          sqlDefects(
            Effect.asVoid(sql`update order_routes set channel = ${to}, may_be_paid = ${mayBePaid}::boolean
              where trade_no = ${tradeNo} and channel = ${from.channel} and attempts = ${from.attempts}::int4
                and unanswered = 0`)
          )
        )
    })
  })
)
