/**
 * Keys and tokens that are nobody's. They are counted; one of each address and minute is logged and written to the
 * audit log, and some sixty of all addresses; and an address that sends many is refused before the next is looked up,
 * unless that one is known here.
 */
import * as Wire from "@coffer/contract/Errors"
import { Context, Duration, Effect, Layer, Metric } from "effect"
import { refuseTemporarily } from "../http/replies.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { currentMillis } from "../platform/runtime/clock.ts"
import { makeMemory } from "./QuotaStore.ts"

const kinds = ["merchant", "operator"] as const
type Kind = (typeof kinds)[number]

export class FailedCredentials extends Context.Service<
  FailedCredentials,
  {
    /** Refuses an address that has sent too many, and counts what it refuses. */
    readonly check: (of: Kind, ip: string) => Effect.Effect<void, Wire.RateLimited>
    readonly note: (of: Kind, ip: string) => Effect.Effect<void>
    /** How many addresses are remembered. */
    readonly size: () => number
  }
>()("@coffer/edge/FailedCredentials") {}

/** Of one address and minute. */
const failuresMax = 300
const windowMillis = 60_000
/** Addresses that are remembered. */
export const addressesMax = 20_000
/** Entries of a minute for all addresses together: whoever has many must not fill the audit log. */
const samplesMax = 60

const refused = Metric.counter("coffer_credentials_refused_total", {
  description: "Keys and tokens that were nobody's, or came from an address that had sent too many of those",
  incremental: true
})
const countOf = (of: Kind) => Metric.withAttributes(refused, { of })

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
    yield* Effect.forEach(kinds, (of) => Metric.update(countOf(of), 0), { discard: true })

    const sample = Effect.fnUntraced(
      function* (of: Kind, ip: string) {
        yield* Effect.logWarning(`a key or token of no ${of} came from ${ip}; more of this minute are only counted`)
        yield* log.write({ act: `credentials.${of}`, phase: "refused", target: ip, status: 401 })
      },
      Effect.ignoreCause({ log: "Warn" })
    )

    return FailedCredentials.of({
      check: Effect.fnUntraced(function* (of, ip) {
        const left = (until.get(ip) ?? 0) - (yield* currentMillis)
        if (left <= 0) return void until.delete(ip)
        yield* Metric.update(countOf(of), 1)
        return yield* refuseTemporarily(
          Duration.millis(left),
          (request_id) =>
            new Wire.RateLimited({ message: "Too many keys from this address were nobody's.", request_id })
        )
      }),
      note: Effect.fnUntraced(function* (of, ip) {
        const now = yield* currentMillis
        yield* Metric.update(countOf(of), 1)
        const isFirst = samples.take(ip, 1, windowMillis, now).allowed
        if (isFirst && written.take("", samplesMax, windowMillis, now).allowed) {
          yield* Effect.forkIn(sample(of, ip), scope)
        }
        const { remaining, resetMillis } = failures.take(ip, failuresMax, windowMillis, now)
        if (remaining > 0) return
        // The one that was refused first is let in first.
        if (until.size >= addressesMax) until.delete(until.keys().next().value ?? "")
        until.set(ip, now + resetMillis)
      }),
      size: () => Math.max(failures.size(), samples.size(), until.size)
    })
  })
)
