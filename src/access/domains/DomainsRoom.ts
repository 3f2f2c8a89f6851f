/**
 * Shops' own hosts for checkout, for the wiring, the worker that looks up due hosts, and the one that mails merchants
 * about a host without its proof. `rules/shop/domain.ts` decides when they are due.
 */
import { DateTime, Duration, Effect, Layer } from "effect"
import { ConfirmedAddresses } from "../../shared/mail/ConfirmedAddresses.ts"
import { Mailer } from "../../shared/mail/Mailer.ts"
import { mailSettings } from "../../shared/mail/mailSettings.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { forEachLeased, leasedMax } from "../../platform/jobs/forEachLeased.ts"
import { jobs } from "../../platform/jobs/Opening.ts"
import { Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"
import { domainMail } from "./domainMail.ts"
import * as Domains from "./Domains.ts"
import * as DomainStore from "./DomainStore.ts"

const worker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const { look } = yield* Domains.Domains
    const store = yield* DomainStore.DomainStore
    // Without custom hosts the rows stay as they are.
    if ((yield* ShopHosts).pointTo.length === 0) return
    yield* supervise(() => ({
      name: "hosts of shops",
      wakeup: "shop_domains",
      callsOutside: true,
      run: Effect.gen(function* () {
        const due = yield* store.leaseDue(yield* currentTime, leasedMax)
        return yield* forEachLeased("the host of", due, ({ merchant_id }) => merchant_id, look)
      }),
      next: store.nextDue,
      backlog: store.backlog
    }))
  })
)

/** After this long without a mail server the mail is given up. */
const triedFor = Duration.days(3)

const mails = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const mailer = yield* Mailer
    const addresses = yield* ConfirmedAddresses
    const merchants = yield* Merchants
    const store = yield* DomainStore.DomainStore
    const { pointTo } = yield* ShopHosts
    const { smtpUrl } = (yield* Settings).of(mailSettings)
    if (pointTo.length === 0) return

    const deliver = span("DomainsRoom.deliver")(function* (mail: DomainStore.DueMail) {
      const merchant = yield* Effect.catchTags(merchants.find(mail.merchant_id), { MerchantNotFound: Effect.die })
      const annotations = { merchant_id: mail.merchant_id, host: mail.host }
      const to = yield* addresses.of(merchant)
      if (to === null) {
        const line = "a merchant without an address could not be notified about its host"
        yield* Effect.annotateLogs(Effect.logWarning(line), annotations)
        return yield* store.endMail(mail)
      }
      const isLate = DateTime.isGreaterThan(yield* currentTime, DateTime.addDuration(mail.mail_of, triedFor))
      yield* Effect.catch(mailer.send(domainMail(mail, { merchant, pointTo, to })), (error) => {
        const isOver = error._tag === "MailUncertain" || error.forGood || isLate
        const line = `the mail about a host was not sent: ${error.reason}`
        return isOver ? Effect.annotateLogs(Effect.logWarning(line), annotations) : Effect.fail(error)
      })
      yield* store.endMail(mail)
    })

    yield* supervise(() => ({
      name: "mails about hosts",
      // Without a mail server mails become files on this machine.
      callsOutside: smtpUrl !== undefined,
      run: Effect.gen(function* () {
        const due = yield* store.mails.leaseDue(yield* currentTime, leasedMax)
        return yield* forEachLeased("the mail about the host of", due, ({ merchant_id }) => merchant_id, deliver)
      }),
      next: store.mails.nextDue,
      backlog: store.mails.backlog
    }))
  })
)

export const layer = jobs(Layer.merge(worker, mails)).pipe(
  Layer.provideMerge(Domains.layer),
  Layer.provideMerge(DomainStore.layer)
)
