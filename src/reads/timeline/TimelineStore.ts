/**
 * Reads the rows from which an order's timeline is made, in all tables. Each kind is one statement along an index that
 * other queries need anyway. Nothing is written, and nothing is stored for the timeline.
 */
import { timelineRowsMax } from "@coffer/contract/Timeline"
import type { Account } from "@coffer/model/Account"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import {
  AttemptRow,
  DeliveryRow,
  DisputeRow,
  EventRow,
  MailRow,
  MovementRow,
  RefundRow,
  RequestRow,
  type StoryRows
} from "./storyRows.ts"

export class TimelineStore extends Context.Service<
  TimelineStore,
  {
    /** One more than {@link timelineRowsMax} of a kind says that there are more. */
    readonly rowsOf: (account: Account, tradeNo: string) => Effect.Effect<StoryRows>
    /** Writes with one of these paths, since then, oldest first. */
    readonly writesTo: (
      account: Account,
      paths: ReadonlyArray<string>,
      since: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<RequestRow>>
  }
>()("@coffer/timeline/TimelineStore") {}

export const layer = Layer.effect(
  TimelineStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const some = <Row>(row: Schema.Decoder<Row>) => {
      const decode = Schema.decodeUnknownEffect(Schema.Array(row))
      return (statement: Statement.Statement<object>) => Effect.flatMap(statement, decode)
    }
    const [refundsIn, disputesIn, movementsIn, eventsIn] = [
      some(RefundRow),
      some(DisputeRow),
      some(MovementRow),
      some(EventRow)
    ]
    const [deliveriesIn, attemptsIn, mailsIn, requestsIn] = [
      some(DeliveryRow),
      some(AttemptRow),
      some(MailRow),
      some(RequestRow)
    ]
    const limit = timelineRowsMax + 1

    return TimelineStore.of({
      rowsOf: Effect.fnUntraced(function* ({ merchantId, mode }, tradeNo) {
        const owned = sql`merchant_id = ${merchantId} and mode = ${mode}`
        const refunds = yield* refundsIn(
          sql`select * from refunds where ${owned} and trade_no = ${tradeNo} and status <> 'void'
            order by refund_no limit ${limit}`
        )
        const disputes = yield* disputesIn(
          sql`select * from disputes where ${owned} and trade_no = ${tradeNo} order by dispute_no limit ${limit}`
        )
        const numbers = [
          tradeNo,
          ...refunds.map(({ refund_no }) => refund_no),
          ...disputes.map(({ dispute_no }) => dispute_no)
        ]
        const movements = yield* movementsIn(
          sql`select * from ledger where reference_id = any(${numbers}) and ${owned} order by id limit ${limit}`
        )
        const events = yield* eventsIn(
          sql`select id, type, object_id, created_at from events where object_id = any(${numbers}) and ${owned}
            order by id limit ${limit}`
        )
        const deliveries = yield* deliveriesIn(
          sql`select * from deliveries where ${owned} and event_id = any(${events.map(({ id }) => id)})
            order by id limit ${limit}`
        )
        const attempts = yield* attemptsIn(
          sql`select * from delivery_attempts where delivery_id = any(${deliveries.map(({ id }) => id)})
            order by delivery_id, attempt limit ${limit}`
        )
        const mails = yield* mailsIn(
          sql`select id, recipient, status, attempts, error, created_at from mails where trade_no = ${tradeNo}
            order by id limit ${limit}`
        )
        return { refunds, disputes, movements, events, deliveries, attempts, mails }
      }, sqlDefects),

      writesTo: Effect.fnUntraced(function* ({ merchantId, mode }, paths, since) {
        return yield* requestsIn(
          sql`select * from api_logs where merchant_id = ${merchantId} and mode = ${mode} and path = any(${paths})
            and method = 'POST' and created_at >= ${DateTime.toDateUtc(since)} order by request_id limit ${limit}`
        )
      }, sqlDefects)
    })
  })
)
