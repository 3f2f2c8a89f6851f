/**
 * Keys, tokens and sessions that do not exist. They are counted; one of each address and minute is logged and written
 * to the audit log, and some sixty of all addresses; and an address that sends many different ones is refused before
 * the next is looked up, unless that one is known here. The same one again is refused from memory and counts no more
 * against its address: it is no guess, but a program whose key was reset (docs/decisions/0057).
 */
import * as Wire from "@coffer/contract/Errors"
import { Context, Duration, Effect, Layer, Metric } from "effect"
import { refuseTemporarily } from "../http/replies.ts"
import { addressParty } from "../http/addressParty.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { currentMillis } from "../platform/runtime/clock.ts"
import { sha256 } from "../platform/runtime/Secrets.ts"
import { makeMemory } from "./QuotaStore.ts"

const kinds = ["merchant", "operator", "person"] as const
type Kind = (typeof kinds)[number]

export class FailedCredentials extends Context.Service<
  FailedCredentials,
  {
    /** Refuses an address that has sent too many, and counts what it refuses. */
    readonly check: (of: Kind, ip: string) => Effect.Effect<void, Wire.RateLimited>
    /** Remembers a credential that was looked up and does not exist. One that existed once is no guess. */
    readonly note: (of: Kind, ip: string, credential: string, hasEnded?: boolean) => Effect.Effect<void>
    /** Whether it did not exist a short time ago, and counts it. */
    readonly isRemembered: (of: Kind, credential: string) => Effect.Effect<boolean>
    /** How many addresses or credentials are remembered. */
    readonly size: () => number
  }
>()("@coffer/edge/FailedCredentials") {}

/** Failures of one address in a minute. */
const failuresMax = 300
const windowMillis = 60_000
/** How long a credential is remembered after its last use. One that does not exist never will. */
const rememberedMillis = 10 * 60_000
/** Addresses that are remembered, and credentials likewise. */
export const addressesMax = 20_000
/** Entries of a minute for all addresses together: a client that has many must not fill the audit log. */
const samplesMax = 60

const refused = Metric.counter("coffer_credentials_refused_total", {
  description: "Keys, tokens and sessions that were nobody's, or came from an address that had sent too many of those",
  incremental: true
})
const countOf = (of: Kind) => Metric.withAttributes(refused, { of })

/** A merchant's key that was sent as an operator's token is still the merchant's key. */
const digestOf = (of: Kind, credential: string) => sha256(`${of} ${credential}`)

export const layer = Layer.effect(
  FailedCredentials,
  Effect.gen(function* () {
    const log = yield* AuditLog
    const scope = yield* Effect.scope
    const failures = makeMemory({ keysMax: addressesMax })
    const samples = makeMemory({ keysMax: addressesMax })
    /** One count for all addresses. Among theirs in `samples` it would be dropped as the oldest. */
    const written = makeMemory({ keysMax: 1 })
    /** When an address may send again. */
    const until = new Map<string, number>()
    /** Until when, by digest. The one that was used last stands last. */
    const remembered = new Map<string, number>()
    const remember = (digest: string, now: number) => {
      remembered.delete(digest)
      if (remembered.size >= addressesMax) remembered.delete(remembered.keys().next().value ?? "")
      remembered.set(digest, now + rememberedMillis)
    }
    yield* Effect.forEach(kinds, (of) => Metric.update(countOf(of), 0), { discard: true })

    const sample = Effect.fnUntraced(
      function* (of: Kind, ip: string) {
        yield* Effect.logWarning(
          `a key, token or session of no ${of} came from ${ip}; more of this minute are only counted`
        )
        yield* log.write({ act: `credentials.${of}`, phase: "refused", target: ip, status: 401 })
      },
      Effect.ignoreCause({ log: "Warn" })
    )

    return FailedCredentials.of({
      check: Effect.fnUntraced(function* (of, ip) {
        const from = addressParty(ip)
        const left = (until.get(from) ?? 0) - (yield* currentMillis)
        if (left <= 0) return void until.delete(from)
        yield* Metric.update(countOf(of), 1)
        return yield* refuseTemporarily(
          Duration.millis(left),
          (request_id) =>
            new Wire.RateLimited({ message: "Too many keys from this address were nobody's.", request_id })
        )
      }),
      isRemembered: Effect.fnUntraced(function* (of, credential) {
        const now = yield* currentMillis
        const digest = digestOf(of, credential)
        if ((remembered.get(digest) ?? 0) <= now) return false
        remember(digest, now)
        yield* Metric.update(countOf(of), 1)
        return true
      }),
      note: Effect.fnUntraced(function* (of, ip, credential, hasEnded = false) {
        const now = yield* currentMillis
        const from = addressParty(ip)
        remember(digestOf(of, credential), now)
        yield* Metric.update(countOf(of), 1)
        const isFirst = samples.take(from, 1, windowMillis, now).allowed
        if (isFirst && written.take("", samplesMax, windowMillis, now).allowed) {
          yield* Effect.forkIn(sample(of, ip), scope)
        }
        if (hasEnded) return
        const { remaining, resetMillis } = failures.take(from, failuresMax, windowMillis, now)
        if (remaining > 0) return
        // The one that was refused first is let in first.
        if (until.size >= addressesMax) until.delete(until.keys().next().value ?? "")
        until.set(from, now + resetMillis)
      }),
      size: () => Math.max(failures.size(), samples.size(), until.size, remembered.size)
    })
  })
)
