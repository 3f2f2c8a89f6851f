/**
 * Mails about people, which wait for the mail server. Each is a row from the change that causes it until the mail
 * server has accepted it, so a crash loses none. It has a number of its own, which is its Message-ID at every attempt.
 * It is retried while the mail server is away, until it would be useless. The row is encrypted: a link in a mail grants
 * access.
 */
import { isoText } from "@coffer/model/isoText"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { backOff, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText, parseJson, TimeColumn } from "../../platform/runtime/codecs.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import { Mailer, type Message } from "./Mailer.ts"

export type Letter = Omit<Message, "id">

export interface Posted {
  /** The number of the person, or of the invitation, for the log. */
  readonly about: string
  /** After this long without a mail server the mail is given up. */
  readonly until: DateTime.Utc
}

const Waiting = Schema.Struct({
  id: Schema.String,
  about: Schema.String,
  sealed: Schema.String,
  gives_up_at: TimeColumn
})
export type Waiting = typeof Waiting.Type

export class Outbox extends Context.Service<
  Outbox,
  DueRows<Waiting> & {
    /** Writes the mail. In a transaction it goes out with the commit, after which the caller has to `wake`. */
    readonly add: (letter: Letter, posted: Posted) => Effect.Effect<void>
    readonly wake: Effect.Effect<void>
    /** Makes one attempt. A mail that is not accepted now stays. */
    readonly deliver: (mail: Waiting) => Effect.Effect<void>
  }
>()("@coffer/mail/Outbox") {}

/** The name by which its worker is woken. */
export const wakeup = "waiting_mails"

const decodeMessage = Schema.decodeUnknownOption(
  Schema.Struct({
    id: Schema.String,
    to: Schema.String,
    fromName: Schema.String,
    replyTo: Schema.optionalKey(Schema.String),
    subject: Schema.String,
    text: Schema.String,
    html: Schema.String
  })
)

export const layer = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* NewIds
    const secrets = yield* Secrets
    const wakeups = yield* Wakeups
    const mailer = yield* Mailer
    // Backoff as for receipts: 1 min, 2 min … at most an hour.
    const lease = backOff(sql, "attempts", { soon: 60, late: 3_600 })
    const due = leasedRows(
      sql,
      { table: "waiting_mails", key: "id", dueAt: "due_at", attempts: "attempts", lease },
      Waiting
    )
    const unsealed = Option.liftThrowable(secrets.decrypt)
    const boundTo = (id: string) => `mail ${id}`
    const drop = ({ id }: Waiting) => sqlDefects(Effect.asVoid(sql`delete from waiting_mails where id = ${id}`))

    const attempt = Effect.fnUntraced(function* (mail: Waiting, message: Message) {
      const isLate = DateTime.isGreaterThanOrEqualTo(yield* currentTime, mail.gives_up_at)
      if (isLate) return yield* giveUp(mail, "the mail server was away for too long")
      const why = ({ reason }: { readonly reason: string }) => reason.replaceAll(message.to, "[recipient]")
      yield* mailer.send(message).pipe(
        Effect.andThen(drop(mail)),
        Effect.catchTags({
          MailNotTaken: (failure) =>
            failure.forGood
              ? giveUp(mail, why(failure))
              : tell(mail, `a mail about a person was not taken and is tried again: ${why(failure)}`),
          MailUncertain: (failure) => giveUp(mail, `it may have been taken: ${why(failure)}`)
        })
      )
    })
    const tell = ({ about, id }: Waiting, line: string) =>
      Effect.annotateLogs(Effect.logWarning(line), { mail: id, person: about })
    const giveUp = (mail: Waiting, why: string) =>
      Effect.andThen(tell(mail, `a mail about a person is not sent again: ${why}`), drop(mail))

    return Outbox.of({
      ...due,
      add: Effect.fnUntraced(function* (letter, { about, until }) {
        const id = yield* ids.next("mail_")
        const sealed = secrets.encrypt(jsonText({ ...letter, id }), boundTo(id))
        yield* sqlDefects(sql`insert into waiting_mails (id, about, sealed, due_at, gives_up_at)
          values (${id}, ${about}, ${sealed}, ${isoText(yield* currentTime)}::text::timestamptz,
            ${isoText(until)}::text::timestamptz)`)
      }),
      wake: Effect.sync(() => wakeups.raise(wakeup)),
      deliver: span("Outbox.deliver")(function* (mail) {
        const message = Option.flatMap(
          Option.flatMap(unsealed(mail.sealed, boundTo(mail.id)), parseJson),
          decodeMessage
        )
        yield* Option.isNone(message)
          ? giveUp(mail, "SECRET_KEY has changed since")
          : // A stop of the service lets the attempt end: its limits are the mail server's.
            Effect.uninterruptible(attempt(mail, message.value))
      })
    })
  })
)
