/**
 * Keys and tokens that are nobody's. They are counted; one of each address and minute is logged and written to the
 * audit log; and an address that sends many is refused before the next is looked up, unless that one is known here.
 */
import * as Wire from "@coffer/contract/Errors"
import { Context, Duration, Effect, Layer, Metric } from "effect"
import { refuseTemporarily } from "../http/replies.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { currentMillis } from "../platform/runtime/clock.ts"
import { makeMemory } from "./QuotaStore.ts"

export class FailedCredentials extends Context.Service<
  FailedCredentials,
  {
    /** Refuses an address that has sent too many. */
    readonly check: (ip: string) => Effect.Effect<void, Wire.RateLimited>
    readonly note: (of: "merchant" | "operator", ip: string) => Effect.Effect<void>
  }
>()("@coffer/edge/FailedCredentials") {}

/** Of one address and minute. */
const failuresMax = 300
const windowMillis = 60_000
/** Addresses that are remembered. */
const addressesMax = 20_000

const refused = Metric.counter("coffer_credentials_refused", {
  description: "Keys and tokens that were nobody's",
  incremental: true
})
const kinds = ["merchant", "operator"] as const
const countOf = (of: (typeof kinds)[number]) => Metric.withAttributes(refused, { of })

export const layer = Layer.effect(
  FailedCredentials,
  Effect.gen(function* () {
    const log = yield* AuditLog
    const scope = yield* Effect.scope
    const failures = makeMemory({ keysMax: addressesMax })
    const samples = makeMemory({ keysMax: addressesMax })
    /** When an address may send again. */
    const until = new Map<string, number>()
    yield* Effect.forEach(kinds, (of) => Metric.update(countOf(of), 0), { discard: true })

    const sample = Effect.fnUntraced(
      function* (of: (typeof kinds)[number], ip: string) {
        yield* Effect.logWarning(`a key or token of no ${of} came from ${ip}; more of this minute are only counted`)
        yield* log.write({ act: `credentials.${of}`, phase: "refused", target: ip, status: 401 })
      },
      Effect.ignoreCause({ log: "Warn" })
    )

    return FailedCredentials.of({
      check: Effect.fnUntraced(function* (ip) {
        const left = (until.get(ip) ?? 0) - (yield* currentMillis)
        if (left <= 0) return void until.delete(ip)
        return yield* refuseTemporarily(
          Duration.millis(left),
          (request_id) =>
            new Wire.RateLimited({ message: "Too many keys from this address were nobody's.", request_id })
        )
      }),
      note: Effect.fnUntraced(function* (of, ip) {
        const now = yield* currentMillis
        yield* Metric.update(countOf(of), 1)
        if (samples.take(ip, 1, windowMillis, now).allowed) yield* Effect.forkIn(sample(of, ip), scope)
        const { remaining, resetMillis } = failures.take(ip, failuresMax, windowMillis, now)
        if (remaining > 0) return
        if (until.size >= addressesMax) until.clear()
        until.set(ip, now + resetMillis)
      })
    })
  })
)
