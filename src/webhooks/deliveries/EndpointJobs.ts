/**
 * Mails merchants when an endpoint fails and when it has recovered, disables endpoints that have failed for too long if
 * their merchant wants it, and releases the deliveries of endpoints that are no longer paused (silences: W24 to W26;
 * docs/decisions/0021).
 */
import type { Account } from "@coffer/model/Account"
import { disabledAfter, findingOf, nextLookAt } from "@coffer/rules/webhooks/health"
import type { Endpoint } from "@coffer/rules/webhooks/Settings"
import { DateTime, Duration, Effect, Layer } from "effect"
import { ConfirmedAddresses } from "../../shared/mail/ConfirmedAddresses.ts"
import { Mailer } from "../../shared/mail/Mailer.ts"
import { type Merchant, Merchants } from "../../access/merchants/Merchants.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { forEachLeased, leasedMax } from "../../platform/jobs/forEachLeased.ts"
import { Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { EndpointHealth, healthIn, type HealthRow } from "./EndpointHealth.ts"
import { type About, endpointMail } from "./endpointMail.ts"
import { WebhookEndpoints } from "./WebhookEndpoints.ts"
import { mailSettings } from "../../shared/mail/mailSettings.ts"

/** After three days without a mail server the mail is given up: one try an hour, after the first ones. */
const triesMax = 75
/** How often to look for deliveries whose endpoint is no longer paused. A request that ends a pause looks at once. */
const releasedEvery = Duration.minutes(1)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const wakeups = yield* Wakeups
    const health = yield* EndpointHealth
    const deliveries = yield* DeliveryStore
    const merchants = yield* Merchants
    const tell = yield* makeTell
    const { disableFailing } = yield* WebhookEndpoints
    const { smtpUrl } = (yield* Settings).of(mailSettings)

    const look = span("EndpointJobs.look")(function* (row: HealthRow) {
      const merchant = yield* Effect.catchTags(merchants.find(row.merchant_id), { MerchantNotFound: Effect.die })
      const endpoint = endpointIn(merchant, row)
      if (endpoint?.status !== "enabled") {
        if (endpoint?.isDisabledForFailing === true) yield* tell("disabled", row, { endpoint, merchant })
        return yield* health.forget(row)
      }
      const now = yield* currentTime
      const known = healthIn(row)
      const finding = findingOf(known, isDisabledIfLasting(endpoint, row), now)
      switch (finding) {
        case "forget":
          return yield* health.forget(row)
        case "disable": {
          // A success at another runner just after a failure here may not be in the row.
          if (yield* health.hasTaken(row)) return yield* health.forget(row)
          const account: Account = { merchantId: merchant.merchant_id, mode: row.mode }
          // The next look notifies, however this one ends.
          yield* Effect.catchTags(disableFailing(account, endpoint.id), { EndpointNotFound: () => Effect.void })
          return yield* health.looked(row, { isTold: row.is_told, toldAt: row.told_at, dueAt: now }, now)
        }
        case "nothing":
          return yield* health.looked(
            row,
            { isTold: row.is_told, toldAt: row.told_at, dueAt: nextLookAt(known, now) },
            now
          )
        case "outage":
        case "well": {
          yield* tell(finding, row, { endpoint, merchant })
          const isTold = finding === "outage"
          const toldAt = isTold ? now : row.told_at
          const after = { ...known, isTold, toldAt, ...(isTold ? {} : { fifthFailedAt: null }) }
          const dueAt = nextLookAt(after, now)
          return yield* health.looked(row, { isTold, toldAt, isOver: !isTold, dueAt }, now)
        }
      }
    })

    let releasedAt = DateTime.makeUnsafe(0)
    const release = Effect.gen(function* () {
      const now = yield* currentTime
      if (DateTime.isLessThan(now, DateTime.addDuration(releasedAt, releasedEvery))) return 0
      const released = yield* deliveries.release(now)
      if (released === 0) releasedAt = now
      else wakeups.raise("deliveries")
      return released
    })

    yield* workers.supervise(() => ({
      name: "endpoints that fail",
      // Without a mail server mails become files on this machine.
      callsOutside: smtpUrl !== undefined,
      run: Effect.gen(function* () {
        yield* health.hear(yield* currentTime)
        const released = yield* release
        const due = yield* health.leaseDue(yield* currentTime, leasedMax)
        return released + (yield* forEachLeased("endpoint", due, ({ endpoint_id }) => endpoint_id, look))
      }),
      next: health.nextDue,
      backlog: health.backlog
    }))
  })
)

/** The merchant wants it, and has not changed the endpoint within the five days, for example by enabling it again. */
const isDisabledIfLasting = ({ disablesWhenFailing, updatedAt }: Endpoint, { last_failed_at }: HealthRow): boolean =>
  disablesWhenFailing === true &&
  DateTime.isGreaterThanOrEqualTo(last_failed_at, DateTime.addDuration(updatedAt, disabledAfter))

const endpointIn = ({ modes }: Merchant, { endpoint_id, mode }: HealthRow): Endpoint | undefined =>
  modes[mode].webhooks.endpoints.find(({ id }) => id === endpoint_id)

/** Fails if the mail has to be retried. */
const makeTell = Effect.gen(function* () {
  const mailer = yield* Mailer
  const addresses = yield* ConfirmedAddresses
  return Effect.fnUntraced(function* (
    about: About,
    row: HealthRow,
    { endpoint, merchant }: { readonly endpoint: Endpoint; readonly merchant: Merchant }
  ) {
    const annotations = { merchant_id: merchant.merchant_id, endpoint_id: endpoint.id }
    const to = yield* addresses.of(merchant)
    if (to === null) {
      const line = "a merchant without an address is not told of an endpoint"
      return yield* Effect.annotateLogs(Effect.logWarning(line), { ...annotations, about })
    }
    yield* Effect.catch(mailer.send(endpointMail(about, row, { endpoint, merchant, to })), (error) => {
      const isOver = error._tag === "MailUncertain" || error.forGood || row.attempts >= triesMax
      const line = `the mail about an endpoint was not sent: ${error.reason}`
      return isOver ? Effect.annotateLogs(Effect.logWarning(line), annotations) : Effect.fail(error)
    })
  })
})
