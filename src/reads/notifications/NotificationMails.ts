/**
 * Sends a mail about what happened to one person. Whether the person may read it, wants it, and still has to be told
 * is decided now, however long the mail has waited. A mail whose process died while it was being sent is not sent
 * again: the console has it as well.
 */
import type { MerchantId } from "@coffer/model/Ids"
import { notificationMailsADay, occasionOf } from "@coffer/model/Occasion"
import { isMailWanted } from "@coffer/rules/notifications/mayHear"
import { normalEmail } from "@coffer/rules/people/signIn"
import { Context, DateTime, Duration, Effect, Layer, Result } from "effect"
import { type Merchant, Merchants } from "../../access/merchants/Merchants.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { ConfirmedAddresses } from "../../shared/mail/ConfirmedAddresses.ts"
import { MailBudget, untilTomorrow } from "../../shared/mail/MailBudget.ts"
import { Mailer } from "../../shared/mail/Mailer.ts"
import { type Content, type Mail, NotificationStore } from "./NotificationStore.ts"
import { notificationMail } from "./notificationMail.ts"

/** After this long without a mail server the mail is given up. */
const triedFor = Duration.days(3)

export class NotificationMails extends Context.Service<
  NotificationMails,
  {
    /** Makes one attempt. A mail that is not taken stays due. */
    readonly deliver: (mail: Mail) => Effect.Effect<void>
  }
>()("@coffer/notifications/NotificationMails") {}

export const layer = Layer.effect(
  NotificationMails,
  Effect.gen(function* () {
    const { mails } = yield* NotificationStore
    const merchants = yield* Merchants
    const addresses = yield* ConfirmedAddresses
    const budget = yield* MailBudget
    const mailer = yield* Mailer
    const { publicUrl } = yield* Settings

    const wantedOf = Effect.fnUntraced(function* (merchant: Merchant, contents: ReadonlyArray<Content>) {
      const wanted = contents.filter(
        ({ is_current, mode, occasion, role, switches }) =>
          is_current && isMailWanted(role, mode, occasion, switches ?? {})
      )
      if (!wanted.some(({ occasion }) => occasionOf(occasion).hasContactMail)) return wanted
      const contact = yield* addresses.of(merchant)
      const isContact = ({ email }: Content) => contact !== null && normalEmail(contact) === normalEmail(email)
      return wanted.filter((item) => occasionOf(item.occasion).hasContactMail !== true || !isContact(item))
    })

    const isCounted = ({ belongs_to, person_id, status }: Mail) =>
      status === "due"
        ? budget.take([{ counted: `notifications of ${belongs_to} to ${person_id}`, max: notificationMailsADay }])
        : Effect.succeed(true)

    const attempt = Effect.fnUntraced(function* (mail: Mail) {
      const now = yield* currentTime
      const merchant = yield* Effect.catchTags(merchants.find(mail.belongs_to), { MerchantNotFound: Effect.die })
      // A digest begins first, which gives it its contents.
      const isDigest = mail.status === "held"
      if (isDigest && !(yield* mails.begin(mail, now))) return
      const sending: Mail = { ...mail, status: "sending" }
      const items = yield* wantedOf(merchant, yield* mails.contents(mail, now))
      const [first] = items
      if (first === undefined) return yield* mails.end(isDigest ? sending : mail, "dropped")
      if (!(yield* isCounted(mail))) {
        return yield* mails.hold(mail, DateTime.addDuration(now, Duration.millis(yield* untilTomorrow)))
      }
      if (!isDigest && !(yield* mails.begin(mail, now))) return
      const sent = yield* Effect.result(
        mailer.send(
          notificationMail({
            id: mail.mail_id,
            to: first.email,
            language: first.language ?? "en",
            merchant: { ...merchant, merchant_id: merchant.merchant_id as MerchantId },
            publicUrl,
            items
          })
        )
      )
      if (Result.isSuccess(sent)) return yield* mails.end(sending, "sent")
      const reason = sent.failure.reason.replaceAll(first.email, "[recipient]")
      const note = (line: string) =>
        Effect.annotateLogs(Effect.logWarning(`a notification ${line}: ${reason}`), { mail: mail.mail_id })
      if (sent.failure._tag === "MailUncertain") {
        yield* note("may have been taken by the mail server, and is not sent again")
        return yield* mails.end(sending, "unknown", reason)
      }
      const isOver =
        sent.failure.forGood || DateTime.isGreaterThan(now, DateTime.addDuration(mail.created_at, triedFor))
      yield* note(isOver ? "was refused" : "was not taken and is tried again")
      yield* isOver ? mails.end(sending, "failed", reason) : mails.tryAgain(mail, reason)
    })

    return NotificationMails.of({
      deliver: span("NotificationMails.deliver")(function* (mail) {
        yield* mail.status === "sending"
          ? mails.end(mail, "unknown", "the process ended while the mail was being sent")
          : // A stop of the service lets the attempt end: its limits are the mail server's.
            Effect.uninterruptible(attempt(mail))
      })
    })
  })
)
