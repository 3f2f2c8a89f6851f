/** Mails merchants that one of their keys has leaked. */
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { ConfirmedAddresses } from "../../shared/mail/ConfirmedAddresses.ts"
import { Mailer } from "../../shared/mail/Mailer.ts"
import { type Merchant, Merchants } from "../merchants/Merchants.ts"
import { leasedMax, forEachLeased } from "../../platform/jobs/forEachLeased.ts"
import { Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"
import { leakMail } from "./leakMail.ts"
import { type LeakMail, LeakStore } from "./LeakStore.ts"
import { mailSettings } from "../../shared/mail/mailSettings.ts"

/** After this long without a mail server the mail is given up. */
const triedFor = Duration.days(3)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const leaks = yield* LeakStore
    const keys = yield* ApiKeyStore
    const merchants = yield* Merchants
    const mailer = yield* Mailer
    const addresses = yield* ConfirmedAddresses
    const { smtpUrl } = (yield* Settings).of(mailSettings)

    const attempt = Effect.fnUntraced(function* (mail: LeakMail, merchant: Merchant, to: string) {
      const keyId = mail.key_id
      const key = keyId === null ? Option.none() : yield* keys.find({ merchantId: mail.merchant_id, keyId })
      return yield* mailer.send(leakMail(mail, merchant, to, Option.getOrNull(key)))
    })

    const deliver = span("LeakJobs.deliver")(function* (mail: LeakMail) {
      const merchant = yield* Effect.catchTags(merchants.find(mail.merchant_id), { MerchantNotFound: Effect.die })
      const to = yield* addresses.of(merchant)
      if (to === null) {
        yield* Effect.annotateLogs(
          Effect.logWarning("a merchant without an address could not be notified of a leaked key"),
          {
            merchant_id: mail.merchant_id
          }
        )
        return yield* leaks.end(mail, "kept", "the merchant has no contact_email or support_email")
      }
      const isLate = DateTime.isGreaterThan(yield* currentTime, DateTime.addDuration(mail.reported_at, triedFor))
      yield* Effect.matchEffect(attempt(mail, merchant, to), {
        onSuccess: () => leaks.end(mail, "sent", null),
        onFailure: (error) => {
          if (error._tag === "MailUncertain") return leaks.end(mail, "unknown", error.reason)
          return error.forGood || isLate ? leaks.end(mail, "failed", error.reason) : Effect.fail(error)
        }
      })
    })

    yield* workers.supervise(() => ({
      name: "mails about keys",
      // Without a mail server mails become files on this machine.
      callsOutside: smtpUrl !== undefined,
      wakeup: "key_leaks",
      run: Effect.flatMap(currentTime, (now) =>
        Effect.flatMap(leaks.leaseDue(now, leasedMax), (due) => forEachLeased("mail", due, ({ id }) => id, deliver))
      ),
      next: leaks.nextDue,
      backlog: leaks.backlog
    }))
  })
)
