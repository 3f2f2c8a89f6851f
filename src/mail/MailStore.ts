/** Rows of mails that somebody has to look at. */
import { Context, type DateTime, Effect, Layer, type Option } from "effect"
import { SqlClient } from "effect/sql"
import { type Backlog, backOff, leasedRows } from "../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { type Mail, mails } from "./mails.ts"

export class MailStore extends Context.Service<
  MailStore,
  {
    /** Leases mails that are due. Each attempt doubles the wait for the next: 1 min, 2 min … at most an hour. */
    readonly claimDue: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<Mail>>
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
    readonly backlog: (now: DateTime.Utc) => Effect.Effect<Backlog>
  }
>()("@coffer/mail/MailStore") {}

export const layer = Layer.effect(
  MailStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lease = backOff(sql, "attempts", { soon: 60, late: 3_600 })
    const due = leasedRows(sql, { table: "mails", key: "id", dueAt: "due_at", claims: "attempts", lease }, mails.row)
    return MailStore.of({
      claimDue: (now, limit) => sqlDefects(Effect.map(due.claim(now, limit), (rows) => rows.map(mails.read))),
      nextDue: sqlDefects(due.next),
      backlog: (now) => sqlDefects(due.backlog(now))
    })
  })
)
