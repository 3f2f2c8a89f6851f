/** Rows of mails that a worker has to look at. */
import { Context, type DateTime, Effect, Layer, type Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type Backlog, backOff, type DueSandbox, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { type Mail, mails } from "./mails.ts"

export class MailStore extends Context.Service<
  MailStore,
  {
    /** Leases due mails. The backoff doubles with each attempt: 1 min, 2 min … at most an hour. */
    readonly leaseDue: (now: DateTime.Utc, limit: number, merchantId?: string) => Effect.Effect<ReadonlyArray<Mail>>
    /** When the first is due of each of these sandboxes. */
    readonly nextDueOf: (merchantIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DueSandbox>>
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
    readonly backlog: (now: DateTime.Utc) => Effect.Effect<Backlog>
  }
>()("@coffer/mail/MailStore") {}

export const layer = Layer.effect(
  MailStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lease = backOff(sql, "attempts", { soon: 60, late: 3_600 })
    const ofSandbox = (merchantId: Statement.Fragment) => sql`exists (select 1 from orders o
      where o.trade_no = mails.trade_no and o.merchant_id = ${merchantId} and o.mode = 'sandbox')`
    const queue = { table: "mails", key: "id", dueAt: "due_at", attempts: "attempts", lease, ofSandbox }
    const due = leasedRows(sql, queue, mails.row)
    return MailStore.of({
      leaseDue: (...args) => sqlDefects(Effect.map(due.lease(...args), (rows) => rows.map(mails.read))),
      nextDueOf: (merchantIds) => sqlDefects(due.nextOf(merchantIds)),
      nextDue: sqlDefects(due.next),
      backlog: (now) => sqlDefects(due.backlog(now))
    })
  })
)
