/**
 * The row of an `Idempotency-Key` in one transaction with its request: a second request with the key waits on the
 * unique index, and finds the answer. Simpler than the service's claims, and cheaper: one row version instead of two.
 */
import { sha256 } from "./secrets.ts"

export interface Keyed {
  readonly merchantId: string
  readonly mode: string
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body: unknown
}

/** Keys in order, so that two bodies that say the same are the same. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)])
  )
}

export const columns = "id, version, merchant_id, mode, fingerprint, state, status, data, created_at"

/** The values of an answered key, in the order of {@link columns}. */
export const answeredRow = (keyed: Keyed, status: number, data: object, now: string): ReadonlyArray<unknown> => [
  sha256(JSON.stringify([keyed.merchantId, keyed.mode, keyed.method, keyed.path, keyed.key])),
  2,
  keyed.merchantId,
  keyed.mode,
  sha256(JSON.stringify(canonical(keyed.body))),
  "done",
  status,
  JSON.stringify(data),
  now
]
