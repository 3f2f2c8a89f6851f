/**
 * Counts calls against a quota of a minute, with headers as in the IETF's draft of RateLimit. Every group of the
 * contract has a quota: a merchant's calls by account (`MerchantKey.ts`), those of people and of operators by caller,
 * and a sign-in by the client's address (spec: Limits; silences: U1, U31).
 */
import * as Wire from "@coffer/contract/Errors"
import { operatorQuotas, type QuotaKind, quotaOf } from "@coffer/model/Quotas"
import { Effect } from "effect"
import type { RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { refuseWith } from "../../shared/http/replies.ts"
import { unmovedMillis } from "../../platform/runtime/MerchantClocks.ts"
import { kindOf, windowMillis } from "./PublicAdmission.ts"
import { QuotaStore, type Taken } from "./QuotaStore.ts"

interface Counted {
  readonly key: string
  readonly kind: QuotaKind
  readonly limit: number
}

// Every request passes here, so this takes few steps and no generator (docs/performance-notes.md).
/** Counts this call, or refuses it. `now`: by the service's own clock; the answer has to be run at once. */
export const make = Effect.map(
  QuotaStore,
  (store) =>
    (record: RequestRecord, { key, kind, limit }: Counted, now: number): Effect.Effect<void, Wire.RateLimited> =>
      Effect.flatMapEager(store.take(key, limit, windowMillis, now), (taken) => {
        // Kept on the record, so that refusals and errors carry them, too.
        record.headers = { ...record.headers, ...headersOf(kind, limit, taken) }
        record.isCounted = taken.allowed
        if (taken.allowed) return Effect.void
        const message = `More than ${limit} ${names[kind]} within a minute. Wait for Retry-After, and spread the calls.`
        return refuseWith((request_id) => new Wire.RateLimited({ message, request_id }), `quota_of_${kind}`)
      })
)

/** Counts a call of a person or of an operator, whatever its outcome, before anything is written. */
export const makeOfCaller = Effect.map(
  make,
  (count) => (record: RequestRecord, who: "person" | "operator", id: string) => {
    const kind = kindOf(record)
    const limit = who === "operator" ? operatorQuotas[kind] : quotaOf({}, kind)
    return Effect.flatMap(unmovedMillis, (now) => count(record, { key: `${who}:${id}:${kind}`, kind, limit }, now))
  }
)

const names: Record<QuotaKind, string> = {
  writes: "writes",
  reads: "reads",
  csv: "CSV exports",
  helpers: "calls of test helpers"
}

const headersOf = (kind: QuotaKind, limit: number, { allowed, remaining, resetMillis, retryAfterMillis }: Taken) => ({
  "ratelimit-policy": `"${kind}";q=${limit};w=${windowMillis / 1_000}`,
  ratelimit: `"${kind}";r=${remaining};t=${seconds(resetMillis)}`,
  ...(allowed ? {} : { "retry-after": String(Math.max(1, seconds(retryAfterMillis))) })
})

/** Rounded up, so that waiting this long is long enough. */
const seconds = (millis: number): number => Math.ceil(millis / 1_000)
