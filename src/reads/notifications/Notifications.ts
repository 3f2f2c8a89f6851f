/**
 * Front door to a person's notifications and their settings, which are plain rows. Rows of notifications are written by
 * triggers, with the change that they are about (migration 0213; docs/decisions/0243). What a person's role may not
 * read is left out when it is shown.
 */
import type { UpdateNotificationSettings } from "@coffer/contract/Notifications"
import { isoText } from "@coffer/model/isoText"
import { Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { notificationsShown, Occasion } from "@coffer/model/Occasion"
import { PersonRole } from "@coffer/model/PersonRole"
import { heardBy } from "@coffer/rules/notifications/mayHear"
import type { Page } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, type Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { isStorable } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText, TimeColumn } from "../../platform/runtime/codecs.ts"
import { currentTime } from "../../platform/runtime/clock.ts"

export const notificationFields = {
  notification_id: Schema.String,
  merchant_id: Schema.String,
  mode: Mode,
  occasion: Occasion,
  object_id: Schema.String,
  amount: Schema.NullOr(Schema.Int),
  currency: Schema.NullOr(Currency),
  deadline: Schema.NullOr(TimeColumn),
  raised_at: TimeColumn,
  /** The address of a person who has joined and is still there. */
  about: Schema.NullOr(Schema.String)
}
const Shown = Schema.Struct({ ...notificationFields, is_read: Schema.Boolean })
export type Shown = typeof Shown.Type

export const Switches = Schema.Record(Schema.String, Schema.Boolean)

/** Without a row of settings the language is English, and the switches follow from the role. */
export const settingsFields = {
  language: Schema.NullOr(Schema.Literals(["en", "zh"])),
  switches: Schema.NullOr(Switches)
}
const Settings = Schema.Struct({ role: PersonRole, email: Schema.String, ...settingsFields })
export type Settings = typeof Settings.Type

/** A person, and the merchant at which the person has a role. */
export interface Reader {
  readonly belongsTo: string
  readonly personId: string
}

export class Notifications extends Context.Service<
  Notifications,
  {
    /** The newest of one environment, since the person has joined. Empty for a person without a role there. */
    readonly of: (reader: Reader, role: PersonRole, mode: Mode) => Effect.Effect<Page<Shown>>
    /** Those of other merchants are ignored. */
    readonly markRead: (reader: Reader, ids: ReadonlyArray<string>) => Effect.Effect<void>
    /** None: the person has lost the role meanwhile. */
    readonly settings: (reader: Reader) => Effect.Effect<Settings | undefined>
    readonly update: (reader: Reader, change: UpdateNotificationSettings) => Effect.Effect<void>
    /** Removes notifications from longer ago, at most `limit`, and answers how many. */
    readonly dropOld: (keep: Duration.Duration, limit: number) => Effect.Effect<number>
  }
>()("@coffer/notifications/Notifications") {}

const decodeShown = Schema.decodeUnknownEffect(Schema.Array(Shown))
const decodeSettings = Schema.decodeUnknownEffect(Schema.Array(Settings))

export const layer = Layer.effect(
  Notifications,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const at = (time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`
    const isOf = ({ belongsTo, personId }: Reader) => sql`m.belongs_to = ${belongsTo} and m.person_id = ${personId}`

    return Notifications.of({
      of: Effect.fnUntraced(function* (reader, role, mode) {
        const rows = yield* decodeShown(
          yield* sql`select n.*, p.email as about, r.read_at is not null as is_read
          from memberships m
          join notifications n on n.merchant_id = m.belongs_to and n.mode = ${mode} and n.raised_at >= m.created_at
          left join notification_reads r on r.belongs_to = m.belongs_to and r.person_id = m.person_id
            and r.notification_id = n.notification_id
          left join memberships joined on n.occasion = 'person_joined' and joined.belongs_to = n.merchant_id
            and joined.person_id = n.object_id
          left join people p on p.person_id = joined.person_id
          where ${isOf(reader)} and n.occasion = any(${heardBy(role, mode)}::text[]) and n.object_id <> m.person_id
          order by n.raised_at desc, n.notification_id desc limit ${notificationsShown + 1}`
        )
        return { data: rows.slice(0, notificationsShown), hasMore: rows.length > notificationsShown }
      }, sqlDefects),
      markRead: Effect.fnUntraced(function* (reader, ids) {
        yield* sql`insert into notification_reads (notification_id, belongs_to, person_id, read_at)
          select n.notification_id, m.belongs_to, m.person_id, ${at(yield* currentTime)}
          from memberships m join notifications n on n.merchant_id = m.belongs_to and n.raised_at is not null
          where ${isOf(reader)} and n.notification_id = any(${ids.filter(isStorable)}::text[])
          for key share of m, n on conflict do nothing`
      }, sqlDefects),
      settings: Effect.fnUntraced(function* (reader) {
        const [found] = yield* decodeSettings(
          yield* sql`select m.role, p.email, s.language, s.switches
          from memberships m join people p using (person_id)
          left join notification_settings s using (belongs_to, person_id) where ${isOf(reader)}`
        )
        return found
      }, sqlDefects),
      update: Effect.fnUntraced(function* (reader, { language, mails = {} }) {
        yield* sql`insert into notification_settings as s (belongs_to, person_id, language, switches, updated_at)
          select m.belongs_to, m.person_id, ${language ?? "en"}, ${jsonText(mails)}::text::jsonb,
            ${at(yield* currentTime)} from memberships m where ${isOf(reader)} for key share
          on conflict (belongs_to, person_id) do update set switches = s.switches || excluded.switches,
            language = coalesce(${language ?? null}, s.language), updated_at = excluded.updated_at`
      }, sqlDefects),
      dropOld: Effect.fnUntraced(function* (keep, limit) {
        const before = DateTime.subtractDuration(yield* currentTime, keep)
        const dropped = yield* sql`delete from notifications where notification_id in (
          select notification_id from notifications where raised_at < ${at(before)}
          order by raised_at limit ${limit} for update skip locked) returning 1`
        return dropped.length
      }, sqlDefects)
    })
  })
)
