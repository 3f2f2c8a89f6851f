/**
 * Front door to shops' own hosts for checkout: a DNS look-up, and its consequences (docs/decisions/0201). The host
 * itself is a setting of its merchant.
 */
import { Context, DateTime, Duration, Effect, Layer, Option, Schema, Semaphore } from "effect"
import { Merchants } from "../merchants/Merchants.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { onUnmovedClock } from "../../platform/runtime/MerchantClocks.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"
import { type Change, DomainStore, type Due } from "./DomainStore.ts"
import { lookUp, NameServers } from "./lookUp.ts"

/** There is no host to look up, or this installation has no hosts of shops. */
export class NoDomain extends Schema.TaggedError<NoDomain>()("NoDomain", {
  reason: Schema.Literals(["not_set", "switched_off", "no_outbound"])
}) {}

/** Too many look-ups at once. */
export class TooManyLooks extends Schema.TaggedError<TooManyLooks>()("TooManyLooks", {}) {}

export class Domains extends Context.Service<
  Domains,
  {
    /** Looks up the merchant's host now, unless that was done a moment ago. */
    readonly check: (merchantId: string) => Effect.Effect<void, NoDomain | TooManyLooks>
    /** The same for a row that a worker has leased. */
    readonly look: (due: Due) => Effect.Effect<void>
  }
>()("@coffer/domains/Domains") {}

/** How many look-ups people may run at the same time on one runner. */
const looksMax = 8
/** A second look-up within this time is skipped. */
const momentOfLook = Duration.seconds(5)

export const layer = Layer.effect(
  Domains,
  Effect.gen(function* () {
    const store = yield* DomainStore
    const merchants = yield* Merchants
    const hosts = yield* ShopHosts
    const log = yield* AuditLog
    const { noOutbound } = yield* Settings
    const servers = yield* NameServers
    const room = yield* Semaphore.make(looksMax)

    /** Entries of verified hosts, and of hosts that are no longer verified. */
    const note = (changes: ReadonlyArray<Change>) =>
      Effect.forEach(
        changes.filter(({ after, before }) => (after.verified_at === null) !== (before.verified_at === null)),
        ({ after, merchantId }) =>
          log.write({
            act: after.verified_at === null ? "domains.lost" : "domains.verified",
            phase: "done",
            target: `/operator/v1/merchants/${merchantId}/checkout_domain/${after.host}`,
            details: after.problem === null ? {} : { problem: after.problem }
          }),
        { discard: true }
      )

    const look = span("Domains.look")(
      function* (due: Due) {
        const looked = yield* Effect.provideService(lookUp(due.host, hosts.pointTo), NameServers, servers)
        const changes = yield* store.record(due, looked, yield* currentTime, note)
        for (const { merchantId } of changes) {
          yield* merchants.forget(merchantId)
          yield* hosts.read(merchantId)
        }
      },
      (effect) => onUnmovedClock(effect)
    )

    return Domains.of({
      look,
      check: span("Domains.check")(function* (merchantId) {
        if (hosts.pointTo.length === 0) return yield* new NoDomain({ reason: "switched_off" })
        if (noOutbound) return yield* new NoDomain({ reason: "no_outbound" })
        const found = yield* store.find(merchantId)
        if (Option.isNone(found)) return yield* new NoDomain({ reason: "not_set" })
        const { checked_at, host, token } = found.value.domain
        const now = yield* currentTime
        if (checked_at !== null && Duration.isLessThan(DateTime.distance(checked_at, now), momentOfLook)) return
        const done = yield* room.withPermitsIfAvailable(1)(look({ merchant_id: merchantId, host, token }))
        if (Option.isNone(done)) return yield* new TooManyLooks()
      })
    })
  })
)
