/**
 * Due rows of notifications and of their mails. A notification is raised once, and that statement writes one mail for
 * each person there is; the mail decides later whether it is wanted. A mail that was begun is never begun again
 * (docs/decisions/0243).
 */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import { type Occasion, occasionNames } from "@coffer/model/Occasion"
import { PersonRole } from "@coffer/model/PersonRole"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { backOff, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { notificationFields, settingsFields } from "./Notifications.ts"

const Due = Schema.Struct({ notification_id: Schema.String })

/** `counted`: among the person's mails of the day, and not taken yet. `held`: for the digest of the next day. */
const Mail = Schema.Struct({
  mail_id: Schema.String,
  belongs_to: Schema.String,
  person_id: Schema.String,
  status: Schema.Literals(["due", "counted", "sending", "held"]),
  due_at: TimeColumn,
  created_at: TimeColumn
})
export type Mail = typeof Mail.Type

/** One occasion of a mail, as it stands now. `is_current`: there is still something to say. */
const Content = Schema.Struct({
  ...notificationFields,
  ...settingsFields,
  role: PersonRole,
  email: Schema.String,
  is_current: Schema.Boolean
})
export type Content = typeof Content.Type

export type MailEnd = "sent" | "unknown" | "failed" | "dropped"

interface MailRows extends DueRows<Mail> {
  /** Oldest first. Empty if the person has lost the role. */
  readonly contents: (mail: Mail, now: DateTime.Utc) => Effect.Effect<ReadonlyArray<Content>>
  /** False: another worker has begun it. A digest takes all that is held for the person. */
  readonly begin: (mail: Mail, now: DateTime.Utc) => Effect.Effect<boolean>
  readonly hold: (mail: Mail, until: DateTime.Utc) => Effect.Effect<void>
  /** It was not taken, and is tried again when its lease ends. */
  readonly tryAgain: (mail: Mail, error: string) => Effect.Effect<void>
  readonly end: (mail: Mail, status: MailEnd, error?: string) => Effect.Effect<void>
}

export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    readonly due: DueRows<typeof Due.Type>
    /**
     * A deadline that is over or has moved is dropped. Nothing happens if it was raised before. An address with which
     * nobody has signed in gets no mail.
     */
    readonly raise: (notificationId: string, now: DateTime.Utc) => Effect.Effect<void>
    readonly mails: MailRows
  }
>()("@coffer/notifications/NotificationStore") {}

/** A mail that is still being sent after this has lost its process. */
const sendingMax = Duration.minutes(5)

const deadlines: ReadonlyArray<Occasion> = occasionNames.filter((occasion) => occasion.startsWith("dispute_due_"))

export const layer = Layer.effect(
  NotificationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const lease = backOff(sql, "attempts", { soon: 60, late: 3_600 })
    const at = (time: DateTime.Utc | null) => sql`${isoTextOrNull(time)}::text::timestamptz`
    /** Of notifications `n`. With a day left there is the other one. */
    const isCurrent = (now: DateTime.Utc) => sql`case
      when n.occasion = any(${deadlines}::text[]) then n.deadline > ${at(now)}
          + case n.occasion when 'dispute_due_in_3_days' then interval '1 day' else interval '0' end
        and exists (select from disputes d where d.dispute_no = n.object_id and d.status = 'needs_response'
          and d.response is null and d.evidence_due_by = n.deadline)
      when n.occasion = 'person_joined' then exists (select from memberships j
        where j.belongs_to = n.merchant_id and j.person_id = n.object_id)
      else true end`

    const raise = (id: string, now: DateTime.Utc) => sql`with wanted as (
        select n.notification_id from notifications n where n.notification_id = ${id} and n.raised_at is null
          and ${isCurrent(now)} for update of n),
      raised as (update notifications n set raised_at = ${at(now)}, due_at = null from wanted
        where n.notification_id = wanted.notification_id returning n.*),
      gone as (delete from notifications n where n.notification_id = ${id} and n.raised_at is null
        and not exists (select from wanted))
      insert into notification_mails (mail_id, notification_id, belongs_to, person_id, status, due_at, created_at)
        select raised.notification_id || '.' || person_id, raised.notification_id, m.belongs_to, person_id, 'due',
          ${at(now)}, ${at(now)}
        from raised join memberships m on m.belongs_to = raised.merchant_id join people p using (person_id)
        where raised.mode = 'live' and person_id <> raised.object_id and (p.last_seen_at is not null
          or exists (select from known_browsers k where k.person_id = p.person_id))
        on conflict do nothing`

    return NotificationStore.of({
      due: leasedRows(
        sql,
        { table: "notifications", key: "notification_id", dueAt: "due_at", attempts: "attempts", lease },
        Due
      ),
      raise: (id, now) =>
        faults.around("Notifications.write", sqlDefects(Effect.asVoid(raise(id, now))), () => "raise"),
      mails: {
        ...leasedRows(
          sql,
          { table: "notification_mails", key: "mail_id", dueAt: "due_at", attempts: "attempts", lease },
          Mail
        ),
        ...makeMailWrites(sql, faults),
        contents: Effect.fnUntraced(function* ({ mail_id }, now) {
          return yield* decodeContents(
            yield* sql`select n.*, ${isCurrent(now)} as is_current, ms.role, p.email,
            s.language, s.switches, about.email as about
            from notification_mails m join notifications n using (notification_id)
            join memberships ms on ms.belongs_to = m.belongs_to and ms.person_id = m.person_id
            join people p on p.person_id = m.person_id
            left join notification_settings s on s.belongs_to = m.belongs_to and s.person_id = m.person_id
            left join people about on n.occasion = 'person_joined' and about.person_id = n.object_id
            where m.mail_id = ${mail_id} or m.digest_id = ${mail_id} order by n.raised_at, n.notification_id`
          )
        }, sqlDefects)
      }
    })
  })
)

const decodeContents = Schema.decodeUnknownEffect(Schema.Array(Content))

const makeMailWrites = (
  sql: SqlClient.SqlClient,
  faults: Faults["Service"]
): Pick<MailRows, "begin" | "hold" | "tryAgain" | "end"> => {
  const at = (time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`
  const write = <A, E>(name: string, effect: Effect.Effect<A, E>) =>
    faults.around("Notifications.write", sqlDefects(effect), () => name)
  const set = (name: string, { mail_id, status }: Mail, columns: ReturnType<typeof at>) =>
    write(
      name,
      Effect.map(
        sql`update notification_mails set ${columns} where mail_id = ${mail_id} and status = ${status} returning 1`,
        ({ length }) => length > 0
      )
    )
  const sending = (now: DateTime.Utc) => at(DateTime.addDuration(now, sendingMax))

  /** Of two digests of one person that begin at once the first takes all, in one order so that neither deadlocks. */
  const beginDigest = Effect.fnUntraced(function* ({ belongs_to, mail_id, person_id }: Mail, now: DateTime.Utc) {
    const held = yield* sql<{ readonly mail_id: string }>`select mail_id from notification_mails
      where belongs_to = ${belongs_to} and person_id = ${person_id} and status = 'held' order by mail_id for update`
    if (!held.some((each) => each.mail_id === mail_id)) return false
    yield* sql`update notification_mails set digest_id = ${mail_id},
        status = case when mail_id = ${mail_id} then 'sending' else 'in_digest' end,
        due_at = case when mail_id = ${mail_id} then ${sending(now)} end
      where mail_id = any(${held.map((each) => each.mail_id)}::text[])`
    return true
  })

  return {
    begin: (mail, now) =>
      mail.status === "held"
        ? write("begin", sql.withTransaction(beginDigest(mail, now)))
        : set("begin", mail, sql`status = 'sending', due_at = ${sending(now)}`),
    hold: (mail, until) => Effect.asVoid(set("hold", mail, sql`status = 'held', due_at = ${at(until)}`)),
    tryAgain: (mail, error) =>
      Effect.asVoid(
        set(
          "tryAgain",
          { ...mail, status: "sending" },
          sql`status = 'counted', error = ${error}, due_at = ${at(mail.due_at)}`
        )
      ),
    end: (mail, status, error) =>
      Effect.asVoid(set("end", mail, sql`status = ${status}, error = ${error ?? null}, due_at = null`))
  }
}
