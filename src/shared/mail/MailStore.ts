/** Rows of mails that a worker has to look at. */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { backOff, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { type Mail, mails } from "./mails.ts"

/** The backoff doubles with each attempt: 1 min, 2 min … at most an hour. */
export class MailStore extends Context.Service<MailStore, DueRows<Mail>>()("@coffer/mail/MailStore") {}

export const layer = Layer.effect(
  MailStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lease = backOff(sql, "attempts", { soon: 60, late: 3_600 })
    const ofSandbox = (merchantId: Statement.Fragment) => sql`exists (select 1 from orders o
      where o.trade_no = mails.trade_no and o.merchant_id = ${merchantId} and o.mode = 'sandbox')`
    const queue = { table: "mails", key: "id", dueAt: "due_at", attempts: "attempts", lease, ofSandbox }
    return leasedRows(sql, queue, mails.row, mails.read)
  })
)
